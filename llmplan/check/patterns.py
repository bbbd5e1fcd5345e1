"""Patterns of texts: `@pattern` above a field.

Input: a pattern as its author wrote it, and a text. Output: whether the text matches. A pattern is a small subset of
regular expressions, chosen so that no match takes long: classes with a quantifier, letters, optional groups, and
groups of alternative words, with few unbounded quantifiers.
"""

from __future__ import annotations

import re

from attrs import frozen

_PATTERN = re.compile(
    r"(?:\[(?:[^\[\]\\]|\\\\)+\](?:[*+?]|\{\d{1,3},\d{1,3}\})?|\((?:[\w ]+\|)+[\w ]+\)|[\w:/,@ -]|\(|\)\??)+"
)
_MOST_OPEN = 3
"""The most unbounded quantifiers: a text is matched in at most its length to this power ways."""

LONGEST = 400
"""The most characters in a text that a pattern allows."""


@frozen
class Pattern:
    """The legal texts: a regular expression, its description in words, and the separator of parts, if any."""

    expression: str
    words: str
    separator: str = ""

    def allows(self, text: str) -> bool:
        """Whether a text is legal; an empty one always is."""
        parts = [part.strip() for part in text.split(self.separator) if part.strip()] if self.separator else [text]
        return not text or (len(text) <= LONGEST and all(re.fullmatch(self.expression, part) for part in parts))


def is_pattern(text: str) -> bool:
    """Whether an author's text is a pattern."""
    if not _PATTERN.fullmatch(text) or len(re.findall(r"\][*+]", text)) > _MOST_OPEN:
        return False
    try:
        re.compile(text)
    except (re.error, OverflowError):
        return False
    return True
