"""Standard output and standard error: colour, closed pipes, characters that a stream cannot or must not show.

Everything that a command prints passes here. Whatever the texts come from (plans, names of files, records), none can
steer the terminal; only what llmplan itself writes to colour or clear a line does.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable
from typing import TextIO

from llmplan.diagnostics import Diagnostic
from llmplan.escape import visible

_NARROWEST, _USUAL = 40, 80
UNLIMITED = sys.maxsize
"""The width of a table that is written to a file, whose lines need fit nothing."""
_VERDICT = re.compile(r"(?m)^(  \S+ +)(safe|likely|tight|not judged|no)\b")
_ESCAPES = re.compile("\x1b\\[[0-9;]*m")
_OF_THE_SOURCE = re.compile(r"\s*(\d+|-->)? *[|]|\s*-->")
_LEADING = re.compile(r"\s*(= \w+: )?(\d+: )?")
_COLOURS = {"safe": "32", "likely": "33", "tight": "33", "not judged": "33", "no": "31"}


class OutputFailed(Exception):
    """Standard output cannot be written, for another reason than a closed pipe."""


def prepare() -> None:
    """Makes the streams escape what they cannot encode instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def colour(stream: TextIO) -> bool:
    """True on a terminal that wants colour, and wherever FORCE_COLOR asks for it; NO_COLOR counts more."""
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR", "")
    return forced not in ("", "0") or stream.isatty() and os.environ.get("TERM") != "dumb"


def width(otherwise: int = _USUAL) -> int:
    """The columns of the terminal; where nothing says how many there are, as in a file, 80 or another number."""
    if sys.stdout is not None and sys.stdout.isatty():
        return max(_NARROWEST, shutil.get_terminal_size().columns)
    columns = os.environ.get("COLUMNS", "")
    return max(_NARROWEST, int(columns)) if columns.isdecimal() and len(columns) < 6 else otherwise


def wrapped(text: str) -> str:
    """A text whose lines fit the terminal: what is longer goes on below, further in than it began."""
    columns = width()
    lines: list[str] = []
    for line in text.splitlines():
        inner = " " * min(len(line) - len(line.lstrip()) + 2, columns // 2)
        long = len(line) > columns
        lines += (
            textwrap.wrap(line, columns, subsequent_indent=inner, break_long_words=False, break_on_hyphens=False)
            if long
            else [line]
        )
    return "".join(f"{line}\n" for line in lines)


def result(text: str, verdicts: bool = False) -> None:
    """Writes to standard output, hidden characters as escapes.

    Args:
        verdicts: Whether it has rows with a verdict as their second word, which has a colour on a terminal.

    Raises:
        OutputFailed: The output cannot be written (a full disk).
    """
    shown = visible(text)
    if verdicts and sys.stdout is not None and colour(sys.stdout):
        shown = _VERDICT.sub(lambda found: f"{found[1]}\x1b[{_COLOURS[found[2]]}m{found[2]}\x1b[0m", shown)
    try:
        _write(sys.stdout, shown)
    except OSError as error:
        raise OutputFailed(error.strerror) from error


def asks() -> bool:
    """Whether there is a terminal at which somebody can be asked."""
    return sys.stdin is not None and sys.stderr is not None and sys.stdin.isatty() and sys.stderr.isatty()


def confirmed(question: str) -> bool:
    """Whether somebody at a terminal answers a question with yes; nobody is asked where there is no terminal."""
    if not asks():
        return False
    steer(question)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def document(value: object) -> None:
    """Writes a value as JSON to standard output.

    Raises:
        OutputFailed: As `result`.
    """
    import json

    result(f"{json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)}\n")


def complain(text: str) -> None:
    """Writes a line to standard error, hidden characters as escapes, if there is anyone to read it."""
    steer(visible(text) + "\n")


def steer(text: str) -> None:
    """Writes to standard error what colours or moves a terminal, which no text of other people may."""
    try:
        _write(sys.stderr, text)
    except OSError:
        pass


def show(diagnostics: Iterable[Diagnostic], short: bool = False) -> None:
    """Writes diagnostics as text to standard error.

    Args:
        short: Whether a note is a line, before what is graver: there the advice comes last.
    """
    found = list(diagnostics)
    if short:
        for note in (one for one in found if one.severity == "note"):
            place = f" ({note.span.source.name}:{note.span.line})" if note.span is not None else ""
            steer(_folded(visible(f"note[{note.code}]: {' '.join(note.message.split())}{place}") + "\n"))
        found = sorted((one for one in found if one.severity != "note"), key=lambda one: one.severity == "error")
    if not found:
        return
    from llmplan.diagnostics import render_text

    text = render_text.render(found, colour(sys.stderr))
    if text:
        steer(_folded(text.rstrip("\n") + "\n"))


def _folded(text: str) -> str:
    """Diagnostics as they fit the terminal; lines of a plan, with what is marked in them, stay as they are."""
    if sys.stderr is None or not sys.stderr.isatty():
        return text
    columns = max(_NARROWEST, shutil.get_terminal_size().columns)
    lines: list[str] = []
    for line in text.splitlines():
        bare = _ESCAPES.sub("", line)
        if len(bare) <= columns or _OF_THE_SOURCE.match(bare):
            lines.append(line)
            continue
        indent = " " * len(_LEADING.match(bare)[0])  # type: ignore[index]
        lines.append("")
        for number, word in enumerate(re.split(" ", line)):
            longer = f"{lines[-1]} {word}" if number else word
            if len(_ESCAPES.sub("", longer)) <= columns or not lines[-1].strip():
                lines[-1] = longer
            else:
                lines.append(f"{indent}{word}")
    return "".join(f"{line}\n" for line in lines)


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
