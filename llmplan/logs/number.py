"""Numbers, sizes, clocks and words as logs print them: `6,681`, `55.9K`, `8.44GiB`, `1m 20s`, `True`."""

from __future__ import annotations

import re

NUMBER = r"[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d{0,30})?|\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,3})?"
SIZE = r"(?:[KMGTP]i?B\b|B\b|bytes\b)"
MOST = 1e24
"""More than anything that a log counts, bytes and FLOP a second too; its inverse is less than any time."""

_MAGNITUDES = {"K": 1e3, "M": 1e6, "G": 1e9, "B": 1e9, "T": 1e12}
_SIZES = {"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15, "B": 1.0, "bytes": 1.0} | {
    f"{letter}iB": 1024.0**power for power, letter in enumerate("KMGTP", 1)
}
_CLOCK = re.compile(r"(?:(\d{1,4})(?: days?,? |-))?(\d{1,5}):(\d{1,2})(?::(\d{1,2}(?:\.\d{1,9})?))?")
_SPELLED = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?(d|h|ms|m|s)(?![a-z])")
_SECONDS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3}
_TRUE = frozenset({"true", "yes", "on", "1"})


def plain(digits: str, magnitude: str | None = None) -> float:
    """A number with its thousands and the letter behind it."""
    return float(digits.replace(",", "")) * _MAGNITUDES.get(magnitude or "", 1.0)


def sane(value: float) -> float | None:
    """A number, unless it is none that anything is measured in."""
    return value if value == 0 or 1 / MOST < abs(value) < MOST else None


def size(digits: str, unit: str | None, magnitude: str | None) -> float:
    """Bytes: in the unit that is printed, else by the letter."""
    return plain(digits) * _SIZES[unit] if unit else plain(digits, magnitude)


def clock(text: str) -> float | None:
    """Seconds of `0:04:37`, `04:37`, `2 days, 3:00:00`, `1h 2m 3s`."""
    found = _CLOCK.match(text)
    if found is not None:
        days, first, second, third = found.groups()
        if third is None:
            return float(days or 0) * 86400 + float(first) * 60 + float(second)
        return float(days or 0) * 86400 + float(first) * 3600 + float(second) * 60 + float(third)
    parts = _SPELLED.findall(text[:60])
    return sum(float(number) * _SECONDS[unit] for number, unit in parts) if parts else None


def truth(text: str) -> bool:
    """Whether a word means true."""
    return text.lower() in _TRUE
