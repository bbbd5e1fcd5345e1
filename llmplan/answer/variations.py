"""Sweeps and scenarios: the same checked plan solved again with other values, as one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve, field, frozen

from llmplan.answer.build import VERDICT, Context, build
from llmplan.answer.findings import unmet
from llmplan.answer.judged import judged
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.tables import STATED, Blocked, Column, Row, Table
from llmplan.check.ir import Ref
from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.diagnostics import Diagnostic, solving
from llmplan.solve.effort import Progress
from llmplan.solve.order import prefers
from llmplan.system.adjustable import knob_of, value_of
from llmplan.system.build import Built
from llmplan.system.build import build as built_again
from llmplan.system.comparison import comparison_of
from llmplan.system.display import TURNED, amount
from llmplan.system.evaluate import evaluate
from llmplan.system.levers import of_the_question
from llmplan.system.lower import Lowering
from llmplan.system.missing import NO_REASON
from llmplan.system.reasons import why
from llmplan.system.results import Result, results, values_of, with_calendar
from llmplan.system.sweeps import points
from llmplan.uncertainty.worst_case import solve_certain
from llmplan.units.amount import Amount, Range


@frozen
class _Solved:
    """A row, and what is read of it and of others together.

    Attributes:
        costs: The author's objectives, all to be minimised; `front` those of `pareto`.
        results: The results by name.
        notes: Preferences that do not hold, by name.
    """

    row: Row
    costs: tuple[float, ...] = ()
    front: tuple[float, ...] = ()
    results: Mapping[str, Result] = field(factory=dict)
    notes: Mapping[str, Diagnostic] = field(factory=dict)


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
    return _table(tuple(program.sweeps), cases, program.sweeps, base, limit, progress, "points")


def scenarios(program: Program, base: Lowering, limit: int, progress: Progress | None = None) -> Table | None:
    """The plan as it stands and under each of its scenarios; None if it has none."""
    if not program.scenarios:
        return None
    plain = _without_scenario(program)
    cases: list[tuple[tuple[Amount, ...], Program]] = [((Amount(None),), plain)]
    for name, values in program.scenarios.items():
        cases.append(((Amount(name),), varied(plain, "scenario", values)))
    varying = {path for values in program.scenarios.values() for path in values}
    return _table(("scenario",), cases, varying, base, limit, progress, "scenarios")


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
    varying: Iterable[str],
    base: Lowering,
    limit: int,
    progress: Progress | None,
    what: str,
) -> Table:
    solved: list[_Solved] = []
    stated = (pair for _, program in cases for pair in program.strongest())
    asked = dict.fromkeys(path for path, setting in stated if setting.open and path not in axes)
    for number, (at, program) in enumerate(cases):
        solved.append(_solve(at, built_again(base, program), limit, (*axes, *asked)))
        if progress is not None:
            progress(number + 1, len(cases), what)
    # Half of the tokens cost less, and are no better answer: rows that differ in what is asked have no best one.
    best = set() if any(of_the_question(path, base.program) for path in varying) else _best(solved)
    rows = tuple(evolve(one.row, best=number in best) for number, one in enumerate(solved))
    unknowns = tuple(dict.fromkeys(path for row in rows for path in row.unknowns))
    return Table(axes, unknowns, _columns(base, solved), rows, notes=_notes(solved))


def _columns(base: Lowering, solved: Sequence[_Solved]) -> tuple[Column, ...]:
    """The results of all rows, each in the unit that `show` asks for, else in that of a requirement on it."""
    units = base.scope.units
    stated = _stated_units(base)
    lines = {line.name: line for one in solved for line in one.results.values()}
    columns = []
    for line in lines.values():
        asked = line.unit if line.exact else stated.get(line.name, "")
        factor = float(units.parse(asked)[0]) if asked else 1.0
        calendar = base.scope.calendar.get(line.name, "")
        counterpart = calendar if calendar in lines else ""
        columns.append(Column(line.name, units.base(line.type), asked, factor, counterpart))
    return tuple(columns)


def _stated_units(base: Lowering) -> dict[str, str]:
    """By name, the unit in which the author limits a result, itself or by a `let`; of its counterpart the same."""
    scope = base.scope
    units: dict[str, str] = {}
    for rule in base.program.rules:
        seen = comparison_of(rule, scope, TURNED) if rule.stated else None
        if seen is None:
            continue
        left, right = seen.sides.left, seen.sides.right
        for subject, limit in ((left, right), (right, left)):
            if isinstance(subject, Ref) and subject.name in scope.quantities:
                let = scope.lets.get(limit.name) if isinstance(limit, Ref) else None
                unit = let.unit if let is not None else seen.unit
                known = scope.units.words.get(unit)
                if known is not None and known.factor != 1:
                    units.setdefault(subject.name, unit)
    return {**{scope.calendar[name]: unit for name, unit in units.items() if name in scope.calendar}, **units}


def _notes(solved: Sequence[_Solved]) -> tuple[Diagnostic, ...]:
    """What is to be said of rows, once for all of those that it is true of."""
    of = sum(one.row.status == "solved" for one in solved)
    counts = {name: sum(name in one.notes for one in solved) for one in solved for name in one.notes}
    first = {name: note for one in reversed(solved) for name, note in one.notes.items()}
    return tuple(solving.of_points(first[name], count, of) for name, count in counts.items())


def _solve(at: tuple[Amount, ...], built: Built, limit: int, named: tuple[str, ...]) -> _Solved:
    """The row of one variation.

    Args:
        named: The columns before the results: what varies, and what is asked for.
    """
    program = built.lowering.program
    if built.system is None:
        errors = tuple(d.message for d in built.diagnostics if d.severity == "error")
        return _Solved(Row(at, "error", errors=errors))
    built, outcome = solve_certain(program, built, limit, brief=True)
    if outcome.status == "error" or built.system is None:
        return _Solved(Row(at, "error", errors=tuple(d.message for d in outcome.diagnostics)))
    context = Context.of(built, outcome)
    answer = build(context, Solution("", "", outcome.status), VERDICT)
    lines = with_calendar(results(program, built.lowering), program, built.lowering)
    lines = [line for line in lines if line.exact or line.name not in named]
    numbers = values_of(lines, built.lowering, outcome.point)
    row = Row(
        at,
        outcome.status,
        _unknowns(context, built.lowering, named[len(at) :]),
        {line.name: line.amount(number, built.lowering) for line, number in zip(lines, numbers)},
        _blocked(context, answer),
        outcome.conflict is not None and outcome.conflict.partly,
        spreads=_spreads(context, lines),
        bands=_bands(context, lines),
        judged=judged(answer.requirements),
    )
    if outcome.status == "infeasible":
        return _Solved(row, results={line.name: line for line in lines})
    author = [objective for objective in built.system.objectives if objective.author]
    nodes = [o.node for o in (*author, *built.system.front)]
    costs = evaluate(built.system.graph, outcome.point, nodes)
    unmet_ones = [rule for rule in answer.preferences if rule.holds is False]
    return _Solved(
        row,
        tuple(costs[o.node] * o.sense for o in author),
        tuple(costs[o.node] * o.sense for o in built.system.front),
        {line.name: line for line in lines},
        dict(zip((rule.name for rule in unmet_ones), unmet(context.lowering, unmet_ones))),
    )


def _unknowns(context: Context, lowering: Lowering, asked: Sequence[str]) -> dict[str, Amount]:
    """What any of the variations asks for."""
    system, point = context.system, context.outcome.point
    solved = {unknown.path: (unknown, index) for index, unknown in enumerate(system.unknowns)}
    unknowns: dict[str, Amount] = {}
    for path in asked:
        if path in solved:
            unknown, index = solved[path]
            unknowns[path] = unknown.amount(point[index], lowering.scope)
        elif (knob := knob_of(lowering.program, path)) is not None and (value := value_of(knob, lowering)) is not None:
            unknowns[path] = amount(value, knob.type, lowering.scope, knob.unit)
    return unknowns


def _spreads(context: Context, lines: Sequence[Result]) -> dict[str, Range]:
    """The ends of the results that the author's ranges reach."""
    ranges, found = context.ranges, {}
    for line in lines if ranges is not None else ():
        assert ranges is not None
        ends = ranges.ends(ranges.lowering.lower(line.expr, {}, base=line.base))
        if ends is not None:
            found[line.name] = Range(*(line.amount(end, context.lowering) for end in ends))
    return found


