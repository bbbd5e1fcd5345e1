"""The limited side of a requirement, as a function of the input that decides it.

Input: a trial of a solved plan. The requirement is dropped, the input is held at one value after another, and
everything else that is open is solved again, as in a sweep. Output: a few points around the answer, which stays as it
is, each with its band and the chance of the requirement; None if no requirement of the author depends on a single
input.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from attrs import field, frozen

from llmplan.advice.bounded_side import BoundedSide, axis, bounded_side
from llmplan.advice.ledger import SHARES, Spent, account, affordable
from llmplan.advice.trial import Posed, Trial
from llmplan.answer.schema.charts import Curve, CurvePoint
from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.solution import Solution
from llmplan.check import ir
from llmplan.check.program import Rule
from llmplan.system.adjustable import knob_of, value_of
from llmplan.system.display import one_line
from llmplan.system.domains import candidates
from llmplan.uncertainty.bands import MEETS, SAFE
from llmplan.units.measure import Measure

MOST = 16
"""The most points of a curve, including the answer."""

_MORE = 8
"""How many more values are tried for the nearest one that is so likely: many have no layout."""

_LEAST, _FEW = 3, 5
"""A line with fewer points than the first is useless; with fewer than the second, more values are tried."""

_FLAT = 0.005
"""An input that changes the side by no more than this share does not decide it."""

_AROUND = (0.6, 0.75, 0.9, 1.0, 1.15, 1.35, 1.6, 2.0)
"""The multiples of the answer near which the input is tried, if it has such values."""

_OUTWARD = (2.0, 2.5, 3.0, 4.0)
"""The multiples, or fractions, of the answer at which a safe value is looked for beyond the first ones."""

_MULTIPLES = (2.0, 0.5, 1.5, 0.75, 4.0, 0.25)
"""The multiples that are tried exactly, if layouts divide only few values."""


@frozen
class _Limit:
    """A requirement of the author's; `judged` if its verdict is that of its counterpart on the calendar."""

    rule: Rule
    judged: bool


@frozen
class _Line:
    """An input that is held at one value after another.

    Attributes:
        whole: A plan in which it is the unknown `index`.
        posed: The same without the requirement.
        answer: The point of the answer in that plan.
        values: The values that the input may have, ascending; None for a continuous one.
        again: Whether the other unknowns are few enough to be solved for each value.
    """

    whole: Posed
    posed: Posed
    index: int
    of: BoundedSide
    answer: dict[int, float]
    values: tuple[float, ...] | None
    again: bool
    kept: dict[float, CurvePoint] = field(factory=dict)

    @property
    def chosen(self) -> float:
        return self.answer[self.index]


def requirement_curve(trial: Trial, answer: Solution) -> Curve | None:
    """The limited side of a requirement along the input that decides it; None if there is no such input."""
    for line in itertools.islice(_lines(trial, answer.requirements), SHARES["curve"].tries):
        for value in _first(line):
            _point(line, value)
        if _flat(line):
            continue
        for value in _further(line):
            if len(line.kept) < MOST and _solved_at(line) < _FEW:
                _point(line, value)
        _reach_out(line)
        _look_for(line, SAFE)
        _look_for(line, MEETS)
        if _solved_at(line) >= _LEAST:
            return _told(line)
    return None


def _solved_at(line: _Line) -> int:
    return sum(point.value is not None for point in line.kept.values())


def _flat(line: _Line) -> bool:
    """Whether the input has no effect on the limited side, like GPUs on the cost at an assumed rate."""
    values = [point.value for point in line.kept.values() if point.value is not None]
    return len(values) > 1 and max(values) - min(values) <= _FLAT * max(map(abs, values))


