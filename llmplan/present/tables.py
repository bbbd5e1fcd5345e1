"""Plans beside one another: a sweep, scenarios, the Pareto front, and what the author shows.

Input: the context of a solution; output a section each, whose rows are bounded for a report.
"""

from __future__ import annotations

from collections.abc import Iterator

from llmplan.answer.schema.advice import Alternative
from llmplan.answer.schema.tables import Row, Table
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Column, Figure, Line, Prose, Rows, Section, Strong, cut, line, shortened
from llmplan.present.context import Context, thinned, varying
from llmplan.present.points import verdict
from llmplan.units.amount import Amount, Range

_MOST_ROWS = 12
_MOST_COLUMNS = 8
_MOST_SHOWN = 14
_FEW_SHOWN = 3
_MOST_RATES = 4
_MOST_OF_A_CELL = 40
_MOST_OF_A_REASON = 140


def shown(context: Context) -> Section:
    """What `show` adds: in a report without what its first table has, a few of them in a line."""
    words, answer = context.words, context.answer
    plain = tuple((line(row.text), words.worth(row)) for row in answer.shown)
    rows = tuple(
        (words.expression(row.text), shortened(words.worth(row, short=True), 100))
        for row in answer.shown
        if row.text not in names.FIRST_SCREEN
    )
    few = len(rows) <= _FEW_SHOWN
    table = () if few else rows[:_MOST_SHOWN]
    said = words.shown(rows) if few and rows else EMPTY
    return Section(
        words.shown_heading if table else "",
        (
            Rows("plain", (Column(), Column()), plain, words.shown_title),
            Prose("line", (said,) if said else ()),
            Rows("table", (Column(), Column(line(words.value_column), "r")), table),
        ),
    )


def front(context: Context) -> Section:
    """The Pareto front: what differs between its points, and their results."""
    words, points = context.words, context.answer.front
    if len(points) < 2:
        return Section("", ())
    differing = varying(points)
    results = [name for name, _ in points[0].results]
    rows = [tuple(map(line, (*differing, *results)))]
    for point in points:
        settings = dict(point.settings)
        cells = (
            *(settings[path].exact() if path in settings else "" for path in differing),
            *(amount.exact() for _, amount in point.results),
        )
        rows.append(tuple(map(line, cells)))
    return Section(
        words.front_heading,
        (
            Prose("no other", (words.no_other_plan(max(0, len(points) - _MOST_ROWS)),)),
            Rows("plain", (Column(),) * len(rows[0]), tuple(rows), words.front_title),
            Rows(
                "points",
                tuple(
                    Column(line(cut(heading, _MOST_OF_A_CELL)))
                    for heading in (*map(_without_kind, differing), *results)
                ),
                tuple(tuple(_point(point, differing)) for point in points[:_MOST_ROWS]),
                differing=True,
                units=True,
            ),
        ),
    )


def _point(point: Alternative, differing: tuple[str, ...]) -> Iterator[Line]:
    for amount in [amount for path, amount in point.settings if path in differing]:
        yield _cell(amount)
    for _, amount in point.results:
        yield _cell(amount)


def _cell(amount: Amount) -> Line:
    """A figure; of what is too long its beginning."""
    text, unit = amount.parts()
    return line(Figure(cut(text, _MOST_OF_A_CELL), unit))


def _with_ends(amount: Amount, ends: Range) -> Line:
    text, unit = amount.parts()
    ends = Range(ends.low.like(amount), ends.high.like(amount))
    return line(Figure(f"{text} ({ends.ends()})", unit))


def _without_kind(path: str) -> str:
    kind, _, field = path.partition(".")
    return field if kind in names.LAYOUT_KINDS else path


def sweep(context: Context) -> Section:
    """The plan at the points of its sweeps."""
    table = context.answer.sweep
    if table is None:
        return Section("", ())
    feasible = sum(row.status == "solved" for row in table.rows)
    said = context.words.feasible_points(feasible, len(table.rows), len(table.rows) > _MOST_ROWS)
    return Section(context.words.sweep_heading, (Prose("feasible", (said,)), *_variations(context, table)))


def scenarios(context: Context) -> Section:
    """The plan under its scenarios."""
    table = context.answer.scenarios
    return Section(context.words.scenarios_heading, tuple(_variations(context, table))) if table else Section("", ())


def _variations(context: Context, table: Table) -> Iterator[Rows | Prose]:
    words = context.words
    results = table.results[:_MOST_COLUMNS]
    headings = [
        *(words.axis(name) for name in table.axes),
        *(words.input_column(path) for path in table.unknowns[:_MOST_COLUMNS]),
        *(words.result_column(column.name) for column in results),
        line(words.verdict_column) if any(verdict(row, words) for row in table.rows) else EMPTY,
        EMPTY,
    ]
    single = sum(row.best for row in table.rows) == 1
    rows = tuple(tuple(_variation(context, table, row, single)) for row in thinned(table.rows, _MOST_ROWS))
    yield Rows("points", tuple(map(Column, headings)), rows, differing=True, units=True)
    rates = [(rate.name, rate.amount) for rate in context.rates[:_MOST_RATES]]
    yield Prose("assumed", (words.assumed_in_every_row(rates),) if rates else ())


def _variation(context: Context, table: Table, row: Row, single: bool) -> Iterator[Line]:
    for amount in row.at:
        cell = _cell(amount) if amount.value is not None else line(context.words.the_plan_itself)
        yield line(Strong(cell)) if row.best else cell
    solved = row.status == "solved"
    for path in table.unknowns[:_MOST_COLUMNS]:
        yield _cell(row.unknowns[path]) if solved and path in row.unknowns else EMPTY
    for column in table.results[:_MOST_COLUMNS]:
        result = row.results.get(column.name) if solved else None
        ends = None if column.calendar else row.ends(column.name)
        if result is None or not result.finite:
            yield EMPTY
        else:
            yield _with_ends(result, ends) if ends is not None else _cell(result)
    yield line(verdict(row, context.words))
    if row.best:
        yield line(context.words.best if single else context.words.as_good_as_any)
    else:
        yield shortened(context.words.reason(row), _MOST_OF_A_REASON)
