"""Where a bracket was meant to be closed, inferred from the layout of the text."""

from __future__ import annotations

import re

from llmplan.diagnostics import Diagnostic, syntax
from llmplan.source import Source, Span

# The start of a line that looks like a statement or a field, not like a part of an expression.
ITEM = re.compile(
    r"@|(?!(if|then|else|and|or|not|in|when|because|for)\b)[A-Za-z_][\w.]*[ \t]*(=(?![=>])|:|\"|\{|[A-Za-z_])"
)


def line_start(source: Source, place: int) -> int:
    """The position of the line break before the line of a place, or 0."""
    return max(source.text.rfind("\n", 0, place), 0)


def indent(source: Source, place: int) -> int:
    """The number of white space characters at the start of the line of a place."""
    rest = source.text[source.text.rfind("\n", 0, place) + 1 : place]
    return len(rest) - len(rest.lstrip(" \t\ufeff"))


def begins_line(source: Source, place: int) -> bool:
    return not source.text[source.text.rfind("\n", 0, place) + 1 : place].strip(" \t\ufeff")


def starts_item(source: Source, place: int, opening: int) -> bool:
    """Whether the line of `place` looks like a new statement or field, compared with the line of `opening`."""
    start = source.text.rfind("\n", 0, place) + 1
    if start <= opening:
        return False
    deep = indent(source, place)
    head = source.text[start + deep :][:200]
    return deep <= indent(source, opening) and (head.startswith("}") or ITEM.match(head) is not None)


def merge_missing_brace(found: list[Diagnostic]) -> tuple[list[Diagnostic], list[tuple[int, int]]]:
    """The diagnostics with a single one for each block that lacks its `{`, and the positions of such blocks."""
    kept: list[Diagnostic] = []
    blocks: list[tuple[int, int]] = []
    head: Span | None = None
    for one in found:
        at = one.span
        assert at is not None
        if head is not None and at.text == "}" and one.code == "E0109" and begins_line(at.source, at.start):
            kept = [syntax.no_opening(head) if d.span == head else d for d in kept]
            blocks.append((head.start, at.end))
            head = None
            continue
        if one.code == "E0101" and at.text.isidentifier() and at.source.line(at.line).strip() == at.text:
            head = at
        kept.append(one)
    return kept, blocks


def unclosed(source: Source, opening: int, closer: str, place: int) -> Diagnostic:
    """The diagnostic for a bracket that should have been closed before a place."""
    shown = {"RBRACE": "}", "RPAR": ")", "RSQB": "]"}[closer]
    at_end = not source.text[place:].strip()
    last = source.position(len(source.text.rstrip()) if at_end else place)[0]
    deepest = indent(source, opening)
    indented = None
    for number in range(source.position(opening)[0] + 1, last + 1):
        text = source.line(number)
        if not text.strip():
            continue
        if len(text) - len(text.lstrip()) <= deepest:
            break
        indented = number
    return syntax.unclosed(Span(source, opening, opening + 1), shown, at_end, last, indented)