def _bands(context: Context, lines: Sequence[Result]) -> dict[str, Range]:
    """The ends between which eight of ten measured values of the results lie."""
    bands, found = context.bands, {}
    for line in lines if bands is not None else ():
        assert bands is not None
        ends = bands.ends_of(line.expr, line.base)
        if ends is not None:
            found[line.name] = Range(*(line.amount(end, context.lowering) for end in ends))
    return found


def _blocked(context: Context, answer: Solution) -> tuple[Blocked, ...]:
    """The conflicting requirements of an infeasible point, as the nearest plan has them."""
    found, lowering = context.outcome.conflict, context.lowering
    results = {one.name: one for one in answer.requirements}
    rules = {rule.name: rule for rule in lowering.program.rules}
    blocked = []
    for name in [context.outcome.requirements[index].name for index in found.smallest] if found is not None else ():
        result = results.get(name)
        reason = lowering.names.reasons.get(name, "")
        if result is not None and result.sides is None and not result.undefined:
            reason = why(lowering, rules[name].condition)
            reason = "" if reason == NO_REASON else reason
        blocked.append(Blocked(name, result, reason))
    return tuple(blocked)


def _fails(row: Row) -> bool:
    """Whether the verdict on a requirement of the author is `no`."""
    return any(rule.origin in STATED and rule.verdict == "no" for rule in row.judged)


def _best(solved: Sequence[_Solved]) -> set[int]:
    """The rows with the best objectives, and with `pareto` those that nothing dominates.

    A row that meets the author's requirements as planned and not on the calendar is none of them.
    """
    feasible = [number for number, one in enumerate(solved) if one.row.status == "solved" and not _fails(one.row)]
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
