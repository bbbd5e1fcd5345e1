"""Graphs on arrays are graphs on numbers, element by element; of single operations see `tests/operations`."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmplan.solve.vector import evaluate_rows
from llmplan.system.evaluate import evaluate
from llmplan.system.graph import Graph
from tests.solve.systems import systems

EDGES = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, math.nan, math.inf, -math.inf, 1e308, -1e308, 1e-308, 710.0]
EDGES += [1 + 5e-10, 1 + 2e-9, 2 - 1e-9, 0.1 * 3 * 10, 7.000000001, 6.999999999]
NUMBERS = st.one_of(st.sampled_from(EDGES), st.floats(), st.floats(-1e4, 1e4), st.integers(-9, 9).map(float))


def same(mine, expected):
    if math.isnan(expected) or math.isinf(expected):
        return mine == expected or math.isnan(mine) and math.isnan(expected)
    # The libraries of numpy and Python may differ in the last digits of powers and logarithms.
    return abs(mine - expected) <= 1e-13 * abs(expected)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-20, 20), NUMBERS), min_size=1, max_size=6, unique_by=lambda p: p[0]),
    st.lists(NUMBERS, min_size=1, max_size=8),
)
@pytest.mark.slow
def test_interpolation_and_tables(points, xs):
    points = [(float(x), y) for x, y in sorted(points) if math.isfinite(y)] or [(0.0, 1.0)]
    graph = Graph()
    x = graph.unknown(0)
    roots = [
        graph.interpolate(x, tuple(p[0] for p in points), tuple(p[1] for p in points)),
        graph.table(x, tuple(p[1] for p in points)),
    ]
    found = evaluate_rows(graph, roots, {0: np.array(xs)})
    for at, value in enumerate(xs):
        expected = evaluate(graph, {0: value}, roots)
        assert all(same(float(found[root][at]), expected[root]) for root in roots)


@settings(max_examples=100, deadline=None)
@given(systems(), st.data())
@pytest.mark.slow
def test_graphs(system, data):
    roots = range(len(system.graph))
    rows = [{i: data.draw(st.sampled_from(u.values)) for i, u in enumerate(system.unknowns)} for _ in range(3)]
    columns = {i: np.array([row[i] for row in rows]) for i in range(len(system.unknowns))}
    found = evaluate_rows(system.graph, roots, columns)
    for at, row in enumerate(rows):
        expected = evaluate(system.graph, row, roots)
        for root in roots:
            mine = float(np.broadcast_to(found[root], len(rows))[at])
            assert same(mine, expected[root]) or mine == pytest.approx(expected[root], rel=1e-6, abs=1e-9)
