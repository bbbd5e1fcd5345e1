"""The deviation of measured values from computed ones: the band of a result, and the chance of a requirement.

Input: a lowering at a solution. A quantity that declares a band (`@within`) is set to either end, and everything that
depends on it is evaluated there; several bands are independent, so deviations are added in quadrature. Output: two
numbers around a value, with eight of ten measured values between them, or a probability; None without uncertainty.

The verdict on a requirement has the same words everywhere: `safe` if its chance is at least 90 %, so that it holds at
the far end of the band, `likely` from 60 %, `tight` if it holds with less, else `no`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from llmplan.check.ir import Chance, Expr, Sides
from llmplan.check.program import Rule
from llmplan.operations.numbers import total
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing, Result

SAFE = 0.9
"""The chance from which a requirement is safe: it holds at the far end of the band."""

LIKELY = 0.6

Verdict = Literal["safe", "likely", "tight", "no"]


class Bands:
    """The bands of a plan at its solution."""

    def __init__(self, lowering: Lowering) -> None:
        self.lowering = lowering
        self._names = tuple(lowering.scope.banded)

    def ends(self, name: str) -> tuple[float, float] | None:
        """The ends of the band of a name, if it depends on any band."""
        return self._around(lambda lowering: lowering.name(name))

    def ends_of(self, expr: Expr, base: str) -> tuple[float, float] | None:
        """The ends of the band of an expression in a file, if it depends on any band."""
        return self._around(lambda lowering: lowering.lower(expr, {}, base=base))

    def _around(self, of: Callable[[Lowering], Result]) -> tuple[float, float] | None:
        value = self._number(self.lowering, of(self.lowering))
        if value is None:
            return None
        pairs = []
        for banded in self._names:
            there = [self.lowering.at_end((banded, at)) for at in (0, 1)]
            first, second = (self._number(lowering, of(lowering)) for lowering in there)
            if first is None or second is None:
                return None
            pairs.append((first, second))
        return around(value, pairs)

    def chance(self, rule: Rule, ranged: bool = False) -> float | None:
        """The probability that a comparison holds, or that a requirement asks for; None without uncertainty.

        Args:
            ranged: Whether it depends on the author's ranges; otherwise it must depend on a band.
        """
        sides = rule.sides
        if sides is None or sides.operation not in ("lt", "le", "gt", "ge"):
            return None
        asked = [side for side in (sides.left, sides.right) if isinstance(side, Chance)]
        if asked:
            return self._number(self.lowering, self.lowering.lower(asked[0], {}, base=rule.place[0]))
        found = self._number(self.lowering, self.lowering.probability(sides, rule.place[0]))
        return found if ranged or self._reached(sides, rule.place[0]) else None

    def _reached(self, sides: Sides, base: str) -> bool:
        here = [self.lowering.lower(side, {}, base=base) for side in (sides.left, sides.right)]
        for banded in self._names:
            for at in (0, 1):
                there = self.lowering.at_end((banded, at))
                if [there.lower(side, {}, base=base) for side in (sides.left, sides.right)] != here:
                    return True
        return False

    def _number(self, lowering: Lowering, value: Result) -> float | None:
        node = lowering.unknowns.settled(value)
        found = None if isinstance(node, Missing) else lowering.graph.constant(node)
        return found if found is not None and math.isfinite(found) else None


def around(value: float, pairs: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """The ends of a band around a value, given its values at the ends of each band that it depends on.

    Deviations are those of logarithms if all values are positive, else differences.
    """
    ends = [end for pair in pairs for end in pair]
    if all(end == value for end in ends):
        return None
    logarithms = value > 0.0 and all(end > 0.0 for end in ends)
    moved = [[math.log(end / value) if logarithms else end - value for end in pair] for pair in pairs]
    below = math.sqrt(total(min(0.0, *pair) ** 2 for pair in moved))
    above = math.sqrt(total(max(0.0, *pair) ** 2 for pair in moved))
    return (value * math.exp(-below), value * math.exp(above)) if logarithms else (value - below, value + above)


def verdict(holds: bool, chance: float | None) -> Verdict:
    """The verdict on a requirement; without a chance it is safe or fails."""
    if not holds:
        return "no"
    if chance is None or chance >= SAFE:
        return "safe"
    return "likely" if chance >= LIKELY else "tight"
