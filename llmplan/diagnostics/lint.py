"""Warnings about plans that are legal and yet look like a slip."""

from __future__ import annotations

from llmplan.diagnostics.record import Diagnostic, Edit, Hint, warning
from llmplan.source import Span
from llmplan.units.amount import count


def decimal_size(span: Span, name: str, written: str, binary: str) -> Diagnostic:
    """W0601: a size in decimal units of something that is made in binary ones."""
    hint = Hint(f"write `{binary}`: a device sold as {written} has {binary}", (Edit(span, binary),))
    return warning("W0601", f"`{name}` is probably meant in binary units", span, hint, label="decimal units")


def decimal_magnitude(span: Span, name: str, meant: str, value: int) -> Diagnostic:
    """W0603: `4K` where 4,096 was probably meant."""
    hint = Hint(f"write `{meant}`", (Edit(span, meant),))
    return warning("W0603", f"`{name}` is {count(value)}; a power of two is probably meant", span, hint)


def unused(span: Span, what: str, name: str) -> Diagnostic:
    """W0602: a `let` or `fn` of the plan that nothing reads."""
    hint = "remove it, or use it where its value is repeated" if what == "let" else "remove it, or call it"
    return warning("W0602", f"unused `{what}`: `{name}`", span, Hint(hint))


def not_emitted(span: Span, path: str, target: str) -> Diagnostic:
    """W0602: an option of a target that the plan does not emit."""
    hint = f"add `emit {target}`, or remove it"
    return warning("W0602", f"`{path}` has no effect: `{target}` is not emitted", span, Hint(hint))


def uncited(span: Span, name: str) -> Diagnostic:
    """W0605: another formula in place of the library's, without saying where it is from."""
    hint = 'cite its source on the line above: `@cite("…")`'
    return warning("W0605", f"the replacement formula for `{name}` cites no source", span, hint)


def asks_nothing(span: Span) -> Diagnostic:
    """W0610: a plan that asks for nothing."""
    return warning(
        "W0610",
        "the plan asks for nothing",
        Span(span.source, span.start, span.start),
        Hint("leave an input open, as in `hardware { gpus = ? }`, and set a limit: `require wall_time <= 30 days`"),
        "or ask for a value: `show memory.total`",
    )
