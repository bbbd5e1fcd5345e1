"""Evaluates nodes at many points at once, on numpy arrays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from llmplan.solve.effort import OPERATION
from llmplan.system.arrays import Array, operate
from llmplan.system.evaluate import ancestors
from llmplan.system.graph import Graph


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
                values[index] = np.asarray(operate(node.op, [values[arg] for arg in node.args], node.table))
                cost += OPERATION + values[index].size * node.weight
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
