"""What to change when nothing fits: for each given value by itself the nearest one that makes a plan feasible.

Every change is found by solving again. A bound of the author's is relaxed to the best that the rest
of the plan allows; an ordered input is tried on its legal values, nearest first and in both
directions; of a choice every member is tried.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator

from attrs import evolve, frozen

from llmplan.check.core import Core
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.check.vary import varied
from llmplan.diagnostics import Edit, Hint
from llmplan.solution import Relaxation
from llmplan.solve.effort import Effort, OverLimit, Progress
from llmplan.solve.nearest import best_point, feasible, feasible_values, nearest, thinned, with_values
from llmplan.solve.outcome import Outcome
from llmplan.solve.solve import requirements_of
from llmplan.source import Span
from llmplan.system.build import Built, build
from llmplan.system.evaluate import evaluate
from llmplan.system.graph import TOLERANCE
from llmplan.system.knobs import Knob, domains, in_authors_unit, knobs, ladder, value_of
from llmplan.system.lower import Lowering
from llmplan.system.system import Condition, Objective, System
from llmplan.units.measure import BoolType, EnumType, KindType, Measure, Type
from llmplan.units.table import UnknownUnit

SECONDS = 4.0
"""After so long no further change is tried."""

_LIMIT = 1e8
_MOST = 20_000
_DIGITS = range(3, 8)
_SYMBOLS = {"le": "<=", "lt": "<", "ge": ">=", "gt": ">", "eq": "=="}


@frozen
class Relaxed:
    """The changes that help, the smallest first, as hints too.

    Attributes:
        untried: What there was no time to change.
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
    seconds: float = SECONDS,
    progress: Progress | None = None,
) -> Relaxed:
    """Relaxations of an infeasible plan.

    Args:
        outcome: Why it is infeasible.
        point: The plan at its nearest point.
        seconds: How long to look.
        progress: Is told after each change.
    """
    effort = Effort(_LIMIT, time.monotonic() + seconds, progress)
    return _Relaxer(program, built, outcome, point, effort).run()


