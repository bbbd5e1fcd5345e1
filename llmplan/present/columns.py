"""Rows of text as aligned columns that fit the width of a terminal.

Input: rows of cells and a width; output lines, of which none is longer than the width unless a word of it is. The last
cell of a row goes on below itself, further in.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

LEAST = 24
"""Characters that the last cell of a row has at least, however narrow the terminal is."""

_WORDS = re.compile(r"[^\u2e80-\uffef\s]+|[\u2e80-\uffef]|\s+")
_NEVER_FIRST = frozenset("，。；：、）”")
"""Marks that begin no line."""


def wide(text: str) -> int:
    """How many columns of a terminal a text takes: characters of Chinese take two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def wrapped(text: str, room: int) -> list[str]:
    """A text in lines that have room: broken at blanks, and between characters that take two columns."""
    room = max(LEAST, room)
    if wide(text) == len(text):
        return textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False)
    lines, line = [], ""
    for word in _WORDS.findall(text):
        if line and wide(f"{line}{word}".rstrip()) > room and word not in _NEVER_FIRST:
            lines.append(line.rstrip())
            line = word.lstrip()
        else:
            line += word
    return [*lines, line.rstrip()] if line.strip() else lines


def table(rows: Iterable[Sequence[str]], width: int) -> str:
    """Rows with aligned columns, indented; a text of the plan may have line breaks, a cell none."""
    listed = [tuple(" ".join(cell.split()) for cell in row) for row in rows]
    columns = max(map(len, listed))
    widths = [
        max((wide(row[column]) for row in listed if column < len(row) - 1), default=0) for column in range(columns)
    ]
    return "\n".join(_row(row, widths, width) for row in listed)


def _row(row: Sequence[str], widths: Sequence[int], width: int) -> str:
    before = "  " + "".join(f"{cell}{' ' * (size - wide(cell))}  " for cell, size in zip(row[:-1], widths))
    taken = wide(before)
    longest = max(map(wide, row[-1].split()), default=0) if row[-1].isascii() else 0
    room = width - taken
    start = taken if wide(row[-1]) <= room or room >= max(LEAST, min(longest, width - 6)) else 6
    lines = wrapped(row[-1], width - taken) or [""]
    if start < taken:  # the cells before it leave no room
        lines = ["", *wrapped(row[-1], width - start)]
    return "\n".join([f"{before}{lines[0]}".rstrip(), *(" " * start + line for line in lines[1:])])
