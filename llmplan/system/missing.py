"""A value that cannot be computed because inputs were never given."""

from __future__ import annotations

from attrs import frozen


@frozen
class Missing:
    """The inputs that would have to be given, in the order in which they were needed.

    Empty where a mistake is the cause, which has been reported.
    """

    needs: tuple[str, ...] = ()


NO_REASON = "not a number: division by zero, root of a negative number, or overflow"
"""Why an expression has no value where nothing more is known."""

Result = int | Missing


def missing(*parts: str | Result) -> Missing:
    """What several parts lack, together."""
    needs: list[str] = []
    for part in parts:
        if isinstance(part, str):
            needs.append(part)
        elif isinstance(part, Missing):
            needs += part.needs
    return Missing(tuple(dict.fromkeys(needs)))
