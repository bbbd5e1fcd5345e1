"""Columns of points as aligned lines that fit the width of a terminal.

Input: a table with its columns, and a width. Output: the lines of the first layout that fits; where none does, a block
for each point. What is the same in all rows is told once, below.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Literal

from attrs import frozen

from llmplan.answer.schema.tables import Row, Table
from llmplan.present.points import Column, columns, said, verdict
from llmplan.present.words.en import Words

_LEAST = 24
"""Characters that the reason of a row without figures has at least, where it stands beside the point."""

_NARROW = 8
"""Characters that what is said of a row with figures has at least, unless it is shorter."""

_FIGURES = "0123456789-−."
"""What a text begins with that is aligned to the right."""


@frozen
class _Layout:
    """Where the ends of figures stand, whether long headings are broken, and the space between columns.

    Attributes:
        ends: `few`: below, but of no figure that another column has on the calendar.
    """

    ends: Literal["beside", "below", "few", "nowhere"]
    broken: bool = False
    gap: str = "  "


_LAYOUTS = (
    _Layout("beside"),
    _Layout("below"),
    _Layout("below", broken=True),
    _Layout("below", broken=True, gap=" "),
    _Layout("few"),
    _Layout("few", broken=True),
    _Layout("few", broken=True, gap=" "),
    _Layout("nowhere"),
    _Layout("nowhere", broken=True),
    _Layout("nowhere", broken=True, gap=" "),
)
"""The first that fits is taken."""


@frozen
class _Shown:
    """A column of texts: the lines of its heading, its texts, and what stands below them."""

    heads: tuple[str, ...]
    texts: tuple[str, ...]
    below: tuple[str, ...]
    size: int

    def sized(self, text: str) -> str:
        right = all(not one or one[0] in _FIGURES for one in self.texts)
        return text.rjust(self.size) if right else text.ljust(self.size)


def text(table: Table, width: int, words: Words) -> str:
    """The table, and below it what is the same in all rows and what the ends of figures are; ends with a line end."""
    listed = columns(table, words)
    solved = [place for place, row in enumerate(table.rows) if row.status == "solved"]
    same = [one for one in listed if not one.point and _same([one.cells[place].text for place in solved])]
    kept = [one for one in listed if one not in same]
    ends: str = "beside"
    for layout in _LAYOUTS:
        lines, ends = _lines(table, kept, words, width, layout), layout.ends
        if all(len(line) <= width for line in lines):
            break
    else:
        lines, ends = _blocks(table, kept, words, width), "beside"
    notes = [words.in_every_row([f"{one.name} = {one.written(solved[0])}" for one in same])] if same else []
    if any(cell.ends for one in kept for cell in one.cells):
        spread = any(row.spreads for row in table.rows)
        notes.append(words.ends_left_out if ends == "nowhere" else words.ends_of_figures(ends != "beside", spread))
    for note in notes:
        lines += ["", *_wrapped(note, width)]
    return "\n".join(lines) + "\n"


def _same(texts: Sequence[str]) -> bool:
    return len(texts) > 1 and len(set(texts)) == 1 and texts[0] != ""


def _lines(table: Table, listed: Sequence[Column], words: Words, width: int, layout: _Layout) -> list[str]:
    """The lines of a table, which may be longer than the terminal."""
    verdicts = tuple(verdict(row, words) for row in table.rows)
    points = [_shown(one, table.rows, layout) for one in listed if one.point]
    figures = [_shown(one, table.rows, layout) for one in listed if not one.point]
    if any(verdicts):
        sizes = map(len, (words.verdict_column, *verdicts))
        figures.append(_Shown((words.verdict_column,), verdicts, ("",) * len(verdicts), max(sizes)))
    every = [*points, *figures]
    heads = zip_longest(*(one.heads for one in every), fillvalue="")
    lines = [layout.gap.join(one.sized(head) for one, head in zip(every, texts)).rstrip() for texts in heads]
    for place, row in enumerate(table.rows):
        shown = every if row.status == "solved" else points
        first = layout.gap.join(one.sized(one.texts[place]) for one in shown)
        below = layout.gap.join(one.sized(one.below[place]) for one in shown)
        lines += _row(first, below, said(table, row, words), width, row)
    return lines


def _row(first: str, below: str, told: str, width: int, row: Row) -> Iterator[str]:
    """The lines of a row: its figures with what is said of it beside them, and what stands below."""
    least = min(_NARROW, len(told)) if row.status == "solved" else _LEAST
    room = width - len(first) - 2
    if row.status != "solved" and room < least:  # the point leaves no room
        yield first.rstrip()
        yield from (f"    {line}" for line in _wrapped(told, width - 4))
        return
    beside = _wrapped(told, max(room, least)) if told else []
    under = [first, *([below] if below.strip() else [])]
    for figures, line in zip_longest(under, beside, fillvalue=""):
        yield f"{figures:<{len(first)}}  {line}".rstrip()


def _shown(column: Column, rows: Sequence[Row], layout: _Layout) -> _Shown:
    """A column in a layout. The size of its heading does not matter where that may be broken."""
    texts = tuple(cell.inline() if layout.ends == "beside" else cell.text for cell in column.cells)
    under = layout.ends == "below" or layout.ends == "few" and not column.planned
    below = tuple(cell.ends if under else "" for cell in column.cells)
    size = max(map(len, (*texts, *below)), default=0)
    heads: tuple[str, ...] = (column.short, column.head)
    if layout.broken:
        pieces = [_pieces(head) for head in heads]
        size = max(size, *(len(piece) for listed in pieces for piece in listed))
        heads = tuple(line for listed in pieces for line in _filled(listed, size))
    return _Shown(tuple(filter(None, heads)), texts, below, max(size, *map(len, heads)))


def _pieces(head: str) -> list[str]:
    """Where a heading may be broken: behind a dot, a stroke or a low line."""
    pieces = [""]
    for sign in head:
        pieces[-1] += sign
        if sign in "._/":
            pieces.append("")
    return [piece for piece in pieces if piece] or [""]


def _filled(pieces: Sequence[str], size: int) -> list[str]:
    lines = [""]
    for piece in pieces:
        if len(lines[-1]) + len(piece) > size and lines[-1]:
            lines.append("")
        lines[-1] += piece
    return lines


def _blocks(table: Table, listed: Sequence[Column], words: Words, width: int) -> list[str]:
    """A block for each point: where it is and what is to be said of it, then its results one below the other."""
    longest = max(len(one.name) for one in listed)
    lines: list[str] = []
    for place, row in enumerate(table.rows):
        point = ", ".join(f"{one.name} = {one.written(place)}" for one in listed if one.point)
        told = ", ".join(filter(None, [verdict(row, words), said(table, row, words)]))
        lines += _wrapped(f"{point}: {told}" if told else point, width, "  ")
        figures = [one for one in listed if not one.point and one.cells[place].text]
        lines += [f"  {one.name:<{longest}}  {one.written(place)}" for one in figures]
    return lines


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(text, max(_NARROW, width), subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)  # fmt: skip
