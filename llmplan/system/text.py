"""Texts of a plan: reasons with values in them, and inputs that are texts."""

from __future__ import annotations

from llmplan.check.ir import Entry, Expr, List, Ref, Text
from llmplan.system.display import show
from llmplan.system.lower import Lowering
from llmplan.units.measure import ListType, TextType


def plain_text(expr: Expr | None, lowering: Lowering) -> str:
    """A text with its `{…}` replaced by values where they are known; `…` where they are not."""
    if not isinstance(expr, Text):
        return ""
    out = []
    for part in expr.pieces:
        if isinstance(part, str):
            out.append(part)
            continue
        value = lowering.worth(part.value)
        unit = part.unit or part.declared
        if value is None or part.type is None:
            out.append("…")
        else:
            out.append(show(value, part.type, lowering.scope, unit, bool(part.unit)))
    return "".join(out)


def whole_text(expr: Expr | None, lowering: Lowering) -> str:
    """A text as `plain_text` returns it; empty if one of its values is missing or not a number."""
    pieces = expr.pieces if isinstance(expr, Text) else ()
    values = [lowering.worth(piece.value) for piece in pieces if not isinstance(piece, str)]
    return "" if any(value is None or value != value for value in values) else plain_text(expr, lowering)


def text_of(path: str, lowering: Lowering) -> tuple[str | None, str]:
    """The value of an input that is a text or a list, and the layer that it comes from."""
    won = lowering.inputs.setting_of(path)
    if won is None or won[1].value is None:
        return None, ""
    layer, expr = won[0], won[1].value
    if isinstance(expr, List):
        return ", ".join(_item(item, lowering) for item in expr.items), layer
    return plain_text(expr, lowering), layer


def worded(expr: Expr, lowering: Lowering) -> str | None:
    """The text of an expression that is a text or names an input with one; None for anything else."""
    if isinstance(expr, Ref) and expr.name in lowering.scope.fields:
        return (
            text_of(expr.name, lowering)[0]
            if isinstance(lowering.scope.fields[expr.name].type, (TextType, ListType))
            else None
        )
    return plain_text(expr, lowering) if isinstance(expr, Text) else None


def _item(expr: Expr, lowering: Lowering) -> str:
    return expr.name if isinstance(expr, Entry) else plain_text(expr, lowering)
