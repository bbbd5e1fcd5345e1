"""`llmplan catalog`: the accelerators, models and prices that plans can name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from llmplan.cli import terminal
from llmplan.present.columns import table

if TYPE_CHECKING:
    from llmplan.catalog.entries import Cell, Convention, Entry, Field
    from llmplan.catalog.views import Column, View

_WHAT = {
    "gpus": "gpus", "gpu": "gpus", "models": "models", "model": "models", "stacks": "stacks",
    "stack": "stacks", "optimizers": "optimizers", "optimizer": "optimizers",
    "servers": "engines", "server": "engines", "engines": "engines", "prices": "prices", "price": "prices",
}  # fmt: skip


@click.command(options_metavar="[OPTIONS]")
@click.argument("what", type=click.Choice(list(_WHAT)), metavar="gpus|models|stacks|optimizers|engines|prices")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, values in base units.")
def catalog(what: str, name: str | None, as_json: bool) -> int:
    """Lists the catalog, or shows every figure of the entry called NAME and its sources.

    Where NAME is part of several names, lists those.
    """
    from llmplan.catalog import entries
    from llmplan.catalog.views import views
    from llmplan.check import library

    scope, _, problems = library.load()
    if problems:
        terminal.show(problems)
        return 1
    view = next(view for view in views(scope) if view.name == _WHAT[what])
    found = None if name is None else entries.find(view, name, scope)
    printed: Any
    if isinstance(found, entries.Entry):
        printed = _object(found) if as_json else _page(found, view)
    else:
        columns, rows = entries.listing(view, scope, name or "")
        if found is not None and not (rows and name and name.strip()):
            terminal.show([found])
            return 1
        printed = _rows(columns, rows) if as_json else _table(columns, rows)
    (terminal.document if as_json else terminal.result)(printed)
    return 0


def _table(columns: Sequence[Column], rows: Sequence[tuple[str, Sequence[Cell]]]) -> str:
    """The list: titles, their units, then an entry a line, figures under each other."""
    lines = [["name", *(column.title for column in columns)], ["", *(column.unit for column in columns)]]
    lines += [[name, *(_bare(cell, column) for cell, column in zip(cells, columns))] for name, cells in rows]
    right = [False, *(any(isinstance(cells[i].value, (int, float)) for _, cells in rows) for i in range(len(columns)))]
    return _aligned(lines, right)


def _bare(cell: Cell, column: Column) -> str:
    """A figure without the unit that stands above it."""
    return cell.text.removesuffix(column.unit).rstrip() if cell.text else "–"


def _aligned(lines: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """Columns under each other; those for which the terminal is too narrow stand below, beside the names again."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(right))]
    room = terminal.width()
    groups: list[list[int]] = [[]]
    for at in range(1, len(right)):
        if groups[-1] and sum(widths[i] + 2 for i in (0, *groups[-1])) + widths[at] > room:
            groups.append([])
        groups[-1].append(at)
    blocks = []
    for group in groups:
        text = ""
        for line in lines:
            cells = (line[i].rjust(widths[i]) if right[i] else line[i].ljust(widths[i]) for i in (0, *group))
            text += "  ".join(cells).rstrip() + "\n"
        blocks.append(terminal.wrapped(text))
    return "\n".join(blocks)


def _page(entry: Entry, view: View) -> str:
    record = entry.record
    blocks = [record.name]
    if record.doc:
        blocks.append(terminal.wrapped(" ".join(record.doc.split())).rstrip("\n"))
    if record.names:
        blocks.append(terminal.wrapped(f"also called {', '.join(record.names)}").rstrip("\n"))
    rows = [
        (field.path.removeprefix(view.kind + "."), field.cell.text, _said(field, record.name)) for field in entry.fields
    ]
    blocks.append(table(rows, terminal.width()) if rows else "  no figures")
    figures = [(column.title, cell.text) for column, cell in entry.figures if _is_new(column, entry)]
    if figures:
        blocks.append("derived\n" + table(figures, terminal.width()))
    if view.grid is not None and entry.conventions:
        blocks.append(_grid(entry.conventions, view.grid.title))
    if entry.sources:
        listed = "".join(f"  {source}\n" for source in entry.sources)
        blocks.append("sources\n" + terminal.wrapped(listed).rstrip("\n"))
    return "\n\n".join(blocks) + "\n"


def _grid(conventions: Sequence[Convention], title: str) -> str:
    """A row for each format, a column for each use, and below the meaning and source of each figure."""
    titles = list(dict.fromkeys(found.title for found in conventions))
    rows: dict[str, list[str]] = {}
    notes: dict[tuple[str, str], list[str]] = {}
    for found in conventions:
        cells = rows.setdefault(found.member, [""] * len(titles))
        cells[titles.index(found.title)] = found.cell.text
        doc = " ".join(found.doc.split())
        note = f"{doc} ({'; '.join(found.sources)})" if found.sources else doc
        notes.setdefault((found.title, note), []).append(found.member)
    lines = [["  ", *titles], *([f"  {row}", *cells] for row, cells in rows.items())]
    table = _aligned(lines, [False] * (len(titles) + 1))
    said = ""
    for (column, note), members in notes.items():
        where = "" if len(members) == len(rows) else f", {', '.join(members)}"
        said += f"\n  {column}{where}: {note}"
    return f"{title}\n{table}{terminal.wrapped(said)}".rstrip("\n")


def _is_new(column: Column, entry: Entry) -> bool:
    """False for a column that is a field, which stands among the fields."""
    return all(field.path != column.expression for field in entry.fields)


def _said(field: Field, name: str) -> str:
    """Where a field's value stands: in the entry, in one that it is like, or in the library."""
    owner = "" if field.entry == name else f", as {field.entry}" if field.entry else ", default"
    return field.place + owner + (f": {field.formula}" if field.formula else "")


def _rows(columns: Sequence[Column], rows: Sequence[tuple[str, Sequence[Cell]]]) -> list[dict[str, Any]]:
    return [
        {"name": name, **{column.title: _cell(cell) for column, cell in zip(columns, cells)}} for name, cells in rows
    ]


def _cell(cell: Cell) -> dict[str, Any]:
    value = cell.value
    return {"value": None if isinstance(value, float) and not math.isfinite(value) else value, "unit": cell.unit}


def _object(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.record.name,
        "names": list(entry.record.names),
        "doc": entry.record.doc,
        "fields": {
            field.path: {
                **_cell(field.cell),
                "entry": field.entry or None,
                "place": field.place,
                "formula": field.formula or None,
            }
            for field in entry.fields
        },
        "figures": {column.title: _cell(cell) for column, cell in entry.figures}
        | {
            f"{found.title} in {found.member}": {
                **_cell(found.cell),
                "convention": " ".join(found.doc.split()),
                "sources": list(found.sources),
            }
            for found in entry.conventions
        },
        "sources": list(entry.sources),
    }
