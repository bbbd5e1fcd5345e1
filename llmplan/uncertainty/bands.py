"""The deviation of measured values from computed ones: the band of a result, and the chance of a requirement.

Input: a lowering at a solution. A quantity that declares a band (`@within`) is set to either end, and everything that
depends on it is evaluated there; several bands are independent, so deviations are added in quadrature. Output: two
numbers around a value, with eight of ten measured values between them, or a probability; None without uncertainty.

The verdict on a requirement has the same words everywhere: `safe` if its chance is at least 90 %, so that it holds at
the far end of the band, `likely` from 60 %, `tight` if it holds with less, else `no`. It is `not judged` where it holds
as planned and rests on a rate that the plan assumes as one value, as nothing is known of how far that is from what will
be measured; where it is an equality of an uncertain value, which no measured value meets; and where it reads a chance
or a quantile of which no single event is asked. Where a requirement has a counterpart on the calendar, chance and
verdict are those of the counterpart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from attrs import field, frozen

from llmplan.check.ir import Expr
from llmplan.check.program import Rule
from llmplan.operations.numbers import total
from llmplan.system.assumptions import assumed_rates
from llmplan.system.calendar import asked, event, nests, on_the_calendar, reads_the_calendar
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

Unjudged = Literal["", "equality", "asked"]
"""Why a requirement is not judged though no rate is assumed for it."""


@frozen
class Judgement:
    """The chance of a requirement, None where nothing makes it uncertain or it is not judged, and the word for it.

    Attributes:
        rates: What it rests on and the plan assumes as one value, where it is not judged for that.
        error: A bound on the error of the chance.
        unjudged: Any other reason for which it is not judged.
    """

    chance: float | None
    verdict: Verdict
    rates: tuple[str, ...] = ()
    error: float = 0.0
    unjudged: Unjudged = ""


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
        written = self._judgement(rule, holds, holds, ranged)
        program = self.lowering.program
        counterpart = on_the_calendar(program, rule)
        met = None if counterpart is None else self._met(counterpart)
        if counterpart is None or met is None:
            return Judged(written, on_the_calendar=reads_the_calendar(program, rule))
        by = self._judgement(counterpart, holds, met, ranged)
        return Judged(by) if by.unjudged == "equality" else Judged(by, written, counterpart, True)

    def judge_here(self, rule: Rule) -> Judged | None:
        """The verdict on a requirement at the point of the lowering; None if it is not in force or has no value."""
        if rule.when is not None and self._number(self.lowering, self._lowered(rule, rule.when)) != 1.0:
            return None
        met = self._met(rule)
        return None if met is None else self.judge(rule, met, has_ranges(self.lowering.program))

    def judge_as_written(self, rule: Rule, ranged: bool) -> Judgement | None:
        """The judgement of a requirement itself, whatever its counterparts; None if it has no value."""
        met = self._met(rule)
        return None if met is None else self._judgement(rule, met, met, ranged)

    def _judgement(self, rule: Rule, holds: bool, met: bool, ranged: bool) -> Judgement:
        """The judgement of a requirement, or of its counterpart on the calendar.

        Args:
            holds: Whether the requirement holds as it is written.
            met: Whether what is judged does.
        """
        rates, unjudged = assumed_rates(self.lowering, rule), self._unjudged(rule, ranged)
        if rates and rule.sides is not None and rule.sides.operation == "eq":
            unjudged = unjudged or "equality"
        if holds and (met and unjudged or unjudged == "equality"):
            return Judgement(None, "not judged", unjudged=unjudged)
        if holds and rates:
            return Judgement(None, "not judged", rates)
        chance = None if rates or unjudged else self.chance(rule, ranged)
        chance = None if ranged and chance in (0.0, 1.0) else chance  # certain at every point of the ranges
        word = verdict(holds and met, chance)
        return Judgement(chance, word, error=0.0 if chance is None else self._error(rule))

    def _unjudged(self, rule: Rule, ranged: bool) -> Unjudged:
        """Why the event of a requirement has no chance though something makes it uncertain."""
        of, base = event(self.lowering.program, rule), rule.place[0]
        probabilities = self.lowering.probabilities
        varies = ranged or probabilities.banded(of, base)
        if varies and probabilities.equated(of, base):
            return "equality"
        return "asked" if not varies and nests(self.lowering.program, rule) else ""

    def _error(self, rule: Rule) -> float:
        """A bound on the error of the chance of a rule."""
        return self.lowering.probabilities.error(event(self.lowering.program, rule), rule.place[0])

    def _met(self, rule: Rule) -> bool | None:
        """Whether the condition of a requirement holds, None if it has no value."""
        value = self._number(self.lowering, self._lowered(rule, rule.condition))
        return None if value is None else value == 1.0

    def _lowered(self, rule: Rule, expr: Expr) -> Result:
        return self.lowering.lower(expr, {}, base=rule.place[0])

    def chance(self, rule: Rule, ranged: bool = False) -> float | None:
        """The probability of the event of a requirement; None without uncertainty.

        Args:
            ranged: Whether it depends on the author's ranges; otherwise it must depend on a band.
        """
        program, probabilities, base = self.lowering.program, self.lowering.probabilities, rule.place[0]
        of = event(program, rule)
        if not ranged and not asked(program, rule) and not probabilities.banded(of, base):
            return None
        return self._number(self.lowering, probabilities.chance(of, base))

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


def verdict(holds: bool, chance: float | None, unjudged: bool = False) -> Verdict:
    """The verdict on a requirement; without a chance it is safe or fails, or is `unjudged`."""
    if not holds:
        return "no"
    if unjudged:
        return "not judged"
    if chance is None or chance >= SAFE:
        return "safe"
    return "likely" if chance >= LIKELY else "tight"
