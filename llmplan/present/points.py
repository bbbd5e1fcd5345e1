"""Variations of a plan as a table of text, as `llmplan sweep` prints it.

Input: a table, and the words of a language. Output: texts with four digits.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from llmplan.answer.schema.tables import Row, Table
from llmplan.present.blocks import plain
from llmplan.present.words.en import Words

_NOTHING = "–"


def header(table: Table) -> list[str]:
    """The names of the columns."""
    return [*table.axes, *table.unknowns, *(column.name for column in table.results), ""]


def cells(table: Table, row: Row, words: Words) -> list[str]:
    """A row as people read it; an infeasible one says why in place of its values."""
    point = [words.the_plan_itself if amount.value is None else amount.exact() for amount in row.at]
    if row.status == "solved":
        values = [row.unknowns[path].exact() if path in row.unknowns else "" for path in table.unknowns]
        values += [row.results[one.name].exact() if one.name in row.results else "" for one in table.results]
        return [*point, *values, words.best if row.best else ""]
    blank = [_NOTHING] * (len(table.unknowns) + len(table.results))
    return [*point, *blank, plain(words.reason(row, short=False))]


def text(table: Table, width: int, words: Words) -> str:
    """Aligned columns, or where they are wider than the terminal a block for each point; ends with a line end."""
    rows = [header(table), *(cells(table, row, words) for row in table.rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = ["  ".join([*(cell.ljust(size) for cell, size in zip(row, widths)), row[-1]]).rstrip() for row in rows]
    fits = all(len(line) <= width for line in lines)
    return "\n".join(lines if fits else _blocks(table, rows[0], rows[1:], width)) + "\n"


def _blocks(table: Table, names: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """A block for each point: where it is and what is to be said of it, then its results one below the other."""
    many, longest = len(table.axes), max(map(len, names))
    lines: list[str] = []
    for row in rows:
        point = ", ".join(f"{name} = {value}" for name, value in zip(names[:many], row))
        said = f"{point}: {row[-1]}" if row[-1] else point
        lines += textwrap.wrap(said, width, subsequent_indent="  ", break_long_words=False)
        results = list(zip(names[many:-1], row[many:-1]))
        lines += [f"  {name:<{longest}}  {value}" for name, value in results if value not in ("", _NOTHING)]
    return lines
