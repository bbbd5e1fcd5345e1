"""A table of variations as CSV and as JSON.

Input: a table. Output: its values, which a program reads, and why a point has none in the words of people.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import Any

from llmplan.answer.schema.requirements import Departure
from llmplan.answer.schema.tables import Column, Row, Table
from llmplan.present.blocks import plain
from llmplan.present.words import words_of
from llmplan.units.amount import Amount


def finite(value: Any) -> Any:
    """The value; None for a number that is not finite. A whole number is written without a point."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return value


def as_csv(table: Table) -> str:
    """Values in the units that were asked for, else in base units, which the header names in brackets.

    A column each for status, best and reason; where the plan waives or replaces requirements, their names in a column
    `waived` or `replaced`, the same in every row.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    units = [one.asked or one.unit for one in table.results]
    names = [f"{one.name} [{unit}]" if unit else one.name for one, unit in zip(table.results, units)]
    departed = {what: "; ".join(row["name"] for row in rows) for what, rows in departures(table.departures).items()}
    writer.writerow([*table.axes, *table.unknowns, *names, "status", "best", "reason", *departed])
    for row in table.rows:
        writer.writerow(
            [
                *(finite(one.value) for one in row.at),
                *_values(row, table.unknowns, row.unknowns),
                *(_scaled(row.results.get(one.name), one) if row.status == "solved" else "" for one in table.results),
                row.status,
                "yes" if row.best else "no",
                _reason(row),
                *departed.values(),
            ]
        )
    return out.getvalue()


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
    return plain(words_of().reason(row, short=False))


def _values(row: Row, names: Sequence[str], found: Any) -> list[Any]:
    if row.status != "solved":
        return [""] * len(names)
    return ["" if name not in found or found[name].value is None else finite(found[name].value) for name in names]


def _scaled(found: Amount | None, column: Column) -> Any:
    value = None if found is None else finite(found.value)
    return "" if value is None else finite(value / column.factor) if column.asked else value


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
                "results": {
                    name: {"value": finite(one.value), "unit": units[name]} for name, one in row.results.items()
                },
                "reason": _reason(row) or None,
            }
            for row in table.rows
        ],
    }
