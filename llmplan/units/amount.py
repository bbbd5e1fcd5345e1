"""Numbers as people read them, at one of three precisions: the only place where a number becomes text.

Input: a value in base units with its measure and the unit that its declaration or author chose. Output: `29.92 days`
(`exact`, four digits), `29.9 days` (`short`, three), `30 days` (`rough`, as many digits as requested). A value that is
not a number (a member, an entry, a truth value) is its own text. The text depends on nothing else, so that a value has
the same text at the same precision wherever it is shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

from attrs import evolve, frozen

from llmplan.units.format import fixed, number, over
from llmplan.units.measure import Measure, Scalar
from llmplan.units.table import UnitTable, UnknownUnit, plural

TIME = (("Time", 1),)
INFORMATION = (("Information", 1),)
COMPUTE = (("Compute", 1),)
COUNTED = {(("Token", 1),): "tokens", (("Parameter", 1),): "parameters"}

_TIME = (
    ("year", 730 * 86400.0, 365 * 86400.0),
    ("day", 2 * 86400.0, 86400.0),
    ("hour", 2 * 3600.0, 3600.0),
    ("min", 120.0, 60.0),
    ("s", 1.0, 1.0),
    ("ms", 1e-3, 1e-3),
    ("us", 0.0, 1e-6),
)
"""Units of time: the smallest value that is written in each, and its size."""

_SEVERAL = frozenset({"year", "day", "hour"})
_MAGNITUDES = (("T", 1e12), ("B", 1e9), ("M", 1e6))
_PREFIXES = (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3))
_PREFIXED = ("byte", "FLOP", "bit", "W", "J")
_LEAST, _MOST = 0.1, 1e5  # numbers in between are easy to read
_POWERS = 1e18  # from here on FLOP are written as a power of ten

_PRODUCT = re.compile(r"(?<=[A-Za-z])\*([A-Za-z]+)\b")
_NUMBER = re.compile(r"[-+]?(\d{1,40}\.?\d{0,40}|\.\d{1,40})([eE][-+]?\d{1,3})?")
_SPELLED_OUT = re.compile(r"(second|minute|hour|day|week|month|year)s?")
"""Names of units that have a plural; signs such as `h` and `min` have none."""
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SMALL = 1e-3
_MILLION = 1e6
_DIVIDED = 14  # digits that a division keeps
_MINUS = "−"
_PLAN_DIGITS = 12
_TINIEST = Fraction(1, 10**100)
"""Smaller than any number of other software; neither it nor its inverse has more digits than a plan takes."""
_SMALL_PART = 0.1
"""Of a unit: what is less is said in a smaller one."""
_FINEST = 6  # digits of the ends of a range that read the same with fewer


@frozen
class Unit:
    """The unit that a declaration or an author chose for a number.

    Attributes:
        text: As written: `days`, `USD/GPU/hour`; the base unit if none was chosen; empty for a plain number.
        factor: The number of base units in it.
        chosen: Whether a declaration or an author chose it.
        word: The canonical spelling if it is a single unit other than the base unit, and its plural; else empty.
        fixed: Whether the number must be shown in exactly this unit, directly followed by `suffix`.
        base: The base unit of its measure.
    """

    text: str = ""
    factor: float = 1.0
    chosen: bool = False
    word: tuple[str, str] = ("", "")
    fixed: bool = False
    suffix: str = ""
    base: str = ""

    @staticmethod
    def of(text: str, measure: Measure, table: UnitTable, fixed: bool = False) -> Unit:
        """The unit for a number with a measure; the base unit if none is declared."""
        text = "" if text in ("Int", "Real") else text
        if fixed and text or text == "%" and measure.plain:
            try:
                factor = _size(table.parse(text)[0])
                shown, suffix = ("", "%") if text == "%" else (text, "")
                return Unit(shown, factor, True, fixed=True, suffix=suffix, base=table.base(measure))
            except UnknownUnit:
                pass
        base = table.base(measure)
        shown = text or base
        try:
            factor = _size(table.parse(shown)[0])
        except UnknownUnit:
            factor = 1.0
        word = table.words.get(text)
        single = ("", "")
        if word is not None and word.measure == measure and word.factor != 1:
            many = f"{word.name}s"
            sign = measure.dims == (("Time", 1),) and not _SPELLED_OUT.fullmatch(word.name)
            single = word.name, many if many in table.words and not sign else word.name
        return Unit(shown, factor, bool(text), single, base=base)


@frozen
class Written:
    """A number in the unit and magnitude in which it is shown.

    Attributes:
        value: The number as shown; `size` is the number of base units in 1 of it.
        suffix: The text that follows it without a space: `T` in `1T tokens`, `%`.
        one, many: The unit in the singular and in the plural; empty if there is none.
    """

    value: float
    size: float
    suffix: str
    one: str
    many: str

    @property
    def unit(self) -> str:
        """The unit that agrees with this number when it is written with all its digits."""
        return self.one if number(self.value) == "1" else self.many

    def text(self, digits: str) -> str:
        unit = self.one if digits == "1" else self.many
        return f"{digits}{self.suffix} {unit}" if unit else f"{digits}{self.suffix}"


@frozen
class Amount:
    """A value with everything that is needed to write it.

    Attributes:
        value: In base units; if it is not a number, the name of a member or entry, a truth value, or None.
        measure: None if the value is not a number.
        unit: The unit to write it in; a time or size of another magnitude is written in a unit of that magnitude.
        digits: The significant digits of `exact`; more if a value must stay on one side of a jump.
    """

    value: Scalar
    measure: Measure | None = None
    unit: Unit = Unit()
    digits: int = 4

    @property
    def number(self) -> float:
        """The value in base units.

        Raises:
            TypeError: It is not a number.
        """
        if self.measure is None or not isinstance(self.value, (int, float)):
            raise TypeError(f"{self.value!r} is not a number")
        return float(self.value)

    @property
    def base(self) -> str:
        """The base unit of a number: `s`, `byte/s`, `GPU`; empty for a plain number."""
        return self.unit.base

    @property
    def scaled(self) -> bool:
        """Whether it is written with a magnitude, such as `1T tokens`, which makes a small difference hard to read."""
        written = self.written()
        return not isinstance(written, str) and written.suffix not in ("", "%")

    @property
    def finite(self) -> bool:
        """Whether it is a finite number."""
        return self.measure is not None and isinstance(self.value, (int, float)) and math.isfinite(self.value)

    def __str__(self) -> str:
        return self.exact()

    def exact(self) -> str:
        """The text with four significant digits: `28.73 days`, `184,676 USD`, `4.125e22 FLOP`, `bf16`."""
        written = self.written()
        return written if isinstance(written, str) else written.text(number(written.value, self.digits))

    def short(self, digits: int = 3) -> str:
        """With decimals to three digits, whole numbers in full: `28.7 days`, `184,676 USD`, `4.13 × 10²² FLOP`."""
        return " ".join(filter(None, self._split(digits, whole=True)))

    def rough(self, digits: int = 3) -> str:
        """The text to so many digits, whole numbers too: `185,000 USD`."""
        return " ".join(filter(None, self.parts(digits)))

    def parts(self, digits: int | None = None) -> tuple[str, str]:
        """The number and its unit, which may be empty, separately: `28.7` and `days`, `41.3%` and nothing.

        Args:
            digits: As in `rough`; None for those of `short`.
        """
        return self._split(digits or 3, whole=digits is None)

    def _split(self, digits: int, whole: bool) -> tuple[str, str]:
        """The number to so many digits, except that whole numbers stay if `whole`; and its unit."""
        written = self.written()
        if isinstance(written, str):
            return written, ""
        text = number(written.value)
        if not whole or "." in text or "e" in text:
            text = _digits(written.value, digits)
        return f"{text}{written.suffix}", _read(written.one if text == "1" else written.many, text == "1")

    def signed(self, digits: int | None = None) -> tuple[str, str]:
        """A difference with its sign, and its unit: `+1.03` and `days`."""
        text, unit = evolve(self, value=abs(self.number)).parts(digits)
        return f"{_MINUS if self.number < 0 else '+' if self.number > 0 else ''}{text}", unit

    def fixed(self, places: int) -> str:
        """The text with so many decimals, as for numbers that stand beside one another: `37.0 GB`."""
        written = self.written()
        return written if isinstance(written, str) else written.text(fixed(written.value, places))

    def like(self, other: Amount) -> Amount:
        """This number in the unit and magnitude of another one: a change beside its result."""
        written = other.written()
        if isinstance(written, str) or not isinstance(self.value, (int, float)):
            return self
        words = written.one, written.many
        return evolve(self, unit=Unit(written.many, written.size, True, words, True, written.suffix, self.base))

    def beside(self, other: Amount) -> Amount:
        """As `like`, but a time that is a small part of the other's unit in a unit of its own: 8.6 days, not years."""
        written = other.written()
        if self.measure is None or self.measure.dims != TIME or isinstance(written, str) or not self.finite:
            return self.like(other)
        small = 0 < abs(self.number) < _SMALL_PART * written.size
        return evolve(self, unit=Unit(base=self.base)) if small else self.like(other)

    def written(self) -> Written | str:
        """The number as it is shown, or the text of a value that is not a finite number."""
        if isinstance(self.value, bool):
            return "true" if self.value else "false"
        if self.measure is None or not isinstance(self.value, (int, float)):
            return "undefined" if self.value is None else str(self.value)
        if not math.isfinite(self.value):
            return number(self.value)
        return _written(float(self.value), self.measure, self.unit)


