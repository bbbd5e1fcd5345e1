"""Departures from requirements that are not allowed: E0210 from a final one, E0211 from any."""

from __future__ import annotations

from llmplan.diagnostics.record import Diagnostic, Hint, Label, error, warning
from llmplan.source import Span


def waived(span: Span, name: str, declared: Span, because: str) -> Diagnostic:
    """E0210: `waive` of a final requirement in another file than its own."""
    return _final(f"`{name}` is final: no other file can waive it", span, declared, because)


def replaced(span: Span, name: str, declared: Span, because: str) -> Diagnostic:
    """E0210: another requirement of the name of a final one."""
    hint = Hint("to require more beside it, give this one another name")
    return _final(f"`{name}` is final: no other file can replace it", span, declared, because, hint)


def set_elsewhere(span: Span, let: str, name: str, declared: Span, because: str) -> Diagnostic:
    """E0210: a let that a final requirement of its file reads, set from outside that file or varied."""
    return _final(f"`{let}` is read by the final requirement `{name}` and cannot be set here", span, declared, because)


def _final(message: str, span: Span, declared: Span, because: str, *hints: Hint) -> Diagnostic:
    notes = (f"the reason given: {because}",) if because else ()
    return error("E0210", message, span, *hints, others=(Label(declared, "declared final here"),), notes=notes)


def not_allowed(span: Span, name: str, replaces: bool) -> Diagnostic:
    """E0211: a departure under `--no-waive`."""
    what = "replaced" if replaces else "waived"
    return error("E0211", f"`{name}` is {what}, which `--no-waive` does not allow", span)


def idle(span: Span, name: str) -> Diagnostic:
    """W0612: a waived requirement of the library that does not apply."""
    return warning("W0612", f"`{name}` does not apply to this plan, so waiving it has no effect", span)
