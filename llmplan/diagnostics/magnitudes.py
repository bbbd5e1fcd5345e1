"""Magnitudes that stand apart from their number: `3 M USD`, `1 trillion`, `7 b`."""

from __future__ import annotations

import re

from llmplan.diagnostics.record import Edit, Hint
from llmplan.source import Span

_LETTERS = {
    "K": "K", "M": "M", "B": "B", "T": "T", "k": "K", "b": "B", "bn": "B", "mn": "M", "tn": "T",
    "thousand": "K", "million": "M", "billion": "B", "trillion": "T", "mio": "M", "bln": "B",
}  # fmt: skip
_LONGEST = 400  # characters of a number and of the space behind it
_NUMBER = re.compile(r"([0-9][0-9_.]*)[ \t]*\Z")


def attached(word: Span) -> Hint | None:
    """The hint to write a magnitude at the number before it; None if the word is none, or follows no number."""
    letter = _LETTERS.get(word.text) or _LETTERS.get(word.text.lower() if len(word.text) > 2 else "")
    first = max(0, word.start - _LONGEST)
    number = _NUMBER.search(word.source.text[first : word.start])
    if letter is None or number is None:
        return None
    text = f"{number.group(1)}{letter}"
    place = Span(word.source, first + number.start(), word.end)
    return Hint(f"a magnitude is a part of the number: write `{text}`", (Edit(place, text),))