class _Relaxer:
    def __init__(
        self, program: Program, built: Built, outcome: Outcome, point: Lowering, effort: Effort
    ) -> None:
        assert built.system is not None and outcome.conflict is not None
        self.program = program
        self.built = built
        self.system = built.system
        self.outcome = outcome
        self.point = point
        self.whole = effort
        self.effort = effort  # for one change
        self.fighting = {outcome.requirements[index].name for index in outcome.conflict.smallest}
        self.constants = Lowering(program, fixed={})
        self.thinned: set[str] = set()
        self.paths: tuple[str, ...] = ()  # of what the last system was thinned by

    def run(self) -> Relaxed:
        found: list[tuple[Relaxation, tuple[Edit, ...]]] = []
        untried: list[str] = []
        # What may lie anywhere in a range is nobody's to choose.
        given = (knob for knob in knobs(self.program, self.built.lowering) if knob.setting.spread is None)
        # A member of a domain that the author left out is nearer to the plan than another model.
        changes: list[Rule | Knob] = [*self._bounds(), *given, *domains(self.program)]
        for number, change in enumerate(sorted(changes, key=_last)):
            name = change.name if isinstance(change, Rule) else change.path
            self.whole.tell(number, len(changes), "changes")
            # No change may take more than half of what is left, so that the others get their turn.
            now = time.monotonic()
            self.effort = Effort(self.whole.limit, now + (self.whole.until - now) / 2)
            try:
                self.whole.check_time()
                made = self._bound(change) if isinstance(change, Rule) else self._knob(change)
            except OverLimit:
                untried.append(name)
                continue
            if made is not None:
                found.append(made)
                self.thinned.update(() if isinstance(change, Rule) else self.paths)
        found.sort(key=lambda item: item[0].change)
        words = ("either", *("or",) * len(found)) if len(found) > 1 else ("",)
        hints = [Hint(f"{word} {one.text}".strip(), edits) for word, (one, edits) in zip(words, found)]
        return Relaxed(tuple(one for one, _ in found), tuple(hints), tuple(untried), tuple(sorted(self.thinned)))

    # Bounds of requirements

    def _bounds(self) -> list[Rule]:
        """The author's requirements that bound something by a number."""
        own = [rule for rule in self.program.rules if rule.origin != "library"]
        return [rule for rule in own if rule.name in self.fighting and _literal(rule) is not None]

    def _bound(self, rule: Rule) -> tuple[Relaxation, tuple[Edit, ...]] | None:
        at = _literal(rule)
        condition = next((c for c in self.system.conditions if c.name == rule.name), None)
        if at is None or condition is None or condition.left is None or condition.right is None:
            return None
        assert rule.sides is not None and isinstance(rule.type, Measure)
        side = condition.right if at == 0 else condition.left
        now = rule.sides[1 + at][1]
        lowest = (rule.sides[0] in ("le", "lt")) == (at == 1)
        graph = self.system.graph
        goal = side if rule.sides[0] != "eq" else graph.add("abs", graph.add("sub", condition.left, condition.right))
        sense = 1 if lowest or rule.sides[0] == "eq" else -1
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
        if rule.sides[0] != "eq":
            value = next(_rounded(exact, rule.type, rule.unit, above, self.point))
            if rule.sides[0] in ("lt", "gt") and abs(value - exact) <= TOLERANCE * abs(exact):
                value = exact * (1 + 1e-6 if above else 1 - 1e-6)
        return self._made(rule.name, "requirement", rule.type, rule.unit, now, [value], self._place_of(rule, at))

    def _place_of(self, rule: Rule, at: int) -> Span | None:
        """Where the bound of a requirement is written."""
        span = self.program.scope.span(rule.place)
        parts = span.text.split(_SYMBOLS[rule.sides[0]]) if rule.sides is not None else []
        if len(parts) != 2:
            return None
        part = parts[at]
        start = span.start + (len(span.text) - len(parts[1]) if at else 0) + len(part) - len(part.lstrip())
        return Span(span.source, start, start + len(part.strip()))

    # Values

    def _knob(self, knob: Knob) -> tuple[Relaxation, tuple[Edit, ...]] | None:
        if not knob.ordered:
            return self._choice(knob)
        assert isinstance(knob.type, Measure)
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
        made = self._opened(knob, [] if knob.choices else [start, *up, *down])
        if made is None:
            return None
        system, requirements, unknown = made
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

    def _short(self, made: tuple[System, tuple[Condition, ...], int], knob: Knob, value: float, above: bool) -> float:
        """A feasible value with few digits, just beyond the nearest one."""
        system, requirements, unknown = made
        for short in _rounded(value, knob.type, knob.unit, above, self.point):
            if best_point(with_values(system, unknown, (short,)), requirements, self.effort) is not None:
                return short
        return value

    def _choice(self, knob: Knob) -> tuple[Relaxation, tuple[Edit, ...]] | None:
        if isinstance(knob.type, KindType):
            count = len(self.constants.entry_names(knob.type.name))
        else:
            count = len(knob.type.members) if isinstance(knob.type, EnumType) else 2
        if knob.setting.open:
            return None
        now = value_of(knob, self.constants)
        made = self._opened(knob, [float(i) for i in range(count)])
        if made is None or now is None:
            return None
        system, requirements, unknown = made
        others = [value for value in system.unknowns[unknown].values or () if value != now]
        if not others:
            return None
        found = feasible_values(with_values(system, unknown, others), requirements, unknown, self.effort)
        return self._made(knob.path, "input", knob.type, "", now, found, self._span(knob))

    def _opened(self, knob: Knob, values: list[float]) -> tuple[System, tuple[Condition, ...], int] | None:
        """The system with a knob as an unknown; None if that cannot help."""
        opened = varied(self.program, "--set", {knob.path: knob.opened(values)}, over=True)
        if not self._may_help(opened, knob.path):
            return None
        made = build(opened).system
        unknown = None if made is None else _index(made, knob.path)
        if made is None or unknown is None:
            return None
        requirements = requirements_of(made)
        made, self.paths = self._thinned(made, unknown)
        names = {c.name for c in requirements if not made.graph.reach(c.node) >> unknown & 1}
        return None if self.fighting <= names else (made, requirements, unknown)

    def _may_help(self, opened: Program, path: str) -> bool:
        """False if the requirements in conflict alone cannot be met with a knob open, which is soon said."""
        fighting = [rule for rule in opened.rules if rule.name in self.fighting]
        made = build(evolve(opened, rules=fighting, goals=[], front=[], shows=[])).system
        if made is None or {c.name for c in made.conditions if c.origin != "type"} != self.fighting:
            return True
        unknown = _index(made, path)
        if unknown is None or not any(made.graph.reach(c.node) >> unknown & 1 for c in made.conditions):
            return False
        # Which computed values every candidate needs is known only of the whole plan.
        requirements = [c for c in requirements_of(made) if c.origin != "type"]
        made, _ = self._thinned(made, unknown)
        return feasible(made, requirements, unknown, self.effort)

    def _thinned(self, made: System, unknown: int) -> tuple[System, tuple[str, ...]]:
        """A system with fewer candidates for its other unknowns, those of the nearest plan among them."""
        nearest = {self.system.unknowns[index].path: value for index, value in self.outcome.point.items()}
        paths = [u.path for u in made.unknowns]
        point = {index: nearest[path] for index, path in enumerate(paths) if path in nearest}
        return thinned(made, unknown, point, _MOST)

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
        edits = () if at is None else (Edit(at, _written(texts[0], type)),)
        return made, edits


def _index(made: System, path: str) -> int | None:
    """The index of an unknown that the system depends on."""
    return next((i for i, u in enumerate(made.unknowns) if u.path == path and u.used), None)


def _last(change: Rule | Knob) -> tuple[bool, bool]:
    """What is tried last: another catalog entry, a default of the library."""
    return (
        isinstance(change, Knob) and isinstance(change.type, KindType),
        isinstance(change, Knob) and not change.written,
    )


def _literal(rule: Rule) -> int | None:
    """Which side of a comparison (0 or 1) is a number, if just one is."""
    if rule.sides is None or rule.sides[0] not in _SYMBOLS or not isinstance(rule.type, Measure):
        return None
    numbers = [i for i, side in enumerate(rule.sides[1:]) if _is_number(side)]
    return numbers[0] if len(numbers) == 1 else None


def _is_number(core: Core) -> bool:
    return bool(core[0] == "num")


def _rounded(value: float, type: Type, unit: str, up: bool, lowering: Lowering) -> Iterator[float]:
    """A value rounded away from what is infeasible in its unit, from few digits to many; at last itself."""
    factor = 1.0
    if isinstance(type, Measure) and type.dims == (("Time", 1),) and unit:
        try:
            factor = float(lowering.scope.units.parse(unit)[0])
        except UnknownUnit:
            pass
    for digits in _DIGITS if value else ():
        step = 10.0 ** (math.floor(math.log10(abs(value / factor))) + 1 - digits)
        steps = value / factor / step
        whole = math.ceil(steps - 1e-9) if up else math.floor(steps + 1e-9)
        yield float(f"{whole * step:.{digits + 2}g}") * factor
    yield value


def _written(text: str, type: Type) -> str:
    """A value as a plan has it."""
    return f'"{text}"' if isinstance(type, KindType) else text.replace(",", "")
