"""A diagnostic is data: a code, a place, a cause and what would mend it.

Stages return lists of these; only `cli` renders and prints them. Constructors live in one module
per stage beside this one (`syntax.py`, `names.py`, `units.py`, `solving.py`, `files.py`), one
function per kind of mistake, so that every message has exactly one home.
"""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from llmplan.source import Span

Severity = Literal["error", "warning", "note"]


@frozen
class Label:
    """A secondary place and what to know about it."""

    span: Span
    text: str


@frozen
class Edit:
    """Replace what stands at `span` by `text`."""

    span: Span
    text: str


@frozen
class Hint:
    """A change that would help, in words, and as edits where it is one."""

    text: str
    edits: tuple[Edit, ...] = ()


@frozen
class Diagnostic:
    """One mistake or warning.

    Attributes:
        code: `E0101` … `E0503`, `W0601` …; stable, explained by `llmplan explain CODE`.
        severity: Errors stop the compiler, warnings and notes do not.
        message: One line that stands alone: lowercase, no final stop, code in backticks.
        span: The smallest place that is wrong; None where there is no text (an unreadable file).
        label: A few words under the caret.
        others: Further places.
        notes: Context; a line each, may hold line breaks (a diagram under an expression).
        hints: What to do about it, the likeliest first.
    """

    code: str
    severity: Severity
    message: str
    span: Span | None = None
    label: str = ""
    others: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
