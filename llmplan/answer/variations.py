"""Sweeps and scenarios: the same checked plan solved again with other values, as one table."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from attrs import evolve, frozen

from llmplan.answer.schema.requirements import Sides
from llmplan.answer.schema.tables import Blocked, Column, Row, Table
from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.solve.effort import Progress
from llmplan.solve.order import prefers
from llmplan.solve.outcome import Outcome
from llmplan.system.adjustable import knob_of, value_of
from llmplan.system.build import Built, build
from llmplan.system.display import amount
from llmplan.system.evaluate import evaluate
from llmplan.system.lower import Lowering
from llmplan.system.reasons import why
from llmplan.system.results import results, values_of
from llmplan.system.sweeps import points
from llmplan.system.system import System
from llmplan.uncertainty.ranges import Ranges
from llmplan.uncertainty.worst_case import solve_certain
from llmplan.units.amount import Amount, Range


@frozen
class _Solved:
    row: Row
    costs: tuple[float, ...] = ()
    front: tuple[float, ...] = ()


def sweep(program: Program, base: Lowering, limit: int, progress: Progress | None = None) -> Table | None:
    """The plan at every point of its sweeps; None if there are too many.

    Args:
        base: A lowering of the plan, or of one of its points.
    """
    grid = points(base.again(program, fixed={}))
    if grid is None:
        return None
    cases = [
        (
            tuple(at.amount for at in point.values()),
            varied(program, "sweep", {path: at.setting for path, at in point.items()}),
        )
        for point in grid
    ]
    return _table(tuple(program.sweeps), cases, base, limit, progress, "points")


def scenarios(program: Program, base: Lowering, limit: int, progress: Progress | None = None) -> Table | None:
    """The plan as it stands and under each of its scenarios; None if it has none."""
    if not program.scenarios:
        return None
    plain = _without_scenario(program)
    cases: list[tuple[tuple[Amount, ...], Program]] = [((Amount(None),), plain)]
    for name, values in program.scenarios.items():
        cases.append(((Amount(name),), varied(plain, "scenario", values)))
    return _table(("scenario",), cases, base, limit, progress, "scenarios")


def _without_scenario(program: Program) -> Program:
    tables = [
        {path: [layer for layer in layers if layer[0] != "scenario"] for path, layers in table.items()}
        for table in (program.settings, program.assumptions)
    ]
    settings, assumptions = ({path: layers for path, layers in table.items() if layers} for table in tables)
    return evolve(program, settings=settings, assumptions=assumptions)


def _table(
    axes: tuple[str, ...],
    cases: Sequence[tuple[tuple[Amount, ...], Program]],
    base: Lowering,
    limit: int,
    progress: Progress | None,
    what: str,
) -> Table:
    solved: list[_Solved] = []
    columns: dict[str, Column] = {}
    stated = (pair for _, program in cases for pair in program.strongest())
    asked = dict.fromkeys(path for path, setting in stated if setting.open and path not in axes)
    for number, (at, program) in enumerate(cases):
        solved.append(_solve(at, build(base, program), limit, columns, tuple(asked)))
        if progress is not None:
            progress(number + 1, len(cases), what)
    best = _best(solved)
    rows = tuple(evolve(one.row, best=number in best) for number, one in enumerate(solved))
    unknowns = tuple(dict.fromkeys(path for row in rows for path in row.unknowns))
    names = tuple(dict.fromkeys(name for row in rows for name in row.results))
    return Table(axes, unknowns, tuple(columns.get(name, Column(name, "")) for name in names), rows)


def _solve(
    at: tuple[Amount, ...],
    built: Built,
    limit: int,
    columns: dict[str, Column],
    asked: tuple[str, ...],
) -> _Solved:
    program = built.lowering.program
    if built.system is None:
        errors = tuple(d.message for d in built.diagnostics if d.severity == "error")
        return _Solved(Row(at, "error", errors=errors))
    built, outcome = solve_certain(program, built, limit, brief=True)
    assert built.system is not None
    if outcome.status == "error":
        return _Solved(Row(at, "error", errors=tuple(d.message for d in outcome.diagnostics)))
    unknowns, found = _at(program, built, built.system, outcome, columns, asked)
    spreads = _spreads(program, built.lowering, built.system.by_path(outcome.point))
    partly = outcome.conflict is not None and outcome.conflict.partly
    row = Row(at, outcome.status, unknowns, found, _blocked(built, outcome), partly, spreads=spreads)
    if outcome.status == "infeasible":
        return _Solved(row)
    author = [objective for objective in built.system.objectives if objective.author]
    ranked = author or list(built.system.objectives)
    nodes = [o.node for o in (*ranked, *built.system.front)]
    costs = evaluate(built.system.graph, outcome.point, nodes)
    front = tuple(costs[o.node] * o.sense for o in built.system.front)
    return _Solved(row, tuple(costs[o.node] * o.sense for o in ranked), front)


def _at(
    program: Program,
    built: Built,
    system: System,
    outcome: Outcome,
    columns: dict[str, Column],
    asked: tuple[str, ...],
) -> tuple[dict[str, Amount], dict[str, Amount]]:
    """What any of the variations asks for, and the results."""
    lowering = built.lowering
    solved = {unknown.path: (unknown, index) for index, unknown in enumerate(system.unknowns)}
    unknowns: dict[str, Amount] = {}
    for path in asked:
        if path in solved:
            unknown, index = solved[path]
            unknowns[path] = unknown.amount(outcome.point[index], lowering.scope)
        elif (knob := knob_of(program, path)) is not None and (value := value_of(knob, lowering)) is not None:
            unknowns[path] = amount(value, knob.type, lowering.scope, knob.unit)
    lines = results(program, lowering)
    for line in lines:
        base, asked_for = lowering.scope.units.base(line.type), line.unit if line.exact else ""
        columns.setdefault(line.name, Column(line.name, base, asked_for, line.factor(lowering)))
    numbers = values_of(lines, lowering, outcome.point)
    return unknowns, {line.name: line.amount(number, lowering) for line, number in zip(lines, numbers)}


def _spreads(program: Program, lowering: Lowering, point: dict[str, float]) -> dict[str, Range]:
    """The ends of the results that the author's ranges reach."""
    if all(setting.spread is None for _, setting in program.strongest()):
        return {}
    ranges = Ranges(lowering, point)
    found = {}
    for line in results(program, ranges.lowering):
        ends = ranges.ends(line.node)
        if ends is not None:
            found[line.name] = Range(*(line.amount(end, lowering) for end in ends))
    return found


