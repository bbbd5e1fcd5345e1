"""The entries of the catalog, with values that the library computes as for a plan.

A view of a catalog is a kind with columns; a column is an expression of the plan language, evaluated
with one entry chosen and nothing else said. So a figure here is the figure that a plan would get.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import evolve, frozen

from llmplan.catalog.views import Column, Grid, View
from llmplan.check import ir
from llmplan.check.entry_names import normal
from llmplan.check.expressions import Expressions
from llmplan.check.ir import Expr
from llmplan.check.plan import Program
from llmplan.check.program import EntryRecord, Setting
from llmplan.check.scope import Scope
from llmplan.diagnostics import Diagnostic, Hint
from llmplan.diagnostics.entries import no_entry
from llmplan.source import Source, Span
from llmplan.syntax.parse import parse_value
from llmplan.system.display import one_line, scalar, show
from llmplan.system.lower import Lowering
from llmplan.system.text import text_of
from llmplan.units.measure import ListType, Measure, Scalar, TextType, Type

_LITERALS = (ir.Num, ir.Member, ir.Entry, ir.Text, ir.List)


@frozen
class Cell:
    """A figure: in base units (as JSON has it), and as people read it; None and empty if it is not known."""

    value: Scalar
    unit: str | None
    text: str


@frozen
class Field:
    """An input of an entry: its value, the place where that stands, and any formula behind it.

    `entry` is the one that says it, this one or one that it is like; empty for a default.
    """

    path: str
    cell: Cell
    place: str
    entry: str
    formula: str


@frozen
class Convention:
    """A figure of a grid with what it means: the doc comment and the sources of the formula that gave it."""

    title: str
    member: str
    cell: Cell
    doc: str
    sources: tuple[str, ...]


@frozen
class Entry:
    """One entry with what is known of it."""

    record: EntryRecord
    fields: tuple[Field, ...]
    figures: tuple[tuple[Column, Cell], ...]
    conventions: tuple[Convention, ...]
    sources: tuple[str, ...]


def listing(view: View, scope: Scope, word: str = "") -> tuple[tuple[Column, ...], list[tuple[str, tuple[Cell, ...]]]]:
    """The columns with any figures, and by its name the figures of each entry with a word in one of its names."""
    columns = _checked(scope, view.columns)
    wanted = [
        name
        for name, record in sorted(scope.entries[view.kind].items())
        if any(normal(word) in normal(other) for other in (name, *record.names))
    ]
    rows = [(name, _figures(_chosen(scope, view.kind, name), columns)) for name in wanted]
    titles = [column.title for column in view.columns]
    if view.needed:
        rows = [row for row in rows if row[1][titles.index(view.needed)].value is not None]
    known = [i for i in range(len(titles)) if any(row[1][i].value is not None for row in rows)]
    picked = [(name, tuple(found[i] for i in known)) for name, found in rows]
    return tuple(view.columns[i] for i in known), picked


def find(view: View, name: str, scope: Scope) -> Entry | Diagnostic:
    """One entry by any of its names; E0207 if none or several match, also where most people mean one of them."""
    canonical, near = scope.find_entry(view.kind, name)
    if canonical is None or near:
        span = Span(Source("NAME", name), 0, len(name))
        near = sorted([*near, canonical]) if canonical else near
        fits = [other for other in near if normal(name) in normal(other)]
        wrong = no_entry(span, view.kind, name, fits or near, len(fits) > 1)
        return evolve(wrong, hints=(*wrong.hints, Hint(f"`llmplan catalog {view.name}` lists them")))
    lowering = _chosen(scope, view.kind, canonical)
    record = scope.entries[view.kind][canonical]
    fields = [_field(lowering, view.kind, canonical, name) for name in view.fields or scope.kinds[view.kind]]
    figures = zip(view.columns, _figures(lowering, _checked(scope, view.columns)))
    return Entry(
        record,
        tuple(field for field in fields if field is not None),
        tuple((column, cell) for column, cell in figures if cell.value is not None),
        _conventions(lowering, view.grid) if view.grid is not None else (),
        () if view.fields else _texts(_cites(scope, record, fields)),
    )


def _conventions(lowering: Lowering, grid: Grid) -> tuple[Convention, ...]:
    """The figures of a grid that are known, row by row."""
    scope = lowering.scope
    found = []
    for at, member in enumerate(scope.enums[grid.enum].members):
        for title, name in grid.columns:
            quantity = scope.quantities[name]
            cell = _evaluated(lowering, ir.Index(name, (ir.Member(grid.enum, at),)), quantity.type, "", "")
            if cell.value is not None:
                used = lowering.names.traces[f"{name}[{member}]"].place
                formula = next(a for a in quantity.alternatives if a.formula == used)
                found.append(Convention(title, member, cell, formula.doc, _texts(formula.cites)))
    return tuple(found)


def _texts(cites: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(", ".join(filter(None, cite)) for cite in cites)


def _chosen(scope: Scope, kind: str, name: str) -> Lowering:
    """A plan that says nothing but which entry it takes."""
    setting = Setting(ir.Entry(kind, name), None, scope.entries[kind][name].place)
    program = Program(scope, settings={scope.selector(kind): [("plan", setting)]})
    return Lowering(program, fixed={})


def _field(lowering: Lowering, kind: str, entry: str, name: str) -> Field | None:
    """The value of an input of an entry, None if it is unknown."""
    scope = lowering.scope
    path = f"{kind}.{name}"
    record = scope.fields[path]
    owner, setting = lowering.inputs.entry_settings(kind, entry, name) or _fallback(lowering, kind, name)
    if setting is None:
        return None
    if isinstance(record.type, (TextType, ListType)):
        written, _ = text_of(path, lowering)
        cell = Cell(written, None, written or "")
    else:
        cell = _evaluated(lowering, ir.Ref(path), record.type, "", record.units[0])
    computed = setting.value is not None and not isinstance(setting.value, _LITERALS)
    formula = one_line(scope.span(setting.place).text) if computed else ""
    return None if cell.value is None else Field(path, cell, scope.at(setting.place), owner, formula)


def _fallback(lowering: Lowering, kind: str, name: str) -> tuple[str, Setting | None]:
    """What holds for a field that the entry leaves open: what the entry says that its default reads, or the default."""
    path = f"{kind}.{name}"
    default = lowering.scope.fields[path].default
    if default is not None and isinstance(default.value, ir.FieldAt):
        lowering.name(path)
        owner = lowering.names.traces[path].entry
        return lowering.inputs.entry_settings(kind, owner, name) or (owner, default)
    return "", default


def _evaluated(lowering: Lowering, expr: Expr, type: Type, unit: str, declared: str) -> Cell:
    """An expression in `unit`, or if that is empty in a readable one; an empty cell if it is not known."""
    value = lowering.worth(expr)
    if value is None or not math.isfinite(value):
        return Cell(None, None, "")
    units = lowering.scope.units
    shown = show(value, type, lowering.scope, unit or declared, exact_unit=bool(unit))
    return Cell(scalar(value, type, lowering.scope), units.base(type) if isinstance(type, Measure) else None, shown)


def _cites(scope: Scope, record: EntryRecord, fields: Sequence[Field | None]) -> list[tuple[str, str]]:
    """The sources of an entry, then of those that it is like, and of others that say some of its fields."""
    entries = scope.entries[record.kind]
    records = [record]
    while records[-1].like:
        records.append(entries[records[-1].like])
    records += [entries[field.entry] for field in fields if field is not None and field.entry]
    return list(dict.fromkeys(cite for record in records for cite in record.cites))


Checked = tuple[Column, Expr, Type, str]
"""A column with its expression's checked form, type and unit."""


def _checked(scope: Scope, columns: Sequence[Column]) -> list[Checked]:
    """The columns, ready to be evaluated for any entry; the library has every name that they read."""
    found = []
    for column in columns:
        problems: list[Diagnostic] = []
        tree, wrong = parse_value(Source("catalog", column.expression))
        assert tree is not None and not wrong, wrong
        typed = Expressions(scope, problems.append).check(tree)
        assert typed.type is not None and not problems, problems
        found.append((column, typed.expr, typed.type, typed.unit))
    return found


def _figures(lowering: Lowering, columns: Sequence[Checked]) -> tuple[Cell, ...]:
    cells = []
    for column, expr, type, declared in columns:
        if isinstance(type, TextType):
            written, _ = text_of(column.expression, lowering)
            cells.append(Cell(written, None, written or ""))
        else:
            cells.append(_evaluated(lowering, expr, type, column.unit, declared))
    return tuple(cells)
