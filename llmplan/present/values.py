"""Numbers of an answer by name, and what a quantity is made of."""

from __future__ import annotations

import math

from llmplan.solution import Solution, Value


def number(answer: Solution, name: str) -> float | None:
    """A finite number in base units; None where the name has no such value."""
    value = answer.values.get(name)
    if value is None or isinstance(value.value, (bool, str)) or value.value is None or not math.isfinite(value.value):
        return None
    return value.value


def text(answer: Solution, name: str) -> str:
    """A value as people read it; empty where the name has none."""
    value = answer.values.get(name)
    return value.text if value is not None and value.value is not None else ""


def parts(answer: Solution, whole: str) -> list[tuple[str, Value]]:
    """What the library, or the plan, says that a quantity is made of; empty if a part has no value."""
    pairs = answer.parts.get(whole, ())
    known = [(label, answer.values[name]) for name, label in pairs if name in answer.values]
    numbers = all(isinstance(value.value, (int, float)) for _, value in known)
    return known if numbers and len(known) == len(pairs) else []
