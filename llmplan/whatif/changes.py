"""Single changes of a solved plan: an input at another value, everything else as in the answer.

Input: a plan lowered at its solution. Output: its results and what fails at the changed plan, which is evaluated as
    `--set`
would make it; and which of two changes comes first, by what the library compares plans by.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from attrs import frozen

from llmplan.answer.schema.advice import Broken, Lever, Moved
from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.system.adjustable import Knob
from llmplan.system.display import amount, show
from llmplan.system.levers import set_to
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.system.text import whole_text
from llmplan.units.measure import SYMBOLS, Measure
from llmplan.whatif.results import Result, results
from llmplan.whatif.rounding import proposals

SLIGHT = 5e-4
"""What differs by less, relatively, is the same to a reader."""

Figures = dict[str, tuple[Result, float]]


@frozen
class Tried:
    """A lever at another value: the plan there and its results."""

    knob: Knob
    now: float
    value: float
    text: str
    point: Lowering
    figures: Figures


class Changes:
    """What can be asked of the changes of one plan."""

    def __init__(self, program: Program, point: Lowering) -> None:
        self.program, self.point = program, point
        self.figures = figures(program, point)
        places = program.scope.compared
        self.compared = [name for name in sorted(places, key=lambda name: places[name][1]) if name in self.figures]
        self.failed = frozenset(failing(point))
        self._failing: dict[tuple[str, float], tuple[str, ...]] = {}

    def tried(self, knob: Knob, now: float, value: float) -> Tried | None:
        """A lever at another value; None if that cannot be said, is not legal, has no results or changes none."""
        text, value = self.text(knob, value)
        if not text:
            return None
        program = self.with_value(knob, value)
        there = self.point.again(program, fixed=self.point.unknowns.fixed)
        found = figures(program, there)
        if any(name not in found for name in self.figures):
            return None
        if not any(differs(self.figures[name][1], found[name][1]) for name in self.figures):
            return None
        if any(problem.severity == "error" for problem in there.names.diagnostics):
            return None
        return Tried(knob, now, value, text, there, found)

    def fails(self, one: Tried) -> tuple[str, ...]:
        """What fails there and holds in the answer."""
        at = one.knob.path, one.value
        if at not in self._failing:
            self._failing[at] = tuple(name for name in failing(one.point) if name not in self.failed)
        return self._failing[at]

    def with_value(self, knob: Knob, value: float) -> Program:
        return varied(self.program, "--set", {knob.path: set_to(knob, value, self.point)}, over=True)

    def text(self, knob: Knob, value: float) -> tuple[str, float]:
        """A value as its author would write it, and the number that this is."""
        if not isinstance(knob.type, Measure):
            return show(value, knob.type, self.point.scope, ""), value
        near = None
        for one in proposals(value, knob.type, knob.unit, None, self.point):
            if one.value == value:
                return one.text, one.value
            near = near or (one if not differs(one.value, value) else None)
        return (near.text, near.value) if near is not None else ("", value)

    def better(self, one: Tried) -> bool:
        """Whether a change that breaks something is better in what plans are compared by."""
        pairs = ((self.figures[name][1], one.figures[name][1]) for name in self.compared)
        return any(after < before and differs(before, after) for before, after in pairs)

    def order(self, one: Tried) -> tuple[float, ...]:
        return self.key({name: value for name, (_, value) in one.figures.items()})

    def key(self, after: dict[str, float]) -> tuple[float, ...]:
        # What differs by less than can be seen does not decide.
        return tuple(float(f"{after[name]:.4g}") if name in after else math.inf for name in self.compared)

    def moved(self, after: Figures, at: Lowering) -> tuple[Moved, ...]:
        """The results of the answer beside those after a change."""
        found = []
        for name, (result, before) in self.figures.items():
            value = after[name][1]
            first, second = result.amount(before, at), result.amount(value, at)
            found.append(Moved(name, first, second, not differs(before, value), at.scope.units.base(result.type)))
        return tuple(found)


def figures(program: Program, at: Lowering) -> Figures:
    """The results of a plan that have a value, by name."""
    found = {}
    for line in results(program, at):
        node = at.unknowns.settled(line.node)
        value = None if isinstance(node, Missing) else at.graph.constant(node)
        if value is not None and math.isfinite(value):
            found[line.name] = line, value
    return found


def failing(at: Lowering) -> Iterable[str]:
    """Names of requirements, of preferences that count, and of values that must be legal, which fail at a point."""
    constant, settled = at.graph.constant, at.unknowns.settled
    for rule in at.program.rules:
        if rule.weight == 0.0:
            continue
        if rule.when is not None:
            when = settled(at.lower(rule.when, {}, base=rule.place[0]))
            if isinstance(when, Missing) or constant(when) != 1.0:
                continue
        holds = settled(at.lower(rule.condition, {}, base=rule.place[0]))
        if not isinstance(holds, Missing) and constant(holds) != 1.0:
            yield rule.name
    for name, node in at.names.checks.items():
        if constant(node) == 0.0:
            yield name


def case(at: Lowering, name: str) -> Broken:
    """What is the case where a requirement fails: its `else`, or its sides with their values."""
    rule = next((rule for rule in at.program.rules if rule.name == name), None)
    if rule is None:
        return Broken(name)
    if rule.otherwise is not None and (text := whole_text(rule.otherwise, at)):
        return Broken(name, text)
    if rule.sides is None or rule.type is None:
        return Broken(name)
    sides = [at.worth(side, rule.place[0]) for side in (rule.sides.left, rule.sides.right)]
    known = [amount(side, rule.type, at.scope, rule.unit) for side in sides if side is not None and math.isfinite(side)]
    return Broken(name, sides=(known[0], SYMBOLS[rule.sides.operation], known[1]) if len(known) == 2 else None)


def alike(one: Lever, other: Lever) -> bool:
    """Whether two changes bring the same."""
    return one.breaks == other.breaks and all(
        not differs(first.after.number, second.after.number) for first, second in zip(one.results, other.results)
    )


def differs(before: float, after: float) -> bool:
    return abs(after - before) > SLIGHT * max(abs(before), abs(after))
