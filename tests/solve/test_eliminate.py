"""Equations that define an unknown by others, so that systems of two equations can be solved."""

from __future__ import annotations

import math
from itertools import pairwise, product

import pytest
from attrs import evolve
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from llmplan.solve.dispatch import best_point
from llmplan.solve.effort import Effort
from llmplan.solve.nearest import with_values
from llmplan.solve.passes import requirements_of, solve
from llmplan.solve.presolve.eliminate import open_unknowns, reduce
from llmplan.system.evaluate import evaluate
from llmplan.system.graph import Graph
from llmplan.system.intervals import directions
from llmplan.system.system import System
from tests.solve.systems import compare, continuous, discrete, objective, systems

OPTIMAL = """model {{ params = ? in 100M..1T }}
dataset.tokens = ? in 1B..100T
hardware {{
    gpu = "H100-SXM5-80GB"
    gpus = 64
}}
assume mfu = 40%
require optimal: {optimal}
require budget: time == 2 weeks
"""


@pytest.mark.parametrize(
    "optimal",
    [
        "dataset.tokens == 20 tokens/parameter * model.params",
        "dataset.tokens / model.params == 20 tokens/parameter",
        "20 tokens/parameter * model.params == dataset.tokens",
    ],
)
def test_the_compute_optimal_model_of_a_budget(plans, optimal):
    solution = plans.solve(OPTIMAL.format(optimal=optimal))
    assert solution.status == "solved"
    params, tokens = (solution.values[name].value for name in ("model.params", "dataset.tokens"))
    flops = 64 * 989.4e12 * 0.4 * 14 * 86400
    assert params == pytest.approx(math.sqrt(flops / (6 * 20)), rel=2e-3)
    assert tokens == pytest.approx(20 * params, rel=1e-9)
    assert solution.values["time"].value == pytest.approx(14 * 86400, rel=1e-9)
    assert {unknown.how for unknown in solution.unknowns} == {"closed form"}


def test_an_infeasible_system_of_two_names_what_fights(plans, no_advice):
    text = OPTIMAL.format(optimal="dataset.tokens == 20 tokens/parameter * model.params")
    solution = plans.solve(text + "require large: model.params >= 100B\n")
    assert solution.status == "infeasible"
    (found,) = (d for d in solution.diagnostics if d.code == "E0402")
    assert "large" in found.message or any("large" in other.text for other in found.others)


def test_the_domain_of_an_eliminated_unknown_still_holds():
    graph = Graph()
    x, y = graph.unknown(0), graph.unknown(1)
    twice = compare(graph, "twice", y, "eq", graph.add("mul", graph.const(2.0), x))
    system = System(graph, (continuous("x", 0, 10), continuous("y", 0, 8)), (twice,), (), (objective(x, -1),))
    outcome = solve(system)
    assert outcome.status == "solved"
    assert outcome.point[0] == pytest.approx(4.0) and outcome.point[1] == pytest.approx(8.0)


def test_a_guarded_equation_defines_nothing():
    graph = Graph()
    x, y, z = graph.unknown(0), graph.unknown(1), graph.unknown(2)
    equal = compare(graph, "equal", x, "eq", y)
    guard = graph.add("or", graph.add("eq", z, graph.const(0.0)), equal.node)
    guarded = compare(graph, "equal", x, "eq", y)
    guarded = type(guarded)(guarded.name, guard, "plan", x, y, "eq", None, guarded.span)
    unknowns = (continuous("x", 0, 1), continuous("y", 0, 1), discrete("z", [0, 1]))
    outcome = solve(System(graph, unknowns, (guarded,), (), ()))
    assert outcome.status == "error" and outcome.diagnostics[0].code == "E0405"


