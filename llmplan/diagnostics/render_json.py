"""Diagnostics as JSON-able records: the form that `--json` carries and the other machine formats are made from."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from llmplan.diagnostics.record import Diagnostic
from llmplan.source import Span


def place(span: Span | None) -> dict[str, Any]:
    """`file`, `line`, `column`, `end_line`, `end_column`: from 1, the end exclusive; null where there is no text."""
    if span is None:
        return dict.fromkeys(("file", "line", "column", "end_line", "end_column"))
    line, column = span.source.position(span.start)
    end_line, end_column = span.source.position(span.end)
    return {
        "file": span.source.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    }


def record(diagnostic: Diagnostic) -> dict[str, Any]:
    """One diagnostic as a record.

    `hints` are the words; `edits` holds, for each hint that is one, the replacements that carry it
    out, so the n-th of `edits` belongs to the n-th of `hints` and may be empty.
    """
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        **place(diagnostic.span),
        "label": diagnostic.label,
        "others": [{**place(other.span), "text": other.text} for other in diagnostic.others],
        "notes": list(diagnostic.notes),
        "hints": [hint.text for hint in diagnostic.hints],
        "edits": [
            [{**place(edit.span), "text": edit.text} for edit in hint.edits] for hint in diagnostic.hints
        ],
    }


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """`{"schema": 1, "diagnostics": […]}`, ends with a line end."""
    document = {"schema": 1, "diagnostics": [record(diagnostic) for diagnostic in diagnostics]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
