"""Tables and bars in Markdown that also read well as plain text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_PADDED = 60


def table(header: Sequence[str], rows: Sequence[Sequence[str]], align: str = "") -> str:
    """A Markdown table with padded columns, the last only as long as it is; cells may hold code spans.

    Args:
        align: A letter a column: `l`, `r` or `c`; missing ones are `l`.
    """
    cells = [[_cell(text) for text in row] for row in (header, *rows)]
    align = align.ljust(len(header), "l")
    columns = range(len(header))
    # One very long cell must not make every line as long.
    widths = [max(3, *(min(_PADDED, _width(row[column])) for row in cells)) for column in columns]
    if align[len(header) - 1] == "l":
        widths[-1] = max(3, _width(cells[0][-1]))
    lines = [_line(row, widths, align) for row in cells]
    rules = []
    for width, side in zip(widths, align):
        left, right = side == "c", side in "rc"
        rules.append((":" if left else "-") + "-" * (width - 2) + (":" if right else "-"))
    lines.insert(1, f"| {' | '.join(rules)} |")
    return "\n".join(lines)


def bar(share: float, cells: int = 20) -> str:
    """A share of one as a bar of text."""
    full = round(max(0.0, min(1.0, share)) * cells)
    return "█" * full + "░" * (cells - full)


def _cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _line(row: Sequence[str], widths: Sequence[int], align: str) -> str:
    padded = []
    for text, width, side in zip(row, widths, align):
        gap = max(0, width - _width(text))
        left = gap if side == "r" else gap // 2 if side == "c" else 0
        padded.append(" " * left + text + " " * (gap - left))
    return f"| {' | '.join(padded)} |"
