"""Pieces of one run that a restart alone sets apart: where each is as fast as the others, they are one.

Input: the pieces of a log. Output: the same, with those of equal speed joined; none whose batch, length or inputs are
others, and none behind steps that the log lacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from attrs import evolve

from llmplan.logs.run import Peak
from llmplan.logs.samples import HOLE, Steady, figure, slowness
from llmplan.logs.summary import Piece

SAME_SPEED = 1.03
"""Times by which the speeds of attempts differ at most that are one stretch: less than what tells regimes apart."""


def pooled(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The pieces, those that a restart alone sets apart as one."""
    groups: list[list[Piece]] = []
    for piece in pieces:
        if groups and _goes_on(groups[-1], piece):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return tuple(_joined(group) for group in groups)


def _goes_on(group: Sequence[Piece], piece: Piece) -> bool:
    """Whether a piece is the same run, under the same conditions, at the speed of every piece before it."""
    last = group[-1]
    if piece.why != "restart" or not (piece.numbered and last.numbered):
        return False
    if (piece.batch, piece.length) != (last.batch, last.length) or _contradict(piece.inputs, last.inputs):
        return False
    usual = median([one.weight for one in last.steady.kept])
    if piece.first_step - last.last_step > HOLE * usual:
        return False
    speeds = [speed for one in (*group, piece) if (speed := speed_of(one)) is not None]
    return len(speeds) == len(group) + 1 and max(speeds) <= SAME_SPEED * min(speeds)


def speed_of(piece: Piece) -> float | None:
    """A number that is larger the slower the steps of a piece are, in seconds where their times are known."""
    slow = [value for one in piece.steady.kept if (value := slowness(one)) is not None]
    return figure(slow).mean if slow else None


def _contradict(one: Mapping[str, tuple[object, int]], other: Mapping[str, tuple[object, int]]) -> bool:
    return any(value != other[path][0] for path, (value, _) in one.items() if path in other)


def _joined(group: Sequence[Piece]) -> Piece:
    if len(group) == 1:
        return group[0]
    first, last = group[0], group[-1]
    repeated, reached = 0.0, first.last_step
    for one in group[1:]:
        repeated += max(0.0, min(reached, one.last_step) - one.first_step + 1)
        reached = max(reached, one.last_step)
    memory: dict[str, Peak] = {}
    for one in group:
        for kind, peak in one.memory.items():
            held = memory.get(kind)
            if held is None or (not peak.doubtful, peak.value) > (not held.doubtful, held.value):
                memory[kind] = peak
    parts = {name for one in group for name in one.parts}
    return evolve(
        first,
        attempt=last.attempt,
        first_step=min(one.first_step for one in group),
        last_step=reached,
        last_line=last.last_line,
        steady=Steady(tuple(kept for one in group for kept in one.steady.kept), _left_out(group)),
        memory=memory,
        parts={name: median([one.parts[name] for one in group if name in one.parts]) for name in sorted(parts)},
        inputs={path: value for one in group for path, value in one.inputs.items()},
        restarts=len(group) - 1,
        repeated=repeated,
    )


def _left_out(group: Sequence[Piece]) -> tuple[tuple[str, int, float | None], ...]:
    """By reason how many records were left out, and the longest of them, over all."""
    found: dict[str, tuple[int, float | None]] = {}
    for piece in group:
        for reason, count, longest in piece.steady.left_out:
            before, most = found.get(reason, (0, None))
            found[reason] = before + count, max((one for one in (most, longest) if one is not None), default=None)
    return tuple((reason, *told) for reason, told in found.items())
