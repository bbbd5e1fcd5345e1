"""Plans beside one another: a sweep, scenarios, the Pareto front, and what the author shows.

Input: the context of a solution; output a section each, whose rows are bounded for a report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from llmplan.answer.schema.advice import Alternative
from llmplan.answer.schema.tables import Row, Table
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Column, Figure, Line, Prose, Rows, Section, Strong, cut, line, shortened
from llmplan.present.charts.scatter import pareto
from llmplan.present.charts.scatter import sweep as by_two_results
from llmplan.present.context import Context, thinned, varying
from llmplan.present.points import verdict
from llmplan.present.sentence import MOST_SHOWN, shows_first
from llmplan.units.amount import Amount, Range

_MOST_ROWS = 12
_ENDS_ON_THE_CALENDAR = 2
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
        (words.expression(row.text), shortened(words.worth(row), 100))
        for row in answer.shown
        if row.text not in names.FIRST_SCREEN
    )
    rows = () if shows_first(context) and len(answer.shown) <= MOST_SHOWN else rows
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
    found = [name for name, _ in points[0].results]
    results = [name for name in found if context.answer.calendar.get(name) not in found]  # on the calendar alone
    rows = [(*map(words.input_column, differing), *map(words.result_column, results))]
    digits = {name: _told_apart([dict(point.results)[name] for point in points]) for name in results}
    for point in points:
        settings = dict(point.settings)
        cells = (
            *(settings[path].exact() if path in settings else "" for path in differing),
            *(amount.rough(digits[name]) for name, amount in point.results if name in results),
        )
        rows.append(tuple(map(line, cells)))
    return Section(
        words.front_heading,
        (
            Prose("no other", (words.no_other_plan(max(0, len(points) - _MOST_ROWS)),)),
            *context.pictured("pareto", pareto),
            Rows("plain", (Column(),) * len(rows[0]), tuple(rows), words.front_title),
            Rows(
                "points",
                tuple(
                    Column(line(cut(heading, _MOST_OF_A_CELL)))
                    for heading in (*map(_without_kind, differing), *results)
                ),
                tuple(tuple(_point(point, differing, results, digits)) for point in points[:_MOST_ROWS]),
                differing=True,
                units=True,
            ),
        ),
    )


def _told_apart(amounts: Sequence[Amount]) -> int:
    """The fewest digits, three at least, at which results that differ are not the same to read."""
    differ = len({amount.number for amount in amounts})
    return next((few for few in (3, 4, 5) if len({amount.rough(few) for amount in amounts}) == differ), 3)


def _point(
    point: Alternative, differing: tuple[str, ...], results: Sequence[str], digits: Mapping[str, int]
) -> Iterator[Line]:
    for amount in [amount for path, amount in point.settings if path in differing]:
        yield _cell(amount)
    for name, amount in [(name, amount) for name, amount in point.results if name in results]:
        yield _cell(amount, digits[name])


def _cell(amount: Amount, digits: int | None = None) -> Line:
    """A figure, cut where it is too long; without `digits`, at the precision of its kind."""
    text, unit = amount.parts(_digits(amount) if digits is None else digits)
    return line(Figure(cut(text, _MOST_OF_A_CELL), unit))


def _digits(amount: Amount) -> int | None:
    """As many as are known: of money three, else those of a text."""
    return 3 if names.is_money(amount) else None


def _with_ends(amount: Amount, ends: Range, digits: int) -> Line:
    text, unit = amount.parts(_digits(amount))
    ends = ends.like(amount)
    return line(Figure(f"{text} ({ends.ends(digits)})", unit))


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
    pictures = context.pictured("sweep", by_two_results)
    return Section(context.words.sweep_heading, (Prose("feasible", (said,)), *pictures, *_variations(context, table)))


def scenarios(context: Context) -> Section:
    """The plan under its scenarios."""
    table = context.answer.scenarios
    if table is None:
        return Section("", ())
    # Where there is a sweep too, the picture is of that.
    pictures = context.pictured("sweep", by_two_results) if context.answer.sweep is None else ()
    return Section(context.words.scenarios_heading, (*pictures, *_variations(context, table)))


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
    kept = thinned(table.rows, _MOST_ROWS)
    units = _units(kept, [column.name for column in results])
    rows = tuple(tuple(_variation(context, table, row, single, units)) for row in kept)
    yield Rows("points", tuple(map(Column, headings)), rows, differing=True, units=True)
    rates = [(rate.name, rate.amount) for rate in context.rates[:_MOST_RATES]]
    yield Prose("assumed", (words.assumed_in_every_row(rates),) if rates else ())


def _units(rows: Sequence[Row], columns: Sequence[str]) -> dict[str, Amount]:
    """For each result the one whose unit its whole column has: that of the best row, else of the first."""
    solved = sorted((row for row in rows if row.status == "solved"), key=lambda row: not row.best)
    each = ((name, [row.results[name] for row in solved if name in row.results]) for name in columns)
    return {name: next((one for one in found if one.finite), found[0]) for name, found in each if found}


def _variation(context: Context, table: Table, row: Row, single: bool, units: Mapping[str, Amount]) -> Iterator[Line]:
    """A row of a table.

    Args:
        units: For each result an amount in the unit of its column.
    """
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
            continue
        result = result.like(units[column.name])
        digits = _ENDS_ON_THE_CALENDAR if column.name in context.answer.calendar.values() else 3
        yield _with_ends(result, ends, digits) if ends is not None else _cell(result)
    yield line(verdict(row, context.words))
    if row.best:
        yield line(context.words.best if single else context.words.as_good_as_any)
    else:
        yield shortened(context.words.reason(row), _MOST_OF_A_REASON)
