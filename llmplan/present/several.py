"""The answers of several plans as one table, a row for each, as `solve --table` and `compile --table` print it.

Input: names of plans, each with its solution. Output: a table whose rows are at a plan and its status, with the number
of GPUs, the results by which the library compares plans, each before its counterpart on the calendar, and the author's
requirements. A result is in the unit of the first plan with a requirement on it or on its counterpart.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from llmplan.answer.judged import judged
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.tables import Blocked, Column, Row, Table
from llmplan.present import names, points
from llmplan.units.amount import Amount

AXES = ("plan", "status")


def table(answers: Sequence[tuple[str, Solution]]) -> Table:
    """One row for each plan, in their order."""
    columns = _columns([solution for _, solution in answers])
    rows = tuple(_row(name, solution, columns) for name, solution in answers)
    unknowns = (names.GPUS,) if any(row.unknowns for row in rows) else ()
    plain = Table(AXES, unknowns, columns, rows)
    return evolve(plain, results=tuple(_in_its_unit(plain, column) for column in columns))


def _columns(solutions: Sequence[Solution]) -> tuple[Column, ...]:
    """What the library compares plans by, and after each its counterpart on the calendar, as far as any has a value."""
    calendar = {name: other for solution in solutions for name, other in solution.calendar.items()}
    values = {name: value for solution in solutions for name, value in solution.values.items() if value.amount.finite}
    compared = dict.fromkeys(name for solution in solutions for name in solution.compared)
    listed: dict[str, Column] = {}
    for name in compared:
        counterpart = calendar.get(name, "")
        for column in (Column(name, "", calendar=counterpart), Column(counterpart, "")):
            if column.name in values:
                listed.setdefault(column.name, evolve(column, unit=values[column.name].unit or ""))
    return tuple(listed.values())


def _row(name: str, solution: Solution, columns: Sequence[Column]) -> Row:
    values = solution.values
    known = [values[one.name] for one in columns if one.name in values and values[one.name].amount.finite]
    gpus = values.get(names.GPUS)
    results = {rule.name: rule for rule in solution.requirements}
    return Row(
        (Amount(name), Amount(solution.status)),
        solution.status,
        {} if gpus is None or not gpus.amount.finite else {names.GPUS: gpus.amount},
        {value.name: value.amount for value in known},
        tuple(Blocked(rule, results.get(rule)) for rule in solution.conflict),
        solution.partly,
        _errors(solution),
        {value.name: value.spread for value in known if value.spread is not None},
        {value.name: value.band for value in known if value.band is not None},
        judged(solution.requirements),
    )


def _errors(solution: Solution) -> tuple[str, ...]:
    """The messages of a plan that has no answer."""
    if solution.status != "error":
        return ()
    return tuple(told.message for told in solution.diagnostics if told.severity == "error")


def _in_its_unit(table: Table, column: Column) -> Column:
    """A column with the unit that a plan states for it or for its counterpart."""
    like = points.written_like(table, column)
    if like is None or not (like.unit.fixed or like.unit.word[0]):
        return column
    return evolve(column, asked=like.unit.text, factor=like.unit.factor)