def _told(line: _Line) -> Curve:
    points = sorted(line.kept.values(), key=lambda point: point.at)
    scope, unknown, rule = line.posed.lowering.scope, line.posed.system.unknowns[line.index], line.of.rule
    chosen = next(number for number, point in enumerate(points) if point.at == line.chosen)
    safe, meets = (_nearest(line, share) for share in (SAFE, MEETS))
    return Curve(
        input=axis(unknown.path, unknown.amount(line.chosen, scope)),
        result=axis(line.of.text, line.of.shown(line.of.limit, scope)),
        requirement=rule.name,
        text=one_line(scope.span(rule.place).text),
        operation=line.of.operation,  # type: ignore[arg-type]
        limit_amount=line.of.shown(line.of.limit, scope),
        points=tuple(points),
        chosen=chosen,
        again=line.again,
        safe=None if safe is None else next(n for n, point in enumerate(points) if point.at == safe),
        meets=None if meets is None else next(n for n, point in enumerate(points) if point.at == meets),
    )


def _likely(line: _Line, share: float) -> list[float]:
    """The values that were solved at which the requirement is so likely; none for an equation."""
    kept = line.kept.items() if line.of.operation != "eq" and not line.of.rates else ()
    return sorted(
        at
        for at, point in kept
        if point.value is not None and point.verdict != "no" and (point.chance is None or point.chance >= share)
    )


def _nearest(line: _Line, share: float) -> float | None:
    return min(_likely(line, share), key=lambda at: abs(at - line.chosen), default=None)


def _lines(trial: Trial, judged: Sequence[RequirementResult]) -> Iterator[_Line]:
    """The inputs that decide the limited side of a requirement of the author, the requested one first."""
    system, outcome, program = trial.system, trial.outcome, trial.program
    # The requirement with the least chance comes first.
    stated = [result for result in judged if result.origin in ("plan", "used")]
    sure = {result.name: 1.0 if result.chance is None else result.chance for result in stated}
    calendar = {result.name for result in stated if result.on != result.stated}
    rules = [_Limit(rule, rule.name in calendar) for rule in program.rules if rule.stated]
    rules.sort(key=lambda limit: sure.get(limit.rule.name, 1.0))
    for index, unknown in enumerate(system.unknowns):
        if unknown.asked and unknown.used and isinstance(unknown.type, Measure):
            bound = outcome.requirements[outcome.binding[index]].name if index in outcome.binding else ""
            if outcome.how.get(index) == "search" and bound not in sure:
                continue
            first = sorted(rules, key=lambda limit: limit.rule.name != bound)
            yield from _through(trial.own, index, first, outcome.point, unknown.values)
    # What the objectives would decide if it were open.
    for goal in program.goals:
        path = goal.value.name if isinstance(goal.value, ir.Ref) else ""
        declared = program.scope.fields.get(path)
        if declared is None or not declared.decision or not isinstance(declared.type, Measure):
            continue
        own = trial.own.index(path)
        if own is not None and system.unknowns[own].used:
            yield from _through(trial.own, own, rules, outcome.point, system.unknowns[own].values)
        else:
            yield from _freed(trial, path, rules)
        return


def _through(
    posed: Posed, index: int, limits: list[_Limit], answer: dict[int, float], values: tuple[float, ...] | None
) -> Iterator[_Line]:
    """An unknown with each requirement that limits something that depends on it."""
    unknown, again = posed.system.unknowns[index], posed.few(index, SHARES["curve"].points)
    ordered = None if values is None else tuple(sorted(values))
    for limit in limits:
        rule, of = limit.rule, bounded_side(posed.lowering, limit.rule, limit.judged)
        required = any(condition.name == rule.name for condition in posed.system.conditions)
        if of is not None and required and of.name != unknown.path and posed.system.graph.reach(of.node) >> index & 1:
            yield _Line(posed, posed.without(rule.name), index, of, answer, ordered, again)


def _freed(trial: Trial, path: str, limits: list[_Limit]) -> Iterator[_Line]:
    """The lines along an input that the plan sets, as if it were open."""
    lowering, knob = trial.built.lowering, knob_of(trial.program, path)
    chosen = None if knob is None else value_of(knob, lowering)
    if knob is None or chosen is None or knob.choices is None:
        return
    domain = candidates(lowering.expressions, knob.type, knob.choices) or ()
    values = tuple(sorted({*domain, chosen}))
    near = sorted({*_near(chosen, values), *_multiples(chosen, values)})
    posed = trial.posed(trial.laid({path: knob.opened(near)}))
    index = None if posed is None else posed.index(path)
    if posed is not None and index is not None:
        settled = trial.system.by_path(trial.outcome.point)
        answer = {i: settled.get(unknown.path, chosen) for i, unknown in enumerate(posed.system.unknowns)}
        yield from _through(posed, index, limits, answer, values)


