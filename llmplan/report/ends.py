"""Two ends around a value, of a range or of a band: which values can have them, and how they are written."""

from __future__ import annotations

from attrs import evolve

from llmplan.answer.schema.values import Value
from llmplan.units.amount import Amount, Range


def can_have(value: Value) -> bool:
    """Whether a value is one number, not an element of an array."""
    return isinstance(value.value, (int, float)) and not isinstance(value.value, bool) and "[" not in value.name


def around(amount: Amount, ends: tuple[float, float]) -> Range:
    """The ends in the unit of the value itself."""
    low, high = (evolve(amount, value=end) for end in ends)
    return Range(low, high)
