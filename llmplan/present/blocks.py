"""What a section of an answer consists of: lines of text, tables and charts, without any markup.

Input and output of nothing: these are the records that the sections build and the renderers read. A line is a row of
pieces. A piece of plain text may come from anybody; a renderer escapes it. Names and expressions are `Code`, numbers
with a unit in a table `Figure`, so that a column or a row can say the unit once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from attrs import evolve, frozen


@frozen
class Code:
    """A name, an expression or a statement, as it stands in a plan."""

    text: str


@frozen
class Figure:
    """A number and its unit: `28.7` and `days`, `28.7 (25 – 34.5)` and `days`."""

    digits: str
    unit: str

    @property
    def text(self) -> str:
        return f"{self.digits} {self.unit}".rstrip()


@frozen
class Strong:
    """Pieces that stand out."""

    line: Line


Piece: TypeAlias = "str | Code | Figure | Strong"
Line: TypeAlias = "tuple[Piece, ...]"
Part: TypeAlias = "Piece | Line | None"

EMPTY: Line = ()


@frozen
class Prose:
    """Lines of text: a paragraph each, or the items of a list.

    Attributes:
        name: By which a renderer chooses the block; `title` what stands above it on the screen.
        listed: Whether the lines are items of a list.
        together: Whether they are one paragraph, whose lines a difference shows one by one.
    """

    name: str
    lines: tuple[Line, ...]
    title: str = ""
    listed: bool = False
    together: bool = False


@frozen
class Column:
    """A column of a table: its heading, and on which side its cells are aligned (`l`, `r`)."""

    heading: Line = EMPTY
    align: str = "l"


@frozen
class Rows:
    """A table; a row has at most as many cells as there are columns.

    Attributes:
        differing: Whether columns are left out in which all of several rows are the same.
        units: Whether a unit that all figures of a column have is written in its heading instead.
    """

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Line, ...], ...]
    title: str = ""
    differing: bool = False
    units: bool = False


@frozen
class Chart:
    """A picture, by the name of its file without the suffix, and its description."""

    name: str
    caption: Line


Block: TypeAlias = "Prose | Rows | Chart"


@frozen
class Section:
    """A part of an answer; `title` is empty for one that has no heading."""

    title: str
    blocks: tuple[Block, ...]

    def __bool__(self) -> bool:
        return bool(self.blocks)


def line(*parts: Part) -> Line:
    """Pieces and lines as one line; texts that follow one another are one piece."""
    pieces: list[Piece] = []
    for piece in _flat(parts):
        if isinstance(piece, str) and pieces and isinstance(pieces[-1], str):
            pieces[-1] += piece
        elif piece != "":
            pieces.append(piece)
    return tuple(pieces)


def listed(parts: Iterable[Part], between: str = ", ") -> Line:
    """Lines with a text between each two of them; empty ones are left out."""
    joined: list[Part] = []
    for part in parts:
        if part:
            joined += [between, part] if joined else [part]
    return line(*joined)


def plain(text: Line) -> str:
    """A line as text without markup, its code in backticks."""
    return "".join(_plain(piece) for piece in text)


def bare(text: Line) -> str:
    """A line as text without any markup, as an aligned table shows it."""
    return "".join(
        bare(piece.line) if isinstance(piece, Strong) else piece if isinstance(piece, str) else piece.text
        for piece in text
    )


def cut(text: str, most: int) -> str:
    """At most so many characters, with an ellipsis where something is left out; a code span stays whole."""
    if len(text) <= most:
        return text
    short = text[: most - 1].rstrip()
    return f"{short}…`" if short.count("`") % 2 else f"{short}…"


def shortened(text: Line, most: int) -> Line:
    """At most so many characters of a line, with an ellipsis where something is left out."""
    if len(plain(text)) <= most:
        return text
    room = most - 1
    kept: list[Piece] = []
    for piece in text:
        if len(_plain(piece)) <= room:
            kept.append(piece)
            room -= len(_plain(piece))
            continue
        if isinstance(piece, str):
            kept.append(piece[:room].rstrip())
        elif isinstance(piece, Code):
            kept += [evolve(piece, text=f"{piece.text[: room - 1].rstrip()}…")] if room > 1 else []
        break
    if kept and isinstance(kept[-1], Code) and kept[-1].text.endswith("…"):
        return tuple(kept)
    return line(*kept, "…")


def _flat(parts: Sequence[Part]) -> Iterable[Piece]:
    for part in parts:
        if isinstance(part, tuple):
            yield from part
        elif part is not None:
            yield part


def _plain(piece: Piece) -> str:
    match piece:
        case str():
            return piece
        case Code(text):
            return f"`{text}`"
        case Figure():
            return piece.text
        case Strong(inner):
            return plain(inner)
