"""The operations of `llmplan.system.graph.SCALAR` on numpy arrays, with the same meaning.

Truth values are bool arrays where an operation can give nothing but 0 and 1: they are an eighth of
the size, and every operation takes them as the numbers that they stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llmplan.system.evaluate import ancestors
from llmplan.system.graph import TOLERANCE, Graph, Node

Array = NDArray[Any]


def _number(a: Array) -> Array:
    return a.astype(np.float64) if a.dtype == np.bool_ else a


def truth(a: Array) -> Array:
    """True where the value is 1; 0 and NaN are False."""
    if a.dtype == np.bool_:
        return a
    is_one: Array = a == 1.0
    return is_one


def _near(a: Array, b: Array) -> Array:
    scale = TOLERANCE * np.maximum(np.abs(a), np.abs(b))
    # An infinite scale would make infinity equal to everything.
    result: Array = (a == b) | ((np.abs(a - b) <= scale) & (scale < np.inf))
    return result


def _div(a: Array, b: Array) -> Array:
    result = np.divide(a, b)
    zero = b == 0.0
    return np.where(zero, np.nan, result) if zero.any() else result


def _undefined_where_it_overflows(result: Array, *args: Array) -> Array:
    """NaN where finite arguments give an infinite result, as Python raises OverflowError there."""
    infinite: Array = np.isinf(result)
    if not infinite.any():
        return result
    for arg in args:
        infinite = infinite & np.isfinite(arg)
    return np.where(infinite, np.nan, result)


def _pow(a: Array, b: Array) -> Array:
    result = np.square(a) if b.ndim == 0 and b == 2.0 else np.power(a, b)
    return _undefined_where_it_overflows(result, a, b)


def _exp(a: Array) -> Array:
    return _undefined_where_it_overflows(np.exp(a), a)


def _log(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    def log(a: Array) -> Array:
        result = function(a)
        zero = a == 0.0
        return np.where(zero, np.nan, result) if zero.any() else result

    return log


def _whole_part(a: Array) -> Array:
    # Infinity minus itself is NaN, and zero changes nothing.
    result: Array = a + (a - a)
    return result


def _ceil(a: Array) -> Array:
    return _whole_part(np.ceil(a - np.abs(a) * TOLERANCE))


def _floor(a: Array) -> Array:
    return _whole_part(np.floor(a + np.abs(a) * TOLERANCE))


def _round(a: Array) -> Array:
    return _whole_part(np.floor(a + 0.5))


def _mod(a: Array, b: Array) -> Array:
    result: Array = a - b * _floor(_div(a, b))
    return result


def _ne(a: Array, b: Array) -> Array:
    result: Array = ~(np.isnan(a) | np.isnan(b) | _near(a, b))
    return result


def _not(a: Array) -> Array:
    return ~a if a.dtype == np.bool_ else np.where(np.isnan(a), np.nan, a == 0.0)


def _whole(a: Array) -> Array:
    return np.isfinite(a) & _near(a, np.floor(a + 0.5))


def _select(c: Array, a: Array, b: Array) -> Array:
    chosen = np.where(truth(c), a, b)
    if c.dtype == np.bool_:
        return chosen
    absent = np.isnan(c)
    return np.where(absent, np.nan, chosen) if absent.any() else chosen


_NUMERIC: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": _div,
    "pow": _pow,
    "neg": np.negative,
    "min": np.minimum,
    "max": np.maximum,
    "abs": np.abs,
    "ceil": _ceil,
    "floor": _floor,
    "round": _round,
    "mod": _mod,
    "sqrt": np.sqrt,
    "log2": _log(np.log2),
    "ln": _log(np.log),
    "exp": _exp,
    "eq": _near,
    "ne": _ne,
    "lt": lambda a, b: (a < b) & ~_near(a, b),
    "le": lambda a, b: (a < b) | _near(a, b),
    "whole": _whole,
    "finite": np.isfinite,
}

_LOGICAL: dict[str, Callable[..., Array]] = {
    "and": lambda a, b: truth(a) & truth(b),
    "or": lambda a, b: truth(a) | truth(b),
    "not": _not,
    "select": _select,
}

VECTOR: dict[str, Callable[..., Array]] = {**_NUMERIC, **_LOGICAL}
"""By name, every operation of `SCALAR`; wrap calls in `np.errstate(all="ignore")`."""


def _table(index: Array, values: tuple[float, ...]) -> Array:
    inside: Array = (index >= 0) & (index < len(values))
    place: Array = np.where(inside, index, len(values))
    found: Array = np.append(values, np.nan)[place.astype(np.intp)]
    return found


def _interpolate(x: Array, table: tuple[float, ...]) -> Array:
    half = len(table) // 2
    xs: Array = np.array(table[:half])
    ys: Array = np.array(table[half:])
    if half == 1:
        return np.where(np.isnan(x), np.nan, ys[0])
    right = np.clip(np.searchsorted(xs, x, side="left"), 1, half - 1)
    left = right - 1
    inner: Array = ys[left] + (ys[right] - ys[left]) * (x - xs[left]) / (xs[right] - xs[left])
    return np.where(x <= xs[0], ys[0], np.where(x > xs[-1], ys[-1], inner))


def operate(node: Node, args: list[Array]) -> Array:
    """The values of a node that is neither a constant nor an unknown, from those of its arguments."""
    function = _NUMERIC.get(node.op)
    if function is not None:
        return function(*(_number(arg) for arg in args))
    if node.op == "table":
        return _table(_number(args[0]), node.table)
    if node.op == "interpolate":
        return _interpolate(_number(args[0]), node.table)
    return _LOGICAL[node.op](*args)


def last_uses(graph: Graph, order: Sequence[int], wanted: Collection[int]) -> dict[int, list[int]]:
    """For each node of an order of evaluation the arguments that no later node needs."""
    last = {arg: node for node in order for arg in graph[node].args}
    found: dict[int, list[int]] = {node: [] for node in order}
    for arg, node in last.items():
        if arg not in wanted:
            found[node].append(arg)
    return found


def run(
    graph: Graph,
    order: Sequence[int],
    drops: Mapping[int, Sequence[int]],
    columns: Mapping[int, Array],
    values: dict[int, Array],
) -> None:
    """Adds the values of nodes to `values`, from the columns and from what is known there already.

    Args:
        graph: Where the nodes stand.
        order: The nodes, arguments first.
        drops: What to forget after each, see `last_uses`.
        columns: The values of the unknowns among them.
        values: Is changed.
    """
    with np.errstate(all="ignore"):
        for index in order:
            node = graph[index]
            if node.op == "const":
                values[index] = np.asarray(np.nan if node.value is None else node.value, np.float64)
            elif node.op == "unknown":
                values[index] = columns[int(node.value or 0)]
            else:
                values[index] = np.asarray(operate(node, [values[arg] for arg in node.args]))
            for arg in drops[index]:
                del values[arg]


def evaluate_rows(graph: Graph, roots: Iterable[int], columns: Mapping[int, Array]) -> dict[int, Array]:
    """The values of `roots` at many points.

    Args:
        graph: Where the nodes stand.
        roots: Ids of the nodes that are asked for.
        columns: For each unknown that they reach its values, of shapes that broadcast.

    Returns:
        By root an array, as large as what it depends on varies.
    """
    wanted = frozenset(roots)
    order = ancestors(graph, wanted)
    values: dict[int, Array] = {}
    run(graph, order, last_uses(graph, order, wanted), columns, values)
    return values
