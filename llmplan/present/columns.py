"""Rows of text as aligned columns that fit the width of a terminal.

Input: rows of cells and a width; output lines, of which none is longer than the width unless a word of it is. The last
cell of a row goes on below itself, further in.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

LEAST = 24
"""Characters that the last cell of a row has at least, however narrow the terminal is."""


def table(rows: Iterable[Sequence[str]], width: int) -> str:
    """Rows with aligned columns, indented; a text of the plan may have line breaks, a cell none."""
    listed = [tuple(" ".join(cell.split()) for cell in row) for row in rows]
    columns = max(map(len, listed))
    widths = [
        max((len(row[column]) for row in listed if column < len(row) - 1), default=0) for column in range(columns)
    ]
    return "\n".join(_row(row, widths, width) for row in listed)


def _row(row: Sequence[str], widths: Sequence[int], width: int) -> str:
    before = "  " + "".join(f"{cell:<{size}}  " for cell, size in zip(row[:-1], widths))
    longest = max(map(len, row[-1].split()), default=0)
    start = len(before) if width - len(before) >= max(LEAST, min(longest, width - 6)) else 6
    lines = _wrapped(row[-1], width - len(before)) or [""]
    if start < len(before):  # the cells before it leave no room
        lines = ["", *_wrapped(row[-1], width - start)]
    return "\n".join([f"{before}{lines[0]}".rstrip(), *(" " * start + line for line in lines[1:])])


def _wrapped(text: str, room: int) -> list[str]:
    return textwrap.wrap(text, max(LEAST, room), break_long_words=False, break_on_hyphens=False)
