"""The author's likely intention: the nearest known name, a magnitude written apart from its number."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable

from llmplan.diagnostics.record import Edit, Hint
from llmplan.source import Span
from llmplan.units.amount import count

_NEAR = 10  # so many spellings are compared letter by letter


def closest(word: str, candidates: Iterable[str], count: int = 1) -> list[str]:
    """The candidates most like a misspelt word; failing that, those that contain it, share a word with it or abbreviate
    to it.
    """
    known = {candidate.lower(): candidate for candidate in candidates}
    low = word.lower()
    found = difflib.get_close_matches(low, known, n=_NEAR, cutoff=0.6)
    if not found and len(word) >= 3:
        found = [name for name in known if low in name]
    if not found:
        parts = {part.rstrip("s") for part in re.split(r"[_.]", low) if len(part) >= 3}
        found = [name for name in known if parts & {part.rstrip("s") for part in re.split(r"[_.]", name)}]
    if not found and len(word) > 1:
        found = [name for name in known if "".join(part[:1] for part in name.split("_")) == low]
    found.sort(key=lambda name: (_distance(low, name), abs(len(name) - len(low))))
    whole = [part for part in re.split(r"[_.]", low) if part in known and part != low]
    if whole and (not found or _distance(low, found[0]) > 2):
        found = [*whole, *(name for name in found if name not in whole)]
    return [known[name] for name in found[:count]]


def _distance(a: str, b: str) -> int:
    """Damerau-Levenshtein: letters to substitute, delete, insert or swap with the next."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, above, row = row, before, [i]
        for j, y in enumerate(b, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, above[j - 2] + 1)
            row.append(best)
    return row[-1]


def did_you_mean(span: Span, word: str, candidates: Iterable[str]) -> tuple[Hint, ...]:
    """The hint to replace a misspelt word: by a dotted name that ends in it (`hardware.gpus` for `gpus`), else by the
    nearest.
    """
    candidates = list(candidates)
    last = word.rpartition(".")[2].lower()
    ending = [candidate for candidate in candidates if candidate.lower().rpartition(".")[2] == last]
    return tuple(
        Hint(f"did you mean `{name}`?", (Edit(span, name),)) for name in ending[:1] or closest(word, candidates)
    )


def listing(names: Collection[str], limit: int = 8) -> str:
    """The first names of a list."""
    return ", ".join([*names][:limit]) + (" …" if len(names) > limit else "")


# Magnitudes: `3 M USD`, `1 trillion`, `7 b`

_LETTERS = {
    "K": "K", "M": "M", "B": "B", "T": "T", "k": "K", "b": "B", "bn": "B", "mn": "M", "tn": "T",
    "thousand": "K", "million": "M", "billion": "B", "trillion": "T", "mio": "M", "bln": "B",
}  # fmt: skip
_POWERS = frozenset(str(2**power) for power in range(11))
_LONGEST = 400  # characters of a number and of the space behind it
_NUMBER = re.compile(r"([0-9][0-9_.]*)[ \t]*\Z")


def magnitude_letter(word: str) -> str | None:
    """`T` for `trillion`; None if a word is no magnitude written out."""
    return _LETTERS.get(word.lower()) if len(word) > 2 else None


def attached(word: Span, behind: int = 0) -> Hint | None:
    """The hint to attach a magnitude to the number before it; None if the word is not one or follows no number.

    Of a unit with a magnitude before it (`3 MGPU`), `behind` characters are the unit."""
    unit = word.text[len(word.text) - behind :]
    written = word.text[: len(word.text) - behind]
    letter = _LETTERS.get(written) or _LETTERS.get(written.lower() if len(written) > 2 else "")
    first = max(0, word.start - _LONGEST)
    number = _NUMBER.search(word.source.text[first : word.start])
    if letter is None or number is None:
        return None
    text = f"{number.group(1)}{letter} {unit}".rstrip()
    place = Span(word.source, first + number.start(), word.end)
    said = f"a magnitude is part of the number: write `{text}`"
    if letter == "K" and not unit and number.group(1) in _POWERS:
        said += f", or `{text}i` for {count(int(number.group(1)) * 1024)}"
    return Hint(said, (Edit(place, text),))
