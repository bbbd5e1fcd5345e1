"""Patterns of texts: `@pattern` above a field.

Input are a pattern as its author wrote it and a text; output whether the text is as the pattern says. A pattern is a
small part of a regular expression, of which none takes long: classes with a quantifier, letters, and groups that may
be missing, with few quantifiers without a bound.
"""

from __future__ import annotations

import re

from attrs import frozen

_PATTERN = re.compile(r"(?:\[[^\[\]\\]+\](?:[*+?]|\{\d{1,3},\d{1,3}\})?|[\w:/,@ -]|\(|\)\??)+")
_MOST_OPEN = 3
"""Quantifiers without a bound: a text is tried in as many ways as its length to this power, at most."""

LONGEST = 400
"""Characters of a text that a pattern allows."""


@frozen
class Pattern:
    """The legal texts: a regular expression, the same in words, and the separator of parts, if any."""

    expression: str
    words: str
    separator: str = ""

    def allows(self, text: str) -> bool:
        """Whether a text is legal; an empty one says nothing."""
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
