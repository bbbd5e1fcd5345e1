"""Ranges through a graph: bounds of any node when some inputs may lie anywhere between two ends.

Every node gets an interval that contains all its values, and for each input an interval that
contains its slope. Where a slope keeps its sign over the whole box the extremes lie at corners and
are exact; elsewhere the box is halved a bounded number of times, and what is left is a safe bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from attrs import frozen

from llmplan.system.evaluate import ancestors, evaluate
from llmplan.system.graph import SCALAR, Graph, Node

Interval = tuple[float, float]

EVERYTHING: Interval = (-math.inf, math.inf)
ZERO: Interval = (0.0, 0.0)
BOXES = 64
"""A box is halved into at most so many parts for one node."""


@frozen
class Ranged:
    """The interval of a node's values and those of its slopes along each input."""

    value: Interval
    slopes: tuple[Interval, ...]


def bounds(graph: Graph, node: int, box: Sequence[Interval]) -> Interval | None:
    """An interval that contains every value of a node over a box; None where it may have none.

    Args:
        box: The ends of input 0, 1, …: the unknowns of the graph by index.
    """
    order = ancestors(graph, (node,))
    low, high = math.inf, -math.inf
    pending = [tuple(box)]
    spent = 1
    while pending:
        part = pending.pop()
        ranged = _spread(graph, order, part)[node]
        if any(bound != bound for bound in ranged.value):
            return None
        if all(_signed(slope) for slope in ranged.slopes):
            found = _corners(graph, node, part, ranged.slopes)
        elif spent < BOXES and (halves := _halve(part, ranged.slopes)) is not None:
            pending += halves
            spent += 1
            continue
        else:
            found = ranged.value
        if found[0] != found[0] or found[1] != found[1]:
            return None
        low, high = min(low, found[0]), max(high, found[1])
    return low, high


def _signed(slope: Interval) -> bool:
    return slope[0] >= 0.0 or slope[1] <= 0.0


def _corners(graph: Graph, node: int, box: Sequence[Interval], slopes: Sequence[Interval]) -> Interval:
    rising = [slope[0] >= 0.0 for slope in slopes]
    least = {i: ends[0] if up else ends[1] for i, (ends, up) in enumerate(zip(box, rising))}
    most = {i: ends[1] if up else ends[0] for i, (ends, up) in enumerate(zip(box, rising))}
    return evaluate(graph, least, (node,))[node], evaluate(graph, most, (node,))[node]


def _halve(box: tuple[Interval, ...], slopes: Sequence[Interval]) -> list[tuple[Interval, ...]] | None:
    """The box cut in two along the widest input whose slope has no sign yet."""
    open_axes = [i for i, slope in enumerate(slopes) if not _signed(slope) and box[i][0] < box[i][1]]
    if not open_axes:
        return None
    axis = max(open_axes, key=lambda i: (box[i][1] - box[i][0]) / (abs(box[i][0]) + abs(box[i][1])))
    middle = (box[axis][0] + box[axis][1]) / 2
    lower, upper = list(box), list(box)
    lower[axis], upper[axis] = (box[axis][0], middle), (middle, box[axis][1])
    return [tuple(lower), tuple(upper)]


def _spread(graph: Graph, order: Sequence[int], box: Sequence[Interval]) -> dict[int, Ranged]:
    flat = (ZERO,) * len(box)
    found: dict[int, Ranged] = {}
    for index in order:
        node = graph[index]
        if node.op == "unknown":
            at = int(node.value or 0)
            slopes = tuple((1.0, 1.0) if i == at else ZERO for i in range(len(box)))
            found[index] = Ranged(box[at], slopes)
        elif not node.reach:
            constant = evaluate(graph, {}, (index,))[index] if node.op != "const" else node.value
            value = math.nan if constant is None else constant
            found[index] = Ranged((value, value), flat)
        else:
            found[index] = _apply(node, [found[arg] for arg in node.args])
    return found


def _apply(node: Node, args: list[Ranged]) -> Ranged:
    values = [arg.value for arg in args]
    count = len(args[0].slopes)
    if any(bound != bound for value in values for bound in value) and node.op != "select":
        return Ranged((math.nan, math.nan), (EVERYTHING,) * count)
    handler = _RULES.get(node.op, _unknown_rule)
    value, partials = handler(node, values)
    slopes = []
    for axis in range(count):
        slope = ZERO
        for arg, partial in zip(args, partials):
            slope = _add(slope, _mul(partial, arg.slopes[axis]))
        slopes.append(slope)
    return Ranged(value, tuple(slopes))


