"""A table of variations as text for a terminal, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import math
import textwrap
from collections.abc import Sequence
from typing import Any

from llmplan.answer.schema.tables import Column, Row, Table
from llmplan.units.amount import Amount


def finite(value: Any) -> Any:
    """The value; None for a number that is not finite. A whole number is written without a point."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return value


def header(table: Table) -> list[str]:
    """The names of the columns."""
    return [*table.axes, *table.unknowns, *(column.name for column in table.results), ""]


def cells(table: Table, row: Row) -> list[str]:
    """A row as people read it; an infeasible one says why in place of its values."""
    if row.status == "solved":
        values = [row.unknowns[path].exact() if path in row.unknowns else "" for path in table.unknowns]
        values += [row.results[one.name].exact() if one.name in row.results else "" for one in table.results]
        return [*row.at_texts, *values, "best" if row.best else ""]
    blank = ["–"] * (len(table.unknowns) + len(table.results))
    return [*row.at_texts, *blank, row.reason]


def text(table: Table, width: int) -> str:
    """Aligned columns, or where they are wider than the terminal a block for each point; ends with a line end."""
    rows = [header(table), *(cells(table, row) for row in table.rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = ["  ".join([*(cell.ljust(size) for cell, size in zip(row, widths)), row[-1]]).rstrip() for row in rows]
    fits = all(len(line) <= width for line in lines)
    return "\n".join(lines if fits else _blocks(table, rows[0], rows[1:], width)) + "\n"


def _blocks(table: Table, names: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """A block for each point: where it is and what is to be said of it, then its results one below the other."""
    many, longest = len(table.axes), max(map(len, names))
    lines: list[str] = []
    for row in rows:
        at = ", ".join(f"{name} = {value}" for name, value in zip(names[:many], row))
        lines += textwrap.wrap(
            f"{at}: {row[-1]}" if row[-1] else at, width, subsequent_indent="  ", break_long_words=False
        )
        results = list(zip(names[many:-1], row[many:-1]))
        lines += [f"  {name:<{longest}}  {value}" for name, value in results if value not in ("", "–")]
    return lines


def as_csv(table: Table) -> str:
    """Values in the units that were asked for, else in base units, which the header names in brackets.

    A column each for status, best and reason.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    units = [one.asked or one.unit for one in table.results]
    names = [f"{one.name} [{unit}]" if unit else one.name for one, unit in zip(table.results, units)]
    writer.writerow([*table.axes, *table.unknowns, *names, "status", "best", "reason"])
    for row in table.rows:
        writer.writerow(
            [
                *(finite(one.value) for one in row.at),
                *_values(row, table.unknowns, row.unknowns),
                *(_scaled(row.results.get(one.name), one) if row.status == "solved" else "" for one in table.results),
                row.status,
                "yes" if row.best else "no",
                row.reason,
            ]
        )
    return out.getvalue()


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
        "points": [
            {
                "at": {name: finite(one.value) for name, one in zip(table.axes, row.at)},
                "status": row.status,
                "best": row.best,
                "unknowns": {path: finite(one.value) for path, one in row.unknowns.items()},
                "results": {
                    name: {"value": finite(one.value), "unit": units[name]} for name, one in row.results.items()
                },
                "reason": row.reason or None,
            }
            for row in table.rows
        ],
    }
