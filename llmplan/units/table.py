"""The units that the library declares: words, factors to base units, and compound units.

A unit word names an exact factor and a measure. Compound units are products and quotients of words
read from left to right (`USD/GPU/hour`, `FLOP/parameter/token`, `token^2`). Only `%` is built in.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from fractions import Fraction

from attrs import field, frozen

from llmplan.units.measure import INT, Exponents, Measure, combine

_POWERS = {-6: "u", -3: "m", 3: "kK", 6: "M", 9: "BG", 12: "T", 15: "P", 18: "E", 21: "Z", 24: "Y"}
SI_PREFIXES = {prefix: Fraction(10) ** power for power, prefixes in _POWERS.items() for prefix in prefixes}

_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|%")
_POWER = re.compile(r"\^(-?[0-9]{1,2})")


_MEANT = {
    "percent": "%", "pct": "%", "dollar": "USD", "dollars": "USD", "bucks": "USD", "USDs": "USD",
    "euro": "EUR", "euros": "EUR",
    "pound": "GBP", "pounds": "GBP", "yen": "JPY", "rmb": "CNY", "yuan": "CNY", "rupees": "INR", "francs": "CHF",
    "kilobyte": "kB", "kilobytes": "kB", "megabyte": "MB", "megabytes": "MB", "gigabyte": "GB", "gigabytes": "GB",
    "terabyte": "TB", "terabytes": "TB", "second": "s", "seconds": "s", "minute": "min", "hr": "hours", "hrs": "hours",
    "d": "days", "wk": "weeks", "wks": "weeks", "yr": "years", "yrs": "years", "msec": "ms", "usec": "us",
    "Mb": "Mbit", "Gb": "Gbit", "Tb": "Tbit", "Mbps": "Mbit/s", "Gbps": "Gbit/s", "Tbps": "Tbit/s",
    "MBps": "MB/s", "GBps": "GB/s", "TBps": "TB/s", "GF": "GFLOP", "TF": "TFLOP", "PF": "PFLOP",
    "GFLOPS": "GFLOP/s", "TFLOPS": "TFLOP/s", "PFLOPS": "PFLOP/s", "TFlops": "TFLOP/s", "PFlops": "PFLOP/s",
}  # fmt: skip
"""Common spellings of units that are spelled differently here."""


@frozen
class UnitWord:
    """One unit.

    Attributes:
        name: Its canonical spelling.
        factor: The number of base units in it.
        measure: Its dimension and label.
    """

    name: str
    factor: Fraction
    measure: Measure


@frozen
class UnknownUnit(Exception):
    """A word in a unit that is not declared."""

    word: str
    offset: int


@frozen
class UnitTable:
    """All units and dimensions of a program.

    Attributes:
        words: The units by spelling, including prefixed and plural forms.
        counts: Dimensions whose things are counted one by one (Token, Parameter).
        bases: The base unit's name of each dimension.
    """

    words: MutableMapping[str, UnitWord] = field(factory=dict)
    counts: set[str] = field(factory=set)
    bases: dict[str, str] = field(factory=dict)

    def parse(self, text: str) -> tuple[Fraction, Measure]:
        """The factor to base units and the measure of a unit as written.

        Raises:
            UnknownUnit: A word is not declared.
        """
        factor = Fraction(1)
        dims: Exponents = ()
        labels: Exponents = ()
        sign = 1
        position = 0
        if text.startswith("1/"):  # `1/s`
            sign, position = -1, 2
        while position < len(text):
            match = _WORD.match(text, position)
            if match is None:
                raise UnknownUnit(text[position:], position)
            word = match.group()
            unit = self.words.get(word)
            if unit is None and word != "%":
                raise UnknownUnit(word, position)
            position = match.end()
            exponent = 1
            power = _POWER.match(text, position)
            if power:
                exponent = int(power.group(1))
                position = power.end()
            one = Fraction(1, 100) if unit is None else unit.factor
            measure = Measure() if unit is None else unit.measure
            factor *= one ** (sign * exponent)
            for _ in range(abs(exponent)):
                step = sign if exponent > 0 else -sign
                dims = combine(dims, measure.dims, step)
                labels = combine(labels, measure.labels, step)
            if position < len(text):
                if text[position] not in "*/":
                    raise UnknownUnit(text[position:], position)
                sign = 1 if text[position] == "*" else -1
                position += 1
                if position == len(text):
                    raise UnknownUnit("", position)
        return factor, self.measure(dims, labels)

    def measure(self, dims: Exponents, labels: Exponents) -> Measure:
        """A measure; things with a single label (GPU, node, step …) are whole."""
        return Measure(dims, labels, whole=not dims and len(labels) == 1 and labels[0][1] == 1)

    def is_count(self, measure: Measure) -> bool:
        """True if a bare number can stand for it: a single label, or a single dimension whose things are counted."""
        if measure.dims:
            (name, exponent), *rest = measure.dims
            return not rest and not measure.labels and exponent == 1 and name in self.counts
        return len(measure.labels) == 1 and measure.labels[0][1] == 1

    def base(self, measure: Measure) -> str:
        """The base unit of a measure as text: `byte/s`, `GPU`, `GPU*s`, `USD/s/GPU`, empty for a plain number.

        Without a dimension a label shows only on its own.
        """
        if not measure.dims:
            return measure.labels[0][0] if len(measure.labels) == 1 and measure.labels[0][1] == 1 else ""
        dims = [(self.bases.get(name, name), exponent) for name, exponent in measure.dims]
        over = [label for label in measure.labels if label[1] > 0]
        return _product([*over, *dims, *(label for label in measure.labels if label[1] < 0)])

    def suggest(self, word: str) -> list[str]:
        """Declared spellings similar to `word`, the likeliest first; those that differ only in case are closest."""
        meant = _MEANT.get(word) or _MEANT.get(word.lower() if len(word) > 4 else "", "")
        if meant == "%" or meant and all(part in self.words for part in meant.split("/")):
            return [meant]
        folded = [name for name in self.words if name.lower() == word.lower()]
        # `gb` may stand for either.
        folded += [name for name in self.words if name.lower() == f"{word[:1]}i{word[1:]}".lower()]
        import difflib

        near = difflib.get_close_matches(word, self.words, n=3, cutoff=0.6)
        return list(dict.fromkeys(folded or near))[:3]


def _product(factors: list[tuple[str, int]]) -> str:
    over = [name if e == 1 else f"{name}^{e}" for name, e in factors if e > 0]
    under = [name if e == -1 else f"{name}^{-e}" for name, e in factors if e < 0]
    return "/".join(["*".join(over) or "1", *under])


def describe(measure: Measure) -> str:
    """A measure in words for a message: `information / time`, `GPUs`, `a plain number`."""
    if measure.dims in ((("Token", 1),), (("Parameter", 1),)):
        return f"{measure.dims[0][0].lower()}s"
    factors = [(name.lower(), e) for name, e in measure.dims]
    text = " / ".join(_product(factors).split("/")) if factors else ""
    if measure.labels and (not measure.dims or any(e < 0 for _, e in measure.labels)):
        return (text + " " if text else "") + _label_words(measure.labels, bool(text))
    return text or ("a whole number" if measure == INT else "a plain number")


def _label_words(labels: Exponents, after: bool) -> str:
    over = [name for name, e in labels if e > 0]
    under = [name for name, e in labels if e < 0]
    words = "*".join(name if after else plural(name) for name in over)
    return (words + "".join(f" per {name}" for name in under)).strip()


def plural(name: str) -> str:
    """The plural of a label: `GPUs`, `queries`."""
    return name[:-1] + "ies" if name.endswith("y") else name + "s"
