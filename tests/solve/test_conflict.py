"""Conflict sets, counts and the nearest point against enumeration."""

import math
from itertools import combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from llmplan.solve.diagnose.conflict import smallest_conflict
from llmplan.solve.passes import requirements_of, solve
from llmplan.solve.presolve.eliminate import reduce
from llmplan.system.evaluate import evaluate
from llmplan.system.graph import Graph
from llmplan.system.system import System
from tests.solve.systems import brute_force, compare, discrete, objective, points, systems
from tests.thorough import examples


def conflicting(conditions, failing):
    return all(failed & conditions for failed in failing)


def violation(system, requirements, point):
    """The sum of the distances between the sides of what fails, relative to the larger side, at most 1 each."""
    sides = [side for c in requirements for side in (c.left, c.right) if side is not None]
    values = evaluate(system.graph, point, [*sides, *(c.node for c in requirements)])
    total = 0.0
    for c in requirements:
        left, right = (math.nan if side is None else values[side] for side in (c.left, c.right))
        larger = max(abs(left), abs(right))
        apart = abs(left - right) / larger if 0.0 < larger < math.inf else 1.0
        total += min(1.0, apart) * (values[c.node] != 1.0)
    return total


@settings(max_examples=examples(300), deadline=None)
@given(systems())
@pytest.mark.slow
def test_diagnosis_of_random_systems(system):
    # What a domain of one value defines is no candidate of its own.
    assume(not reduce(system, requirements_of(system)).defined)
    _, _, feasible, failing = brute_force(system)
    outcome = solve(system)
    if feasible:
        assert outcome.conflict is None
        return
    conflict = outcome.conflict
    smallest = set(conflict.smallest)
    assert conflicting(smallest, failing)
    assert all(not conflicting(smallest - {one}, failing) for one in smallest)
    everything = range(len(outcome.requirements))
    for size in range(1, min(len(smallest), 4)):
        assert not any(conflicting(set(some), failing) for some in combinations(everything, size))
    assert set(conflict.impossible) == {i for i in everything if all(i in failed for failed in failing)}
    fewest = min(map(len, failing))
    assert len(conflict.violated) == fewest
    apart = [
        violation(system, outcome.requirements, point)
        for (_, point), failed in zip(points(system), failing)
        if len(failed) == fewest
    ]
    assert violation(system, outcome.requirements, outcome.point) <= min(apart) * (1 + 1e-8)


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.integers(1, 2**70 - 1), min_size=1, max_size=12))
def test_more_conditions_than_a_machine_word_has_bits(patterns):
    graph = Graph()
    conditions = [compare(graph, f"c{i}", graph.const(i), "le", graph.unknown(0)) for i in range(70)]
    found = smallest_conflict(conditions, patterns)
    failing = [{i for i in range(70) if pattern >> i & 1} for pattern in patterns]
    assert conflicting(set(found), failing)
    assert all(not conflicting(set(found) - {one}, failing) for one in found)


def test_seventy_conditions_are_told_apart():
    graph = Graph()
    x = graph.unknown(0)
    conditions = [compare(graph, f"c{i}", x, "ne", graph.const(i)) for i in range(70)]
    conditions.append(compare(graph, "small", x, "le", graph.const(0.5)))
    system = System(graph, (discrete("x", range(70)),), tuple(conditions), (), ())
    conflict = solve(system).conflict
    assert conflict.smallest == (0, 70)
    assert conflict.impossible == ()


def deadline_and_budget(days, budget):
    """Time falls and cost stays as GPUs are added; both are limited."""
    graph = Graph()
    gpus = graph.unknown(0)
    work = graph.const(6000.0)
    time = graph.add("div", work, gpus)
    cost = graph.add("mul", gpus, graph.const(2.0))
    conditions = (
        compare(graph, "deadline", time, "le", graph.const(days)),
        compare(graph, "budget", cost, "le", graph.const(budget)),
        compare(graph, "some", gpus, "ge", graph.const(8.0), origin="library"),
    )
    return System(graph, (discrete("gpus", range(8, 513, 8)),), conditions, (), (objective(gpus),))


def test_the_requirements_that_fight_are_named_and_the_nearest_plan_is_near():
    outcome = solve(deadline_and_budget(30, 300))
    assert outcome.status == "infeasible"
    assert outcome.conflict.smallest == (0, 1)
    # 144 GPUs cost 288 and take 41.7 days, 200 take 30 and cost 400: 28% over each way.
    # Of the points that break one requirement, 152 (304 and 39.5) breaks two.
    assert outcome.point == {0: 200.0}
    assert outcome.conflict.violated == (1,)


def test_a_requirement_that_nothing_meets_is_the_conflict():
    outcome = solve(deadline_and_budget(1, 300))
    assert outcome.conflict.impossible == (0,)
    assert outcome.conflict.smallest == (0,)
