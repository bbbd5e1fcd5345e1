"""A value that cannot be computed because inputs were never given."""

from __future__ import annotations

from attrs import frozen

from llmplan.check.program import Domain, Field
from llmplan.check.scope import Scope
from llmplan.units.measure import KindType, Measure, is_choice


@frozen
class Missing:
    """The inputs that would have to be given, in the order in which they were needed.

    Empty if the cause is a mistake that has been reported.
    """

    needs: tuple[str, ...] = ()


NO_REASON = "not a number: division by zero, root of a negative number, or overflow"
"""The reason why an expression has no value if nothing more specific is known."""

NO_BOUND = "it has no bound, as it has no value at some points of the ranges"
"""The reason why a side of a requirement that must be certain has no worst case."""

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


def open_domain(field: Field) -> Domain | None:
    """The domain of a bare `?`: the field's own, or that of a default which is a `?`."""
    if field.unknown is not None:
        return field.unknown
    return field.default.domain if field.default is not None else None


def opens(field: Field) -> Domain | None:
    """The same, or the legal values of a whole number."""
    whole = isinstance(field.types[0], Measure) and field.types[0].whole
    return open_domain(field) or (field.domain if whole else None)


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
    bounded = field is not None and (opens(field) is not None or is_choice(field.types[0]))
    opened = f", or leave it open: `{name} = ?`" if bounded else ""
    return f"add `{kind} {{ {name} = … }}`{opened}"
