"""Tables and bars in Markdown that read well as plain text, and a document of a bounded length.

A table is unpadded, so that a longer cell touches no other row of a diff.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from llmplan.emit.rounding import amount, brief, ends, measure
from llmplan.units.amount import Amount, Range

_ROW = re.compile(r"(\*{0,2})([-+−]?\d[\d,.]*(?:e-?\d+)?[MBT]?(?: \([^()]*\))?) ([^\W\d][^*]*)\1\Z")
"""A number with its unit, between them perhaps the ends of its range."""


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], align: str = "", differing: bool = False, units: bool = False
) -> str:
    """A Markdown table without padding; columns without any text are left out. Cells may hold code spans.

    Args:
        align: A letter a column: `l`, `r` or `c`; missing ones are `l`.
        differing: Leave out columns that are the same in all of several rows too, but for the first and the last.
        units: Write a unit that all numbers of a column have into its header instead.
    """
    cells = [[_cell(text) for text in row] for row in (header, *rows)]
    last = len(header) - 1
    kept = [at for at in range(len(header)) if at == 0 or _says(cells, at, differing and at != last)]
    cells = [[row[at] for at in kept] for row in cells]
    if units:
        _lift_units(cells)
    rules = [{"r": "--:", "c": ":-:"}.get(align.ljust(len(header), "l")[at], "---") for at in kept]
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([lines[0], f"|{'|'.join(rules)}|", *lines[1:]])


def cells(
    label: str, planned: Amount | str, band: Range | str | None = "", sign: str = "", limit: Amount | str = ""
) -> list[str]:
    """A row of a result: its label with its limit, what is planned, the ends of its band.

    The unit that all numbers of the row share stands in the label.
    """
    unit = measure(str(planned))
    low, _, high = str(band or "").partition(" .. ")
    shared = bool(unit) and all(measure(str(text)) in ("", unit) for text in (low, high, limit))
    last = f" {sign} {brief(limit)}" if limit else f", {brief(unit)}" if shared else ""
    return [label + last, amount(brief(planned)) if shared else brief(planned), ends(band) if band else ""]


def bar(share: float, cells: int = 20) -> str:
    """A share of one as a bar of text."""
    full = round(max(0.0, min(1.0, share)) * cells)
    return "█" * full + "░" * (cells - full)


def within(document: str, lines: int, size: int) -> str:
    """A document of at most so many lines and bytes: its last sections are left out, and named.

    A section begins at `## `; what stands before the first one stays.
    """
    head, *sections = re.split(r"(?m)^(?=## )", document)
    left: list[str] = []
    whole = document
    while sections and (whole.count("\n") > lines or len(whole.encode("utf-8", "replace")) > size):
        left.insert(0, sections.pop().split("\n", 1)[0].removeprefix("## "))
        whole = f"{head}{''.join(sections)}## Left out for length\n\n{', '.join(left)}: `llmplan explain PLAN --all` has all of it.\n"
    return whole


def _says(cells: Sequence[Sequence[str]], at: int, differing: bool) -> bool:
    column = [row[at] for row in cells[1:]]
    return any(column) and not (differing and len(column) > 1 and len(set(column)) == 1)


def _lift_units(cells: list[list[str]]) -> None:
    """Moves the unit that all numbers of a column share into its header, in place."""
    for at in range(len(cells[0])):
        column = [row for row in cells[1:] if row[at] not in ("", "–", "0")]
        found = [_ROW.match(row[at]) for row in column]
        shared = {match[3] if match else "" for match in found}
        if len(shared) == 1 and "" not in shared:
            (unit,) = shared
            cells[0][at] = f"{cells[0][at]}, {unit}" if cells[0][at] else unit
            for row, match in zip(column, found):
                assert match is not None
                row[at] = f"{match[1]}{match[2]}{match[1]}"


def _cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")
