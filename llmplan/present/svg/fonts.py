"""About how wide texts are, and what of them has room.

No font is measured: widths are those of a wide one, so that what fits here fits wherever it is shown.
"""

from __future__ import annotations

import unicodedata

from llmplan.operations.numbers import total
from llmplan.visible import visible_line

_NARROW, _NARROW_EM = frozenset(" !'(),-./:;I[]fijlrt|·"), 0.42
_WIDE_EM = {"M": 1.0, "W": 1.0, "m": 1.0, "w": 0.85, "%": 1.0, "@": 1.0, "…": 1.0, "—": 1.0}
_SMALL_EM, _LARGE_EM, _FULL_EM = 0.645, 0.84, 1.05
_BOLD = 1.1
_CJK = 0x2FFF
"""What comes after this character is as wide as it is high."""


def width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text is at a font size, rather more than less."""
    return total(map(_em, text)) * size * (_BOLD if bold else 1.0)


def fit(text: str, room: float, size: float, bold: bool = False) -> str:
    """As much of a text as has room, with an ellipsis where it is cut."""
    whole = visible_line(text)
    if width(whole, size, bold) <= room:
        return whole
    kept = whole
    while kept and width(kept + "…", size, bold) > room:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def wrap(text: str, room: float, size: float, most: int = 2) -> list[str]:
    """A text in at most so many lines that have room, the last one cut where there are too few."""
    lines: list[str] = []
    for word in visible_line(text).split():
        if lines and (len(lines) == most or width(f"{lines[-1]} {word}", size) <= room):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [fit(line, room, size) for line in lines]


def _em(char: str) -> float:
    if char in _NARROW:
        return _NARROW_EM
    if char in _WIDE_EM:
        return _WIDE_EM[char]
    if char.isascii():
        return _SMALL_EM if char.islower() or char.isdigit() else _LARGE_EM
    if unicodedata.east_asian_width(char) in "WF" or ord(char) > _CJK:
        return _FULL_EM
    return _LARGE_EM
