"""Diagnostics as text for a terminal: the message, the lines it is about with marks under them, notes, helps.

Input: a record. Output: lines without trailing blanks, plain or with ANSI colours. What the plan
contains never reaches the terminal raw: hidden characters are shown as escapes, so that a plan cannot move
the cursor, and marks are placed by display columns, so that they stand under wide characters and tabs too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from attrs import frozen

from llmplan.diagnostics.record import Diagnostic
from llmplan.escape import visible
from llmplan.source import Source, Span

_TAB = "    "
_WIDEST_LINE = 140
_TALLEST_SPAN = 4

_STYLES = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;32",
    "bold": "1",
    "gutter": "1;34",
    "secondary": "1;34",
    "help": "1;36",
}


@frozen
class _Mark:
    """A mark under one line: character offsets in that line, and what to say about it."""

    start: int
    end: int
    text: str
    primary: bool


def render(diagnostics: Iterable[Diagnostic], colour: bool = False) -> str:
    """All diagnostics, a blank line between two; empty if there are none, else ends with a line end."""
    blocks = [_render_one(diagnostic, colour) for diagnostic in diagnostics]
    return "\n\n".join(blocks) + "\n" if blocks else ""


def printable(text: str, line_end: str = "\n") -> str:
    """The text with tabs widened and everything else that would steer a terminal as an escape."""
    return visible(text).replace("\r\n", "\n").replace("\t", _TAB).replace("\n", line_end)


def _width(text: str) -> int:
    """Columns that printable text takes on a terminal."""
    shown = (char for char in text if not unicodedata.combining(char))
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in shown)


def _render_one(diagnostic: Diagnostic, colour: bool) -> str:
    def paint(text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if colour and text else text

    severity = diagnostic.severity
    head = paint(f"{severity}[{diagnostic.code}]", severity)
    lines = [head + paint(": " + printable(diagnostic.message, " "), "bold")]
    marked = _marks(diagnostic)
    gutter = max((len(str(max(by_line))) for by_line in marked.values()), default=1)
    bar = paint(" " * gutter + " |", "gutter")

    for source, by_line in marked.items():
        own = diagnostic.span is not None and source is diagnostic.span.source
        number = diagnostic.span.line if diagnostic.span and own else min(by_line)
        column = diagnostic.span.column if diagnostic.span and own else by_line[number][0].start + 1
        place = f"{printable(source.name, ' ')}:{number}:{column}"
        lines += [" " * gutter + paint("-->" if own else ":::", "gutter") + " " + place, bar]
        last = None
        for number in sorted(by_line):
            if last is not None and number > last + 1:
                lines.append(paint("...", "gutter"))
            last = number
            text, marks = _clip(source.line(number), by_line[number])
            lines.append(paint(f"{number:>{gutter}} |", "gutter") + (" " + printable(text) if text else ""))
            for row in _underline(text, marks):
                painted = "".join(
                    paint(piece, severity if style == "^" else "secondary") if style else piece for piece, style in row
                )
                lines.append(f"{bar} {painted}")

    for kind, texts in (("note", diagnostic.notes), ("help", tuple(h.text for h in diagnostic.hints))):
        for text in texts:
            rows = printable(text).split("\n")
            indent = " " * (gutter + 1)
            lines.append(f"{indent}{paint('=', 'gutter')} {paint(kind, 'bold')}: {rows[0]}")
            lines += [(indent + " " * (len(kind) + 4) + row).rstrip() for row in rows[1:]]
    return "\n".join(line.rstrip() for line in lines)


def _marks(diagnostic: Diagnostic) -> dict[Source, dict[int, list[_Mark]]]:
    """The marks, by source (the primary one first) and line number."""
    found: dict[Source, dict[int, list[_Mark]]] = {}
    if diagnostic.span is not None:
        _add(found, diagnostic.span, diagnostic.label, primary=True)
    for other in diagnostic.others:
        _add(found, other.span, other.text, primary=False)
    return found


def _add(found: dict[Source, dict[int, list[_Mark]]], span: Span, text: str, primary: bool) -> None:
    """Splits a span into its lines; the label stands at the last. Of a tall span only the ends are shown."""
    source = span.source
    first, start = source.position(span.start)
    # A span that ends with a line end does not reach into the next line.
    last = source.position(max(span.start, span.end - 1))[0]
    end_line, end = source.position(span.end)
    numbers = list(range(first, last + 1))
    if len(numbers) > _TALLEST_SPAN:
        numbers = [*numbers[: _TALLEST_SPAN - 1], last]
    for number in numbers:
        line = source.line(number)
        left = start - 1 if number == first else len(line) - len(line.lstrip())
        right = end - 1 if number == end_line else len(line)
        label = text if number == last else ""
        mark = _Mark(left, max(left + 1, right), label, primary)
        found.setdefault(source, {}).setdefault(number, []).append(mark)


def _clip(line: str, marks: list[_Mark]) -> tuple[str, list[_Mark]]:
    """The part of a very long line that holds the first mark, and the marks moved with it."""
    if len(line) <= _WIDEST_LINE:
        return line, marks
    low, high = min(mark.start for mark in marks), max(mark.end for mark in marks)
    if high - low <= _WIDEST_LINE:  # all of them fit
        before = min(_WIDEST_LINE // 4, _WIDEST_LINE - (high - low))
    else:
        low, before = min(marks, key=lambda mark: (not mark.primary, mark.start)).start, _WIDEST_LINE // 4
    start = max(0, min(low - before, len(line) - _WIDEST_LINE))
    end = start + _WIDEST_LINE
    text = ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")
    shift = start - (1 if start else 0)
    moved = [
        _Mark(mark.start - shift, min(mark.end, end) - shift, mark.text, mark.primary)
        for mark in marks
        if start <= mark.start < end or mark.start == end == len(line)
    ]
    return text, moved


def _underline(text: str, marks: list[_Mark]) -> list[list[tuple[str, str]]]:
    """The rows under a line as (text, mark character or nothing) pieces.

    The rightmost label follows its mark; the others go below theirs, as high as there is room, with
    `|` leading down to those that are not in the first row.
    """
    placed = []
    for mark in marks:
        left = _width(printable(text[: mark.start])) + max(0, mark.start - len(text))
        columns = max(1, _width(printable(text[mark.start : mark.end])))
        placed.append((left, columns, printable(mark.text, " "), "^" if mark.primary else "-"))
    # Secondary marks first: where two overlap, the primary one is seen.
    rows: list[dict[int, tuple[str, str]]] = [{}]
    for left, columns, _, char in sorted(placed, key=lambda item: item[3] == "^"):
        for column in range(left, left + columns):
            rows[0][column] = (char, char)

    labelled = _labelled(placed)
    if labelled:
        left, columns, label, char = labelled[-1]
        if left + columns > max(rows[0]):
            labelled.pop()
            _write(rows[0], left + columns + 1, label, char)
    for left, _, label, char in reversed(labelled):
        depth = 1
        while depth < len(rows) and any(left <= column <= left + _width(label) for column in rows[depth]):
            depth += 1
        while len(rows) <= depth:
            rows.append({})
        for between in rows[1:depth]:
            _write(between, left, "|", char)
        _write(rows[depth], left, label, char)
    return [_pieces(row) for row in rows]


def _labelled(placed: list[tuple[int, int, str, str]]) -> list[tuple[int, int, str, str]]:
    """The marks that have a label, from the left; of several that begin at one place the labels are joined."""
    found = []
    for left, same in groupby(sorted((item for item in placed if item[2]), key=itemgetter(0, 1)), itemgetter(0)):
        several = list(same)
        told = "; ".join(dict.fromkeys(item[2] for item in several))
        found.append((left, several[-1][1], told, several[-1][3]))
    return found


def _write(row: dict[int, tuple[str, str]], left: int, text: str, char: str) -> None:
    column = left
    for letter in text:
        if unicodedata.combining(letter) and column > left:
            before, style = row[column - 1]
            row[column - 1] = (before + letter, style)
            continue
        row[column] = (letter, char)
        column += 1
        if _width(letter) == 2:
            row[column] = ("", char)
            column += 1


def _pieces(row: dict[int, tuple[str, str]]) -> list[tuple[str, str]]:
    cells = (row.get(column, (" ", "")) for column in range(max(row) + 1))
    return [("".join(letter for letter, _ in run), style) for style, run in groupby(cells, itemgetter(1))]
