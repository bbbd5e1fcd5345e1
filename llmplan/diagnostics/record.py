"""A diagnostic is data: a code, a location, a cause and a fix.

Stages return lists of these; only `cli` renders and prints them. The modules beside this one (`syntax.py`,
`names.py`, `units.py`, `system.py`, `solving.py`, `files.py`, …) hold one constructor per kind of mistake, so that
every message is written in exactly one place.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
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
    """A suggested change in words, with the edits that make it where the words name one exactly.

    It is a `choice` if it is one of several changes of different meanings, of which only the author can choose.
    """

    text: str
    edits: tuple[Edit, ...] = ()
    choice: bool = False


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
    *hints: Hint | str | None,
    label: str = "",
    others: Iterable[Label] = (),
    notes: Iterable[str] = (),
    severity: Severity = "error",
) -> Diagnostic:
    """The usual diagnostic: an error with its hints; a hint without an edit may be a plain text.

    Hints and notes that are empty or None are left out.
    """
    given = tuple(Hint(hint) if isinstance(hint, str) else hint for hint in hints if hint)
    return Diagnostic(code, severity, message, span, label, tuple(others), tuple(filter(None, notes)), given)


warning = partial(error, severity="warning")
