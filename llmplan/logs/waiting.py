"""Whether a run waits for its data, as far as its log tells.

Input: what a log tells, the piece that is compared, and the time of its step as planned. Output: the seconds that a
step waits, where a timer counts them; else between what times the steps scatter, where they do so much that their fast
ones are nearer to the plan; else that the log does not tell it, and what would.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from llmplan.logs.reading import Heard
from llmplan.logs.samples import figure, slowness
from llmplan.logs.summary import Piece

DATA, HELD = "data", "forward"
"""The part of a step in which it waits for its batch, and the timer in which that is, where timers count both."""

_IRREGULAR = 1.25
"""Times by which eight tenths of the steps differ that no computation of equal steps does."""

_FEWEST = 20
"""Records of which the scatter says something."""

_SOME = 0.25
"""The share of what a step is off by from which a cause is named."""


@frozen
class Waiting:
    """What a log tells of waiting for data.

    Attributes:
        seconds: Of a step, where a timer counts them and they are a fair share of what it is off by.
        scatter: The ends of eight tenths of the times of its steps, where these are irregular.
        share: Of what the step is off by that one of the two explains.
        switch: What makes the software print it, where the log does not tell; empty where it has no such switch.
    """

    seconds: float | None = None
    scatter: tuple[float, float] | None = None
    share: float | None = None
    switch: str = ""


def waiting(heard: Heard, piece: Piece, seen: float, planned: float, elsewhere: bool) -> Waiting | None:
    """Of a step that is slower than planned; None where timers tell that it is not for its data.

    Args:
        seen, planned: Seconds.
        elsewhere: Whether timers have most of it in a part that waits for no data.
    """
    off = seen - planned
    if off <= 0:
        return None
    seconds = piece.parts.get(DATA)
    if seconds is not None:
        return Waiting(seconds, share=min(1.0, seconds / off)) if seconds >= _SOME * off else None
    switch = next(_switches(heard), "")
    times = [value for one in piece.steady.kept if (value := slowness(one)) is not None]
    if len(times) >= _FEWEST:
        of_all = figure(times)
        low, high = (end * seen / of_all.mean for end in (of_all.low, of_all.high))
        share = min(1.0, (seen - low) / off)
        if high > _IRREGULAR * low and share >= _SOME:
            return Waiting(None, (low, high), share, switch)
    return None if elsewhere else Waiting(switch=switch)


def _switches(heard: Heard) -> Iterator[str]:
    for what, switch, where in () if heard.format is None else heard.format.prints:
        if what == DATA:
            yield f"`{switch}`{f', {where}' if where else ''}"
