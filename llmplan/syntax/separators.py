"""Two settings or statements on one line with nothing between them: `{ tokens = 10B  sequence_length = 8192 }`.

The parser continues as long as it can: it reads the second name as the unit of the number before it, or as an operand.
The sign of this mistake is a `=` after a name, in an item that already sets something.
"""

from __future__ import annotations

import re

from llmplan.diagnostics import Diagnostic, syntax
from llmplan.source import Span
from llmplan.syntax.error_context import ErrorContext
from llmplan.syntax.grammar import CONTEXTUAL

_MOST = 200  # characters in a name, and between two words
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_BEFORE = re.compile(r"(\w+|[\"\])}%?])([ \t]+)\Z")
_NAME_BEFORE = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?=[ \t]*\Z)")
_SETS = re.compile(r"[ \t]*=(?![=>])")
_SETTING = re.compile(r"[ \t]*(?:(?:let|assume)[ \t]+)?[A-Za-z_][\w.]*[ \t]*=(?![=>])")


def missing_separator(context: ErrorContext) -> Diagnostic | None:
    """A second setting or statement that is not separated from the first."""
    text = context.source.text
    if not context.before[0] or _SETTING.match(text, context.item, context.start) is None:
        return None
    name = _second(context)
    if name is None:
        return None
    before = _BEFORE.search(text, max(context.item, name.start - _MOST), name.start)
    if before is None or before.group(1) in context.grammar.reserved | CONTEXTUAL:
        return None
    inside = context.opened is not None and text[context.opened] == "{"
    return syntax.missing_separator(name, Span(context.source, *before.span(2)), inside)


def _second(context: ErrorContext) -> Span | None:
    """The name or word with which a second setting or statement seems to begin."""
    text, start = context.source.text, context.start
    if context.mark == "=":  # the name before it was taken for something else
        found = _NAME_BEFORE.search(text, max(context.item, start - _MOST), start)
        return Span(context.source, *found.span()) if found is not None else None
    if context.mark == "." and context.before[0] == "MEASURE":  # and so was the first part of this name
        start = context.before[1]
    if text[start : context.end] in context.grammar.reserved:
        return context.span if context.kind in context.grammar.first else None
    name = _NAME.match(text, start, start + _MOST)
    return Span(context.source, *name.span()) if name is not None and _SETS.match(text, name.end()) else None
