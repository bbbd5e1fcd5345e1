"""The order of changes: one ranking for the headline, the list below it and `--fix`; and that of levers.

What changes the question or a price comes last. Among the others the fewest changes come first; then a free switch of
the software, a bound, number or count by the size of its change, another setting, another entry.
"""

from __future__ import annotations

import math

from llmplan.answer.schema.advice import Lever, Relaxation
from llmplan.system.levers import SORTS
from llmplan.uncertainty.bands import GRAVITY

_CHOICE = 1.0
"""The size of the change of a choice, in units of a factor e."""


def first(cure: Relaxation) -> tuple[bool, int, int, float, str]:
    """The sort key of what makes an infeasible plan feasible."""
    changes = (cure, *cure.beside)
    question = any(one.question for one in changes)
    size = sum(one.change if math.isfinite(one.change) else _CHOICE for one in changes)
    return question, len(changes), max(map(_rank, changes)), round(size, 9), cure.name


def lever_key(lever: Lever, results: tuple[float, ...]) -> tuple[int, int, tuple[float, ...]]:
    """The sort key of a change of a solved plan: its class, the gravest verdict then, the results that count."""
    gravest = max((GRAVITY.index(one.verdict) for one in lever.judged), default=0)
    return SORTS.index(lever.sort), gravest, results


def _rank(change: Relaxation) -> int:
    match change.sort:
        case "switch":
            return 0
        case "setting":
            return 1 if math.isfinite(change.change) else 2
        case "bound" | "count":
            return 1
        case "entry":
            return 3
