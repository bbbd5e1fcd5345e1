"""The answer and its neighbours: one input at another value with nothing solved again, and the parts of each result.

Input: a solved plan. An open input moves to the next values on either side, or to the other choices; if that gives too
few neighbours, so do inputs that the plan sets and that are worth trying. Output: the results of each, the answer
first; empty if the library declares no parts of anything that the plan computes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from attrs import evolve, frozen

from llmplan.advice.trial import Posed, Trial
from llmplan.answer.schema.charts import Neighbour
from llmplan.answer.schema.solution import Solution
from llmplan.system.adjustable import Knob, knobs, value_of
from llmplan.system.domains import candidates
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.system.results import results, with_calendar
from llmplan.system.system import Unknown
from llmplan.uncertainty.bands import around
from llmplan.units.measure import Measure, Type, is_choice

FEW = 3
"""If fewer neighbours than this have different results, inputs that the plan sets are tried too."""

MOST = 24
"""The most neighbours shown, and the most inputs of a plan that are tried."""

_MOVES = 0.005
"""A neighbour whose results with parts are all closer to the answer's than this is not shown."""


def neighbours(trial: Trial, answer: Solution) -> tuple[Neighbour, ...]:
    """The answer, then its neighbours in the order of their inputs; empty if nothing has parts."""
    reader = _Reader(trial.own)
    first = reader.told(trial.outcome.point)
    if not first.values:
        return ()
    others = _moved(reader, first, trial.outcome.point)
    if len(others) < FEW:
        others += _given(trial, first, {one.name for one in others})
    told = (evolve(one, misses=tuple(name for name in one.misses if name not in first.misses)) for one in others[:MOST])
    return (evolve(first, misses=()), *told)


@frozen
class _Nodes:
    """The nodes read at each point, by name: values and the ends of their bands."""

    values: dict[str, int]
    ends: dict[str, tuple[tuple[int, int], ...]]


class _Reader:
    """Reads the results, and the quantities with parts, at points of a system."""

    def __init__(self, posed: Posed) -> None:
        self.posed, self.lowering, self.system = posed, posed.lowering, posed.system
        self._results = with_calendar(
            results(self.lowering.program, self.lowering), self.lowering.program, self.lowering
        )
        self._nodes = _nodes(self.lowering)

    def told(self, point: dict[int, float], moved: int = -1) -> Neighbour:
        """The values at a point; `moved` is the unknown that has another value."""
        nodes, scope = self._nodes, self.lowering.scope
        roots = [*nodes.values.values(), *(node for pairs in nodes.ends.values() for pair in pairs for node in pair)]
        roots += [result.node for result in self._results] + [condition.node for condition in self.posed.requirements]
        weighed = [preference for preference in self.system.preferences if preference.weight]
        roots += [preference.node for preference in weighed]
        known = self.posed.values(roots, point)
        values = {name: known[node] for name, node in nodes.values.items() if math.isfinite(known[node])}
        bands = {}
        for name, pairs in nodes.ends.items():
            ends = [(known[low], known[high]) for low, high in pairs]
            given = name in values and all(math.isfinite(end) for pair in ends for end in pair)
            band = around(values[name], ends) if given and ends else None
            if band is not None:
                bands[name] = band
        unknown = self.system.unknowns[moved] if moved >= 0 else None
        told = [(one.name, one.amount(known[one.node], self.lowering)) for one in self._results]
        return Neighbour(
            name="" if unknown is None else unknown.path,
            amount=None if unknown is None else unknown.amount(point[moved], scope),
            values=values,
            bands=bands,
            results=tuple(told),
            breaks=tuple(dict.fromkeys(c.name for c in self.posed.requirements if known[c.node] != 1.0)),
            misses=tuple(preference.name for preference in weighed if known[preference.node] != 1.0),
        )


