"""The comments of a text, and the `##` lines that document the statement below them.

They are read from the text alone: a `#` begins a comment wherever it is not inside a quoted text.
"""

from __future__ import annotations

import re

from llmplan.source import Source, Span
from llmplan.syntax.lines import begins_line
from llmplan.syntax.nodes import Comment

_COMMENT = re.compile(r'"[^"\\\r\n]*(?:\\[^\r\n][^"\\\r\n]*)*"|(#[^\r\n]*)')
_SPACE = re.compile(r"[ \t\r\n]*")


def comments(source: Source) -> tuple[Comment, ...]:
    """All comments in order."""
    if "#" not in source.text:
        return ()
    spans = [Span(source, *found.span()) for found in _COMMENT.finditer(source.text) if found.group(1)]
    return tuple([Comment(span=s, text=s.text, own_line=begins_line(source, s.start)) for s in spans])


def docs(found: tuple[Comment, ...]) -> dict[int, str]:
    """The text of the `##` lines directly above a place, without a blank line between, by the offset of that place."""
    above: dict[int, str] = {}
    lines: list[str] = []
    place = -1  # where the documented statement begins
    for comment in found:
        if comment.span.start != place:
            if lines and place >= 0:
                above[place] = "\n".join(lines)
            lines = []
        place = _below(comment) if comment.own_line else -1
        if comment.own_line and comment.text.startswith("##") and not comment.text.startswith("###"):
            lines.append(comment.text[2:].removeprefix(" ").rstrip())
    if lines and place >= 0:
        above[place] = "\n".join(lines)
    return above


def _below(comment: Comment) -> int:
    """Where the line below a comment begins, or -1 if it is blank."""
    text, end = comment.span.source.text, comment.span.end
    space = _SPACE.match(text, end)
    assert space is not None
    return space.end() if text.count("\n", end, space.end()) == 1 else -1