def _blocked(built: Built, outcome: Outcome) -> tuple[Blocked, ...]:
    """The conflicting requirements of an infeasible point, with the sides of those that the nearest plan violates."""
    if outcome.conflict is None:
        return ()
    lowering = built.lowering
    rules = {rule.name: rule for rule in lowering.program.rules}
    parts = []
    for index in outcome.conflict.smallest:
        condition = outcome.requirements[index]
        rule = rules.get(condition.name)
        if rule is None or rule.type is None or condition.left is None or condition.right is None:
            parts.append(Blocked(condition.name))
            continue
        values = evaluate(lowering.graph, outcome.point, (condition.left, condition.right))
        if not all(isfinite(values[side]) for side in (condition.left, condition.right)):
            parts.append(Blocked(condition.name, reason=_why(built, outcome, rule)))
            continue
        left, right = (
            amount(values[side], rule.type, lowering.scope, rule.unit) for side in (condition.left, condition.right)
        )
        parts.append(Blocked(condition.name, Sides(left, condition.op, right)))  # type: ignore[arg-type]
    return tuple(parts)


def _why(built: Built, outcome: Outcome, rule: Rule) -> str:
    """Why a requirement has no value at the nearest plan."""
    lowering = built.lowering.again(fixed={} if built.system is None else built.system.by_path(outcome.point))
    lowering.lower(rule.condition, {}, base=rule.place[0])
    return why(lowering, rule.condition)


def _best(solved: Sequence[_Solved]) -> set[int]:
    """The rows with the best objectives, and with `pareto` those that nothing dominates."""
    feasible = [number for number, one in enumerate(solved) if one.row.status == "solved"]
    best: list[int] = []
    for number in [number for number in feasible if solved[number].costs]:
        better = prefers(solved[number].costs, solved[best[0]].costs) if best else True
        if better is not False:
            best = [number] if better else [*best, number]
    fronts = {number: solved[number].front for number in feasible if len(solved[number].front) == 2}
    kept = {
        number
        for number, (a, b) in fronts.items()
        if not any(c <= a and d <= b and (c, d) != (a, b) for c, d in fronts.values())
    }
    return set(best) | kept
