"""Where in a file's text a key has its value: what a change of it replaces."""

from __future__ import annotations

import re

_QUOTE = "[\"']?"


def located(text: str, key: str, value: str, line: int) -> tuple[int, int] | None:
    """The characters of a key's value in a line, half-open.

    None where the line does not show the value behind the key, or shows it twice: the value comes from elsewhere, as
    from a variable, or the key is ambiguous.

    Args:
        text: The file's text.
        key: The key, dotted where it is nested: of that the last word stands in the line.
        value: As it stands in the file, without quotes.
        line: Counted from 1.
    """
    lines = text.split("\n")
    if not 0 < line <= len(lines):
        return None
    before = sum(len(one) + 1 for one in lines[: line - 1])
    name = "[-_]".join(re.escape(part) for part in re.split("[-_]", key.rpartition(".")[2]))
    pattern = rf"(?<![\w-])(?:--)?{_QUOTE}{name}{_QUOTE}(?:\s*[:=]\s*|\s+){_QUOTE}({re.escape(value)})(?![\w.])"
    found = [match.span(1) for match in re.finditer(pattern, lines[line - 1])]
    return (before + found[0][0], before + found[0][1]) if len(found) == 1 else None
