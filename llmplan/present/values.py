"""Numbers of an answer by name, and what a quantity is made of."""

from __future__ import annotations

from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import Value
from llmplan.units.amount import Amount


def amount(answer: Solution, name: str) -> Amount | None:
    """A value; None where the name has none."""
    value = answer.values.get(name)
    return None if value is None or value.value is None else value.amount


def number(answer: Solution, name: str) -> float | None:
    """A finite number in base units; None where the name has no such value."""
    known = amount(answer, name)
    return known.number if known is not None and known.finite else None


def parts(answer: Solution, whole: str) -> list[tuple[str, Value]]:
    """What the library, or the plan, says that a quantity is made of; empty if a part has no value."""
    pairs = answer.parts.get(whole, ())
    known = [(label, answer.values[name]) for name, label in pairs if name in answer.values]
    numbers = all(isinstance(value.value, (int, float)) for _, value in known)
    return known if numbers and len(known) == len(pairs) else []
