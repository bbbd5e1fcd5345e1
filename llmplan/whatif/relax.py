"""Relaxations of an infeasible plan: for each given value, changed alone, the nearest one that makes it feasible.

Every change is found by solving again. A bound of the author's is relaxed to the best that the rest
of the plan allows; an ordered input is tried on its legal values, nearest first and in both
directions; for a choice, every member is tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from attrs import evolve, frozen

from llmplan.check.ir import Num
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.diagnostics import Edit, Hint
from llmplan.operations import TOLERANCE
from llmplan.solution import Relaxation
from llmplan.solve.effort import ENDLESS, Budget, Effort, OverLimit, Progress
from llmplan.solve.engines import best_point
from llmplan.solve.nearest import feasible_values, nearest, with_values
from llmplan.solve.outcome import Outcome
from llmplan.source import Span
from llmplan.system.adjustable import Knob, domains, in_authors_unit, knobs, ladder, value_of
from llmplan.system.build import Built
from llmplan.system.display import SYMBOLS, one_line
from llmplan.system.evaluate import evaluate
from llmplan.system.lower import Lowering
from llmplan.system.system import Objective
from llmplan.units.measure import BoolType, EnumType, KindType, Measure, Type
from llmplan.whatif.freed import Opened, Opener
from llmplan.whatif.rounding import rounded, written

EVALUATIONS = 2e9
"""What all changes together may cost, see `llmplan.solve.effort`: a few seconds; 0 for none to be tried."""

_LEAST = 1 / 256  # of them; with fewer left no change is tried

_LIMIT = 1e8


@frozen
class Relaxed:
    """Relaxations, the smallest first, also as hints.

    Attributes:
        untried: Changes not tried because the budget was spent.
        thinned: Unknowns of whose many values only some were tried while another value was changed.
    """

    found: tuple[Relaxation, ...] = ()
    hints: tuple[Hint, ...] = ()
    untried: tuple[str, ...] = ()
    thinned: tuple[str, ...] = ()


def relax(
    program: Program, built: Built, outcome: Outcome, point: Lowering, progress: Progress | None = None
) -> Relaxed:
    """Relaxations of an infeasible plan, lowered at its nearest point; `progress` is told after each change."""
    return _Relaxer(program, built, outcome, point, progress).run()


class _Relaxer:
    def __init__(
        self, program: Program, built: Built, outcome: Outcome, point: Lowering, progress: Progress | None
    ) -> None:
        assert built.system is not None
        self.program = program
        self.system = built.system
        self.outcome = outcome
        self.point = point
        self.progress = progress
        self.budget = Budget(EVALUATIONS)
        self.effort = ENDLESS  # for one change
        self.opener = Opener(built, outcome)
        self.constants = built.lowering
        self.thinned: set[str] = set()
        self.paths: tuple[str, ...] = ()  # of what the last system was thinned by

    def run(self) -> Relaxed:
        found: list[tuple[Relaxation, tuple[Edit, ...]]] = []
        untried: list[str] = []
        # What may lie anywhere in a range is nobody's to choose.
        given = (knob for knob in knobs(self.program, self.constants) if knob.setting.spread is None)
        # A member of a domain that the author left out is nearer to the plan than another model.
        changes: list[Rule | Knob] = [*self._bounds(), *given, *domains(self.program)]
        changes.sort(key=_last)
        hopeless: set[str] | None = None
        for number, change in enumerate(changes):
            name = change.name if isinstance(change, Rule) else change.path
            if self.progress is not None:
                self.progress(number, len(changes), "changes")
            # No change may take more than half of what is left, so that the others get their turn.
            self.effort = Effort(_LIMIT, self.budget.half())
            spent = self.budget.left <= _LEAST * EVALUATIONS
            if isinstance(change, Knob) and not change.written:
                if hopeless is None and not spent:
                    hopeless = self._hopeless(changes[number:])
                if hopeless and name in hopeless:
                    continue
            if spent:
                untried.append(name)
                continue
            try:
                made = self._bound(change) if isinstance(change, Rule) else self._knob(change)
            except OverLimit:
                untried.append(name)
                continue
            if made is not None:
                found.append(made)
                self.thinned.update(() if isinstance(change, Rule) else self.paths)
        found.sort(key=lambda item: item[0].change)
        hints = [Hint(f"{'or ' if number else ''}{one.text}", edits) for number, (one, edits) in enumerate(found)]
        return Relaxed(tuple(one for one, _ in found), tuple(hints), tuple(untried), tuple(sorted(self.thinned)))

    # Bounds of requirements

    def _bounds(self) -> list[Rule]:
        """The author's requirements that bound something by a number."""
        own = [rule for rule in self.program.rules if rule.origin != "library"]
        return [rule for rule in own if rule.name in self.opener.fighting and _literal(rule) is not None]

    def _bound(self, rule: Rule) -> tuple[Relaxation, tuple[Edit, ...]] | None:
        at = _literal(rule)
        condition = next((c for c in self.system.conditions if c.name == rule.name), None)
        if at is None or condition is None or condition.left is None or condition.right is None:
            return None
        assert rule.sides is not None and isinstance(rule.type, Measure)
        side = condition.right if at == 0 else condition.left
        bound = (rule.sides.left, rule.sides.right)[at]
        assert isinstance(bound, Num)
        now = bound.value
        lowest = (rule.sides.operation in ("le", "lt")) == (at == 1)
        graph = self.system.graph
        goal = side if rule.sides.operation != "eq" else graph.add("abs", graph.add("sub", condition.left, condition.right))
        sense = 1 if lowest or rule.sides.operation == "eq" else -1
        rest = [c for c in self.outcome.requirements if c is not condition]
        rest.append(evolve(condition, node=graph.add("finite", goal)))
        aim = Objective(goal, sense, "", condition.span, False)
        best = best_point(evolve(self.system, objectives=(aim,), preferences=()), rest, self.effort)
        if best is None:
            return None
        exact = evaluate(graph, best, (side,))[side]
        if not math.isfinite(exact):
            return None
        above = exact > now
        value = exact
        if rule.sides.operation != "eq":
            value = next(rounded(exact, rule.type, rule.unit, above, self.point))
            if rule.sides.operation in ("lt", "gt") and abs(value - exact) <= TOLERANCE * abs(exact):
                value = exact * (1 + 1e-6 if above else 1 - 1e-6)
        place, span = self._place_of(rule, at), self.program.scope.span(rule.place)
        made = self._made(rule.name, "requirement", rule.type, rule.unit, now, [value], place)
        if made is None or place is None:
            return made
        relaxation, (edit,) = made
        text = f"{span.text[: place.start - span.start]}{edit.text}{span.text[place.end - span.start :]}"
        return evolve(relaxation, condition=one_line(text)), made[1]

    def _place_of(self, rule: Rule, at: int) -> Span | None:
        """Where the bound of a requirement is written."""
        span = self.program.scope.span(rule.place)
        parts = span.text.split(SYMBOLS[rule.sides.operation]) if rule.sides is not None else []
        if len(parts) != 2:
            return None
        part = parts[at]
        start = span.start + (len(span.text) - len(parts[1]) if at else 0) + len(part) - len(part.lstrip())
        return Span(span.source, start, start + len(part.strip()))

    # Values

    def _knob(self, knob: Knob) -> tuple[Relaxation, tuple[Edit, ...]] | None:
        if not isinstance(knob.type, Measure):
            return self._choice(knob)
        start = value_of(knob, self.constants)
        whole: bool | None = knob.type.whole
        excluded: tuple[float, ...] = ()
        if start is None and knob.setting.open:
            index = next((i for i, u in enumerate(self.system.unknowns) if u.path == knob.path), None)
            start = None if index is None else self.outcome.point[index]
            excluded = self.system.unknowns[index].values or () if index is not None else ()
        if start is None or not math.isfinite(start):
            return None
        up, down = ladder(knob, start, self.constants)
        made = self.opener.opened(knob, [] if knob.choices else [start, *up, *down], self.effort)
        if made is None:
            return None
        system, requirements, unknown = made.system, made.requirements, made.unknown
        self.paths = made.thinned
        if knob.choices is not None:
            whole = None
            values = system.unknowns[unknown].values
            if values is None:  # the library's domain has no step
                whole = knob.type.whole
            else:
                up = sorted(value for value in values if value > start and value not in excluded)
                down = sorted((value for value in values if value < start and value not in excluded), reverse=True)
        found = []
        for side in (up, down):
            value = nearest(system, requirements, unknown, side, start, whole, self.effort)
            if value is not None:
                found.append(value if whole is not False else self._short(made, knob, value, value > start))
        before = start if not excluded else None
        return self._made(knob.path, "input", knob.type, knob.unit, before, found, self._span(knob), start)

    def _short(self, made: Opened, knob: Knob, value: float, above: bool) -> float:
        """A feasible value with few digits, just beyond the nearest one."""
        for short in rounded(value, knob.type, knob.unit, above, self.point, slack=1e-8):
            tried = with_values(made.system, made.unknown, (short,))
            if best_point(tried, made.requirements, self.effort) is not None:
                return short
        return value

    def _choice(self, knob: Knob) -> tuple[Relaxation, tuple[Edit, ...]] | None:
        if knob.setting.open:
            return None
        now = value_of(knob, self.constants)
        made = self.opener.opened(knob, self._all(knob), self.effort)
        if made is None or now is None:
            return None
        self.paths = made.thinned
        others = [value for value in made.system.unknowns[made.unknown].values or () if value != now]
        if not others:
            return None
        tried = with_values(made.system, made.unknown, others)
        found = feasible_values(tried, made.requirements, made.unknown, self.effort)
        return self._made(knob.path, "input", knob.type, "", now, found, self._span(knob))

    def _all(self, knob: Knob) -> list[float]:
        """All values of a choice."""
        return [float(i) for i in range(len(self.constants.expressions.members(knob.type)))]

    def _hopeless(self, changes: Iterable[Rule | Knob]) -> set[str]:
        """The paths of choices of the library that need not be tried one by one."""
        knobs = [change for change in changes if isinstance(change, Knob) and not change.written]
        choices = [knob for knob in knobs if isinstance(knob.type, (EnumType, BoolType))]
        return self.opener.hopeless([(knob, self._all(knob)) for knob in choices], self.effort)

    def _span(self, knob: Knob) -> Span | None:
        span = self.program.scope.span(knob.setting.place)
        return span if knob.written and not knob.setting.open and not span.source.name.startswith("--set") else None

    def _made(
        self,
        name: str,
        kind: str,
        type: Type,
        unit: str,
        now: float | None,
        values: Iterable[float],
        at: Span | None,
        start: float | None = None,
    ) -> tuple[Relaxation, tuple[Edit, ...]] | None:
        found = list(values)
        if not found:
            return None
        texts = tuple(in_authors_unit(value, type, unit, self.point) for value in found)
        before = "" if now is None else in_authors_unit(now, type, unit, self.point)
        scale = now if now is not None else start
        change = math.inf
        if isinstance(type, Measure) and scale is not None:
            change = min(abs(math.log(value / scale)) if value * scale > 0 else 1e9 for value in found)
        base = self.program.scope.units.base(type) if isinstance(type, Measure) else None
        scalars = tuple(
            value if isinstance(type, Measure) else value == 1.0 if isinstance(type, BoolType) else text
            for value, text in zip(found, texts)
        )
        made = Relaxation(name, kind, before, scalars, base, texts, change)  # type: ignore[arg-type]
        edits = () if at is None else (Edit(at, written(texts[0], type)),)
        return made, edits


def _last(change: Rule | Knob) -> tuple[bool, bool]:
    """What is tried last: another catalog entry, a default of the library."""
    return (False, False) if isinstance(change, Rule) else (isinstance(change.type, KindType), not change.written)


def _literal(rule: Rule) -> int | None:
    """Which side of a comparison (0 or 1) is a number, if just one is."""
    if rule.sides is None or rule.sides.operation == "ne" or not isinstance(rule.type, Measure):
        return None
    numbers = [i for i, side in enumerate((rule.sides.left, rule.sides.right)) if isinstance(side, Num)]
    return numbers[0] if len(numbers) == 1 else None
