"""Sections as Markdown that reads well as plain text, and a document of a bounded length.

Input: sections; output their text, in which everything is escaped that is not markup of this module. A table is
unpadded, so that a longer cell touches no other row of a diff.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from llmplan.present.blocks import Block, Chart, Code, Column, Figure, Line, Piece, Prose, Rows, Section, Strong
from llmplan.present.escape import code, fragment

SHOWN: Mapping[str, tuple[str, ...]] = {
    "answer": ("sentence", "nearest"),
    "verdicts": ("figures", "rivals", "parts"),
    "best changes": ("sentences", "deadline", "run"),
    "cures": ("rates", "which", "cures"),
    "launch": ("launched", "layout", "first hour"),
    "shown": ("line", "table"),
    "levers": ("rates", "levers"),
    "front": ("no other", "pareto", "points"),
    "why": ("reasons",),
    "where": ("error", "memory", "stages", "step", "ranges"),
    "sweep": ("feasible", "sweep", "points", "assumed"),
    "scenarios": ("sweep", "points", "assumed"),
    "basis": ("basis",),
    "notes": ("notes",),
    "gains": ("gains",),
    "script": ("script",),
    "omitted": ("omitted", "more"),
}
"""The blocks of each section that a report shows."""

_RULES = {"r": "--:", "l": "---"}
_NOTHING = ("", "–", "0")
"""Cells that have no unit beside those that have one."""


def markdown(section: Section, shown: Sequence[str]) -> str:
    """The blocks of a section that are shown, below its heading; empty if there is nothing in them."""
    texts: list[str] = []
    beside = False
    for block in section.blocks:
        text = _block(block) if block.name in shown else ""
        if text and beside and isinstance(block, Chart):
            texts[-1] += f" {text}"  # pictures that follow one another stand side by side where there is room
        elif text:
            texts.append(text)
        beside = isinstance(block, Chart) if text else beside
    heading = [f"## {fragment(section.title)}"] if section.title else []
    return "\n\n".join([*heading, *texts]) + "\n" if texts else ""


def text(line: Line) -> str:
    """A line as Markdown."""
    return "".join(_piece(piece) for piece in line).strip()


def within(document: str, lines: int, size: int) -> str:
    """A document of at most so many lines and bytes: its last sections are left out, and named.

    A section begins at `## `; what stands before the first one stays.
    """
    head, *sections = re.split(r"(?m)^(?=## )", document)
    left: list[str] = []
    whole = document
    while sections and (whole.count("\n") > lines or len(whole.encode("utf-8", "replace")) > size):
        left.insert(0, sections.pop().split("\n", 1)[0].removeprefix("## "))
        rest = f"{', '.join(left)}: `llmplan explain PLAN --all` has all of it."
        whole = f"{head}{''.join(sections)}## Left out for length\n\n{rest}\n"
    return whole


def _piece(piece: Piece) -> str:
    match piece:
        case str():
            return fragment(piece)
        case Code(inner):
            return code(inner)
        case Figure():
            return fragment(piece.text)
        case Strong(inner):
            return f"**{text(inner)}**"


def _block(block: Block) -> str:
    match block:
        case Prose():
            lines = [text(line) for line in block.lines]
            if block.listed:
                return "\n".join(f"- {line}" for line in lines)
            return ("\n" if block.together else "\n\n").join(lines)
        case Rows():
            return _table(block) if block.rows else ""
        case Chart():
            return f"![{text(block.caption)}]({block.name}.svg)"


def _table(table: Rows) -> str:
    """A table without padding; columns without any text are left out."""
    columns = list(table.columns)
    rows = [[*row, *[()] * (len(columns) - len(row))] for row in table.rows]
    kept = [place for place in range(len(columns)) if place == 0 or _says(table, [row[place] for row in rows], place)]
    columns = [columns[place] for place in kept]
    rows = [[row[place] for place in kept] for row in rows]
    if table.units:
        _lift_units(columns, rows)
    lines = [_row([column.heading for column in columns]), *map(_row, rows)]
    return "\n".join([lines[0], f"|{'|'.join(_RULES[column.align] for column in columns)}|", *lines[1:]])


def _says(table: Rows, column: Sequence[Line], place: int) -> bool:
    """Whether a column has a text, and where that is asked, another one in some row."""
    texts = [text(cell) for cell in column]
    last = place == len(table.columns) - 1
    return any(texts) and not (table.differing and not last and len(texts) > 1 and len(set(texts)) == 1)


def _lift_units(columns: list[Column], rows: list[list[Line]]) -> None:
    """Moves the unit that all figures of a column share into its heading, in place."""
    for place, column in enumerate(columns):
        figures = {number: _figure(row[place]) for number, row in enumerate(rows) if text(row[place]) not in _NOTHING}
        units = {figure.unit if figure is not None else "" for figure in figures.values()}
        if len(units) != 1 or "" in units:
            continue
        (unit,) = units
        named = bool(column.heading) and text(column.heading) != unit
        columns[place] = Column((*column.heading, f", {unit}") if named else (unit,), column.align)
        for number, figure in figures.items():
            assert figure is not None
            strong = isinstance(rows[number][place][0], Strong)
            rows[number][place] = (Strong((figure.digits,)),) if strong else (figure.digits,)


def _figure(cell: Line) -> Figure | None:
    """The figure that is all of a cell."""
    match cell:
        case (Figure() as figure,) | (Strong((Figure() as figure,)),):
            return figure
    return None


def _row(cells: Sequence[Line]) -> str:
    return f"| {' | '.join(text(cell).replace('|', chr(92) + '|') for cell in cells)} |"
