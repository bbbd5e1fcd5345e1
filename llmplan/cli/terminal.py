"""Standard output and standard error: colour, closed pipes, characters that a stream cannot or must not show.

Everything that a command prints passes here. Whatever the texts come from (plans, names of files, records), none can
steer the terminal; only what llmplan itself writes to colour or clear a line does.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable
from typing import TextIO

from llmplan.diagnostics import Diagnostic
from llmplan.visible import visible


class OutputFailed(Exception):
    """Standard output cannot be written, for another reason than a closed pipe."""


def prepare() -> None:
    """Makes the streams escape what they cannot encode instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def colour(stream: TextIO) -> bool:
    """True on a terminal that wants colour."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def result(text: str) -> None:
    """Writes to standard output, hidden characters as escapes.

    Raises:
        OutputFailed: The output cannot be written (a full disk).
    """
    try:
        _write(sys.stdout, visible(text))
    except OSError as error:
        raise OutputFailed(error.strerror) from error


def complain(text: str) -> None:
    """Writes a line to standard error, hidden characters as escapes, if there is anyone to read it."""
    steer(visible(text) + "\n")


def steer(text: str) -> None:
    """Writes to standard error what colours or moves a terminal, which no text of other people may."""
    try:
        _write(sys.stderr, text)
    except OSError:
        pass


def show(diagnostics: Iterable[Diagnostic]) -> None:
    """Writes diagnostics as text to standard error."""
    found = list(diagnostics)
    if not found:
        return
    from llmplan.diagnostics import render_text

    text = render_text.render(found, colour(sys.stderr))
    if text:
        steer(text.rstrip("\n") + "\n")


def _write(stream: TextIO | None, text: str) -> None:
    """Writes and flushes. A reader that has gone is fine: the rest is for nobody, the exit code stays."""
    if stream is None:  # closed before llmplan began
        return
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        # What is left in the buffer must go somewhere, or the interpreter fails again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if error.errno != errno.EPIPE:
            raise
