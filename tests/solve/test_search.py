"""The search against trying every point in plain Python."""

from hypothesis import given, settings
from hypothesis import strategies as st

from llmplan.solve.search import search
from llmplan.solve.solve import requirements_of, solve
from llmplan.system.system import System
from tests.solve.systems import brute_force, discrete, systems


def same_costs(mine, theirs):
    return all(a == b or abs(a - b) <= 1e-8 * max(abs(a), abs(b)) for a, b in zip(mine, theirs))


@settings(max_examples=300, deadline=None)
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
    unknowns = tuple(
        discrete(unknown.path, [point[i]], unknown.allowed) for i, unknown in enumerate(system.unknowns)
    )
    return System(system.graph, unknowns, system.conditions, system.preferences, system.objectives)


@settings(max_examples=300, deadline=None)
@given(systems(), st.sampled_from([1, 2, 5, 20]))
def test_the_size_of_the_blocks_changes_nothing(system, cells):
    required = requirements_of(system)
    large, small = search(system, required), search(system, required, cells=cells)
    assert (large.best is None) == (small.best is None)
    if large.best is not None:
        assert same_costs([large.best.score, *large.best.costs], [small.best.score, *small.best.costs])
    if large.complete and small.complete:
        assert large.feasible == small.feasible
        assert large.best is None or large.best.places == small.best.places
        assert {u: list(p) for u, p in large.seen.items()} == {u: list(p) for u, p in small.seen.items()}