def _nodes(lowering: Lowering) -> _Nodes:
    """The quantities with parts that can be computed, and the parts themselves."""
    values: dict[str, int] = {}
    ends: dict[str, tuple[tuple[int, int], ...]] = {}
    for whole, parts in lowering.scope.parts.items():
        nodes = {name: lowering.name(name) for name in (whole, *(name for name, _ in parts))}
        known = {name: node for name, node in nodes.items() if not isinstance(node, Missing)}
        if len(known) < len(nodes):
            continue
        values |= known
        pairs = []
        for banded in lowering.scope.banded:
            low, high = (lowering.at_end((banded, at)).name(whole) for at in (0, 1))
            if not isinstance(low, Missing) and not isinstance(high, Missing):
                pairs.append((low, high))
        ends[whole] = tuple(pairs)
    return _Nodes(values, ends)


def _moved(reader: _Reader, answer: Neighbour, point: dict[int, float], only: Sequence[str] = ()) -> list[Neighbour]:
    """Each unknown at its other values, if these give different results."""
    others = []
    # In the library's order of declaration: where a plan sets an input must not change the output.
    declared = {path: number for number, path in enumerate(reader.lowering.scope.fields)}
    unknowns = sorted(enumerate(reader.system.unknowns), key=lambda pair: declared.get(pair[1].path, len(declared)))
    for index, unknown in unknowns:
        if not unknown.used or index not in point or (only and unknown.path not in only):
            continue
        for value in _beside(unknown, point[index]):
            neighbour = reader.told({**point, index: value}, index)
            if _differs(neighbour, answer):
                others.append(neighbour)
    return others


def _beside(unknown: Unknown, chosen: float) -> Iterator[float]:
    """The next values on either side of a number, or all other members of a choice."""
    values = unknown.values or ()
    if isinstance(unknown.type, Measure):
        ordered = sorted(values)
        if chosen in ordered:
            place = ordered.index(chosen)
            yield from ordered[max(0, place - 1) : place]
            yield from ordered[place + 1 : place + 2]
    elif is_choice(unknown.type):
        yield from (value for value in values if value != chosen)


def _differs(one: Neighbour, answer: Neighbour) -> bool:
    """Whether any quantity with parts has a different value."""
    wholes = [(one.values[name], answer.values[name]) for name in answer.bands if name in one.values]
    return any(abs(value - here) > _MOVES * abs(here) for value, here in wholes)


def _given(trial: Trial, answer: Neighbour, known: set[str]) -> list[Neighbour]:
    """The neighbours along inputs that the plan sets and that are worth trying, as if they were open."""
    lowering, fields = trial.built.lowering, trial.program.scope.fields
    freed: dict[str, tuple[Knob, float, list[float]]] = {}
    for knob in knobs(trial.program, lowering):
        chosen = value_of(knob, lowering)
        lever = knob.path in fields and fields[knob.path].lever
        if not lever or chosen is None or knob.path in known or len(freed) == MOST:
            continue
        values = _values(knob, chosen, lowering)
        if len(values) > 1:
            freed[knob.path] = knob, chosen, values
    changes = {path: knob.opened(values) for path, (knob, _, values) in freed.items()}
    posed = trial.posed(trial.laid(changes)) if freed else None
    if posed is None:
        return []
    settled = {path: chosen for path, (_, chosen, _) in freed.items()} | trial.system.by_path(trial.outcome.point)
    if any(unknown.used and unknown.path not in settled for unknown in posed.system.unknowns):
        return []
    point = {index: settled.get(unknown.path, math.nan) for index, unknown in enumerate(posed.system.unknowns)}
    reader = _Reader(posed)
    # Other inputs opened at the same time must not have changed the answer.
    return [] if _differs(reader.told(point), answer) else _moved(reader, answer, point, tuple(freed))


def _values(knob: Knob, chosen: float, lowering: Lowering) -> list[float]:
    """A value with its neighbours, or all values of a choice."""
    type: Type = knob.type
    if is_choice(type):
        return [float(index) for index in range(len(lowering.expressions.members(type)))]
    if not isinstance(type, Measure) or knob.choices is None:
        return []
    ordered = sorted({*(candidates(lowering.expressions, type, knob.choices) or ()), chosen})
    place = ordered.index(chosen)
    return ordered[max(0, place - 1) : place + 2]
