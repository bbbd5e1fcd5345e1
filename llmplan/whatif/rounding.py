"""Values to propose, as a person would write them: few digits, on the feasible side."""

from __future__ import annotations

import math
from collections.abc import Iterator

from llmplan.system.lower import Lowering
from llmplan.units.measure import KindType, Measure, Type
from llmplan.units.table import UnknownUnit

_DIGITS = range(3, 8)
_EXACT = 1e6
"""What is counted, as tokens are, is not rounded below."""


def rounded(
    value: float, type: Type, unit: str, up: bool, lowering: Lowering, slack: float = 1e-9
) -> Iterator[float]:
    """A value rounded away from what is infeasible in its unit, from few digits to many; at last itself.

    Args:
        slack: So far, relatively, the value may be from the one that is meant.
    """
    factor = 1.0
    if isinstance(type, Measure) and type.dims == (("Time", 1),) and unit:
        try:
            factor = float(lowering.scope.units.parse(unit)[0])
        except UnknownUnit:
            pass
    counted = isinstance(type, Measure) and (type.whole or type.dims == (("Token", 1),))
    if counted and abs(value) < _EXACT:
        yield float(math.ceil(value - slack * abs(value)) if up else math.floor(value + slack * abs(value)))
    for digits in _DIGITS if value else ():
        step = 10.0 ** (math.floor(math.log10(abs(value / factor))) + 1 - digits)
        steps = value / factor / step
        whole = math.ceil(steps - 1e-9) if up else math.floor(steps + 1e-9)
        yield float(f"{whole * step:.{digits + 2}g}") * factor
    yield value


def written(text: str, type: Type) -> str:
    """A value as a plan has it."""
    return f'"{text}"' if isinstance(type, KindType) else text.replace(",", "")
