"""A single change that makes an infeasible plan feasible: another bound of a requirement, or another value of an input.

Input: an infeasible plan with its conflict, lowered at its nearest point. Output: the change as data and as edits of
    the
plan's text. Each is found by solving again, and with the very number that is shown before it is shown. A bound is
relaxed to the best that the rest of the plan allows; an ordered input is tried on its legal values, nearest first and
in both directions; of a choice every member that works is found, the best first, of entries the best.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from attrs import evolve

from llmplan.check.ir import Num
from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.solve.effort import ENDLESS
from llmplan.solve.engines import best_point
from llmplan.solve.nearest import feasible_values, nearest, with_values
from llmplan.solve.outcome import Outcome
from llmplan.solve.passes import requirements_of
from llmplan.system.adjustable import Knob, in_authors_unit, ladder, value_of
from llmplan.system.build import Built, build
from llmplan.system.display import one_line
from llmplan.system.evaluate import evaluate
from llmplan.system.levers import set_to
from llmplan.system.levers import values as beside
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.system.system import Condition, Objective
from llmplan.units.measure import Measure, is_catalog, is_choice
from llmplan.whatif.bounds import bound_of, bounded_by, place_of
from llmplan.whatif.freed import Opened, Opener
from llmplan.whatif.robust import solve_certain
from llmplan.whatif.rounding import Proposal, proposals
from llmplan.whatif.telling import Cure, Telling

_CERTAIN = 1_000_000
"""Points that one solution may look at where requirements hold at every point of ranges, which no budget counts."""

_MOST_CHOICES = 16
"""Members that are found of one choice; each is applied and solved again first."""

_CHOICES = 120
"""So many of all choices together."""


class Cures:
    """The changes of one infeasible plan; `effort` bounds the next of them.

    Args:
        plan: The name of its text, at whose end what is not given is added.
    """

    def __init__(self, program: Program, built: Built, outcome: Outcome, point: Lowering, plan: str = "") -> None:
        assert built.system is not None
        self.program = program
        self.plan = plan
        self.system = built.system
        self.outcome = outcome
        self.point = point
        self.effort = ENDLESS
        self.opener = Opener(built, outcome)
        self.constants = built.lowering
        self.reads = built.reads
        self.choices = _CHOICES
        self.told = Telling(program, point, plan)
        self.paths: tuple[str, ...] = ()  # of what the last system was thinned by

    # Bounds of requirements

    def bounds(self) -> list[Rule]:
        """The author's requirements that bound something by a number, of those in conflict or impossible by themselves."""
        conflict, rules = self.outcome.conflict, self.program.rules
        assert conflict is not None
        together = {index for one in (conflict.smallest, *conflict.further, conflict.impossible) for index in one}
        names = {self.outcome.requirements[index].name for index in together}
        own = [rule for rule in rules if rule.origin != "library" and rule.weight is None and rule.name in names]
        return [rule for rule in own if not rule.final and bound_of(rule) is not None]

    def bound(self, rule: Rule) -> Cure | None:
        """Another number in the place of a requirement's bound; OverLimit if it cannot be told within the effort."""
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
        made = self.told.made(rule.name, "requirement", rule.type, rule.unit, bound.value, [one], place)
        if place is None:
            return made
        edit = made[1][0]
        text = one_line(f"{span.text[: place.start - span.start]}{edit.text}{span.text[place.end - span.start :]}")
        certain = "certain " if rule.certain else ""
        named = f"{rule.name}: " if rule.name.isidentifier() else ""
        return evolve(made[0], condition=text, statement=f"require {certain}{named}{text}"), made[1]

    def _best(self, operation: str, condition: Condition, at: int) -> tuple[float, bool | None]:
        """The best value that the rest of the plan allows beside a bound, NaN if none, and where bounds work from
        there.
        """
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

    def knob(self, knob: Knob) -> Cure | None:
        """Another value of an input; OverLimit if it cannot be told within the effort."""
        if is_catalog(knob.type):
            return self._entry(knob)
        if not isinstance(knob.type, Measure):
            return self._choice(knob)
        if knob.setting.value is not None and value_of(knob, self.constants) is None:
            return self._factors(knob)
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
        return self.told.of_input(knob, before, found, start)

    def _factors(self, knob: Knob) -> Cure | None:
        """A lever that follows from others, at the factors that the library declares."""
        node = self.point.unknowns.settled(self.point.name(knob.path))
        now = None if isinstance(node, Missing) else self.point.graph.constant(node)
        if now is None or not math.isfinite(now) or knob.path not in self.program.scope.fields:
            return None
        for value in beside(knob, now, self.point) if self.program.scope.fields[knob.path].factors else ():
            for one in proposals(value, knob.type, knob.unit, None, self.point):  # type: ignore[arg-type]
                if abs(one.value - value) <= 1e-3 * abs(value):
                    if self._works(self._set(knob, one.value), True):
                        return self.told.of_input(knob, now, [one])
                    break
        return None

    def _short(self, made: Opened, knob: Knob, value: float, above: bool, whole: bool | None) -> Proposal | None:
        """A feasible value with few digits, just beyond the nearest one; that one itself if there is nothing between."""
        assert isinstance(knob.type, Measure)
        for one in proposals(value, knob.type, knob.unit, above, self.point, slack=1e-8):
            if whole is not False and one.value != value:
                continue
            tried = with_values(made.system, made.unknown, (one.value,))
            if best_point(tried, made.requirements, self.effort) is not None and self._works(
                self._set(knob, one.value), True
            ):
                return one
        return None

    def _set(self, knob: Knob, value: float) -> Program:
        """The plan with another value of a knob."""
        return varied(self.program, "--set", {knob.path: set_to(knob, value, self.point)}, over=True)

    def applied(self, change: Rule | Knob, cure: Cure) -> Program:
        """The plan with a change of this one made."""
        value = cure[0].values[0].value
        if isinstance(change, Knob):
            number = value if isinstance(change.type, Measure) else self._named(change, cure[0].texts[0])
            assert isinstance(number, (int, float))
            return self._set(change, float(number))
        at = bound_of(change)
        assert at is not None and isinstance(value, (int, float))
        return bounded_by(self.program, change, at, float(value))

    def _named(self, knob: Knob, text: str) -> float:
        """The number of a member or an entry."""
        return next(v for v in self._all(knob) if in_authors_unit(v, knob.type, "", self.point) == text)

    def _choice(self, knob: Knob) -> Cure | None:
        if knob.setting.open:
            return None
        now = self._now(knob)
        made = self.opener.opened(knob, self._all(knob), self.effort)
        if made is None or now is None:
            return None
        self.paths = made.thinned
        field = self.program.scope.fields.get(knob.path)
        wanted = beside(knob, now, self.point) if field is not None and field.lever else None
        known = made.system.unknowns[made.unknown].values or ()
        others = [value for value in known if value != now and (wanted is None or value in wanted)]
        if not others:
            return None
        tried = with_values(made.system, made.unknown, others)
        found = feasible_values(tried, made.requirements, made.unknown, self.effort)
        if len(found) > min(_MOST_CHOICES, self.choices):
            found = found[: min(_MOST_CHOICES, self.choices)]
            self.paths = (*self.paths, knob.path)
        self.choices -= len(found)
        found = [value for value in found if self._works(self._set(knob, value), True)]
        best = made.best(found, self.effort) if len(found) > 1 else None
        found.sort(key=lambda value: value != best)
        named = [Proposal(in_authors_unit(value, knob.type, "", self.point), value) for value in found]
        return self.told.of_input(knob, now, named)

    def _entry(self, knob: Knob) -> Cure | None:
        """The best other entry: by the objectives, of those that have what plans are compared by where any has."""
        now = self._now(knob)
        if knob.setting.open or now is None:
            return None
        made = self.opener.opened(knob, self._all(knob), self.effort)
        others = [] if made is None else [v for v in made.system.unknowns[made.unknown].values or () if v != now]
        if made is None or not others:
            return None
        self.paths = made.thinned
        tried = evolve(with_values(made.system, made.unknown, others), preferences=(), front=())
        aims, has = self._compared(made)
        priced = evolve(tried, objectives=(*aims, *tried.objectives))
        point = best_point(priced, (*made.requirements, *has), self.effort)
        point = point or (best_point(tried, made.requirements, self.effort) if has else None)
        if point is None or not self._works(self._set(knob, point[made.unknown]), True):
            return None
        best = point[made.unknown]
        return self.told.of_input(knob, now, [Proposal(in_authors_unit(best, knob.type, "", self.point), best)])

    def _compared(self, made: Opened) -> tuple[tuple[Objective, ...], tuple[Condition, ...]]:
        """What plans are compared by, as objectives in that order, and that each of them has a value."""
        graph, span = made.system.graph, made.system.unknowns[made.unknown].span
        places = self.program.scope.compared
        found = [made.lowering.name(name) for name in sorted(places, key=lambda name: places[name][1])]
        nodes = [node for node in found if not isinstance(node, Missing) and graph.reach(node) >> made.unknown & 1]
        finite = [Condition("", graph.add("finite", node), "type", None, None, "", None, span) for node in nodes]
        return tuple(Objective(node, 1, "", span, False) for node in nodes), tuple(finite)

    def _now(self, knob: Knob) -> float | None:
        """What a choice is: also where that follows from others."""
        found = value_of(knob, self.constants)
        if found is None and not knob.setting.open:
            node = self.point.unknowns.settled(self.point.name(knob.path))
            found = None if isinstance(node, Missing) else self.point.graph.constant(node)
        return found if found is not None and math.isfinite(found) else None

    def _all(self, knob: Knob) -> list[float]:
        """All values of a choice."""
        return [float(i) for i in range(len(self.constants.expressions.members(knob.type)))]

    def hopeless(self, knobs: Iterable[Knob]) -> set[str]:
        """The paths of choices that need not be tried one by one."""
        choices = [knob for knob in knobs if is_choice(knob.type) and not knob.setting.open]
        return self.opener.hopeless([(knob, self._all(knob)) for knob in choices], self.effort)
