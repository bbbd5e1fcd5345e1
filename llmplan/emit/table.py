"""A table of variations as CSV and as JSON.

Input: a table. Output: its values, which a program reads, and why a point has none in the words of people.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from llmplan.answer.schema.requirements import Departure
from llmplan.answer.schema.tables import Row, Table
from llmplan.present.blocks import plain
from llmplan.present.words import words_of
from llmplan.units.amount import Amount, Unit, in_unit


def finite(value: Any) -> Any:
    """The value; None for a number that is not finite. A whole number is written without a point."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return value


def amount(value: Amount) -> Any:
    """A number with its base unit, or what is not a number as it is."""
    return {"value": finite(value.value), "unit": value.base} if value.measure is not None else value.value


def as_csv(table: Table) -> str:
    """Values in the plan's own units, which the header names in brackets.

    Beside each result that is uncertain its `low` and `high`: the ends of the author's ranges, else those between which
    eight of ten measured values lie. A column each for the verdict on the author's requirements and its chance, for
    status, best and reason; where the plan waives or replaces requirements, their names in a column `waived` or
    `replaced`, the same in every row.
    """
    columns = [*_points(table), *_results(table), *_verdicts(table)]
    columns.append(("status", [row.status for row in table.rows]))
    columns.append(("best", ["yes" if row.best else "no" for row in table.rows]))
    columns.append(("reason", [_reason(row) for row in table.rows]))
    for what, rows in departures(table.departures).items():
        columns.append((what, ["; ".join(row["name"] for row in rows)] * len(table.rows)))
    return _csv(columns)


def answers_as_csv(table: Table) -> str:
    """A table of the answers of several plans, in their own units, which the header names in brackets.

    Beside each result on the calendar its `low` and `high`, as in `as_csv`; the gravest verdict on the author's
    requirements, its chance, and why a plan has no answer.
    """
    on_calendar = {one.calendar for one in table.results}
    nothing = [""] * len(table.rows)
    verdicts = {"verdict": nothing, "chance": nothing, **dict(_verdicts(table))}
    reasons = [_reason(row) for row in table.rows]
    return _csv([*_points(table), *_results(table, on_calendar), *verdicts.items(), ("reason", reasons)])


Cells = tuple[str, list[Any]]
"""A column: its header and a cell for each row."""


def _csv(columns: Sequence[Cells]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([name for name, _ in columns])
    writer.writerows(zip(*(cells for _, cells in columns)))
    return out.getvalue()


def _points(table: Table) -> Iterator[Cells]:
    """What varies, and what is asked for."""
    for place, name in enumerate(table.axes):
        yield _own(name, [row.at[place] for row in table.rows])
    for name in table.unknowns:
        yield _own(name, [row.unknowns.get(name) if row.status == "solved" else None for row in table.rows])


def _own(name: str, amounts: Sequence[Amount | None]) -> Cells:
    """Amounts in the unit that their plan writes them in."""
    unit = next((one.unit for one in amounts if one is not None and one.measure is not None), Unit())
    cells = ["" if one is None or one.value is None else _in_unit(one.value, unit.factor) for one in amounts]
    return _header(name, unit.text or unit.suffix), cells


def _results(table: Table, ended: Container[str] | None = None) -> Iterator[Cells]:
    """The results, each with its ends where any row has them.

    Args:
        ended: The names of those with their ends; None for all.
    """
    for one in table.results:
        solved = [row if row.status == "solved" else None for row in table.rows]
        unit, factor = one.asked or one.unit, one.factor if one.asked else 1.0
        values = [None if row is None or one.name not in row.results else row.results[one.name] for row in solved]
        yield _header(one.name, unit), ["" if value is None else _in_unit(value.value, factor) for value in values]
        ends = [None if row is None else row.ends(one.name) for row in solved]
        for what in ("low", "high") if any(ends) and (ended is None or one.name in ended) else ():
            amounts = [None if range is None else getattr(range, what) for range in ends]
            cells = ["" if end is None else _in_unit(end.value, factor) for end in amounts]
            yield _header(f"{one.name} {what}", unit), cells


def _verdicts(table: Table) -> Iterator[Cells]:
    """The gravest verdict on the author's requirements, and its chance; nothing where there are none."""
    gravest = [row.gravest if row.status == "solved" else None for row in table.rows]
    if any(gravest):
        yield "verdict", ["" if one is None else one.verdict for one in gravest]
        yield "chance", ["" if one is None or one.chance is None else one.chance for one in gravest]


def _header(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name


def _in_unit(value: Any, factor: float) -> Any:
    """A number in a unit; anything else as it is, empty for what is not finite."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    known = finite(in_unit(value, factor))
    return "" if known is None else known


def departures(listed: Iterable[Departure]) -> dict[str, Any]:
    """What a plan waives and what it replaces, under `waived` and `replaced`; neither key without any."""
    by_kind: dict[str, Any] = {}
    for departure in listed:
        by = {"by": departure.by} if departure.by else {}
        row = {"name": departure.name, "text": departure.text, **by}
        by_kind.setdefault(departure.what, []).append(
            {**row, "because": departure.because or None, "source": departure.place}
        )
    return by_kind


def _reason(row: Row) -> str:
    return plain(words_of().reason(row))


def as_json(table: Table) -> dict[str, Any]:
    """Values in base units; of an infeasible point those of the nearest plan."""
    units = {one.name: one.unit for one in table.results}
    return {
        "axes": list(table.axes),
        **departures(table.departures),
        "points": [
            {
                "at": {name: finite(one.value) for name, one in zip(table.axes, row.at)},
                "status": row.status,
                "best": row.best,
                "unknowns": {path: finite(one.value) for path, one in row.unknowns.items()},
                "results": {name: _result(row, name, units[name]) for name in row.results},
                "chance": None if row.gravest is None else finite(row.gravest.chance),
                "verdict": None if row.gravest is None else row.gravest.verdict,
                "requirements": [
                    {"name": one.name, "chance": finite(one.chance), "verdict": one.verdict} for one in row.judged
                ],
                "reason": _reason(row) or None,
            }
            for row in table.rows
        ],
    }


def _result(row: Row, name: str, unit: str) -> dict[str, Any]:
    """A number with its base unit, and with its ends where it has any."""
    ends: dict[str, Any] = {}
    for low, high, range in (("low", "high", row.spreads), ("model_low", "model_high", row.bands)):
        if name in range:
            ends |= {low: finite(range[name].low.value), high: finite(range[name].high.value)}
    return {"value": finite(row.results[name].value), "unit": unit, **ends}
