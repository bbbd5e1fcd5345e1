"""Diagnostics as GitHub Actions workflow commands, which a job's log turns into annotations."""

from __future__ import annotations

from collections.abc import Iterable

from llmplan.diagnostics.record import Diagnostic

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """One line a diagnostic; empty if there are none, else ends with a line end."""
    return "".join(_command(diagnostic) + "\n" for diagnostic in diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    properties = {"title": diagnostic.code}
    if diagnostic.span is not None:
        source, start, end = diagnostic.span.source, diagnostic.span.start, diagnostic.span.end
        (line, column), (end_line, end_column) = source.position(start), source.position(end)
        properties = {"file": source.name, "line": str(line), "endLine": str(end_line), **properties}
        # Columns of an annotation are inclusive, and only allowed where it stays on one line.
        if line == end_line:
            properties |= {"col": str(column), "endColumn": str(max(column, end_column - 1))}
    text = "\n".join([diagnostic.message, *diagnostic.notes, *(hint.text for hint in diagnostic.hints)])
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_LEVELS[diagnostic.severity]} {listed}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
