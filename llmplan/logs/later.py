"""What a log has after the steps that are asked for, where it goes on at another speed.

Input: what a log tells, and the piece that is asked for. Output: a record; None where the run goes on as it was.
"""

from __future__ import annotations

from attrs import frozen

from llmplan.logs.pooled import SAME_SPEED, speed_of
from llmplan.logs.reading import Heard
from llmplan.logs.samples import figure, level_changes, slowness, steady
from llmplan.logs.summary import Piece

_FEWEST = 3
"""Records that tell a speed."""


@frozen
class Later:
    """How a log goes on.

    Attributes:
        step: The last one of the log.
        share: The time of a step at the end over that of the steps that are asked for.
        time: Seconds of a step at the end; None where only rates are known.
    """

    step: float
    share: float
    time: float | None


def later(heard: Heard, piece: Piece) -> Later | None:
    """The latest speed of a log behind the steps that are asked for, where it is another one."""
    run = heard.telling.runs.get(heard.format.name) if heard.format is not None else None
    counted = () if run is None else steady(run.beyond.kept).kept
    changes = level_changes(counted)
    slow = [value for one in counted[changes[-1] if changes else 0 :] if (value := slowness(one)) is not None]
    before = speed_of(piece)
    if before is None or len(slow) < _FEWEST:
        return None
    share = figure(slow).mean / before
    if 1 / SAME_SPEED <= share <= SAME_SPEED:
        return None
    timed = all(one.time is not None for one in counted)
    return Later(counted[-1].step, share, figure(slow).mean if timed else None)
