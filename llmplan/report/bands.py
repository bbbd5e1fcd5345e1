"""What the bands of measured values do to a solved plan, told with its values and requirements."""

from __future__ import annotations

from attrs import evolve

from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.values import Value
from llmplan.check.program import Rule
from llmplan.report import compared
from llmplan.report.ends import around, can_have
from llmplan.uncertainty.bands import Bands, verdict


def with_band(bands: Bands, value: Value) -> Value:
    """A value with the ends of its band, if any band reaches it."""
    ends = bands.ends(value.name) if can_have(value) and value.role != "input" else None
    if ends is None:
        return value
    return evolve(value, band=around(value.amount, ends))


def assessed(bands: Bands, rule: Rule, result: RequirementResult) -> RequirementResult:
    """A requirement with its chance, if anything makes it uncertain, and the word for it."""
    holds = result.holds
    if holds is None:
        return result
    result = compared.with_band(bands, rule, result)
    # What holds at some points of the author's ranges alone has a chance too.
    chance = bands.chance(rule, result.certainty == "expected")
    return evolve(result, chance=chance, verdict=verdict(holds, chance))
