"""The order of changes: one ranking for the headline, the list below it and `--fix`; and that of levers.

What changes the question or a price comes last. Among the others the fewest changes come first; then a free switch of
the software, a bound, number or count by the size of its change, another setting, another entry, and a bound that is
moved so far that it no longer says what was asked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from llmplan.answer.schema.advice import Lever, Relaxation
from llmplan.system.levers import SORTS
from llmplan.uncertainty.bands import GRAVITY

_CHOICE = 1.0
"""The size of the change of a choice, in units of a factor e."""


_FAR = math.log(1.5)
"""The size of the change beyond which a bound is another one: half as much again."""


def first(cure: Relaxation) -> tuple[bool, int, int, float, str]:
    """The sort key of what makes an infeasible plan feasible."""
    changes = (cure, *cure.beside)
    question = any(one.question for one in changes)
    size = sum(one.change if math.isfinite(one.change) else _CHOICE for one in changes)
    return question, len(changes), max(map(_rank, changes)), round(size, 9), cure.name


def in_order(levers: Sequence[Lever], results: Callable[[Lever], tuple[float, ...]]) -> list[Lever]:
    """Changes of a solved plan in classes; one that makes a requirement less likely is not the first of others."""
    rows = sorted(levers, key=lambda row: _lever_key(row, results(row)))
    head = [row for row in rows if not row.riskier][:1]
    return [*head, *(row for row in rows if all(row is not one for one in head))]


def _lever_key(lever: Lever, results: tuple[float, ...]) -> tuple[int, int, bool, tuple[float, ...]]:
    """The sort key of a change of a solved plan: its class, the gravest verdict then, whether requirements are less
    likely, the results that count.
    """
    gravest = max((GRAVITY.index(one.verdict) for one in lever.judged), default=0)
    return SORTS.index(lever.sort), gravest, lever.riskier, results


def _rank(change: Relaxation) -> int:
    match change.sort:
        case "switch":
            return 0
        case "setting":
            return 1 if math.isfinite(change.change) else 2
        case "bound":
            return 1 if change.change <= _FAR else 4
        case "count":
            return 1
        case "entry":
            return 3
