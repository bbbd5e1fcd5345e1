"""Relaxations of an infeasible plan: for each given value, changed alone, the nearest one that makes it feasible.

Every change is found by solving again, and with the very number that is shown before it is shown. A bound of the author's is relaxed to the best that the rest
of the plan allows; an ordered input is tried on its legal values, nearest first and in both
directions; for a choice, every member is tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from attrs import evolve, frozen

from llmplan.check.ir import Num
from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.check.program import Rule, Setting
from llmplan.diagnostics import Edit, Hint
from llmplan.solution import Relaxation
from llmplan.solve.effort import ENDLESS, Budget, Effort, OverLimit, Progress
from llmplan.solve.engines import best_point
from llmplan.solve.nearest import feasible_values, nearest, with_values
from llmplan.solve.outcome import Outcome
from llmplan.solve.passes import requirements_of
from llmplan.source import Span
from llmplan.system.adjustable import Knob, as_expression, domains, in_authors_unit, knobs, ladder, value_of
from llmplan.system.build import Built, build
from llmplan.system.display import one_line
from llmplan.system.evaluate import evaluate
from llmplan.system.lower import Lowering
from llmplan.system.system import Condition, Objective
from llmplan.units.measure import BoolType, EnumType, KindType, Measure, Type
from llmplan.whatif.bounds import bound_of, bounded_by, place_of
from llmplan.whatif.freed import Opened, Opener
from llmplan.whatif.robust import solve_certain
from llmplan.whatif.rounding import Proposal, proposals, written

EVALUATIONS = 2e9
"""What all changes together may cost, see `llmplan.solve.effort`: a few seconds; 0 for none to be tried."""

_LEAST = 1 / 256  # of them; with fewer left no change is tried

_LIMIT = 1e8

_CERTAIN = 1_000_000
"""Points that one solution may look at where requirements hold at every point of ranges, which no budget counts."""

_MOST_CHOICES = 16
"""Members or entries that are shown of one choice; each is applied and solved again first."""

_CHOICES = 120
"""So many of all choices together."""

_Made = tuple[Relaxation, tuple[Edit, ...]]


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
    program: Program,
    built: Built,
    outcome: Outcome,
    point: Lowering,
    progress: Progress | None = None,
    evaluations: float | None = None,
) -> Relaxed:
    """Relaxations of an infeasible plan, lowered at its nearest point; `progress` is told after each change."""
    return _Relaxer(program, built, outcome, point, progress, evaluations).run()


def changed(program: Program, built: Built, outcome: Outcome, knob: Knob) -> str:
    """The nearest value of one input that makes an infeasible plan feasible, as its author would write it; or empty."""
    assert built.system is not None
    point = built.lowering.again(fixed=built.system.by_path(outcome.point))
    relaxer = _Relaxer(program, built, outcome, point, None)
    relaxer.effort = Effort(_LIMIT, relaxer.budget.half())
    made = relaxer.one(knob)
    return made[0].texts[0] if made is not None and made[0].texts else ""


class _Relaxer:
    def __init__(
        self, program: Program, built: Built, outcome: Outcome, point: Lowering, progress: Progress | None,
        evaluations: float | None = None,
    ) -> None:  # fmt: skip
        assert built.system is not None
        self.program = program
        self.system = built.system
        self.outcome = outcome
        self.point = point
        self.progress = progress
        self.evaluations = EVALUATIONS if evaluations is None else evaluations
        self.budget = Budget(self.evaluations)
        self.effort = ENDLESS  # for one change
        self.opener = Opener(built, outcome)
        self.constants = built.lowering
        self.reads = built.reads
        self.choices = _CHOICES
        self.thinned: set[str] = set()
        self.paths: tuple[str, ...] = ()  # of what the last system was thinned by

    def run(self) -> Relaxed:
        found: list[_Made] = []
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
            spent = self.budget.left <= _LEAST * self.evaluations
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

    def one(self, knob: Knob) -> _Made | None:
        """The change of a single input; None if none helps, or that cannot be told within the effort."""
        try:
            return self._knob(knob)
        except OverLimit:
            return None

    # Bounds of requirements

    def _bounds(self) -> list[Rule]:
        """The author's requirements that bound something by a number."""
        own = [rule for rule in self.program.rules if rule.origin != "library"]
        return [rule for rule in own if rule.name in self.opener.fighting and not rule.final and bound_of(rule) is not None]

    def _bound(self, rule: Rule) -> _Made | None:
        at = bound_of(rule)
        condition = next((c for c in self.system.conditions if c.name == rule.name), None)
        if at is None or condition is None or condition.left is None or condition.right is None:
            return None
        assert rule.sides is not None and isinstance(rule.type, Measure)
        bound = (rule.sides.left, rule.sides.right)[at]
        assert isinstance(bound, Num)
        exact, up = self._best(rule.sides.operation, condition, at)
        if not math.isfinite(exact):
            return None
        for one in proposals(exact, rule.type, rule.unit, up, self.point, bound.value):
            if self._works(bounded_by(self.program, rule, at, one.value)):
                break
        else:
            return None
        place, span = place_of(self.program, rule, at), self.program.scope.span(rule.place)
        made = self._made(rule.name, "requirement", rule.type, rule.unit, bound.value, [one], place)
        if made is None or place is None:
            return made
        relaxation, (edit,) = made
        text = f"{span.text[: place.start - span.start]}{edit.text}{span.text[place.end - span.start :]}"
        return evolve(relaxation, condition=one_line(text)), made[1]

    def _best(self, operation: str, condition: Condition, at: int) -> tuple[float, bool | None]:
        """The best value that the rest of the plan allows beside a bound, NaN if none, and where bounds work from there."""
        graph, left, right = self.system.graph, condition.left, condition.right
        assert left is not None and right is not None
        side = right if at == 0 else left
        goal = side if operation != "eq" else graph.add("abs", graph.add("sub", left, right))
        up = None if operation == "eq" else (operation in ("le", "lt")) == (at == 1)
        rest = [c for c in self.outcome.requirements if c is not condition]
        rest.append(evolve(condition, node=graph.add("finite", goal)))
        aim = Objective(goal, -1 if up is False else 1, "", condition.span, False)
        best = best_point(evolve(self.system, objectives=(aim,), preferences=()), rest, self.effort)
        return (math.nan if best is None else evaluate(graph, best, (side,))[side]), up

    def _works(self, program: Program, thin: bool = False) -> bool:
        """Whether a changed plan is feasible: it is built and solved like any other; see `Opener.trimmed`."""
        built = build(self.constants, program, self.reads)
        if built.system is None or any(d.severity == "error" for d in built.diagnostics):
            return False
        system, requirements = self.opener.trimmed(built.system, thin), requirements_of(built.system)
        if any(rule.certain for rule in program.rules):
            return solve_certain(program, evolve(built, system=system), _CERTAIN, brief=True)[1].status == "solved"
        return best_point(system, requirements, self.effort) is not None

    # Values

    def _knob(self, knob: Knob) -> _Made | None:
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
            one = None if value is None else self._short(made, knob, value, value > start, whole)
            if one is not None:
                found.append(one)
        before = start if not excluded else None
        return self._made(knob.path, "input", knob.type, knob.unit, before, found, self._span(knob), start)

    def _short(self, made: Opened, knob: Knob, value: float, above: bool, whole: bool | None) -> Proposal | None:
        """A feasible value with few digits, just beyond the nearest one; that one itself if there is nothing between."""
        assert isinstance(knob.type, Measure)
        for one in proposals(value, knob.type, knob.unit, above, self.point, slack=1e-8):
            if whole is not False and one.value != value:
                continue
            tried = with_values(made.system, made.unknown, (one.value,))
            if best_point(tried, made.requirements, self.effort) is not None and self._works(self._set(knob, one.value), True):
                return one
        return None

    def _set(self, knob: Knob, value: float) -> Program:
        """The plan with another value of a knob."""
        setting = Setting(as_expression(value, knob.type, self.constants), None, knob.setting.place, knob.setting.unit)
        return varied(self.program, "--set", {knob.path: setting}, over=True)

    def _choice(self, knob: Knob) -> _Made | None:
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
        if len(found) > min(_MOST_CHOICES, self.choices):
            found = found[: min(_MOST_CHOICES, self.choices)]
            self.paths = (*self.paths, knob.path)
        self.choices -= len(found)
        found = [value for value in found if self._works(self._set(knob, value), True)]
        named = [Proposal(in_authors_unit(value, knob.type, "", self.point), value) for value in found]
        return self._made(knob.path, "input", knob.type, "", now, named, self._span(knob))

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
        proposed: Sequence[Proposal],
        at: Span | None,
        start: float | None = None,
    ) -> _Made | None:
        if not proposed:
            return None
        found, texts = [one.value for one in proposed], tuple(one.text for one in proposed)
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

