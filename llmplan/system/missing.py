"""A value that cannot be computed because inputs were never given."""

from __future__ import annotations

from attrs import frozen

from llmplan.check.scope import Scope
from llmplan.units.measure import KindType


@frozen
class Missing:
    """The inputs that would have to be given, in the order in which they were needed.

    Empty if the cause is a mistake that has been reported.
    """

    needs: tuple[str, ...] = ()


NO_REASON = "not a number: division by zero, root of a negative number, or overflow"
"""The reason why an expression has no value if nothing more specific is known."""

NONE_APPLIES = "none of its formulas applies"
"""The reason why a quantity has no value if the guards of all its formulas are false."""

Result = int | Missing


def missing(*parts: str | Result) -> Missing:
    """The inputs that some parts lack, together."""
    needs: list[str] = []
    for part in parts:
        if isinstance(part, str):
            needs.append(part)
        elif isinstance(part, Missing):
            needs += part.needs
    return Missing(tuple(dict.fromkeys(needs)))


def line_for(path: str, scope: Scope) -> str:
    """The text to add to a plan to set an input."""
    kind, _, name = path.partition(".")
    if not name:
        return f'choose one: `{path} "…"`'
    field = scope.fields.get(path)
    if field is not None and len(field.types) > 1:
        ways = " or ".join(f"{name} = … {unit}s" for unit in field.units)
        return f"add `{kind} {{ {ways} }}`".replace(" or ", f" }}` or `{kind} {{ ")
    if field is not None and isinstance(field.type, KindType):
        return f'add `{kind} {{ {name} = "…" }}`, with a name from `llmplan catalog {name}s`'
    bounded = field is not None and (field.unknown is not None or field.domain is not None)
    opened = f", or leave it open: `{name} = ?`" if bounded else ""
    return f"add `{kind} {{ {name} = … }}`{opened}"
