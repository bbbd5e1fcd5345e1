"""Values to propose, as a person would write them: with few digits, and with the number that the text stands for.

Input: a value that works, or the end of an interval of such values. Output: texts, the shortest first, each with the
number that it stands for in a plan. The caller solves with that number, so that text and number agree.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from attrs import frozen

from llmplan.check.scope import Scope
from llmplan.source import Source
from llmplan.syntax import nodes
from llmplan.syntax.parse import parse_value
from llmplan.system.adjustable import in_authors_unit
from llmplan.system.lower import Lowering
from llmplan.units.measure import KindType, Measure, Type
from llmplan.units.table import UnknownUnit

_DIGITS = range(3, 8)
_EXACT = 1e6
"""Counts, such as tokens, are not rounded below this value."""

MOST_DIGITS = 17
"""This many digits distinguish every float from its neighbours."""

_SPLIT = re.compile(r"(-?[\d,]*\.?\d+(?:e-?\d+)?)(.*)", re.DOTALL)
_HUNDREDTH = 1e-2


@frozen
class Proposal:
    """A value as people read it, with its number in base units."""

    text: str
    value: float


def proposals(
    value: float, type: Measure, unit: str, up: bool | None, lowering: Lowering, scale: float = 0.0, slack: float = 1e-9
) -> Iterator[Proposal]:
    """Proposals for a value, from few digits to many.

    Args:
        up: The direction in which values close to this one work too; None if neither.
        scale: The scale of a small step for a value of 0.
        slack: How far, relatively, a proposal may be from the value.
    """
    seen: set[float] = set()
    for text in _texts(value, type, unit, up, lowering, scale, slack):
        meant = read(written(text, type), lowering.scope)
        if meant is not None and math.isfinite(meant) and meant not in seen:
            seen.add(meant)
            yield Proposal(text, meant)


def read(text: str, scope: Scope) -> float | None:
    """The number in base units that a text stands for in a plan; None if it is not a number."""
    node, problems = parse_value(Source("value", text))
    sign = 1.0
    while isinstance(node, (nodes.Negative, nodes.Paren)):
        sign = -sign if isinstance(node, nodes.Negative) else sign
        node = node.operand if isinstance(node, nodes.Negative) else node.inner
    if problems or not isinstance(node, nodes.Number):
        return None
    try:
        factor = Fraction(1) if node.unit is None else scope.units.parse(node.unit.text)[0]
        return sign * float(node.value * factor)
    except (UnknownUnit, OverflowError):
        return None


def unit_of(text: str) -> str:
    """The unit of a number as written; empty if it has none, or is not a number."""
    node, problems = parse_value(Source("value", text))
    while isinstance(node, (nodes.Negative, nodes.Paren)):
        node = node.operand if isinstance(node, nodes.Negative) else node.inner
    return node.unit.text if not problems and isinstance(node, nodes.Number) and node.unit is not None else ""


def written(text: str, type: Type) -> str:
    """A value as written in a plan."""
    if isinstance(type, KindType):
        return text if type.choice and text.isidentifier() else f'"{text}"'
    return text.replace(",", "_")


def _texts(
    value: float, type: Measure, unit: str, up: bool | None, lowering: Lowering, scale: float, slack: float
) -> Iterator[str]:
    if up is None:
        yield in_authors_unit(value, type, unit, lowering)
    else:
        for short in _rounded(value, type, unit, up, lowering, slack):
            yield in_authors_unit(short, type, unit, lowering)
        if not value:
            near = _HUNDREDTH * (abs(scale) or 1.0)
            yield in_authors_unit(near if up else -near, type, unit, lowering)
    # Beyond the four digits of the text for reading: the number and its unit, separately.
    shown = _SPLIT.fullmatch(in_authors_unit(value, type, unit, lowering))
    size = None if shown is None else read(written(f"1{shown.group(2)}", type), lowering.scope)
    if shown is None or not size or not value:
        return
    exact = Fraction(value) / Fraction(size)
    for digits in range(_DIGITS[0], MOST_DIGITS + 1):
        step = _power_of_ten(math.floor(math.log10(abs(exact))) + 1 - digits)
        steps = exact / step
        whole = round(steps) if up is None else math.ceil(steps) if up else math.floor(steps)
        yield _decimal(whole * step) + shown.group(2)
        if up is not None:
            yield _decimal((whole + (1 if up else -1)) * step) + shown.group(2)


def _power_of_ten(exponent: int) -> Fraction:
    return Fraction(10**exponent) if exponent >= 0 else Fraction(1, 10**-exponent)


def _decimal(value: Fraction) -> str:
    """All digits of a number that has few decimals."""
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return format(exact, ",f" if not value or 1e-4 <= abs(value) < 1e15 else "e")


def _counted(type: Measure) -> bool:
    return type.whole or type.dims == (("Token", 1),)


def _rounded(value: float, type: Measure, unit: str, up: bool, lowering: Lowering, slack: float) -> Iterator[float]:
    """A value rounded in its unit away from infeasible values, from few digits to many; the value itself comes last."""
    factor = 1.0
    if type.dims == (("Time", 1),) and unit:
        try:
            factor = float(lowering.scope.units.parse(unit)[0])
        except UnknownUnit:
            pass
    if _counted(type) and abs(value) < _EXACT:
        whole = math.ceil(value - slack * abs(value)) if up else math.floor(value + slack * abs(value))
        yield float(whole)
        yield float(whole + 1 if up else whole - 1)
    for digits in _DIGITS if value else ():
        step = 10.0 ** (math.floor(math.log10(abs(value / factor))) + 1 - digits)
        if not step:
            continue  # a value so near 0 that none is as short
        steps = value / factor / step
        whole = math.ceil(steps - 1e-9) if up else math.floor(steps + 1e-9)
        yield float(f"{whole * step:.{digits + 2}g}") * factor
    yield value
