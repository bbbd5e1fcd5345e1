"""The looks of a public record: a title and rows of texts, in a terminal, as HTML and as Markdown.

Texts come from plans that anybody may have written: hidden characters are shown as escapes, and markup stays text.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import zip_longest

from llmplan.escape import visible_line
from llmplan.present.escape import markdown
from llmplan.units.amount import deviation

Cells = Sequence[tuple[str, ...]]


class Shown:
    """Shows a record by `_title()` and `_cells()`."""

    def _title(self) -> str:
        raise NotImplementedError

    def _cells(self) -> Cells:
        raise NotImplementedError

    def __repr__(self) -> str:
        rows = [[visible_line(cell) for cell in row] for row in self._cells()]
        widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
        lines = ["  ".join(cell.ljust(size) for cell, size in zip(row, widths)).rstrip() for row in rows]
        title = visible_line(self._title())
        return "\n".join([*([f"{title}"] if title else []), *(f"  {line}" if title else line for line in lines)])

    def _repr_html_(self) -> str:
        rows = ("".join(f"<td>{escape(visible_line(cell))}</td>" for cell in row) for row in self._cells())
        title = escape(visible_line(self._title()))
        return f"<table><caption>{title}</caption>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"

    def _repr_markdown_(self) -> str:
        rows = [[markdown(cell).replace("|", "\\|") for cell in row] for row in self._cells()]
        title = markdown(self._title())
        if not rows:
            return title
        lines = [f"| {' | '.join(row)} |" for row in (rows[0], ["---"] * len(rows[0]), *rows[1:])]
        return "\n".join([*([title, ""] if title else []), *lines])


def ends(value: object, low: float | None, high: float | None) -> str:
    """The band of a value relative to it: `-10%, +60%`; empty without one."""
    if low is None or high is None or not isinstance(value, (int, float)) or not value:
        return ""
    below, above = (deviation(round(end / value - 1, 2)) for end in (low, high))
    return f"{below}, {above} in eight of ten runs"
