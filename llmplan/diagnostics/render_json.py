"""Diagnostics as JSON-able records: the form that `--json` carries and the other machine formats are made from."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from llmplan.diagnostics.record import Diagnostic, Edit, Label
from llmplan.source import Span

_PLACE = ("file", "line", "column", "end_line", "end_column")


def place(span: Span | None) -> dict[str, Any]:
    """`file`, `line`, `column`, `end_line`, `end_column`: from 1, the end exclusive; null where there is no text."""
    if span is None:
        return dict.fromkeys(_PLACE)
    source = span.source
    return dict(zip(_PLACE, (source.name, *source.position(span.start), *source.position(span.end))))


def _placed(parts: Iterable[Label | Edit]) -> list[dict[str, Any]]:
    return [{**place(part.span), "text": part.text} for part in parts]


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
        "others": _placed(diagnostic.others),
        "notes": list(diagnostic.notes),
        "hints": [hint.text for hint in diagnostic.hints],
        "edits": [_placed(hint.edits) for hint in diagnostic.hints],
    }


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """`{"schema": 1, "diagnostics": […]}`, ends with a line end."""
    document = {"schema": 1, "diagnostics": [record(diagnostic) for diagnostic in diagnostics]}
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
