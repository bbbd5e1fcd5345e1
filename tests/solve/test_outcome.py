"""What an outcome says beside the point: counts, neighbours, flat objectives, limits."""

import math

import pytest
from hypothesis import given, settings

from llmplan.solve.passes import solve
from llmplan.system.graph import Graph
from llmplan.system.system import Condition, System
from tests.hanging import ends
from tests.solve.systems import SPAN, brute_force, compare, discrete, objective, systems
from tests.thorough import examples


def whole_nodes(gpus=range(8, 1025, 8), days=200.0):
    """Fewest GPUs for a deadline, over GPUs and how they are split."""
    graph = Graph()
    n, split = graph.unknown(0), graph.unknown(1)
    time = graph.add("div", graph.const(100_000.0), graph.add("mul", n, graph.add("pow", split, graph.const(-0.1))))
    conditions = (
        compare(graph, "deadline", time, "le", graph.const(days)),
        Condition("split", graph.add("whole", graph.add("div", n, split)), "library", None, None, "", None, SPAN),
    )
    unknowns = (discrete("gpus", gpus), discrete("split", [1, 2, 4, 8, 16], asked=False))
    return System(graph, unknowns, conditions, (), (objective(n), objective(time)))


def test_the_neighbours_of_the_unknown_that_is_minimised():
    outcome = solve(whole_nodes())
    assert outcome.point == {0: 504.0, 1: 1.0}
    beside = outcome.neighbours[0]
    assert beside.below is None
    assert beside.above.value == 512.0
    assert beside.above.point == {0: 512.0, 1: 1.0}
    assert 1 not in outcome.neighbours, "the library's own unknowns are not asked for"


@settings(max_examples=examples(150), deadline=None)
@given(systems())
def test_neighbours_are_the_next_feasible_values(system):
    _, _, feasible, _ = brute_force(system)
    outcome = solve(system)
    if not feasible:
        return
    assert outcome.status == "solved"
    for index, beside in outcome.neighbours.items():
        values = system.unknowns[index].values
        here = outcome.point[index]
        possible = {value for value in values if brute_force(at(system, index, value))[2]}
        below = max((value for value in possible if value < here), default=None)
        above = min((value for value in possible if value > here), default=None)
        assert (beside.below.value if beside.below else None) == below
        assert (beside.above.value if beside.above else None) == above
        for neighbour in (beside.below, beside.above):
            if neighbour is not None:
                _, key, _, _ = brute_force(at(system, index, neighbour.value))
                mine = brute_force(everywhere(system, neighbour.point))[1]
                assert mine == pytest.approx(key, rel=1e-8)


def at(system, index, value):
    unknowns = list(system.unknowns)
    unknowns[index] = discrete(unknowns[index].path, [value], unknowns[index].allowed)
    return System(system.graph, tuple(unknowns), system.conditions, system.preferences, system.objectives)


def everywhere(system, point):
    for index, value in point.items():
        system = at(system, index, value)
    return system


def big(objective_node=None, size=100_000):
    graph = Graph()
    nodes = [graph.unknown(i) for i in range(3)]
    total = graph.add("add", graph.add("add", *nodes[:2]), nodes[2])
    condition = compare(graph, "enough", total, "ge", graph.const(10.0))
    unknowns = tuple(discrete(f"u{i}", range(size)) for i in range(3))
    goal = objective(total if objective_node is None else nodes[objective_node])
    return System(graph, unknowns, (condition,), (), (goal,))


@pytest.mark.slow
def test_too_many_combinations_are_refused_at_once():
    with ends():
        outcome = solve(big())
    assert outcome.status == "error"
    (diagnostic,) = outcome.diagnostics
    assert diagnostic.code == "E0404"
    assert diagnostic.message == "3 unknowns span 1e15 combinations; the limit is 1e8"
    assert diagnostic.notes == ("u0 100,000, u1 100,000, u2 100,000",)


def test_the_limit_is_one_of_points_looked_at():
    system = whole_nodes(range(8, 80_001, 8), 1000.0)
    assert solve(system, limit=1000).status == "error"
    assert solve(system, limit=100_000).status == "solved"


