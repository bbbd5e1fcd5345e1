"""What makes a result uncertain: the result with one range of the author, or one band, at either of its ends.

Input: a solved plan. Output: for the result that is asked for first, each uncertain input or quantity of the library
with what the result comes to at its two ends, all else as expected; the widest first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from llmplan.advice.trial import Trial, values_at
from llmplan.answer.schema.charts import Swing, Swings
from llmplan.answer.schema.solution import Solution
from llmplan.system.missing import Missing
from llmplan.units.amount import Range

_LEAST = 0.002
"""The share of the result below which a swing is not told."""


def swings(trial: Trial, answer: Solution) -> Swings | None:
    """The swings of the first result that has any; None if none is uncertain."""
    for name in _asked(answer):
        found = sorted(_swings(trial, answer, name), key=lambda one: abs(one.high - one.low), reverse=True)
        if found:
            return Swings(name, answer.values[name].amount, tuple(found))
    return None


def _asked(answer: Solution) -> Iterator[str]:
    """What the author requires, with its counterpart on the calendar, then what plans are compared by."""
    rows = (
        row for rule in answer.requirements if rule.origin in ("plan", "used") for row in (rule.calendar, rule.compared)
    )
    subjects = [row.subject for row in rows if row is not None]
    named = [*subjects, *(answer.calendar.get(name, name) for name in answer.compared)]
    return (name for name in dict.fromkeys(named) if name in answer.values and answer.values[name].amount.finite)


def _swings(trial: Trial, answer: Solution, name: str) -> Iterator[Swing]:
    whole = answer.values[name].amount.number
    pairs = [*_of_ranges(trial, answer, name), *_of_bands(trial, name)]
    for source, at, ends in pairs:
        if all(map(math.isfinite, ends)) and abs(ends[1] - ends[0]) >= _LEAST * abs(whole):
            yield Swing(source, at, *ends)


def _of_ranges(trial: Trial, answer: Solution, name: str) -> Iterator[tuple[str, Range | None, tuple[float, float]]]:
    """Each range of the author, others at their expected values."""
    lowering, found = trial.variable({})
    node = lowering.name(name)
    if isinstance(node, Missing):
        return
    paths = list(found)
    expected = [_number(answer, path, found[path]) for path in paths]
    for place, path in enumerate(paths):
        ends = []
        for end in found[path]:
            point = dict(enumerate([*expected[:place], end, *expected[place + 1 :]]))
            ends.append(values_at(lowering, point, (node,))[node])
        value = answer.values.get(path)
        yield path, None if value is None else value.spread, (ends[0], ends[1])


def _number(answer: Solution, path: str, ends: tuple[float, float]) -> float:
    value = answer.values.get(path)
    return value.amount.number if value is not None and value.amount.finite else sum(ends) / 2


def _of_bands(trial: Trial, name: str) -> Iterator[tuple[str, Range | None, tuple[float, float]]]:
    """Each quantity of the library with a band."""
    here = trial.here
    for banded in here.scope.banded:
        nodes = [here.at_end((banded, at)).name(name) for at in (0, 1)]
        known = [None if isinstance(node, Missing) else here.graph.constant(node) for node in nodes]
        if known[0] is not None and known[1] is not None:
            yield banded, None, (known[0], known[1])
