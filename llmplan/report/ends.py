"""Two ends around a value, of a range or of a band: which values can have them, and how they are written."""

from __future__ import annotations

from llmplan.check.scope import Scope
from llmplan.solution import Value
from llmplan.system.display import show
from llmplan.units.measure import Measure


def can_have(value: Value) -> bool:
    """Whether a value is one number, not an element of an array."""
    return isinstance(value.value, (int, float)) and not isinstance(value.value, bool) and "[" not in value.name


def written(name: str, ends: tuple[float, float], scope: Scope) -> tuple[str, str]:
    """The ends in the unit that the quantity is declared in; empty for what has no unit."""
    meaning = scope.lookup(name)
    if meaning is None or not isinstance(meaning.type, Measure):
        return "", ""
    low, high = (show(end, meaning.type, scope, meaning.unit) for end in ends)
    return low, high