def _first(line: _Line) -> list[float]:
    if line.values is not None:
        return _near(line.chosen, line.values)
    unknown = line.posed.system.unknowns[line.index]
    near = [float(f"{line.chosen * ratio:.2g}") for ratio in _AROUND if ratio != 1.0]
    return sorted({line.chosen, *(value for value in near if unknown.low <= value <= unknown.high)})


def _further(line: _Line) -> list[float]:
    return [] if line.values is None else _multiples(line.chosen, line.values)


def _multiples(chosen: float, values: tuple[float, ...]) -> list[float]:
    return [chosen * ratio for ratio in _MULTIPLES if chosen * ratio in values]


def _near(chosen: float, values: tuple[float, ...]) -> list[float]:
    """Values around the chosen one: the next on either side, and some further away."""
    place = values.index(chosen)
    near = set(values[max(0, place - 1) : place + 2])
    for ratio in _AROUND:
        near.add(min(values, key=lambda value: abs(value - chosen * ratio)))
    for beyond in (2, 3, 4):
        if len(near) < 5:
            near |= set(values[max(0, place - beyond) : place + beyond + 1])
    return sorted(near)


def _reach_out(line: _Line) -> None:
    """Adds points further from the answer, on the side on which the requirement is more likely, until it is safe."""
    known = {at: point.chance for at, point in line.kept.items() if point.chance is not None}
    if line.values is None or len(known) < 2 or _likely(line, SAFE):
        return
    first, last = min(known), max(known)
    up = (known[last] or 0.0) > (known[first] or 0.0)
    for ratio in _OUTWARD:
        near = line.chosen * ratio if up else line.chosen / ratio
        value = min(line.values, key=lambda value: abs(value - near))
        if (value > last if up else value < first) and len(line.kept) < MOST:
            _point(line, value)
        if _likely(line, SAFE):
            return


def _look_for(line: _Line, share: float) -> None:
    """Adds points until no value lies between the answer and the nearest that is so likely, or there are enough."""
    while line.values is not None and len(line.kept) < MOST + _MORE:
        known = sorted(at for at, point in line.kept.items() if point.value is not None)
        likely = _likely(line, share)
        if not likely or line.chosen in likely:
            return
        nearest = min(likely, key=lambda at: abs(at - line.chosen))
        step = 1 if nearest < line.chosen else -1
        before = known[known.index(nearest) + step]
        ends = sorted((line.values.index(nearest), line.values.index(before)))
        if ends[1] - ends[0] < 2:
            return
        between = [value for value in line.values[ends[0] + 1 : ends[1]] if value not in line.kept]
        if not between:
            return
        _point(line, between[len(between) // 2])


def _point(line: _Line, value: float) -> None:
    """Solves the plan at one value of the input."""
    if value in line.kept:
        return
    scope, unknown = line.posed.lowering.scope, line.posed.system.unknowns[line.index]
    empty = CurvePoint(unknown.amount(value, scope))
    point = line.answer if value == line.chosen else _solved(line, line.posed, value)
    told = empty if point is None else line.of.told(empty, line.posed, point)
    if value != line.chosen and told.verdict == "no" and line.again:
        # Without the requirement preferences may choose another layout than that by which it is just met.
        kept = _solved(line, line.whole, value)
        told = told if kept is None else line.of.told(empty, line.posed, kept)
    line.kept[value] = told


def _solved(line: _Line, posed: Posed, value: float) -> dict[int, float] | None:
    for index, held in {**({} if line.again else line.answer), line.index: value}.items():
        posed = posed.held(index, (held,))
    point = affordable(lambda: posed.best(account("curve").all()))
    return None if isinstance(point, Spent) else point
