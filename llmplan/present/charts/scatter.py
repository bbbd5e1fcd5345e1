"""Plans by two results: the points of a Pareto front, and those of a sweep or of scenarios.

Input: the context of a solution. Output: a point for each plan, by time and cost, on the calendar where there is one,
or by the two objectives of a front; a sweep of a number in which one of the two is about the same everywhere, by that
number and the other. Nothing where fewer than three plans have both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from llmplan.answer.schema.tables import Row, Table
from llmplan.present import names
from llmplan.present.blocks import plain
from llmplan.present.charts.records import Axis, Named, Point, Scatter
from llmplan.present.context import Context, varying
from llmplan.present.words.en import Words
from llmplan.units.amount import Amount

_TICKS, _LEAST, _MOST = 5, 3, 40
_SAME = 0.02
"""What differs by no more than this share looks the same in a picture."""

Found = tuple[Literal["answer", "other", "failing"], str, Amount, Amount]
"""The look of a point, its name, and its two results."""


def pareto(context: Context) -> Scatter | None:
    """The Pareto front."""
    front = context.answer.front
    traded = [objective.text for objective in context.answer.objectives][:2]
    if len(traded) < 2:
        return None
    differing = varying(front)
    found: list[Found] = []
    for number, point in enumerate(front):
        results, settings = dict(point.results), dict(point.settings)
        if all(name in results and results[name].finite for name in traded):
            label = ", ".join(_setting(context, path, settings[path]) for path in differing[:2] if path in settings)
            found.append(("answer" if number == 0 else "other", label, results[traded[0]], results[traded[1]]))
    return _scatter(context, context.words.front_title_of(len(found)), traded, found)


def _setting(context: Context, path: str, amount: Amount) -> str:
    """A value with what it is where its unit does not say so: `512 GPUs`, `ZeRO 2`."""
    text, unit = amount.parts()
    return amount.short() if unit else f"{plain(context.words.input_column(path))} {text}"


def sweep(context: Context) -> Scatter | None:
    """The points of a sweep; without one those of the scenarios."""
    table = context.answer.sweep or context.answer.scenarios
    if table is None:
        return None
    columns = {column.name for column in table.results}
    calendar = context.answer.calendar
    pair = [calendar.get(name, name) if calendar.get(name) in columns else name for name in (names.TIME, names.COST)]
    pair = _telling(table, pair)
    found = list(_points(context, table, pair))
    return _scatter(context, context.words.sweep_title_of(list(table.axes), len(found)), pair, found)


def _telling(table: Table, pair: list[str]) -> list[str]:
    """Two results, or the number that is swept in place of one that says nothing of its points."""
    figures = [_figures(table, row) for row in table.rows]
    differing = [name for name in pair if _differs(figures, name)]
    if len(differing) == 1 and len(table.axes) == 1 and _differs(figures, table.axes[0]):
        return [table.axes[0], *differing]
    return pair


def _figures(table: Table, row: Row) -> dict[str, Amount]:
    return {**dict(zip(table.axes, row.at)), **row.results}


def _differs(figures: Sequence[Mapping[str, Amount]], name: str) -> bool:
    """Whether something is a number everywhere where it has a value, and not about the same."""
    amounts = [row[name] for row in figures if name in row]
    numbers = [amount.number for amount in amounts if amount.finite]
    return len(numbers) == len(amounts) > 1 and max(numbers) - min(numbers) > _SAME * max(map(abs, numbers))


def _points(context: Context, table: Table, pair: list[str]) -> Iterator[Found]:
    for row in table.rows:
        values = [_figures(table, row).get(name) for name in pair]
        if values[0] is None or values[1] is None or not (values[0].finite and values[1].finite):
            continue
        named = (one.short() if one.value is not None else context.words.the_plan_itself for one in row.at)
        missed = row.status != "solved" or row.gravest is not None and row.gravest.verdict == "no"
        yield "answer" if row.best else "failing" if missed else "other", ", ".join(named), values[0], values[1]


def _scatter(context: Context, title: str, pair: list[str], found: list[Found]) -> Scatter | None:
    if len(found) < _LEAST or len(found) > _MOST:
        return None
    words = context.words
    across, up = (plain(words.result_column(name)) for name in pair)
    first = next((one for one in found if one[0] == "answer"), found[0])
    axes = []
    for name, amounts in ((across, [x for _, _, x, _ in found]), (up, [y for *_, y in found])):
        written = amounts[found.index(first)].written()
        size, unit = (1.0, "") if isinstance(written, str) else (written.size, f"{written.suffix}{written.unit}")
        values = [0.0, *(one.number for one in amounts)]
        axes.append(Axis.around(values, _TICKS, f"{name}, {unit}" if unit and unit != name else name, size))
    points = tuple(Named(kind, Point(x.number, y.number), label) for kind, label, x, y in found)
    told = [f"{label}: {', '.join(_said(words, label, (x, y), first))}" for _, label, x, y in found]
    return Scatter(
        title=words.scatter_title(title, first[1], _said(words, first[1], first[2:], first)),
        alt=words.rows_alt(told),
        foot=words.scatter_foot(any(kind == "failing" for kind, *_ in found)),
        x=axes[0],
        y=axes[1],
        points=points,
    )


def _said(words: Words, label: str, results: tuple[Amount, Amount], like: Found) -> list[str]:
    """The two results as that of a point are written; not the one that its name has already."""
    x, y = results[0].like(like[2]).short(), words.money(results[1].like(like[3]))
    return [y] if x == label else [x, y]