Partials = tuple[Interval, list[Interval]]
"""The value of an operation and its slope along each argument."""


def _product(a: float, b: float) -> float:
    return 0.0 if a == 0.0 or b == 0.0 else a * b  # 0 times infinity is 0 here


def _mul(a: Interval, b: Interval) -> Interval:
    corners = [_product(x, y) for x in a for y in b]
    return min(corners), max(corners)


def _add(a: Interval, b: Interval) -> Interval:
    low, high = a[0] + b[0], a[1] + b[1]
    return (-math.inf if low != low else low), (math.inf if high != high else high)


def _neg(a: Interval) -> Interval:
    return -a[1], -a[0]


def _inverse(a: Interval) -> Interval:
    if a[0] <= 0.0 <= a[1]:
        return EVERYTHING
    return 1 / a[1], 1 / a[0]


def _hull(*parts: Interval) -> Interval:
    return min(part[0] for part in parts), max(part[1] for part in parts)


def _sum(node: Node, v: list[Interval]) -> Partials:
    other = v[1] if node.op == "add" else _neg(v[1])
    sign = 1.0 if node.op == "add" else -1.0
    return _add(v[0], other), [(1.0, 1.0), (sign, sign)]


def _times(node: Node, v: list[Interval]) -> Partials:
    return _mul(v[0], v[1]), [v[1], v[0]]


def _over(node: Node, v: list[Interval]) -> Partials:
    inverse = _inverse(v[1])
    square = _mul(inverse, inverse)
    return _mul(v[0], inverse), [inverse, _neg(_mul(v[0], square))]


def _minus(node: Node, v: list[Interval]) -> Partials:
    return _neg(v[0]), [(-1.0, -1.0)]


def _monotone(function: Callable[[float], float], slope: Callable[[float], float]) -> Callable[..., Partials]:
    """A rising function whose slope is itself monotone."""

    def rule(node: Node, v: list[Interval]) -> Partials:
        low, high = function(v[0][0]), function(v[0][1])
        try:
            ends = slope(v[0][0]), slope(v[0][1])
        except (ZeroDivisionError, OverflowError, ValueError):
            ends = (0.0, math.inf)
        return (low, high), [(min(ends), max(ends))]

    return rule


def _step(node: Node, v: list[Interval]) -> Partials:
    function = SCALAR[node.op]
    low, high = function(v[0][0]), function(v[0][1])
    return (low, high), [ZERO if low == high else (0.0, math.inf)]


def _extreme(node: Node, v: list[Interval]) -> Partials:
    (a, b), pick = v, min if node.op == "min" else max
    value = pick(a[0], b[0]), pick(a[1], b[1])
    first, second = (a, b) if node.op == "min" else (b, a)
    if first[1] < second[0]:
        return value, [(1.0, 1.0), ZERO] if node.op == "min" else [ZERO, (1.0, 1.0)]
    if second[1] < first[0]:
        return value, [ZERO, (1.0, 1.0)] if node.op == "min" else [(1.0, 1.0), ZERO]
    return value, [(0.0, 1.0), (0.0, 1.0)]


def _abs(node: Node, v: list[Interval]) -> Partials:
    low, high = v[0]
    if low >= 0.0:
        return (low, high), [(1.0, 1.0)]
    if high <= 0.0:
        return (-high, -low), [(-1.0, -1.0)]
    return (0.0, max(-low, high)), [(-1.0, 1.0)]


def _power(node: Node, v: list[Interval]) -> Partials:
    (low, high), (p, q) = v
    if low > 0.0:
        logs = math.log(low), math.log(high)
        exponents = _mul(logs, (p, q))
        value = _exp(exponents[0]), _exp(exponents[1])
        return value, [_mul((p, q), _mul(value, _inverse((low, high)))), _mul(logs, value)]
    if p == q and p == math.floor(p) and 0 <= p <= 64:
        ends = _powers((low, high), p)
        slopes = _mul((p, p), _powers((low, high), p - 1)) if p else ZERO
        return ends, [slopes, EVERYTHING]
    return (math.nan, math.nan), [EVERYTHING, EVERYTHING]


def _powers(base: Interval, exponent: float) -> Interval:
    """All powers of a base that may be negative, for a small whole exponent."""
    values = [SCALAR["pow"](bound, exponent) for bound in base]
    if base[0] <= 0.0 <= base[1]:
        values.append(SCALAR["pow"](0.0, exponent))
    return min(values), max(values)


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _mod(node: Node, v: list[Interval]) -> Partials:
    (low, high), divisor = v
    if divisor[0] == divisor[1] and divisor[0] > 0.0:
        d = divisor[0]
        if math.floor(low / d) == math.floor(high / d):
            return (SCALAR["mod"](low, d), SCALAR["mod"](high, d)), [(1.0, 1.0), ZERO]
        return (0.0, d), [EVERYTHING, ZERO]
    return _hull(ZERO, divisor), [EVERYTHING, EVERYTHING]


