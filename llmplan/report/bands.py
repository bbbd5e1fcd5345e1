"""What the bands of measured values do to a solved plan, told with its values and requirements.

The word for a requirement is the same everywhere: `safe` where its chance is at least 90 %, so that it holds at the
far end of the band, `likely` from 60 %, `tight` where it holds with less, else `no`.
"""

from __future__ import annotations

from typing import Literal

from attrs import evolve

from llmplan.check.program import Rule
from llmplan.report.ends import can_have, written
from llmplan.solution import RequirementResult, Value
from llmplan.whatif.bands import SAFE, Bands

LIKELY = 0.6

Verdict = Literal["safe", "likely", "tight", "no"]


def with_band(bands: Bands, value: Value) -> Value:
    """A value with the ends of its band, if any band reaches it."""
    ends = bands.ends(value.name) if can_have(value) and value.role != "input" else None
    if ends is None:
        return value
    low, high = written(value.name, ends, bands.lowering.scope)
    return evolve(value, model_low=ends[0], model_high=ends[1], band=_ends(low, high) if low else "")


def assessed(bands: Bands, rule: Rule, result: RequirementResult) -> RequirementResult:
    """A requirement with its chance, if anything makes it uncertain, and the word for it."""
    if result.holds is None:
        return result
    chance = bands.chance(rule)
    text = "" if chance is None else _percent(chance)
    return evolve(result, chance=chance, chance_text=text, verdict=verdict(result.holds, chance))


def _ends(low: str, high: str) -> str:
    """`24.4 .. 34.8 days`: a unit that both have is written once."""
    first, second = low.partition(" "), high.partition(" ")
    return f"{first[0]} .. {high}" if first[2] == second[2] else f"{low} .. {high}"


def _percent(chance: float) -> str:
    rounded = round(100 * chance)
    if rounded == 100 and chance < 1.0:
        return "over 99%"
    return "under 1%" if rounded == 0 and chance > 0.0 else f"{rounded}%"


def verdict(holds: bool, chance: float | None) -> Verdict:
    """The word for a requirement; without a chance it is safe or fails."""
    if not holds:
        return "no"
    if chance is None or chance >= SAFE:
        return "safe"
    return "likely" if chance >= LIKELY else "tight"
