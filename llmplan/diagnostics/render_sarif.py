"""Diagnostics as a SARIF 2.1.0 log, for code hosts and editors that read it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from llmplan import __version__
from llmplan.diagnostics.pages import page, title
from llmplan.diagnostics.record import Diagnostic, Hint
from llmplan.diagnostics.render_json import place
from llmplan.source import Span


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """A log with one run; the rules are the codes that occur. Ends with a line end."""
    found = list(diagnostics)
    codes = sorted({diagnostic.code for diagnostic in found})
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "llmplan",
                        "semanticVersion": __version__,
                        "rules": [_rule(code) for code in codes],
                    }
                },
                # Columns are characters of the text, not UTF-16 units, which is what SARIF assumes.
                "columnKind": "unicodeCodePoints",
                "results": [_result(diagnostic, codes.index(diagnostic.code)) for diagnostic in found],
            }
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _rule(code: str) -> dict[str, Any]:
    text = page(code)
    rule: dict[str, Any] = {"id": code}
    if text is not None:
        rule["shortDescription"] = {"text": title(text)}
        rule["help"] = {"text": text, "markdown": text}
    return rule


def _result(diagnostic: Diagnostic, rule: int) -> dict[str, Any]:
    text = "\n".join([diagnostic.message, *diagnostic.notes, *(hint.text for hint in diagnostic.hints)])
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": diagnostic.severity,
        "message": {"text": text},
        "locations": [],
    }
    if diagnostic.span is not None:
        result["locations"] = [_location(diagnostic.span, diagnostic.label)]
    if diagnostic.others:
        result["relatedLocations"] = [
            {"id": number, **_location(other.span, other.text)} for number, other in enumerate(diagnostic.others, 1)
        ]
    fixes = [_fix(hint) for hint in diagnostic.hints if hint.edits]
    if fixes:
        result["fixes"] = fixes
    return result


def _location(span: Span, text: str) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": quote(span.source.name)}, "region": _region(span)}
    }
    if text:
        location["message"] = {"text": text}
    return location


def _region(span: Span) -> dict[str, int]:
    at = place(span)
    return {
        "startLine": at["line"],
        "startColumn": at["column"],
        "endLine": at["end_line"],
        "endColumn": at["end_column"],
    }


def _fix(hint: Hint) -> dict[str, Any]:
    by_file: dict[str, list[dict[str, Any]]] = {}
    for edit in hint.edits:
        replacement = {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}}
        by_file.setdefault(edit.span.source.name, []).append(replacement)
    return {
        "description": {"text": hint.text},
        "artifactChanges": [
            {"artifactLocation": {"uri": quote(name)}, "replacements": replacements}
            for name, replacements in by_file.items()
        ],
    }
