"""The search against trying every point in plain Python."""

from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmplan.solve.discrete.grid import GridEvaluator
from llmplan.solve.discrete.search import axes_of, search
from llmplan.solve.effort import Budget, Effort, OverLimit
from llmplan.solve.passes import requirements_of, solve
from llmplan.system.graph import Graph
from llmplan.system.system import System
from tests.solve.systems import brute_force, compare, discrete, systems
from tests.thorough import examples


def same_costs(mine, theirs):
    return all(a == b or abs(a - b) <= 1e-8 * max(abs(a), abs(b)) for a, b in zip(mine, theirs))


@settings(max_examples=examples(300), deadline=None)
@given(systems())
def test_solve_agrees_with_brute_force(system):
    best, key, feasible, _ = brute_force(system)
    outcome = solve(system)
    if best is None:
        assert outcome.status == "infeasible"
        return
    assert outcome.status == "solved"
    assert outcome.feasible in (None, feasible)
    _, found_key, _, _ = brute_force(fixed(system, outcome.point))
    assert found_key is not None, "the point violates a requirement"
    assert same_costs(found_key, key)


def fixed(system, point):
    """The system with every unknown held at a point."""
    unknowns = tuple(discrete(unknown.path, [point[i]], unknown.allowed) for i, unknown in enumerate(system.unknowns))
    return System(system.graph, unknowns, system.conditions, system.preferences, system.objectives)


@settings(max_examples=examples(300), deadline=None)
@given(systems(), st.sampled_from([1, 2, 5, 20]), st.sampled_from([1, 3, 20, 500]))
def test_the_size_of_blocks_and_parts_changes_nothing(system, cells, portion):
    required = requirements_of(system)
    large, small = search(system, required), search(system, required, cells=cells, portion=portion)
    assert bool(large.top) == bool(small.top)
    if large.top:
        assert same_costs(large.top[0].costs, small.top[0].costs)
    if large.complete and small.complete:
        assert large.feasible == small.feasible
        assert [p.places for p in large.top] == [p.places for p in small.top]
        assert {u: list(p) for u, p in large.seen.items()} == {u: list(p) for u, p in small.seen.items()}


def test_the_budget_ends_a_search_in_which_nothing_passes():
    graph = Graph()
    x, y = graph.unknown(0), graph.unknown(1)
    negative = compare(graph, "negative", graph.add("mul", x, y), "lt", graph.const(0.0))
    system = System(graph, (discrete("x", range(1, 9)), discrete("y", range(1, 9))), (negative,), (), ())
    assert search(system, [negative], cells=4).top == []
    whole = Budget(1e6)
    with pytest.raises(OverLimit):
        search(system, [negative], effort=Effort(budget=Budget(1.0, whole)), cells=4)
    assert 0 < 1e6 - whole.left < 1e5  # what was done is paid for, and it ended there
    assert search(system, [negative], effort=Effort(budget=whole), cells=4).top == []


@given(systems(), st.sampled_from([1, 5, 20]), st.sampled_from([1, 3, 20, 500]))
@pytest.mark.slow
def test_the_parts_are_all_there_is_once_and_in_order(system, cells, portion):
    axes = [axis for axis in axes_of(system, {}) if len(axis.values) > 1]
    sweep = GridEvaluator(system.graph, axes, (), [system.graph.unknown(axis.unknown) for axis in axes], None, cells)
    parts = sweep.parts(portion)

    def points(fixed, run):
        return [
            place
            for block in sweep.blocks(fixed, run)
            for place in zip(*(block.positions(k).tolist() for k in range(len(sweep.axes))))
        ]

    found = [point for part in map(parts.__getitem__, range(len(parts))) for point in points(part.fixed, part.run)]
    assert found == points((), sweep.slices)
    assert len(set(found)) == len(found) == prod(len(axis.values) for axis in axes)
    for step in range(len(sweep.slices) + 1):
        assert parts.before(step) == sum(parts[number].first < step for number in range(len(parts)))
