"""Evaluates nodes at many points at once, on numpy arrays.

Truth values are bool arrays where an operation can only give 0 and 1: they are an eighth of the size, and every
operation accepts them as the numbers 0 and 1.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llmplan.operations import OPERATIONS
from llmplan.solve.effort import OPERATION
from llmplan.system.evaluate import ancestors
from llmplan.system.graph import Graph, Node

Array = NDArray[Any]


ARRAYS: dict[str, Callable[..., Array]] = {
    name: getattr(np, operation.array) if isinstance(operation.array, str) else partial(operation.array, np)
    for name, operation in OPERATIONS.items()
}
"""The function that computes each operation on arrays."""


def operate(node: Node, args: list[Array]) -> Array:
    """The values of a node that is neither a constant nor an unknown, given those of its arguments."""
    function = ARRAYS[node.op]
    if not OPERATIONS[node.op].truths:
        args = [arg.astype(np.float64) if arg.dtype == np.bool_ else arg for arg in args]
    return function(node.table, *args) if node.table else function(*args)


def last_uses(graph: Graph, order: Sequence[int], wanted: Collection[int]) -> dict[int, list[int]]:
    """For each node of an evaluation order, the arguments that no later node needs."""
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
) -> int:
    """Adds the values of nodes to `values`, computed from the unknowns' columns and the values already there.

    The nodes come in an order of evaluation; `drops` lists the values to forget after each, see `last_uses`.

    Returns:
        The cost in evaluations, see `llmplan.solve.effort`.
    """
    cost = 0
    with np.errstate(all="ignore"):
        for index in order:
            node = graph[index]
            if node.op == "const":
                values[index] = np.asarray(np.nan if node.value is None else node.value, np.float64)
            elif node.op == "unknown":
                values[index] = columns[int(node.value or 0)]
            else:
                values[index] = np.asarray(operate(node, [values[arg] for arg in node.args]))
                cost += OPERATION + values[index].size
            for arg in drops[index]:
                del values[arg]
    return cost


def evaluate_rows(graph: Graph, roots: Iterable[int], columns: Mapping[int, Array]) -> dict[int, Array]:
    """The values of `roots` at many points: an array for each, only as large as its inputs vary.

    `columns` has the values of each unknown that they depend on, in shapes that broadcast.
    """
    wanted = frozenset(roots)
    order = ancestors(graph, wanted)
    values: dict[int, Array] = {}
    run(graph, order, last_uses(graph, order, wanted), columns, values)
    return values
