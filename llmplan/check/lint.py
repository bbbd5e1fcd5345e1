"""Legal text that is probably a mistake: decimal for binary sizes, unused names, formulas without a source."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.check.program import Field
from llmplan.diagnostics import Diagnostic, lint
from llmplan.syntax import nodes
from llmplan.syntax.decorators import said
from llmplan.syntax.statements import Statements

_BINARY = {"kB": "KiB", "MB": "MiB", "GB": "GiB", "TB": "TiB", "K": "Ki", "M": "Mi"}


def decimal(node: nodes.Expr, field: Field) -> Diagnostic | None:
    """A round decimal number for a field declared `@binary`: `80 GB`, `4K`."""
    if not field.binary or not isinstance(node, nodes.Number):
        return None
    unit = node.unit.text if node.unit is not None else ""
    if unit in _BINARY:
        if node.value.denominator != 1:
            return None  # measured, not rounded
        written, meant = f"{node.text} {unit}", f"{node.text} {_BINARY[unit]}"
        return lint.decimal_size(node.span, field.path, written, meant)
    magnitude, digits = node.text[-1:], node.text[:-1]
    if magnitude not in _BINARY or not digits.isdigit() or int(digits) & (int(digits) - 1) or int(digits) == 0:
        return None
    meant = f"{digits}{_BINARY[magnitude]}{' ' + unit if unit else ''}"
    return lint.decimal_magnitude(node.span, field.path, meant, int(node.value))


def unread(of: Statements, read: set[str]) -> list[Diagnostic]:
    """Each `let` of a literal and each `fn` of a plan whose name is never read.

    A computed `let` is a row of the report; the solver reports on one that is left open.
    """
    lets = [s for s in of.lets if s.name.text not in read and isinstance(s.value, nodes.Number)]
    functions = [s for s in of.functions if s.name.text not in read and not s.replace]
    return [
        *(lint.unused(s.name.span, "let", s.name.text) for s in lets),
        *(lint.unused(s.name.span, "fn", s.name.text) for s in functions),
    ]


def uncited(groups: Sequence[Statements]) -> list[Diagnostic]:
    """Each replaced formula without a citation."""
    replaced = [s for of in groups for s in of.replacing()]
    return [lint.uncited(s.name.span, s.name.text) for s in replaced if not said(s.decorators, "cite")]
