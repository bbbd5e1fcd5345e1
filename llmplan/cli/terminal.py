"""Standard output and standard error: colour, closed pipes, characters that a stream cannot show."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable
from typing import TextIO

from llmplan.diagnostics import Diagnostic


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
    """Writes to standard output.

    Raises:
        OutputFailed: The output cannot be written (a full disk).
    """
    try:
        _write(sys.stdout, text)
    except OSError as error:
        raise OutputFailed(error.strerror) from error


def complain(text: str, end: str = "\n") -> None:
    """Writes a line to standard error, if there is anyone to read it."""
    try:
        _write(sys.stderr, text + end)
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
        complain(text.rstrip("\n"))


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
