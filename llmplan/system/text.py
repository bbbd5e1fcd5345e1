"""Texts of a plan: reasons with values in them, and inputs that are texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmplan.check.core import Core
from llmplan.check.program import unpack
from llmplan.system.display import show
from llmplan.system.missing import Missing

if TYPE_CHECKING:
    from llmplan.system.lower import Lowering


def plain_text(core: Core | None, lowering: Lowering) -> str:
    """A text with its `{…}` replaced by values where they are known; `…` where they are not."""
    if core is None or core[0] != "text":
        return ""
    out = []
    for part in core[1]:
        if isinstance(part, str):
            out.append(part)
            continue
        inner, unit, type, declared = part
        node = lowering.lower(inner, {})
        value = None if isinstance(node, Missing) else lowering.graph.constant(node)
        known = unpack(type)
        out.append("…" if value is None else show(value, known, lowering.scope, unit or declared, bool(unit)))
    return "".join(out)


def text_of(path: str, lowering: Lowering) -> tuple[str | None, str]:
    """The value of an input that is a text or a list, and the layer that it comes from."""
    won = lowering.setting_of(path)
    if won is None or won[1].value is None:
        return None, ""
    layer, core = won[0], won[1].value
    if core[0] == "list":
        return ", ".join(_item(item, lowering) for item in core[1]), layer
    return plain_text(core, lowering), layer


def _item(core: Core, lowering: Lowering) -> str:
    return str(core[2]) if core[0] == "entry" else plain_text(core, lowering)