@frozen
class Range:
    """The two ends between which a value lies."""

    low: Amount
    high: Amount

    def __str__(self) -> str:
        return self.exact()

    def like(self, other: Amount) -> Range:
        """The same in the unit and magnitude of an amount."""
        return Range(self.low.like(other), self.high.like(other))

    def exact(self) -> str:
        """`24.99 – 34.48 days`: a unit that both ends share is written once.

        Ends that read the same get more digits; if these do not tell them apart either, there is one value.
        """
        return joined(*self._told(lambda end, digits: evolve(end, digits=digits).exact(), self.low.digits))

    def short(self) -> str:
        """`25 – 34.5 days`."""
        return joined(*self._told(Amount.short, 3))

    def rough(self, digits: int = 3) -> str:
        """`161,000 – 222,000 USD`."""
        return joined(*self._told(Amount.rough, digits))

    def ends(self, digits: int = 3) -> str:
        """Both ends without a unit that they share: `25 – 34.5`; with their units if they differ."""
        return " – ".join(dict.fromkeys(self.apart(digits)))

    def apart(self, digits: int = 3) -> tuple[str, str]:
        """Each end without a unit that they share."""
        if self.unit(digits) is None:
            return self.low.rough(digits), self.high.rough(digits)
        return self._told(lambda end, digits: end.parts(digits)[0], digits)

    def _told(self, tell: Callable[[Amount, int], str], digits: int) -> tuple[str, str]:
        """Both ends to so many digits, or to the fewest more at which they differ."""
        texts = tell(self.low, digits), tell(self.high, digits)
        for further in range(digits + 1, _FINEST + 1):
            if texts[0] != texts[1]:
                return texts
            texts = tell(self.low, further), tell(self.high, further)
        return texts

    def unit(self, digits: int = 3) -> str | None:
        """The unit that both ends share, empty for plain numbers; None if their units differ."""
        low, high = self.low.parts(digits)[1], self.high.parts(digits)[1]
        return low if low == high else None


