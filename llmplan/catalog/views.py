"""Which lists of the catalog there are: the kind whose entries each shows, and its columns.

A column is an expression of the plan language, as the library's `@column` decorators have it. Nothing is evaluated
here.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from llmplan.check.scope import Scope


@frozen
class Column:
    """A figure of every entry, shown in a unit, or if that is empty in a readable one."""

    title: str
    expression: str
    unit: str = ""


@frozen
class Grid:
    """Figures of one entry by member of an enum: a row for each, a column with a title for each quantity."""

    title: str
    enum: str
    columns: tuple[tuple[str, str], ...]


@frozen
class View:
    """A way to look at the entries of a kind: the columns of their list, the grid and inputs of one entry.

    An entry without a figure in the column `needed` is left out; without `fields` all inputs are shown.
    """

    name: str
    kind: str
    columns: tuple[Column, ...]
    grid: Grid | None = None
    needed: str = ""
    fields: tuple[str, ...] = ()


def views(scope: Scope) -> tuple[View, ...]:
    """Every list of the library, in the order of its `@column` decorators.

    The first list of a kind is of its entries as they are. A further one leaves out entries without a figure in its
    first column, and shows of an entry the inputs that are columns. A list of quantities with an index is the grid that
    the first list shows of an entry.
    """
    found: list[View] = []
    for kind, marks in scope.columns.items():
        lists: dict[str, list[Column]] = {}
        for name, title, expression, unit in marks:
            lists.setdefault(name, []).append(Column(title, expression, unit))
        grids = [_grid(name, columns, scope) for name, columns in lists.items() if _indices(columns[0], scope)]
        plain = [(name, tuple(columns)) for name, columns in lists.items() if not _indices(columns[0], scope)]
        for place, (name, columns) in enumerate(plain):
            if place == 0:
                found.append(View(name, kind, columns, grids[0] if grids else None))
                continue
            inputs = [column.expression.partition(".") for column in columns if column.expression in scope.fields]
            fields = tuple(field for owner, _, field in inputs if owner == kind)
            found.append(View(name, kind, columns, needed=columns[0].title, fields=fields))
    return tuple(found)


def _indices(column: Column, scope: Scope) -> tuple[tuple[str, str], ...]:
    quantity = scope.quantities.get(column.expression)
    return quantity.indices if quantity is not None else ()


def _grid(title: str, columns: Sequence[Column], scope: Scope) -> Grid:
    ((_, enum),) = _indices(columns[0], scope)
    return Grid(title, enum, tuple((column.title, column.expression) for column in columns))
