"""Domains of unknowns: turns lists, ranges, powers and divisors into candidate values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache

from attrs import evolve

from llmplan.check.ir import Divisors, DomainItem, Powers, Range, Value
from llmplan.check.program import Domain
from llmplan.diagnostics import Diagnostic, system
from llmplan.operations import TOLERANCE
from llmplan.operations.numbers import close
from llmplan.system.divisors import divisor_count, divisors
from llmplan.system.evaluate import evaluate
from llmplan.system.expressions import Expressions
from llmplan.system.graph import Graph
from llmplan.system.missing import Missing, missing
from llmplan.system.system import Unknown
from llmplan.units.measure import KindType, Measure, Type, is_choice

MAX_VALUES = 1_000_000
"""An unknown with more candidates than this is refused."""

MAX_COMBINATIONS = 10_000
"""The most combinations of other unknowns for which a domain that depends on them is unfolded."""

MOST_LISTED = 5 * MAX_VALUES
"""The most candidates of all these combinations together, counting duplicates."""

_DIVISOR = 4
"""A divisor costs as much work as this many numbers of a range."""

KEPT = 10_000
"""Domains with at most this many candidates are listed once and cached for all plans."""

Ends = tuple[int, ...]
Form = type[DomainItem]


def build(
    expressions: Expressions, earlier: Sequence[Unknown], wanted: Unknown, domain: Domain | None, example: str = ""
) -> Unknown | Diagnostic | Missing:
    """An unknown with its candidates, or the reason why it has none.

    Args:
        earlier: The unknowns already in the graph, on which its domain may depend.
        wanted: The unknown without candidates.
        domain: The domain that it may range over.
        example: A domain that a message can propose where there is none.
    """
    graph, path, type, span = expressions.graph, wanted.path, wanted.type, wanted.span
    names = expressions.members(type)
    wanted = evolve(wanted, names=names)
    counted = isinstance(type, Measure) and type.whole
    whole = names != () or counted
    if domain is None:
        if is_choice(type):
            return evolve(wanted, values=tuple(float(i) for i in range(len(names))))
        kind = type.name if isinstance(type, KindType) else ""
        return system.no_domain(span, path, "" if counted else wanted.unit, kind, names, example)
    ends: list[tuple[Form, Ends]] = []
    for item in domain.items:
        lowered = [expressions.lower(part, {}) for part in item.parts()]
        nodes = tuple(node for node in lowered if not isinstance(node, Missing))
        if len(nodes) < len(lowered):
            lacking = missing(*lowered)
            if wanted.asked and lacking.needs:
                return system.unknown_domain(span, path, lacking.needs)
            return lacking
        ends.append((item.__class__, nodes))
    wanted = evolve(wanted, unit=domain.unit or wanted.unit)
    for form, nodes in ends:
        step = graph.constant(nodes[2]) if form is Range and len(nodes) > 2 else 1.0
        if step is not None and not step > 0.0:
            return system.no_step(span, path)
        base = graph.constant(nodes[0]) if form is Powers else 2.0
        if base is not None and not base > 1.0:
            return system.no_base(span, path)
    if reach := graph.reached(node for _, nodes in ends for node in nodes):
        return _dependent(graph, earlier, wanted, ends, reach)
    numbers = [(form, tuple(graph.constant(n) or 0.0 for n in nodes)) for form, nodes in ends]
    if not whole and any(form is Range and len(values) < 3 for form, values in numbers):
        low = min(values[0] for _, values in numbers)
        high = max(values[1] if form is Range else values[0] for form, values in numbers)
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            return system.empty_domain(span, path)
        return evolve(wanted, low=low, high=high)
    values = _values(numbers)
    if values is None:
        return system.huge_domain(span, path, _size(numbers))
    if not values:
        return system.empty_domain(span, path)
    low, high = _bounds(tuple(numbers))
    return evolve(wanted, values=values, low=low, high=high)


def candidates(expressions: Expressions, type: Type, domain: Domain | None) -> tuple[float, ...] | None:
    """The values of a domain that does not depend on unknowns; without a domain, every member. None if too many."""
    if domain is None:
        count = len(expressions.members(type)) if is_choice(type) else 0
        return tuple(float(i) for i in range(count))
    items: list[tuple[Form, tuple[float, ...]]] = []
    for item in domain.items:
        numbers = [expressions.worth(part) for part in item.parts()]
        items.append((item.__class__, tuple(math.nan if number is None else number for number in numbers)))
    return _values(items)


def indistinct(values: Sequence[float]) -> float | None:
    """The largest of the candidates that comparisons do not tell from a neighbour; None if they tell all apart."""
    if all(abs(value) * TOLERANCE < 1.0 and value.is_integer() for value in values):
        return None
    ascending = sorted(values)
    alike = [two for one, two in itertools.pairwise(ascending) if close(one, two)]
    return max(alike, key=abs, default=None)


def _values(items: list[tuple[Form, tuple[float, ...]]]) -> tuple[float, ...] | None:
    """All candidates without duplicates, in the order of the domain; None if there are too many."""
    if _size(items) > MAX_VALUES:
        return None
    return _listed(tuple(items)) if _size(items) <= KEPT else _listed.__wrapped__(tuple(items))


@lru_cache(maxsize=256)
def _bounds(items: tuple[tuple[Form, tuple[float, ...]], ...]) -> tuple[float, float]:
    """The least and the largest candidate; cached, as there may be thousands."""
    values = _values(list(items)) or ()
    return min(values), max(values)


@lru_cache(maxsize=256)
def _listed(items: tuple[tuple[Form, tuple[float, ...]], ...]) -> tuple[float, ...]:
    found: list[float] = []
    for form, numbers in items:
        if any(not math.isfinite(number) for number in numbers):
            continue
        if form is Value:
            found.append(numbers[0])
        elif form is Range:
            low, high = numbers[0], numbers[1]
            step = numbers[2] if len(numbers) > 2 else 1.0
            if step > 0 and (steps := (high - low) / step) >= 0:
                found += [low + step * i for i in range(math.floor(steps + TOLERANCE) + 1)]
        elif form is Powers:
            found += _powers(*numbers)
        else:
            found += divisors(numbers[0])
    return tuple(dict.fromkeys(found))


def _size(items: list[tuple[Form, tuple[float, ...]]]) -> float:
    size = 0.0
    for form, numbers in items:
        if form is Range:
            step = numbers[2] if len(numbers) > 2 else 1.0
            size += max(0.0, (numbers[1] - numbers[0]) / step) if step > 0 else math.inf
        elif form is Powers:
            size += _span(*numbers)
        elif form is Divisors:
            size += divisor_count(numbers[0])
        else:
            size += 1
    return size


def _span(base: float, low: float, high: float) -> float:
    """The number of powers of a base from 1 to `high`."""
    return math.log(high) / math.log(base) + 1 if base > 1.0 and high >= 1.0 else 0.0


def _powers(base: float, low: float, high: float) -> list[float]:
    found: list[float] = []
    power = 1.0
    while base > 1.0 and power <= high * (1 + TOLERANCE) and power < math.inf:
        if power >= low * (1 - TOLERANCE):
            found.append(power)
        power *= base
    return found


def _dependent(
    graph: Graph, earlier: Sequence[Unknown], wanted: Unknown, ends: list[tuple[Form, Ends]], reach: int
) -> Unknown | Diagnostic:
    """A domain whose ends depend on other unknowns: the union of all that it can be, and a test."""
    others = [i for i in range(len(earlier)) if reach >> i & 1]
    grids = [earlier[i].values for i in others]
    size = math.prod(len(grid) if grid else 10**9 for grid in grids)
    if size > MAX_COMBINATIONS:
        return system.huge_domain(wanted.span, wanted.path, size)
    union: dict[float, None] = {}
    listed = work = 0.0
    for combination in itertools.product(*(grid or () for grid in grids)):
        point = dict(zip(others, combination))
        at = evaluate(graph, point, [node for _, nodes in ends for node in nodes])
        numbers = [(form, tuple(at[node] for node in nodes)) for form, nodes in ends]
        count = _size(numbers)
        listed += count
        work += count * (_DIVISOR if any(form is Divisors for form, _ in numbers) else 1)
        values = _values(numbers) if work <= MOST_LISTED else None
        if values is None:
            return system.huge_domain(wanted.span, wanted.path, listed)
        union.update(dict.fromkeys(values))
        if len(union) > MAX_VALUES:
            return system.huge_domain(wanted.span, wanted.path, len(union))
    if not union:
        return system.empty_domain(wanted.span, wanted.path)
    values = tuple(sorted(union))
    allowed = _allowed(graph, graph.unknown(len(earlier)), ends)
    return evolve(wanted, values=values, low=values[0], high=values[-1], allowed=allowed)


def _allowed(graph: Graph, unknown: int, ends: list[tuple[Form, Ends]]) -> int:
    """A node that is 1 if a candidate is in the domain, given the values of the other unknowns."""
    result = graph.const(0.0)
    for form, nodes in ends:
        if form is Value:
            test = graph.add("eq", unknown, nodes[0])
        elif form is Divisors:
            test = graph.add("whole", graph.add("div", nodes[0], unknown))
        else:
            low, high = (nodes[1], nodes[2]) if form is Powers else (nodes[0], nodes[1])
            test = graph.add("and", graph.add("le", low, unknown), graph.add("le", unknown, high))
            if form is Powers:
                power = graph.add("div", graph.add("log2", unknown), graph.add("log2", nodes[0]))
                test = graph.add("and", test, graph.add("whole", power))
            elif len(nodes) > 2:
                steps = graph.add("div", graph.add("sub", unknown, low), nodes[2])
                test = graph.add("and", test, graph.add("whole", steps))
        result = graph.add("or", result, test)
    return result
