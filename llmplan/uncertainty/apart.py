"""Whether two plans are told apart by a result: the band of its change from one plan to the other.

Input: the lowerings of two plans, each at its solution. A quantity with a band deviates in both plans: as one deviation
where it is the same number with the same band in both; else by what the library says of two plans of the same model,
accelerator and stack (`@apart`); else independently. Output: the ends of the ratio of the newer result to the older
one, with eight of ten measured ratios between them; None where nothing makes it uncertain.
"""

from __future__ import annotations

import math

from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.uncertainty.bands import around

_ROUNDING = 1e-9


def number(lowering: Lowering, name: str) -> float | None:
    """The value of a name at a solution, if it is a finite number."""
    node = lowering.unknowns.settled(lowering.name(name))
    value = None if isinstance(node, Missing) else lowering.graph.constant(node)
    return value if value is not None and math.isfinite(value) else None


def ratio(before: Lowering, after: Lowering, name: str, alike: bool) -> tuple[float, float] | None:
    """The band of the ratio of a result in two plans.

    Args:
        alike: Whether both are about the same entries: the same model, accelerator and stack.
    """
    old, new = number(before, name), number(after, name)
    if old is None or new is None or old <= 0.0 or new <= 0.0:
        return None
    pairs: list[tuple[float, float]] = []
    for banded in before.scope.banded:
        first, second = _moves(before, banded, name, old), _moves(after, banded, name, new)
        if first is None or second is None:
            return None
        if _shared(before, after, banded):
            pairs.append((_exact(second[0] - first[0]), _exact(second[1] - first[1])))
            continue
        factor = _factor(before, after, banded) if alike else None
        if factor is None:
            pairs += [(-first[0], -first[1]), second]
        else:
            slope = max(_slope(before, banded, first), _slope(after, banded, second))
            pairs.append((-slope * math.log(factor), slope * math.log(factor)))
    return around(new / old, [(new / old * math.exp(low), new / old * math.exp(high)) for low, high in pairs])


def _exact(move: float) -> float:
    """Nothing, where rounding alone moves a result."""
    return 0.0 if abs(move) < _ROUNDING else move


def _moves(lowering: Lowering, banded: str, name: str, value: float) -> tuple[float, float] | None:
    """How a result moves, in logarithms, at either end of a band; None where it has no positive value there."""
    ends = [number(lowering.at_end((banded, at)), name) for at in (0, 1)]
    known = [end for end in ends if end is not None and end > 0.0]
    return (math.log(known[0] / value), math.log(known[1] / value)) if len(known) == 2 else None


def _ends(lowering: Lowering, banded: str) -> tuple[float | None, ...]:
    """A quantity with a band, and both ends of that."""
    return (number(lowering, banded), *(number(lowering.at_end((banded, at)), banded) for at in (0, 1)))


def _shared(before: Lowering, after: Lowering, banded: str) -> bool:
    return _ends(before, banded) == _ends(after, banded)


def _factor(before: Lowering, after: Lowering, banded: str) -> float | None:
    """The larger of what the two plans say of the deviation between them."""
    named = before.scope.apart.get(banded)
    factors = [number(lowering, named) for lowering in (before, after)] if named else []
    known = [factor for factor in factors if factor is not None and factor >= 1.0]
    return max(known) if len(known) == 2 else None


def _slope(lowering: Lowering, banded: str, moves: tuple[float, float]) -> float:
    """The percentage change of a result per one per cent of a quantity with a band, over its width."""
    value, low, high = _ends(lowering, banded)
    if not value or not low or not high or high <= low:
        return 0.0
    return abs(moves[1] - moves[0]) / math.log(high / low)
