"""The next best points and the best trade-offs against enumeration."""

from __future__ import annotations

import math
from functools import cmp_to_key

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from llmplan.operations import TOLERANCE
from llmplan.solve.passes import requirements_of, solve
from llmplan.system.evaluate import evaluate
from llmplan.system.graph import Graph
from llmplan.system.system import System
from tests.solve.systems import compare, discrete, objective, points, systems
from tests.thorough import examples


def keys(system):
    """For every feasible point what it is compared by, places last."""
    required = requirements_of(system)
    roots = [c.node for c in (*required, *system.preferences)] + [o.node for o in system.objectives]
    found = []
    for places, point in points(system):
        values = evaluate(system.graph, point, roots)
        if all(values[c.node] == 1.0 for c in required):
            costs = [values[o.node] * o.sense for o in system.objectives]
            score = sum(p.weight for p in system.preferences if values[p.node] == 1.0)
            key = [-score, *(math.inf if math.isnan(cost) else cost for cost in costs)]
            found.append((key, places, point))
    return found


def order(one, other):
    for a, b in zip(one[0], other[0]):
        if a != b and not abs(a - b) <= TOLERANCE * abs(b) < math.inf:
            return -1 if a < b else 1
    return -1 if one[1] < other[1] else 1


@given(systems(), st.integers(1, 4))
@settings(max_examples=examples(150), deadline=None)
def test_the_first_points_are_those_of_enumeration(system, keep):
    # A preference of weight 0 only warns, it decides nothing.
    judged = [c.node for c in (*requirements_of(system), *(p for p in system.preferences if p.weight))]
    reach = 0
    for node in judged + [o.node for o in system.objectives]:
        reach |= system.graph.reach(node)
    # Points that differ only in what decides nothing are one.
    assume(reach == (1 << len(system.unknowns)) - 1)
    outcome = solve(system, keep=keep)
    if outcome.status != "solved":
        return
    expected = sorted(keys(system), key=cmp_to_key(order))[:keep]
    if outcome.feasible is None:  # ended early: only what was seen can be kept
        assert outcome.top[0] == expected[0][2]
    else:
        assert list(outcome.top) == [point for _, _, point in expected]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40))
@settings(max_examples=examples(150), deadline=None)
def test_the_front_is_what_nothing_dominates(pairs):
    graph = Graph()
    x = graph.unknown(0)
    first = graph.table(x, tuple(float(a) for a, _ in pairs))
    second = graph.table(x, tuple(float(b) for _, b in pairs))
    goals = (objective(first), objective(second, -1))
    holds = (compare(graph, "inside", x, "le", graph.const(100.0)),)
    system = System(graph, (discrete("x", range(len(pairs))),), holds, (), goals, goals)
    outcome = solve(system, keep=3)
    front = [pairs[int(point[0])] for point in outcome.front]
    expected = {(a, b) for a, b in pairs if not any((c, d) != (a, b) and c <= a and d >= b for c, d in pairs)}
    assert len(front) == len(expected) and set(front) == expected
    assert front == sorted(front)