def _truth(node: Node, v: list[Interval]) -> Partials:
    """Comparisons: 1, 0, or between where the sides overlap."""
    (a, b), (c, d) = v
    function = SCALAR[node.op]
    corners = {function(x, y) for x in (a, b) for y in (c, d)}
    if node.op in ("eq", "ne"):
        apart = b < c or d < a
        single = a == b and c == d
        sure = single or (apart and len(corners) == 1)
    else:
        sure = len(corners) == 1
    if sure:
        value = corners.pop()
        return (value, value), [ZERO, ZERO]
    return (0.0, 1.0), [EVERYTHING, EVERYTHING]


def _logic(node: Node, v: list[Interval]) -> Partials:
    pick = min if node.op == "and" else max
    value = pick(v[0][0], v[1][0]), pick(v[0][1], v[1][1])
    return value, [ZERO if value[0] == value[1] else (0.0, math.inf)] * 2


def _not(node: Node, v: list[Interval]) -> Partials:
    return (1.0 - v[0][1], 1.0 - v[0][0]), [(-1.0, -1.0)]


def _select(node: Node, v: list[Interval]) -> Partials:
    condition, then, otherwise = v
    if condition == (1.0, 1.0):
        return then, [ZERO, (1.0, 1.0), ZERO]
    if condition == (0.0, 0.0):
        return otherwise, [ZERO, ZERO, (1.0, 1.0)]
    if any(bound != bound for value in v for bound in value):
        return (math.nan, math.nan), [EVERYTHING] * 3
    return _hull(then, otherwise), [EVERYTHING, (0.0, 1.0), (0.0, 1.0)]


def _table(node: Node, v: list[Interval]) -> Partials:
    low, high = v[0]
    entries = [y for i, y in enumerate(node.table) if low <= i <= high and y == y]
    if not entries:
        return (math.nan, math.nan), [EVERYTHING]
    return (min(entries), max(entries)), [ZERO if len(entries) == 1 else EVERYTHING]


def _interpolate(node: Node, v: list[Interval]) -> Partials:
    from llmplan.system.graph import interpolate

    half = len(node.table) // 2
    xs, ys = node.table[:half], node.table[half:]
    low, high = v[0]
    inner = [y for x, y in zip(xs, ys) if low <= x <= high]
    values = [interpolate(low, node.table), interpolate(high, node.table), *inner]
    slopes = [0.0] if low < xs[0] or high > xs[-1] else []
    for a, b, p, q in zip(xs, xs[1:], ys, ys[1:]):
        if a <= high and b >= low:
            slopes.append((q - p) / (b - a))
    return (min(values), max(values)), [(min(slopes), max(slopes)) if slopes else ZERO]


def _unknown_rule(node: Node, v: list[Interval]) -> Partials:
    """Anything else (whole, finite): by value where nothing varies, else undecided."""
    if all(low == high for low, high in v):
        value = SCALAR[node.op](*(low for low, _ in v))
        return (value, value), [ZERO] * len(v)
    if node.op == "finite" and all(math.isfinite(bound) for value in v for bound in value):
        return (1.0, 1.0), [ZERO]
    return (0.0, 1.0), [EVERYTHING] * len(v)


_RULES: dict[str, Callable[[Node, list[Interval]], Partials]] = {
    "add": _sum,
    "sub": _sum,
    "mul": _times,
    "div": _over,
    "neg": _minus,
    "min": _extreme,
    "max": _extreme,
    "abs": _abs,
    "pow": _power,
    "mod": _mod,
    "sqrt": _monotone(SCALAR["sqrt"], lambda x: 0.5 / math.sqrt(x)),
    "log2": _monotone(SCALAR["log2"], lambda x: 1 / (x * math.log(2))),
    "ln": _monotone(SCALAR["ln"], lambda x: 1 / x),
    "exp": _monotone(SCALAR["exp"], math.exp),
    "ceil": _step,
    "floor": _step,
    "round": _step,
    "eq": _truth,
    "ne": _truth,
    "lt": _truth,
    "le": _truth,
    "and": _logic,
    "or": _logic,
    "not": _not,
    "select": _select,
    "table": _table,
    "interpolate": _interpolate,
}