@given(
    st.lists(st.sampled_from(("add", "sub", "bus", "mul", "div", "vid", "neg", "sqrt", "ln", "exp")), max_size=5),
    st.floats(0.5, 4.0),
    st.floats(0.5, 3.0),
)
@settings(max_examples=150, deadline=None)
def test_operations_are_undone(operations, value, number):
    """y stands under a chain of operations that equals a function of x; the reduced system knows y."""
    graph = Graph()
    x, y, c = graph.unknown(0), graph.unknown(1), graph.const(number)
    side = y
    for op in operations:
        if op in ("bus", "vid"):
            side = graph.add(op[::-1], c, side)
        else:
            side = graph.add(op, side) if op in ("neg", "sqrt", "ln", "exp") else graph.add(op, side, c)
    start = evaluate(graph, {1: value}, (side,))[side]
    assume(math.isfinite(start) and abs(start) < 1e12)
    equation = compare(graph, "equation", side, "eq", graph.add("mul", x, graph.const(start)))
    unknowns = (continuous("x", 0.1, 10), continuous("y", 0.1, 100))
    system = System(graph, unknowns, (equation,), (), ())
    reduced = reduce(system, requirements_of(system))
    assert len(open_unknowns(reduced.system, reduced.requirements)) == 1
    (definition,) = reduced.defined
    if definition.unknown == 1:
        assert reduced.complete({0: 1.0})[1] == pytest.approx(value, rel=1e-6)


def test_a_domain_of_one_value_defines_a_discrete_unknown():
    graph = Graph()
    gpus, nodes = graph.unknown(0), graph.unknown(1)
    whole = graph.add("ceil", graph.add("div", gpus, graph.const(8.0)))
    unknowns = (discrete("gpus", range(1, 65)), discrete("nodes", range(1, 9), graph.add("eq", nodes, whole)))
    many = compare(graph, "many", gpus, "ge", graph.const(30.0))
    few = compare(graph, "few", nodes, "le", graph.const(4.0))
    system = System(graph, unknowns, (many, few), (), (objective(nodes), objective(gpus, -1)))
    outcome = solve(system)
    assert outcome.point == {0: 32.0, 1: 4.0}
    assert outcome.how[1] == "search"
    assert (outcome.considered, outcome.feasible) == (64, 3)
    assert outcome.neighbours[0].below.point == {0: 31.0, 1: 4.0}
    less = compare(graph, "less", nodes, "le", graph.const(3.0))
    nearest = solve(System(graph, unknowns, (many, less), (), (objective(nodes),)))
    assert nearest.status == "infeasible" and nearest.point[1] == math.ceil(nearest.point[0] / 8)
    tried = with_values(system, 1, (4.0,))
    assert best_point(tried, requirements_of(tried), Effort(10**6)) == {0: 32.0, 1: 4.0}
    assert best_point(with_values(system, 1, (3.0,)), requirements_of(system), Effort(10**6)) is None


def equal_domain(values, second):
    """Two unknowns: the first has some values, of which its domain allows that of the second."""
    graph = Graph()
    equal = graph.add("eq", graph.unknown(0), graph.unknown(1))
    return System(graph, (discrete("n", values, equal), second), (), (), ())


def test_a_definition_outside_of_its_domain_is_violated_at_the_nearest_point():
    # Nothing but -3 for the one, nothing but 0 for the other: no point meets the domain.
    system = equal_domain([0], continuous("x", -3, -3))
    outcome = solve(system)
    assert outcome.status == "infeasible"
    (domain,) = outcome.requirements
    assert evaluate(system.graph, outcome.point, [domain.node])[domain.node] == 0.0
    assert outcome.conflict.violated == (0,)


def test_a_requirement_in_the_words_of_a_domain_is_not_the_domain():
    system = equal_domain([0], discrete("m", [1, 2]))
    x, y = (system.graph.unknown(number) for number in range(2))
    outcome = solve(evolve(system, conditions=(compare(system.graph, "same", x, "eq", y),)))
    assert outcome.status == "infeasible"
    assert [outcome.requirements[i].name for i in outcome.conflict.violated] == ["n"]


