"""The answer and its neighbours: one input at another value and nothing solved again, with the parts of what has parts.

Input: a solved plan. An open input moves to the next values on either side, or to the other choices; where that is too
little, so do inputs that the plan gives and that are worth trying. Output: what each comes to, the answer first;
nothing where the library has no parts of anything that the plan computes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from attrs import frozen

from llmplan.answer.schema.charts import Neighbour
from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.solve.outcome import Outcome
from llmplan.solve.passes import requirements_of
from llmplan.system.adjustable import Knob, knobs, value_of
from llmplan.system.build import Built, build
from llmplan.system.domains import candidates
from llmplan.system.evaluate import evaluate
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.system.system import System, Unknown
from llmplan.system.too_large import TooLarge
from llmplan.units.measure import Measure, Type, is_choice
from llmplan.whatif.bands import around
from llmplan.whatif.results import results

FEW = 3
"""With fewer neighbours that come to something else, inputs that the plan gives are tried too."""

MOST = 24
"""So many are told at most, and as many inputs of a plan are tried."""

_MOVES = 0.005
"""What comes nearer than this to the answer, in all that has parts, is none to tell."""


def neighbours(program: Program, built: Built, outcome: Outcome) -> tuple[Neighbour, ...]:
    """The answer, then its neighbours in the order of their inputs; empty without the answer."""
    system = built.system
    if system is None:
        return ()
    try:
        reader = _Reader(built.lowering, system)
        answer = reader.told(outcome.point)
        if not answer.values:
            return ()
        found = _moved(reader, answer, outcome.point)
        if len(found) < FEW:
            found += _given(program, built, answer, outcome, {one.name for one in found})
    except TooLarge:
        return ()
    return (answer, *found[:MOST])


@frozen
class _Nodes:
    """What is read at each point: by name the nodes of values and of the ends of their bands."""

    values: dict[str, int]
    ends: dict[str, tuple[tuple[int, int], ...]]


class _Reader:
    """Reads what has parts, and the results, at points of a system."""

    def __init__(self, lowering: Lowering, system: System) -> None:
        self.lowering = lowering
        self.system = system
        self._conditions = requirements_of(system)
        self._results = results(lowering.program, lowering)
        self._nodes = _nodes(lowering)

    def told(self, point: dict[int, float], moved: int = -1) -> Neighbour:
        """What a point comes to; `moved` is the unknown that is at another value there."""
        nodes, scope = self._nodes, self.lowering.scope
        roots = [*nodes.values.values(), *(node for pairs in nodes.ends.values() for pair in pairs for node in pair)]
        roots += [result.node for result in self._results] + [condition.node for condition in self._conditions]
        at = evaluate(self.lowering.graph, point, roots)
        values = {name: at[node] for name, node in nodes.values.items() if math.isfinite(at[node])}
        bands = {}
        for name, pairs in nodes.ends.items():
            ends = [(at[low], at[high]) for low, high in pairs]
            known = name in values and all(math.isfinite(end) for pair in ends for end in pair)
            band = around(values[name], ends) if known and ends else None
            if band is not None:
                bands[name] = band
        unknown = self.system.unknowns[moved] if moved >= 0 else None
        told = [(one.name, one.amount(at[one.node], self.lowering)) for one in self._results]
        return Neighbour(
            name="" if unknown is None else unknown.path,
            amount=None if unknown is None else unknown.amount(point[moved], scope),
            values=values,
            bands=bands,
            results=tuple(told),
            breaks=tuple(dict.fromkeys(c.name for c in self._conditions if at[c.node] != 1.0)),
        )


def _nodes(lowering: Lowering) -> _Nodes:
    """What can be computed of all that has parts and of the parts themselves."""
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
    """Each unknown at its other values, as far as these come to something else."""
    found = []
    # In the order in which the library declares them: where a plan gives something changes no byte.
    declared = {path: number for number, path in enumerate(reader.lowering.scope.fields)}
    unknowns = sorted(enumerate(reader.system.unknowns), key=lambda pair: declared.get(pair[1].path, len(declared)))
    for index, unknown in unknowns:
        if not unknown.used or index not in point or (only and unknown.path not in only):
            continue
        for value in _beside(unknown, point[index]):
            one = reader.told({**point, index: value}, index)
            if _differs(one, answer):
                found.append(one)
    return found


def _beside(unknown: Unknown, chosen: float) -> Iterator[float]:
    """The next values on either side of a number, all other members of a choice."""
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
    """Whether it has a value of its own for anything that has parts."""
    wholes = [(one.values[name], answer.values[name]) for name in answer.bands if name in one.values]
    return any(abs(value - here) > _MOVES * abs(here) for value, here in wholes)


def _given(program: Program, built: Built, answer: Neighbour, outcome: Outcome, known: set[str]) -> list[Neighbour]:
    """The same of inputs that the plan gives and that are worth trying, as if they were open."""
    lowering = built.lowering
    assert built.system is not None
    opened: dict[str, tuple[Knob, list[float]]] = {}
    for knob in knobs(program, lowering):
        declared = program.scope.fields.get(knob.path)
        chosen = value_of(knob, lowering)
        if declared is None or not declared.lever or chosen is None or knob.path in known or len(opened) == MOST:
            continue
        values = _values(knob, chosen, lowering)
        if len(values) > 1:
            opened[knob.path] = knob, values
    settings = {path: knob.opened(values) for path, (knob, values) in opened.items()}
    again = build(lowering, varied(program, "--set", settings, over=True), built.reads)
    if not opened or again.system is None:
        return []
    settled = built.system.by_path(outcome.point)
    chosen_of = {path: value_of(knob, lowering) for path, (knob, _) in opened.items()}
    point: dict[int, float] = {}
    for index, unknown in enumerate(again.system.unknowns):
        value = settled.get(unknown.path, chosen_of.get(unknown.path))
        if value is None and unknown.used:
            return []
        point[index] = math.nan if value is None else value
    reader = _Reader(again.lowering, again.system)
    # What else was opened with them must not have changed the answer.
    if _differs(reader.told(point), answer):
        return []
    return _moved(reader, answer, point, tuple(opened))


def _values(knob: Knob, chosen: float, lowering: Lowering) -> list[float]:
    """A value with those beside it, or all that a choice has."""
    type: Type = knob.type
    if is_choice(type):
        return [float(index) for index in range(len(lowering.expressions.members(type)))]
    if not isinstance(type, Measure) or knob.choices is None:
        return []
    ordered = sorted({*(candidates(lowering.expressions, type, knob.choices) or ()), chosen})
    place = ordered.index(chosen)
    return ordered[max(0, place - 1) : place + 2]