def test_a_search_that_ends_early_need_not_fit_the_limit():
    graph = Graph()
    n, m = graph.unknown(0), graph.unknown(1)
    condition = compare(graph, "enough", graph.add("mul", n, m), "ge", graph.const(5000.0))
    unknowns = (discrete("n", range(1, 10_001)), discrete("m", range(1, 10_001)))
    outcome = solve(System(graph, unknowns, (condition,), (), (objective(n), objective(m))), limit=10**6)
    assert outcome.point == {0: 1.0, 1: 5000.0}
    assert outcome.considered == 10**8
    assert outcome.feasible is None
    assert outcome.neighbours[0].above.value == 2.0


def test_preferences_come_before_the_objectives_even_where_the_search_could_end_early():
    graph = Graph()
    n, m = graph.unknown(0), graph.unknown(1)
    prefer = compare(graph, "many", n, "ge", graph.const(900.0), weight=2.0)
    unknowns = (discrete("n", range(1, 1001)), discrete("m", range(1, 1001)))
    system = System(graph, unknowns, (compare(graph, "c", m, "ge", n),), (prefer,), (objective(n), objective(m)))
    assert solve(system).point == {0: 900.0, 1: 900.0}


def test_a_flat_objective_is_said():
    graph = Graph()
    n = graph.unknown(0)
    flat = graph.add("min", n, graph.const(1.0))
    system = System(graph, (discrete("n", [4, 2, 8]),), (), (), (objective(flat), objective(flat, author=False)))
    outcome = solve(system)
    assert outcome.point == {0: 4.0}, "ties are broken by the order of the domain"
    assert outcome.flat == (0, 1)
    assert [d.code for d in outcome.diagnostics] == ["W0604"]


def test_an_objective_without_a_value_makes_a_point_infeasible_if_it_is_the_author_s():
    graph = Graph()
    n = graph.unknown(0)
    root = graph.add("sqrt", graph.add("sub", n, graph.const(3.0)))
    unknowns = (discrete("n", [1, 2, 3, 4]),)
    assert solve(System(graph, unknowns, (), (), (objective(root, -1),))).point == {0: 4.0}
    only = (discrete("n", [1, 2]),)
    assert solve(System(graph, only, (), (), (objective(root),))).status == "infeasible"
    assert solve(System(graph, only, (), (), (objective(root, author=False),))).point == {0: 1.0}


def test_without_unknowns_the_conditions_decide():
    graph = Graph()
    holds = compare(graph, "c", graph.const(1.0), "le", graph.const(2.0))
    fails = compare(graph, "d", graph.const(3.0), "le", graph.const(2.0))
    assert solve(System(graph, (), (holds,), (), ())).status == "solved"
    outcome = solve(System(graph, (), (holds, fails), (), ()))
    assert outcome.status == "infeasible"
    assert outcome.conflict.smallest == (1,)
    assert outcome.point == {}


def test_a_domain_that_depends_on_another_unknown():
    graph = Graph()
    n = graph.unknown(0)
    divides = graph.add("eq", graph.add("mod", graph.const(12.0), n), graph.const(0.0))
    unknowns = (discrete("n", [5, 4, 3], allowed=divides),)
    assert solve(System(graph, unknowns, (), (), ())).point == {0: 4.0}
    none = solve(System(graph, (discrete("n", [5, 7], allowed=divides),), (), (), ()))
    assert none.requirements[none.conflict.smallest[0]].origin == "domain"


def test_infinities_and_nothing():
    graph = Graph()
    n = graph.unknown(0)
    huge = graph.add("mul", graph.add("exp", n), graph.const(1e300))
    condition = compare(graph, "c", huge, "le", graph.const(5.0))
    outcome = solve(System(graph, (discrete("n", [1, 100, 500, 1000]),), (condition,), (), (objective(huge),)))
    assert outcome.status == "infeasible"
    assert all(math.isfinite(value) for value in outcome.point.values())
    undefined = graph.add("div", n, graph.add("sub", n, n))
    nothing = compare(graph, "c", undefined, "le", graph.const(5.0))
    assert solve(System(graph, (discrete("n", [1, 2]),), (nothing,), (), ())).status == "infeasible"