def joined(low: str, high: str, between: str = " – ") -> str:
    """Two texts of amounts, with the unit only once if both have the same; one text if they are equal."""
    if low == high:
        return low
    first, second = low.partition(" "), high.partition(" ")
    return f"{first[0]}{between}{high}" if first[2] == second[2] else f"{low}{between}{high}"


def in_unit(value: float, factor: float) -> float:
    """A number of base units in a unit of some size, without the last digits, which the division makes up."""
    return value if factor == 1.0 else float(f"{over(value, factor):.{_DIVIDED}g}")


def of_text(text: str) -> Fraction | None:
    """The number that other software's files write: `8`, `2e-5`, `5e8`, `1_000`, `0.`; None for any other text."""
    plain = text.strip().replace("_", "")
    if not _NUMBER.fullmatch(plain):
        return None
    value = Fraction(plain.removesuffix("."))
    return value if not value or _TINIEST < abs(value) < 1 / _TINIEST else None


def in_plan(value: Fraction) -> str:
    """A number as a plan writes it, without an exponent and with twelve digits at most: `2048`, `0.00002`."""
    if value.denominator == 1:
        return str(value.numerator)
    from decimal import Context, Decimal

    context = Context(prec=_PLAN_DIGITS)
    digits = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{digits.normalize(context):f}"


def reading(value: float, digits: int = 6) -> str:
    """A measured number as a plan writes it, with six digits or fewer: `1.6178`, `0.00915`, `20045`."""
    return in_plan(Fraction(f"{value:.{digits}g}"))


def binary(value: float) -> str:
    """Bytes as PyTorch prints them: `502.00 MiB` up to a GiB, `16.83 GiB` above."""
    mib = value / 2**20
    return f"{mib:.2f} MiB" if mib <= 1024 else f"{mib / 1024:.2f} GiB"


def count(value: float) -> str:
    """A plain number in full: `2,753,520`."""
    return number(value)


