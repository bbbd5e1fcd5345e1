"""Characters that cannot stand in a plan, and what a message calls a character."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from llmplan.diagnostics import Diagnostic, syntax
from llmplan.source import Source, Span

# Control characters, lone surrogates and carriage returns that end no line: they show as nothing,
# and a name that holds one cannot be a file's.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]|\r(?!\n)")


def control_characters(source: Source) -> Iterator[Diagnostic]:
    """An error for the first control character of each line that holds one."""
    found = _CONTROL.search(source.text)
    while found is not None:
        yield syntax.bad_character(Span(source, *found.span()), character_name(found.group()), "delete it")
        line_end = source.text.find("\n", found.end())
        found = _CONTROL.search(source.text, line_end) if line_end >= 0 else None


def character_name(char: str) -> str:
    """What to call a character in a message."""
    if char.isascii() and char.isprintable():
        return f"`{char}`"
    name = unicodedata.name(char, "").lower()
    code = f"U+{ord(char):04X}"
    if not char.isprintable():
        return f"the character {code}" + (f" ({name})" if name else "")
    return f"`{char}` ({name or code})"
