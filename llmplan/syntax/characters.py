"""Characters that are not allowed in a plan, and the names of characters in messages."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from llmplan.diagnostics import Diagnostic, syntax
from llmplan.escape import HIDDEN
from llmplan.source import Source, Span


def hidden_characters(source: Source) -> Iterator[Diagnostic]:
    """An error for the first hidden character on each line that has one; a byte-order mark may begin the text."""
    text = source.text
    found = HIDDEN.search(text, int(text.startswith("\ufeff")))
    while found is not None:
        at = Span(source, *found.span())
        yield syntax.bad_character(at, character_name(found.group()), syntax.replacement(at, "", "delete it"))
        line_end = text.find("\n", found.end())
        found = HIDDEN.search(text, line_end) if line_end >= 0 else None


def character_name(char: str) -> str:
    """The name of a character in a message."""
    if char.isascii() and char.isprintable():
        return f"`{char}`"
    name = unicodedata.name(char, "").lower()
    code = f"U+{ord(char):04X}"
    if not char.isprintable():
        return f"the character {code}" + (f" ({name})" if name else "")
    return f"`{char}` ({name or code})"
