"""Warnings about what is legal and yet looks like a slip."""

from __future__ import annotations

from llmplan.diagnostics.record import Diagnostic, Edit, Hint
from llmplan.source import Span


def decimal_size(span: Span, name: str, written: str, binary: str) -> Diagnostic:
    """W0601: a size in decimal units of something that is made in binary ones."""
    return Diagnostic(
        "W0601",
        "warning",
        f"`{name}` is likely meant in binary units",
        span,
        "a power of ten",
        hints=(Hint(f"write `{binary}`; what is sold as {written} has {binary}", (Edit(span, binary),)),),
    )


def decimal_magnitude(span: Span, name: str, meant: str, value: int) -> Diagnostic:
    """W0603: `4K` where 4,096 was likely meant."""
    return Diagnostic(
        "W0603",
        "warning",
        f"`{name}` is {value:,}, and a power of two is likely meant",
        span,
        hints=(Hint(f"write `{meant}`", (Edit(span, meant),)),),
    )


def unused(span: Span, what: str, name: str) -> Diagnostic:
    """W0602: a `let` or `fn` of the plan that nothing reads."""
    return Diagnostic(
        "W0602",
        "warning",
        f"nothing reads the {what} `{name}`",
        span,
        hints=(Hint("remove it, or write its name where its value is meant" if what == "let" else "remove it, or call it"),),
    )


def uncited(span: Span, name: str) -> Diagnostic:
    """W0605: another formula in place of the library's, without saying where it is from."""
    return Diagnostic(
        "W0605",
        "warning",
        f"the formula that replaces `{name}` has no source",
        span,
        hints=(Hint('say where it is from on the line above: `@cite("…")`'),),
    )
