"""From a checked plan to the solver's `System`: requirements, preferences, objectives.

The quantities that the plan asks for are lowered first; only what they depend on becomes part of the system.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from attrs import evolve, frozen

from llmplan.check.ir import Assumed, Emits, Expr, Given, is_static, walk
from llmplan.check.plan import Program
from llmplan.check.program import Goal, Rule, SourceRef
from llmplan.diagnostics import Diagnostic, system
from llmplan.source import Span
from llmplan.system.assumptions import instead
from llmplan.system.calendar import on_the_calendar
from llmplan.system.display import one_line
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing, line_for
from llmplan.system.missing_inputs import limits, to_give
from llmplan.system.range_points import Spreads
from llmplan.system.reasons import path_to, why
from llmplan.system.system import Condition, Objective, System, Unknown
from llmplan.system.text import plain_text, whole_text
from llmplan.system.too_large import TooLarge
from llmplan.system.underdetermined import undecided
from llmplan.system.waivers import idle

MAX_RANGES = 6
"""The most ranges at whose corners a `certain` requirement is checked."""


@frozen
class Built:
    """A system (None if errors prevent it), with its lowering and the diagnostics.

    Attributes:
        reads: The inputs that it was built to solve, see `build`.
    """

    system: System | None
    lowering: Lowering
    diagnostics: tuple[Diagnostic, ...]
    reads: tuple[str, ...] = ()


def build(
    base: Lowering,
    program: Program | None = None,
    reads: Iterable[str] = (),
    between: Sequence[Mapping[str, float | Fraction]] = (),
) -> Built:
    """The system of a plan.

    Args:
        base: A lowering of the plan, or of one with other settings; whatever is the same is not lowered again.
        program: The plan; that of `base` if None.
        reads: Inputs that the emitted files read; the open ones among them are solved.
        between: Further points, beside the corners of the ranges, at which `certain` requirements must hold: by name
            the fraction of the way from the low end to the high one.
    """
    builder = _Builder(base.again(program), between)
    wanted = tuple(reads)
    try:
        return evolve(builder.build(wanted), reads=wanted)
    except TooLarge:
        at = builder.at and builder.scope.span(builder.at)
        found = (*builder.lowering.names.diagnostics, system.too_large(at))
        return Built(None, builder.lowering, found, wanted)


class _Builder:
    def __init__(self, lowering: Lowering, between: Sequence[Mapping[str, float | Fraction]]) -> None:
        self.program = lowering.program
        self.between = between
        self.scope = lowering.scope
        self.lowering = lowering
        self.problems: list[Diagnostic] = []
        self.undefined: list[Diagnostic] = []
        self.impossible = False
        self.at: SourceRef | None = None  # the place of what is being lowered
        self.needed: list[int] = []  # the nodes that are shown, emitted or judged

    def build(self, reads: Iterable[str]) -> Built:
        lowering = self.lowering
        # By name, as open values are numbered so and ties broken: the order of the plan's statements means nothing.
        for path, setting in sorted(self.program.strongest(), key=lambda pair: pair[0]):
            self.at = setting.place
            if setting.open and not self._two_units(path):
                lowering.name(path)
        goals = [self._objective(goal) for goal in self.program.goals if goal.author]
        conditions: list[Condition] = []
        preferences: list[Condition] = []
        for rule in self.program.rules:
            condition = self._condition(rule)
            if condition is not None:
                (conditions if rule.weight is None else preferences).append(condition)
                self._judged_by(rule)
        for row in self.program.shows:
            self.at = row.place
            shown = lowering.lower(row.value, {}, base=row.place[0])
            if isinstance(shown, Missing) and shown.needs:
                span = self.scope.span(row.place)
                needs = to_give(lowering, shown.needs)
                notes = limits(lowering, needs)
                self.problems.append(system.not_shown(span, self._text(row.place), needs, notes=notes))
            elif not isinstance(shown, Missing):
                self.needed.append(shown)
        for path in reads:
            value = lowering.name(path) if path in self.scope.fields else None
            if value is not None and not isinstance(value, Missing):
                self.needed.append(value)
        found = [goal for goal in goals if goal is not None]
        roots = [c.node for c in (*conditions, *preferences)] + [goal.node for goal in found] + self.needed
        conditions += (types := self._types(roots))
        roots += [condition.node for condition in types]
        unknowns, shut = self._used(roots)
        for unknown in undecided(lowering.graph, unknowns, roots, conditions, found):
            self.problems.append(system.undetermined(unknown.span, unknown.path))
        # The library's own objectives decide between open values; they open no further ones.
        lowering.unknowns.closed = True
        for goal in self.program.goals:
            made = None if goal.author else self._objective(goal)
            if made is not None and not lowering.graph.reach(made.node) & shut:
                found.append(made)
        if not self.impossible:
            self.problems += self.undefined
        self.problems += idle(self.lowering)
        self.problems += lowering.names.diagnostics
        made_system = System(
            lowering.graph, unknowns, tuple(conditions), tuple(preferences), tuple(found), self._front(found)
        )
        broken = any(problem.severity == "error" for problem in self.problems)
        return Built(None if broken else made_system, lowering, tuple(self.problems))

    def _used(self, roots: list[int]) -> tuple[tuple[Unknown, ...], int]:
        """The unknowns, and a mask of those that are shut because no value that is needed depends on them."""
        graph = self.lowering.graph
        reach = graph.reached(roots)
        # A domain that depends on another unknown needs that one too.
        for index, unknown in reversed(list(enumerate(self.lowering.unknowns.met))):
            if unknown.allowed is not None and (unknown.asked or reach >> index & 1):
                reach |= graph.reach(unknown.allowed)
        found = []
        shut = 0
        for index, unknown in enumerate(self.lowering.unknowns.met):
            if not unknown.asked and not reach >> index & 1:
                first = unknown.values[:1] if unknown.values else (unknown.low,)
                unknown = evolve(unknown, values=first, allowed=None, used=False)
                shut |= 1 << index
            elif unknown.asked and not reach >> index & 1:
                self.problems.append(system.guessed(unknown.span, unknown.path))
            found.append(unknown)
        return tuple(found), shut

    def _two_units(self, path: str) -> bool:
        return path not in self.scope.fields and path not in self.scope.lets and "." in path

    def _text(self, place: SourceRef) -> str:
        return one_line(self.scope.span(place).text)

    def _condition(self, rule: Rule) -> Condition | None:
        lowering = self.lowering
        self.at = rule.place
        base = rule.place[0]
        when = lowering.graph.const(1.0) if rule.when is None else lowering.lower(rule.when, {}, base=base)
        if isinstance(when, Missing):
            self._lacks(rule, rule.when, when)
            return None
        certain = rule.certain and rule.weight is None
        if lowering.graph.constant(when) == 0.0 and not certain:
            return None
        # A name that a guard requires for some candidates only is not required for all.
        always = lowering.graph.constant(when) == 1.0
        node = (lowering.lower if always else lowering.expressions.conditional)(rule.condition, {}, base)
        if isinstance(node, Missing):
            self._lacks(rule, rule.condition, node)
            return None
        if lowering.graph.constant(when) != 0.0:
            self._constant(rule, node)
        left, right = self._sides(rule, lowering)
        node = lowering.graph.add("or", lowering.graph.add("not", when), node)
        if certain:
            node, left = self._at_corners(rule, node, left, right)
            if lowering.graph.constant(when) == 0.0 and lowering.graph.constant(node) == 1.0:
                return None
        operation = "" if rule.sides is None else rule.sides.operation
        origin = rule.origin if rule.origin in ("plan", "used") else "library"
        return Condition(
            rule.name,
            node,
            origin,  # type: ignore[arg-type]
            left,
            right,
            operation,
            rule.weight,
            self.scope.span(rule.place),
        )

    def _judged_by(self, rule: Rule) -> None:
        """Marks the calendar counterpart of an author's requirement as needed: it is reported even if a rate is
        assumed and nothing is judged, so an open value that it alone reads must be decided.
        """
        counterpart = on_the_calendar(self.program, rule) if rule.stated else None
        if counterpart is not None:
            node = self.lowering.expressions.conditional(counterpart.condition, {}, rule.place[0])
            self.needed += [] if isinstance(node, Missing) else [node]

    def _sides(self, rule: Rule, lowering: Lowering) -> tuple[int | None, int | None]:
        """The nodes of a comparison's sides; None if the rule is not a comparison or a side has no value."""
        if rule.sides is None:
            return None, None
        sides = [lowering.lower(side, {}, base=rule.place[0]) for side in (rule.sides.left, rule.sides.right)]
        left, right = (None if isinstance(side, Missing) else side for side in sides)
        return left, right

    def _at_corners(self, rule: Rule, node: int, left: int | None, right: int | None) -> tuple[int, int | None]:
        """`require certain`: 1 if the rule holds as expected, at every corner of the ranges and at `between`.

        Also the left side, shifted so that it is as far from the right one as in the worst case.
        """
        graph = self.lowering.graph
        first = Spreads({})
        beside = self.lowering.again(spreads=first, beside=True)
        beside.lower(rule.condition, {}, base=rule.place[0])
        if rule.when is not None:
            beside.lower(rule.when, {}, base=rule.place[0])
        if len(first.found) > MAX_RANGES:
            raise TooLarge
        worse = {"le": "max", "lt": "max", "ge": "min", "gt": "min"}.get(
            "" if rule.sides is None else rule.sides.operation
        )
        gap = graph.add("sub", left, right) if left is not None and right is not None else None
        corners: list[Mapping[str, float | Fraction]] = [
            dict(zip(first.found, ends)) for ends in itertools.product((0.0, 1.0), repeat=len(first.found))
        ]
        for corner in (*corners, *self.between):
            lowering = self.lowering.again(spreads=Spreads(corner), beside=True)
            there = lowering.lower(rule.condition, {}, base=rule.place[0])
            when = graph.const(1.0) if rule.when is None else lowering.lower(rule.when, {}, base=rule.place[0])
            if isinstance(there, Missing) or isinstance(when, Missing):
                continue
            node = graph.add("and", node, graph.add("or", graph.add("not", when), there))
            sides = self._sides(rule, lowering)
            if worse and gap is not None and sides[0] is not None and sides[1] is not None:
                worst = graph.add(worse, gap, graph.add("sub", sides[0], sides[1]))
                gap = graph.add("select", when, worst, gap)
        if worse and gap is not None and right is not None:
            left = graph.add("add", right, gap)
        return node, left

    def _constant(self, rule: Rule, node: int) -> None:
        """Records what is known about a requirement before anything is solved."""
        value = self.lowering.graph.constant(node)
        if value is None or value == 1.0 or rule.weight is not None:
            return
        static = is_static(rule.condition) and (rule.when is None or is_static(rule.when))
        if value == 0.0:
            self.impossible = True
            if static:
                case, because = whole_text(rule.otherwise, self.lowering), plain_text(rule.because, self.lowering)
                span: Span | None = self.scope.span(rule.place)
                label = "always false"
                if rule.origin == "library":
                    span, label = self._stated(rule), "contradicts it"
                self.problems.append(system.contradiction(span, rule.name, case, because, label))
        elif rule.origin != "library":
            reason = why(self.lowering, rule.condition)
            self.undefined.append(system.undefined(self.scope.span(rule.place), self._text(rule.place), reason))

    def _stated(self, rule: Rule) -> Span | None:
        """The last statement of the plan that decides a requirement about `given`, `assumed` or `emits`."""
        program = self.program
        found: list[Span] = []
        for part in (*walk(rule.condition), *(walk(rule.when) if rule.when is not None else ())):
            if isinstance(part, Emits):
                found += [t.span for t in program.emits if part.target in (t.name, *t.brings) and t.span is not None]
            elif isinstance(part, (Assumed, Given)):
                won = program.winner(part.name)
                found += [self.scope.span(won[1].place)] if won is not None else []
        own = [span for span in found if not span.source.library]
        return max(own, key=lambda span: span.start, default=None)

    def _lacks(self, rule: Rule, expr: Expr | None, lacking: Missing) -> None:
        """Reports missing inputs if the requirement is the author's own; one of the library is then not checked."""
        if rule.origin != "library" and lacking.needs and expr is not None:
            self._not_given(rule.place, expr, lacking)

    def _not_given(self, place: SourceRef, expr: Expr, lacking: Missing) -> None:
        needs = to_give(self.lowering, lacking.needs)
        text = self._text(place)
        chain = list(dict.fromkeys([text, *path_to(self.lowering, place, needs[0])]))
        hints = [line_for(path, self.scope) for path in needs[:4]]
        if len(needs) > 1 and (assumed := instead(self.lowering, expr, place)) is not None:
            hints.insert(0, f"to do without them, assume what they decide: `assume {assumed} = …`")
        notes = limits(self.lowering, needs)
        self.problems.append(system.not_given(self.scope.span(place), text, needs, chain, hints, notes))

    def _objective(self, goal: Goal) -> Objective | None:
        self.at = goal.place
        node = self.lowering.lower(goal.value, {}, base=goal.place[0])
        if isinstance(node, Missing):
            if goal.author and node.needs:
                self._not_given(goal.place, goal.value, node)
            return None
        value = self.lowering.graph.constant(node)
        span = self.scope.span(goal.place)
        if goal.author and value is not None and value != value:
            self.undefined.append(system.undefined(span, self._text(goal.place), why(self.lowering, goal.value)))
        return Objective(node, goal.sense, self._text(goal.place), span, goal.author)

    def _front(self, goals: Iterable[Objective]) -> tuple[Objective, ...]:
        """The objectives of `pareto`, which are among the goals too."""
        spans = [self.scope.span(goal.place) for goal in self.program.front]
        return tuple(goal for span in spans for goal in goals if goal.author and goal.span == span)

    def _types(self, roots: list[int]) -> list[Condition]:
        """Conditions that computed values are whole or in their domain, under their own names.

        They open nothing: a value that cannot be computed and that only a rule reads requires no unknown of the
        library.
        """
        found = []
        graph, met = self.lowering.graph, self.lowering.unknowns.met
        reach = graph.reached(roots)
        shut = sum(1 << index for index, unknown in enumerate(met) if not (unknown.asked or reach >> index & 1))
        for name, node in self.lowering.names.checks.items():
            at = self.lowering.place_of(name) if name in self.lowering.names.needed else None
            if at is not None and not graph.reach(node) & shut:
                found.append(Condition(name, node, "type", None, None, "", None, at))
        return found
