"""Beside one continuous unknown: the next best settings, trade-offs, neighbours and flat objectives."""

from __future__ import annotations

import math
from itertools import product

import pytest
from attrs import evolve
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from llmplan.solve.passes import requirements_of, solve
from llmplan.system.evaluate import evaluate
from llmplan.system.graph import Graph
from llmplan.system.system import System
from tests.solve.systems import compare, continuous, discrete, objective, systems
from tests.thorough import examples


def key(system, point):
    values = evaluate(system.graph, point, range(len(system.graph)))
    score = sum(p.weight for p in system.preferences if values[p.node] == 1.0)
    costs = [values[o.node] * o.sense for o in system.objectives]
    return [-score, *(math.inf if math.isnan(cost) else cost for cost in costs)]


def not_worse(one, other):
    for a, b in zip(one, other):
        if a != b and not abs(a - b) <= 1e-7 * max(abs(a), abs(b)) < math.inf:
            return a < b
    return True


def settled(system, open_):
    """By values of the discrete unknowns the outcome with these fixed, where that is feasible."""
    others = [i for i in range(len(system.unknowns)) if i != open_]
    found = {}
    for values in product(*(system.unknowns[i].values for i in others)):
        unknowns = list(system.unknowns)
        for index, value in zip(others, values):
            unknowns[index] = evolve(unknowns[index], values=(value,))
        outcome = solve(evolve(system, unknowns=tuple(unknowns)))
        if outcome.status == "solved":
            found[values] = outcome
    return found


@settings(max_examples=examples(60), phases=[Phase.generate])
@given(
    systems(st.integers(2, 3), 4), st.integers(1, 4), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([1.0, 7.5, 1e3])
)
@pytest.mark.slow
def test_the_first_settings_and_the_neighbours_are_those_of_enumeration(made, keep, low, width):
    system = evolve(made, unknowns=(continuous("x", low, low + width), *made.unknowns[1:]))
    judged = [c.node for c in (*requirements_of(system), *(p for p in system.preferences if p.weight))]
    reach = 0
    for node in judged + [o.node for o in system.objectives]:
        reach |= system.graph.reach(node)
    # Settings that differ only in what decides nothing are one.
    assume(reach == (1 << len(system.unknowns)) - 1)
    outcome = solve(system, keep=keep)
    expected = settled(system, 0)
    assert (outcome.status == "solved") == bool(expected)
    if not expected:
        return
    assert outcome.feasible == len(expected)
    assert len(outcome.top) == min(keep, len(expected))
    chosen = [tuple(point[i] for i in range(1, len(system.unknowns))) for point in outcome.top]
    assert len(set(chosen)) == len(chosen)
    keys = [key(system, point) for point in outcome.top]
    for values, one in expected.items():
        mine = key(system, one.point)
        if values in chosen:
            assert not_worse(keys[chosen.index(values)], mine)
        else:
            assert not_worse(keys[-1], mine)
    for index, beside in outcome.neighbours.items():
        works = {values[index - 1] for values in expected}
        here = outcome.point[index]
        below, above = [v for v in works if v < here], [v for v in works if v > here]
        assert (beside.below.value if beside.below else None) == max(below, default=None)
        assert (beside.above.value if beside.above else None) == min(above, default=None)
        for side in (beside.below, beside.above):
            if side is not None:
                assert all(evaluate(system.graph, side.point, judged)[c.node] == 1.0 for c in outcome.requirements)


@settings(max_examples=examples(40), phases=[Phase.generate])
@given(
    st.lists(st.tuples(st.floats(0.5, 5), st.floats(0.5, 5)), min_size=1, max_size=4),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.floats(2, 50),
)
def test_the_front_along_a_continuous_unknown(pairs, power, bound):
    """Costs `a x` and `b / x^power` of several settings, `x` up to a bound: nothing beats the front."""
    graph = Graph()
    x, n = graph.unknown(0), graph.unknown(1)
    first = graph.add("mul", graph.table(n, tuple(a for a, _ in pairs)), x)
    second = graph.add("div", graph.table(n, tuple(b for _, b in pairs)), graph.add("pow", x, graph.const(power)))
    goals = (objective(first), objective(second))
    holds = (compare(graph, "bound", first, "le", graph.const(bound)),)
    unknowns = (continuous("x", 0.1, 100), discrete("n", range(len(pairs))))
    outcome = solve(System(graph, unknowns, holds, (), goals, goals), keep=3)
    front = [evaluate(graph, point, (first, second, holds[0].node)) for point in outcome.front]
    assert all(values[holds[0].node] == 1.0 for values in front)
    front = [(values[first], values[second]) for values in front]
    assert front == sorted(front)
    assert [b for _, b in front] == sorted((b for _, b in front), reverse=True)
    for (a, b), k in product(pairs, range(200)):
        at = 0.1 * 1000 ** (k / 199)
        if a * at <= bound:
            # The points of the front lie as densely as those of the grid.
            assert any(c <= a * at * 1.2 and d <= b / at**power * 1.2 for c, d in front)
    # The ends of the front are exact.
    assert front[0][0] == pytest.approx(min(a for a, _ in pairs) * 0.1)
    assert front[-1][1] == pytest.approx(min(b / min(100, bound / a) ** power for a, b in pairs), rel=1e-6)


def test_an_objective_that_decides_nothing_is_said():
    graph = Graph()
    x, n = graph.unknown(0), graph.unknown(1)
    flat = graph.add("select", graph.add("le", x, graph.const(9.0)), graph.const(1.0), graph.const(2.0))
    bound = compare(graph, "bound", graph.add("mul", x, n), "le", graph.const(6.0))
    unknowns = (continuous("x", 1, 5), discrete("n", [1, 2, 3]))
    outcome = solve(System(graph, unknowns, (bound,), (), (objective(flat), objective(x, -1))))
    assert outcome.point == {0: 5.0, 1: 1.0}
    assert outcome.flat == (0,)
    assert [d.code for d in outcome.diagnostics] == ["W0604"]
    only = compare(graph, "only", x, "eq", graph.const(2.0))
    alone = System(graph, (unknowns[0], discrete("n", [2])), (bound, only), (), (objective(flat),))
    assert solve(alone).diagnostics == ()


def test_points_of_a_reduced_system_have_all_their_values():
    graph = Graph()
    x, y, n = graph.unknown(0), graph.unknown(1), graph.unknown(2)
    twice = compare(graph, "twice", y, "eq", graph.add("mul", n, x))
    most = compare(graph, "most", y, "le", graph.const(12.0))
    unknowns = (continuous("x", 1, 10), continuous("y", 0, 100), discrete("n", [1, 2, 3]))
    goals = (objective(x, -1), objective(n))
    outcome = solve(System(graph, unknowns, (twice, most), (), goals, goals), keep=3)
    assert [(point[0], point[1], point[2]) for point in outcome.top] == [
        (pytest.approx(10), pytest.approx(10), 1),
        (pytest.approx(6), pytest.approx(12), 2),
        (pytest.approx(4), pytest.approx(12), 3),
    ]
    assert outcome.neighbours[2].above.point == {0: pytest.approx(6), 1: pytest.approx(12), 2: 2}
    assert all(point[1] == pytest.approx(point[0] * point[2]) for point in outcome.front)