@settings(max_examples=60)
@given(
    st.sampled_from([0.5, 1.0, 2.0]),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.floats(0.1, 5),
    st.floats(0.5, 50),
    st.booleans(),
)
@pytest.mark.slow
def test_an_unknown_that_is_pushed_to_a_bound(p, q, factor, cap, upwards):
    """The most `x` with `y >= factor x^p` and `x y^q <= cap`; or its mirror image, `y` as large as it can be."""
    graph = Graph()
    x, y = graph.unknown(0), graph.unknown(1)
    bound = graph.add("mul", graph.const(factor), graph.add("pow", x, graph.const(p)))
    if upwards:
        work = graph.add("mul", x, graph.add("pow", y, graph.const(q)))
        conditions = (compare(graph, "enough", y, "ge", bound), compare(graph, "cap", work, "le", graph.const(cap)))
        goals = (objective(x, -1), objective(work))
    else:
        rest = graph.add("div", graph.const(cap), graph.add("pow", y, graph.const(q)))
        conditions = (compare(graph, "enough", y, "le", bound), compare(graph, "cap", x, "ge", rest))
        goals = (objective(x), objective(rest))
    unknowns = (continuous("x", 1e-3, 1e3), continuous("y", 1e-4, 1e6))
    outcome = solve(System(graph, unknowns, conditions, (), goals))
    assert outcome.status == "solved"
    # x (factor x^p)^q = cap
    expected = (cap / factor**q) ** (1 / (1 + p * q))
    assert outcome.point[0] == pytest.approx(expected, rel=1e-8)
    assert outcome.point[1] == pytest.approx(factor * expected**p, rel=1e-8)


def test_two_unknowns_of_which_each_is_pushed_to_the_bound(plans):
    text = "let a = ? in 10%..70%\nlet b = ? in 10%..70%\nrequire a * b >= 20%\nminimize a + b\n"
    solution = plans.solve(text)
    assert solution.values["a"].value == pytest.approx(math.sqrt(0.2), rel=1e-6)
    assert solution.values["b"].value == pytest.approx(math.sqrt(0.2), rel=1e-6)


@pytest.mark.parametrize(
    ("equation", "goal", "x", "y"),
    [("(x - 5) ^ 2 == y", "minimize x", 2.0, 9.0), ("sqrt(x) == y - 3", "minimize y", 0.0, 3.0)],
)
def test_a_power_that_is_undone_loses_no_solution_and_makes_none_up(plans, equation, goal, x, y):
    text = f"let x = ? in 0.0..10.0\nlet y = ? in 0.0..9.0\nrequire {equation}\n{goal}\n"
    solution = plans.solve(text)
    assert solution.status == "solved"
    assert solution.values["x"].value == pytest.approx(x) and solution.values["y"].value == pytest.approx(y)


def test_what_objectives_pull_both_ways_is_not_taken_for_its_bound():
    graph = Graph()
    x, y = graph.unknown(0), graph.unknown(1)
    enough = compare(graph, "enough", y, "ge", x)
    other = compare(graph, "other", graph.add("mul", x, y), "ge", graph.const(4.0))
    unknowns = (continuous("x", 1, 10), continuous("y", 1, 10))
    # Only `other` keeps x from falling, and y follows.
    solved = solve(System(graph, unknowns, (enough, other), (), (objective(x), objective(y))))
    assert solved.point == {0: pytest.approx(1), 1: pytest.approx(4)}
    ratio = graph.add("add", graph.add("div", x, y), graph.add("div", y, x))
    torn = System(graph, unknowns, (enough, other), (), (objective(ratio),))
    assert solve(torn).diagnostics[0].code == "E0405"


@settings(max_examples=150)
@given(systems(st.integers(2, 3)))
@pytest.mark.slow
def test_directions_hold(system):
    """Where a node is said to grow or to fall, no two values of the unknown say otherwise."""
    graph = system.graph
    roots = range(len(graph))
    found = directions(graph, roots, 0, system.unknowns)
    rest = [range(len(unknown.values)) for unknown in system.unknowns[1:]]
    for places in product(*rest):
        others = {i + 1: system.unknowns[i + 1].values[place] for i, place in enumerate(places)}
        along = [evaluate(graph, {0: x, **others}, roots) for x in sorted(system.unknowns[0].values)]
        for node in roots:
            if found[node] is not None:
                for low, high in pairwise(along):
                    change = high[node] - low[node]
                    assert math.isnan(change) or change * found[node] > 0 or abs(change) <= 1e-9 * abs(low[node])
