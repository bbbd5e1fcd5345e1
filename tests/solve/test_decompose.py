"""What has nothing to do with a continuous unknown is searched apart, and nothing is found that a search of the whole
does not find.
"""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from llmplan.solve import dispatch
from llmplan.solve.continuous.scan import LineScan
from llmplan.solve.decompose import halves
from llmplan.solve.diagnose.conflict import line_failures
from llmplan.solve.order import prefers
from llmplan.solve.passes import requirements_of, solve
from llmplan.system.graph import Graph
from llmplan.system.system import System
from tests.solve.systems import compare, continuous, discrete, objective, systems
from tests.thorough import examples

TWO = systems(st.integers(1, 2), 4)


def beside(one, other, order):
    """A system that asks what two systems ask, each of its own unknowns, with their objectives in some order."""
    graph, first = one.graph, len(one.unknowns)
    moved = []
    for node in other.graph.nodes:
        args = [moved[arg] for arg in node.args]
        if node.op == "const":
            moved.append(graph.const(node.value))
        elif node.op == "unknown":
            moved.append(graph.unknown(first + int(node.value)))
        else:
            moved.append(graph.tabled(node.op, tuple(args), node.table) if node.table else graph.add(node.op, *args))

    def shifted(condition):
        sides = (None if side is None else moved[side] for side in (condition.left, condition.right))
        left, right = sides
        return evolve(condition, name=f"other {condition.name}", node=moved[condition.node], left=left, right=right)

    unknowns = [u if u.allowed is None else evolve(u, allowed=moved[u.allowed]) for u in other.unknowns]
    objectives = [*one.objectives, *(evolve(o, node=moved[o.node]) for o in other.objectives)]
    return System(
        graph,
        (*one.unknowns, *unknowns),
        (*one.conditions, *map(shifted, other.conditions)),
        (*one.preferences, *map(shifted, other.preferences)),
        tuple(objectives[place] for place in order if place < len(objectives)),
    )


@pytest.mark.slow
@settings(max_examples=examples(150, 0.2), phases=[Phase.generate])
@given(TWO, TWO, st.permutations(range(6)), st.integers(1, 4), st.sampled_from([0.0, 0.5]))
def test_the_parts_together_are_the_whole(one, other, order, keep, low):
    one = evolve(one, unknowns=(continuous("x", low, low + 7.5), *one.unknowns[1:]))
    system = beside(one, other, order)
    required = requirements_of(system)
    assume(halves(system, required, 0) is not None)
    whole, parts = LineScan(system, required, 0).scan(keep), dispatch.find(system, required, 0, keep=keep)
    assert len(whole.top) == len(parts.top)
    for mine, theirs in zip(parts.top, whole.top):
        assert prefers(mine.costs, theirs.costs) is None
        assert mine.intervals == theirs.intervals
    if whole.top:
        assert parts.top[0].places == whole.top[0].places
        assert parts.feasible == whole.feasible
        assert {u: seen.tolist() for u, seen in parts.seen.items()} == {
            u: seen.tolist() for u, seen in whole.seen.items()
        }
        assert np.allclose(parts.spread, whole.spread, equal_nan=True)
        return
    mine, theirs = (
        dispatch.diagnose(system, required, 0, dispatch.ENDLESS),
        line_failures(system, required, 0).conflict(system, required),
    )
    assert mine.impossible == theirs.impossible
    assert mine.smallest == theirs.smallest
    assert len(mine.violated) == len(theirs.violated)


def test_the_trade_offs_of_one_part_stand_beside_the_best_of_the_other():
    graph = Graph()
    x, n, m = graph.unknown(0), graph.unknown(1), graph.unknown(2)
    goals = (objective(n), objective(graph.add("div", graph.const(12.0), n)), objective(x, -1))
    unknowns = (continuous("x", 0, 3), discrete("n", [1, 2, 3]), discrete("m", [5, 4]))
    holds = (compare(graph, "most", x, "le", graph.const(2.0)), compare(graph, "m", m, "lt", graph.const(5.0)))
    outcome = solve(System(graph, unknowns, holds, (), goals, goals[:2]), keep=2)
    assert [(point[1], point[2]) for point in outcome.front] == [(1.0, 4.0), (2.0, 4.0), (3.0, 4.0)]
    assert [point[0] for point in outcome.front] == pytest.approx([2.0] * 3)
    assert outcome.feasible == 3
    mixed = (goals[0], goals[2])
    assert halves(System(graph, unknowns, holds, (), goals, mixed), holds, 0) is None


def test_what_a_continuous_unknown_has_to_do_with_stays_with_it():
    graph = Graph()
    x, n, m = (graph.unknown(i) for i in range(3))
    holds = (
        compare(graph, "both", graph.add("mul", x, n), "le", graph.const(6.0)),
        compare(graph, "own", m, "ge", graph.const(2.0)),
    )
    unknowns = (continuous("x", 1, 5), discrete("n", [1, 2, 3]), discrete("m", [1, 2]))
    parts = halves(System(graph, unknowns, holds, (), ()), holds, 0)
    assert (parts.mine, parts.others) == (0b011, 0b100)
    joined = (*holds, compare(graph, "all", n, "le", m))
    assert halves(System(graph, unknowns, joined, (), ()), joined, 0) is None


def test_a_grid_of_layouts_costs_nothing_along_an_unknown_of_its_own():
    graph = Graph()
    x = graph.unknown(0)
    sides = [graph.unknown(i) for i in range(1, 5)]
    product = graph.const(1.0)
    for side in sides:
        product = graph.add("mul", product, side)
    holds = (
        compare(graph, "x", x, "ge", graph.const(0.25)),
        compare(graph, "product", product, "ge", graph.const(3.9e5)),
    )
    unknowns = (continuous("x", 0, 1), *(discrete(f"n{i}", range(1, 26)) for i in range(4)))
    system = System(graph, unknowns, holds, (), (objective(product), objective(x)))
    assert dispatch.points(system, holds, 0) == pytest.approx(25**4, abs=5000)
    outcome = solve(system, limit=10**6)  # with the points along `x` it would be over the limit
    assert outcome.status == "solved"
    assert outcome.point[0] == 0.25
    assert outcome.feasible == 1


def test_of_two_parts_without_a_point_the_smaller_conflict_is_named():
    graph = Graph()
    x, n = graph.unknown(0), graph.unknown(1)
    holds = (
        compare(graph, "more", x, "ge", graph.const(3.0)),
        compare(graph, "less", x, "le", graph.const(2.0)),
        compare(graph, "never", n, "ge", graph.const(9.0)),
    )
    outcome = solve(System(graph, (continuous("x", 1, 5), discrete("n", [1, 2])), holds, (), ()))
    assert outcome.status == "infeasible"
    assert outcome.conflict.smallest == (2,)
    assert len(outcome.conflict.violated) == 2
    assert outcome.point[1] == 2.0
