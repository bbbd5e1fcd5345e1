"""A diagnostic is data: a code, a location, a cause and a fix.

Stages return lists of these; only `cli` renders and prints them. The modules beside this one (`syntax.py`,
`names.py`, `units.py`, `system.py`, `solving.py`, `files.py`, …) hold one constructor per kind of mistake, so that
every message is written in exactly one place.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from attrs import frozen

from llmplan.source import Span

Severity = Literal["error", "warning", "note"]


@frozen
class Label:
    """A secondary location and what it contributes."""

    span: Span
    text: str


@frozen
class Edit:
    """Replace the text of `span` by `text`."""

    span: Span
    text: str


@frozen
class Hint:
    """A suggested change in words, with the edits that make it where the words name one exactly."""

    text: str
    edits: tuple[Edit, ...] = ()


@frozen
class Diagnostic:
    """One mistake or warning.

    Attributes:
        code: `E0101` … `E0503`, `W0601` …; stable, explained by `llmplan explain CODE`.
        severity: Errors stop the compiler, warnings and notes do not.
        message: One line that stands alone: lowercase, no final stop, code in backticks.
        span: The smallest piece of text that is wrong; None where there is no text (an unreadable file).
        label: A few words under the caret.
        others: Further locations.
        notes: Context, one line each unless a note contains line breaks (a diagram under an expression).
        hints: What to do about it, the most likely first.
    """

    code: str
    severity: Severity
    message: str
    span: Span | None = None
    label: str = ""
    others: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()


def error(
    code: str,
    message: str,
    span: Span | None = None,
    *hints: Hint,
    label: str = "",
    others: Iterable[Label] = (),
    notes: Iterable[str] = (),
) -> Diagnostic:
    """What most constructors make: an error with its hints."""
    return Diagnostic(code, "error", message, span, label, tuple(others), tuple(notes), hints)


def warning(code: str, message: str, span: Span | None, *hints: Hint, label: str = "", notes: Iterable[str] = ()) -> Diagnostic:
    return Diagnostic(code, "warning", message, span, label, (), tuple(notes), hints)
