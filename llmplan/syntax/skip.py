"""The end of an unreadable item: a statement, field or arm that is skipped after an error.

Only brackets, texts and continued lines are recognised, not their meaning.
"""

from __future__ import annotations

import re
from functools import lru_cache

from llmplan.source import Source
from llmplan.syntax.grammar import grammar
from llmplan.syntax.lines import ITEM

_BRACKETS = {"(": ")", "[": "]", "{": "}"}


def item_end(source: Source, begin: int, item: int, inside: list[str], in_braces: bool, again: bool) -> int:
    """Where an unreadable item ends: before a line break or `}`, or after a comma.

    The token that does not fit is at `begin`; it is skipped in any case if it comes `again`. `inside` lists the closing
    marks of the brackets open in the item; a comma or `}` ends an item that is `in_braces`.
    """
    open_ = [{"RPAR": ")", "RSQB": "]", "RBRACE": "}"}[closer] for closer in inside]
    indent = _column(source, item)
    position = begin
    while True:
        found = _pieces().match(source.text, position)
        if found is None:
            return position
        mark = found.group("mark") or ""
        if mark in _BRACKETS:
            open_.append(_BRACKETS[mark])
        elif mark == "}" and "}" not in open_:
            if in_braces and not again:
                return position
        elif mark in (")", "]", "}") and mark in open_:
            while open_.pop() != mark:
                pass
        elif mark == "," and in_braces and not open_ and not again:
            return found.end()
        elif found.lastgroup == "line_end" and not again and not _goes_on(source, found.end(), indent, bool(open_)):
            return position
        position, again = found.end(), False


def after_line_end(source: Source, place: int) -> int:
    """The start of the next line that is not blank, if a line ends at a place; else that place."""
    found = _pieces().match(source.text, place)
    return found.end() if found is not None and found.lastgroup == "line_end" else place


def _column(source: Source, place: int) -> int:
    """The number of characters before a place in its line."""
    return place - source.text.rfind("\n", 0, place) - 1


def _goes_on(source: Source, place: int, deep: int, inside: bool) -> bool:
    """Whether a line's content belongs to an item with the indentation `deep`, perhaps inside brackets."""
    deeper = _column(source, place) > deep
    item = ITEM.match(source.text, place) is not None
    if inside:
        return deeper or not item
    first = source.text[place : place + 1]
    return first in ("[", "(", "{") or deeper and not item and first not in ("", "}")


@lru_cache(maxsize=1)
def _pieces() -> re.Pattern[str]:
    """The pieces of text that are skipped as a whole."""
    goes_on, line_end, comment, text = (
        grammar().tolerant.get_terminal(name).pattern.to_regexp() for name in ("_CONT", "_NL", "COMMENT", "TEXT")
    )
    known = rf"(?P<goes_on>{goes_on})|(?P<line_end>{line_end})|{comment}|{text}"
    return re.compile(rf"[ \t]*(?:{known}|[\w.=<>+*/^-]+|(?P<mark>[^\s\"#])|(?P<other>.))", re.DOTALL)