def many(value: float) -> str:
    """A count of any size: `1,234`, from a million on `4.1e9`, `infinitely many`."""
    if value < _MILLION:
        return f"{value:,.0f}"
    if value == math.inf:
        return "infinitely many"
    from decimal import Decimal  # no float holds what a thousand unknowns span

    mantissa, exponent = f"{Decimal(value):.1e}".split("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent)}"


def tenths(value: float, signed: bool = False) -> str:
    """A rate in per cent with one decimal, for columns: `4.2%`, `+0.3%`."""
    return f"{value:+.1%}" if signed else f"{value:.1%}"


def ratio(value: float) -> str:
    """How many times as large, with two decimals, for columns: `1.25`."""
    return f"{value:.2f}"


def share(value: float) -> str:
    """A part of a whole, in whole per cent: `70%`."""
    return f"{100 * value:.0f}%"


def deviation(value: float) -> str:
    """A relative difference in per cent, with its sign and at most one decimal: `+4.9%`."""
    hundredths = round(100 * value, 1)
    sign = "+" if hundredths > 0 else _MINUS if hundredths < 0 else ""
    return f"{sign}{number(abs(hundredths), 3)}%"


def percentage(value: float) -> str:
    """A rate in per cent, to four digits: `41.25%`."""
    return f"{100 * value:.4g}%"


def percent(share: float) -> str:
    """A probability: `65%`, `over 99%`; only certainty is `100%` or `0%`."""
    rounded = round(100 * share)
    if rounded == 100 and share < 1.0:
        return "over 99%"
    return "under 1%" if rounded == 0 and share > 0.0 else f"{rounded}%"


def _written(value: float, measure: Measure, unit: Unit) -> Written:
    if unit.fixed:
        one, many = unit.word if unit.word[1] else (unit.text, unit.text)
        return Written(over(value, unit.factor), unit.factor, unit.suffix, one, many)
    if measure.dims in (TIME, INFORMATION):
        scaled = over(value, unit.factor)
        if unit.word[0] and not (scaled and not _LEAST <= abs(scaled) < _MOST):
            return Written(scaled, unit.factor, "", *unit.word)
    if measure.dims == TIME and (not measure.labels or not unit.chosen or unit.text == "s"):
        return _time(value)
    if measure.dims == INFORMATION:
        name, size = _scale(value, _PREFIXES)
        unit_text = f"{name}B" if name else "bytes"
        return Written(value / size, size, "", unit_text, unit_text)
    if measure.dims == COMPUTE:
        name, size = _scale(value, _PREFIXES) if abs(value) < _POWERS else ("", 1.0)
        return Written(value / size, size, "", f"{name}FLOP", f"{name}FLOP")
    if measure.dims in COUNTED:
        magnitude, size = _scale(value, _MAGNITUDES)
        many = COUNTED[measure.dims]
        return Written(value / size, size, magnitude, many, many)
    if not measure.dims and len(measure.labels) == 1 and measure.labels[0][1] == 1:
        label = measure.labels[0][0]
        return Written(value, 1.0, "", label, label if value == 1 else plural(label))
    if measure.plain:
        return Written(value, 1.0, "", "", "")
    scaled, text = over(value, unit.factor), unit.text
    first = text.split("/")[0].split("*")[0].split("^")[0]
    if first in _PREFIXED and text != first and text[len(first)] != "^":
        name, size = _scale(scaled, _PREFIXES)
        bare = "B" if first == "byte" and name else first
        text = f"{name}{bare}{text[len(first) :]}"
        return Written(scaled / size, size * unit.factor, "", text, text)
    return Written(scaled, unit.factor, "", text, text)


def _time(value: float) -> Written:
    for name, least, size in _TIME if value else ():
        if abs(value) >= least:
            return Written(value / size, size, "", name, f"{name}s" if name in _SEVERAL else name)
    return Written(0.0, 1.0, "", "s", "s")


def _scale(value: float, scales: tuple[tuple[str, float], ...]) -> tuple[str, float]:
    return next(((name, size) for name, size in scales if abs(value) >= size), ("", 1.0))


def _size(factor: Fraction) -> float:
    """The size of a unit, which may exceed the range of a float."""
    try:
        return float(factor)
    except OverflowError:
        return math.inf


def _read(text: str, single: bool) -> str:
    """Products of units as people read them: `GPU-hours`, of a single one `GPU-hour`, `kW-h`."""

    def hyphenated(product: re.Match[str]) -> str:
        name = _SPELLED_OUT.fullmatch(product[1])
        return f"-{product[1]}" if name is None else f"-{name[1]}{'' if single else 's'}"

    return _PRODUCT.sub(hyphenated, text)


def power_of_ten(power: int) -> str:
    """`10²²`."""
    return f"10{str(power).translate(_SUPERSCRIPTS)}"


def _digits(value: float, digits: int) -> str:
    """A number to so many significant digits: `28.7`, `185,000`, `4.13 × 10²²`, `1.2M`."""
    if not value:
        return "0"
    if "e" in number(value) or abs(value) < _SMALL:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        power = int(exponent)
        return f"{mantissa}e{power}" if power < 0 else f"{mantissa} × {power_of_ten(power)}"
    if value == round(value) and abs(value) < 10**digits:
        return number(round(value))
    if abs(value) >= _MILLION:
        return f"{number(float(f'{value / _MILLION:.{digits - 1}e}'))}M"
    if abs(value) >= 10 ** (digits - 1):
        scale = 10 ** max(0, len(str(int(abs(value)))) - digits)
        return number(float(round(value / scale) * scale))
    return number(value, digits)
