"""Numbers in texts, shortened for a table: three significant digits, powers as people write them, units apart.

Input are the texts of a solution (`28.73 days`, `24.99 .. 34.48 days`, `4.125e22 FLOP`), whose numbers have four
digits. Counts and prices, which have no decimals, stay as they are unless they are to be rough.
"""

from __future__ import annotations

import re

from llmplan.units.amount import Amount, Range
from llmplan.units.format import number

_NUMBER = re.compile(r"(?<![\w.,-])-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?!\w*[-.]\w)")
_DECIMALS = re.compile(r"\.|e")
_PRODUCT = re.compile(r"(?<=[A-Za-z])\*([A-Za-z]+)\b")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SMALL = 1e-3
_MILLION = 1e6


def brief(text: Amount | Range | str | None) -> str:
    """Decimals to three digits, whole numbers as they are: `28.7 days`, `184,676 USD`, `4.13 × 10²² FLOP`."""
    if isinstance(text, (Amount, Range)):
        return text.short()
    text = "" if text is None else str(text)
    return _PRODUCT.sub(r"-\1s", _NUMBER.sub(lambda m: _short(m[0], 3) if _DECIMALS.search(m[0]) else m[0], text))


def rough(text: Amount | Range | str, digits: int = 3) -> str:
    """All numbers to so many digits: `161,000 .. 222,000 USD`."""
    if isinstance(text, (Amount, Range)):
        return text.rough(digits)
    return _PRODUCT.sub(r"-\1s", _NUMBER.sub(lambda m: _short(m[0], digits), str(text)))


def amount(text: str) -> str:
    """The number of a text with a unit: `28.7` of `28.7 days`."""
    return str(text).partition(" ")[0]


def measure(text: str) -> str:
    """The unit of a text: `days` of `28.7 days`, empty where it has none."""
    return str(text).partition(" ")[2]


def ends(band: Range | str, digits: int = 3) -> str:
    """The ends of a band without their unit: `25 – 34.5` of `24.99 .. 34.48 days`; both units where they differ."""
    if isinstance(band, Range):
        return band.ends(digits)
    low, _, high = band.partition(" .. ")
    low = amount(low) if measure(low) == measure(high) else low
    first, second = rough(low, digits), rough(high, digits)
    return f"{first} – {second}" if measure(low) else f"{first} – {amount(second)}"


def low(band: str, digits: int = 3) -> str:
    """The lower end of a band, without its unit where the upper one has the same."""
    return rough(str(band).partition(" .. ")[0], digits)


def high(band: str, digits: int = 3) -> str:
    """The upper end of a band, without its unit where the lower one has none of its own."""
    first, _, second = str(band).partition(" .. ")
    return rough(second, digits) if measure(first) else amount(rough(second, digits))


def cut(text: str, most: int) -> str:
    """At most so many characters, with an ellipsis where something is left out; a code span stays whole."""
    text = str(text)
    if len(text) <= most:
        return text
    short = text[: most - 1].rstrip()
    return f"{short}…`" if short.count("`") % 2 else f"{short}…"


def _short(text: str, digits: int) -> str:
    value = float(text.replace(",", ""))
    if "e" in text or 0.0 < abs(value) < _SMALL:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        power = int(exponent)
        return f"{mantissa}e{power}" if power < 0 else f"{mantissa} × 10{str(power).translate(_SUPERSCRIPTS)}"
    if value == round(value, 0) and abs(value) < 10**digits:
        return number(round(value))
    if abs(value) >= _MILLION:
        return f"{number(float(f'{value / _MILLION:.{digits - 1}e}'))}M"
    if abs(value) >= 10 ** (digits - 1):
        scale = 10 ** max(0, len(str(int(abs(value)))) - digits)
        return number(float(round(value / scale) * scale))
    return number(value, digits)
