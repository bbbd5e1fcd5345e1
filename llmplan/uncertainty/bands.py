"""The deviation of measured values from computed ones: the band of a result, and the chance of a requirement.

Input: a lowering at a solution. A quantity that declares a band (`@within`) is set to either end, and everything that
depends on it is evaluated there; several bands are independent, so deviations are added in quadrature. Output: two
numbers around a value, with eight of ten measured values between them, or a probability; None without uncertainty.

The verdict on a requirement has the same words everywhere: `safe` if its chance is at least 90 %, so that it holds at
the far end of the band, `likely` from 60 %, `tight` if it holds with less, else `no`. It is `not judged` where a side
rests on a rate that the plan assumes as one value, as nothing is known of how far that is from what will be measured.
Where a requirement has a counterpart on the calendar, chance and verdict are those of the counterpart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from attrs import field, frozen

from llmplan.check.ir import Chance, Expr
from llmplan.check.program import Rule
from llmplan.operations.numbers import total
from llmplan.system.assumptions import assumed_rates
from llmplan.system.calendar import on_the_calendar, reads_the_calendar
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing, Result
from llmplan.uncertainty.ranges import has_ranges

SAFE = 0.9
"""The chance from which a requirement is safe: it holds at the far end of the band."""

LIKELY = 0.6

MEETS = 0.5
"""The chance from which a requirement is met at the median."""

GRAVITY = ("safe", "likely", "tight", "not judged", "no")
"""The verdicts, the gravest last."""

Verdict = Literal["safe", "likely", "tight", "no", "not judged"]

_BY_SIZE = ("lt", "le", "gt", "ge")


@frozen
class Judgement:
    """The chance of a requirement, None where nothing makes it uncertain or it is not judged, and the word for it.

    Attributes:
        rates: What its sides rest on and the plan assumes as one value.
        error: A bound on the error of the chance.
    """

    chance: float | None
    verdict: Verdict
    rates: tuple[str, ...] = ()
    error: float = 0.0


@frozen
class Judged:
    """What is known of a requirement: by its counterpart on the calendar, if that has a value, else as it is written.

    Attributes:
        planned: The judgement of the requirement as it is written, where it has a counterpart.
        counterpart: That counterpart.
        on_the_calendar: Whether what is judged reads the calendar, as written or by its counterpart.
    """

    by: Judgement
    planned: Judgement | None = None
    counterpart: Rule | None = field(default=None, eq=False)
    on_the_calendar: bool = False


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

    def judge(self, rule: Rule, holds: bool, ranged: bool = False) -> Judged:
        """The verdict on a requirement that holds as it is written, or does not.

        Args:
            ranged: Whether it depends on the author's ranges.
        """
        written = self._judgement(rule, holds, ranged)
        program = self.lowering.program
        counterpart = on_the_calendar(program, rule)
        met = None if counterpart is None else self._met(counterpart)
        if counterpart is None or met is None:
            return Judged(written, on_the_calendar=reads_the_calendar(program, rule))
        return Judged(self._judgement(counterpart, holds and met, ranged), written, counterpart, True)

    def judge_here(self, rule: Rule) -> Judged | None:
        """The verdict on a requirement at the point of the lowering; None if it is not in force or has no value."""
        if rule.when is not None and self._number(self.lowering, self._lowered(rule, rule.when)) != 1.0:
            return None
        met = self._met(rule)
        return None if met is None else self.judge(rule, met, has_ranges(self.lowering.program))

    def _judgement(self, rule: Rule, holds: bool, ranged: bool) -> Judgement:
        rates = assumed_rates(self.lowering, rule)
        chance = None if rates else self.chance(rule, ranged)
        chance = None if ranged and chance in (0.0, 1.0) else chance  # certain at every point of the ranges
        return Judgement(chance, verdict(holds, chance, rates), rates, 0.0 if chance is None else self._error(rule))

    def _error(self, rule: Rule) -> float:
        """A bound on the error of the chance of a rule."""
        sides = rule.sides
        asked = [] if sides is None else [side for side in (sides.left, sides.right) if isinstance(side, Chance)]
        of = asked[0].of if asked else () if sides is None else (sides,)
        return self.lowering.probabilities.error(of, rule.place[0]) if of else 0.0

    def _met(self, rule: Rule) -> bool | None:
        """Whether the condition of a requirement holds, None if it has no value."""
        value = self._number(self.lowering, self._lowered(rule, rule.condition))
        return None if value is None else value == 1.0

    def _lowered(self, rule: Rule, expr: Expr) -> Result:
        return self.lowering.lower(expr, {}, base=rule.place[0])

    def chance(self, rule: Rule, ranged: bool = False) -> float | None:
        """The probability that a comparison holds, or that a requirement asks for; None without uncertainty.

        Args:
            ranged: Whether it depends on the author's ranges; otherwise it must depend on a band.
        """
        sides = rule.sides
        if sides is None or sides.operation not in _BY_SIZE:
            return None
        asked = [side for side in (sides.left, sides.right) if isinstance(side, Chance)]
        if asked:
            return self._number(self.lowering, self.lowering.lower(asked[0], {}, base=rule.place[0]))
        found = self._number(self.lowering, self.lowering.probability(sides, rule.place[0]))
        return found if ranged or self.lowering.probabilities.banded((sides,), rule.place[0]) else None

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


def verdict(holds: bool, chance: float | None, rates: Sequence[str] = ()) -> Verdict:
    """The verdict on a requirement; without a chance it is safe or fails.

    Args:
        rates: The rates that it rests on and the plan assumes as one value.
    """
    if not holds:
        return "no"
    if rates:
        return "not judged"
    if chance is None or chance >= SAFE:
        return "safe"
    return "likely" if chance >= LIKELY else "tight"
