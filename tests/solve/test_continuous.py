"""One continuous unknown: roots, ends, optima, and what has no answer."""

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from llmplan.solve.continuous.scan import LineScan
from llmplan.solve.effort import Budget, Effort, OverLimit
from llmplan.solve.found import point_at
from llmplan.solve.passes import requirements_of, solve
from llmplan.system.evaluate import evaluate
from llmplan.system.graph import Graph
from llmplan.system.system import System
from tests.solve.systems import compare, continuous, discrete, objective, systems
from tests.thorough import examples


def system(graph, low, high, conditions=(), objectives=(), others=()):
    return System(graph, (continuous("x", low, high), *others), tuple(conditions), (), tuple(objectives))


def power(graph, x, coefficient, exponent):
    return graph.add("mul", graph.const(coefficient), graph.add("pow", x, graph.const(exponent)))


@settings(max_examples=examples(150), deadline=None)
@given(
    st.floats(1e-6, 1e12),
    st.sampled_from([-3.0, -1.0, -0.34, 0.5, 1.0, 2.0, 3.0]),
    st.floats(0.01, 0.99),
    st.sampled_from(["le", "ge", "eq"]),
    st.sampled_from([1, -1]),
)
def test_the_threshold_of_a_power(coefficient, exponent, place, op, sense):
    low, high = 1e-3, 1e9
    root = low * (high / low) ** place
    graph = Graph()
    x = graph.unknown(0)
    left = power(graph, x, coefficient, exponent)
    bound = graph.const(coefficient * root**exponent)
    outcome = solve(system(graph, low, high, [compare(graph, "c", left, op, bound)], [objective(x, sense)]))
    small = (op == "le") == (exponent > 0)
    expected = root if op == "eq" or small == (sense < 0) else low if sense > 0 else high
    assert outcome.status == "solved"
    assert outcome.point[0] == pytest.approx(expected, rel=3e-9)
    assert outcome.how[0] == ("closed form" if expected == root else "numeric")


def test_two_roots_are_two():
    graph = Graph()
    x = graph.unknown(0)
    loss = graph.add("add", power(graph, x, 406.4, -0.34), power(graph, x, 1e-3, 0.28))
    least = min(406.4 * x**-0.34 + 1e-3 * x**0.28 for x in [10 ** (k / 100) for k in range(600, 1400)])
    outcome = solve(system(graph, 1e6, 1e13, [compare(graph, "loss", loss, "eq", graph.const(least * 1.2))]))
    assert outcome.status == "solved"
    assert len(outcome.intervals[0]) == 2
    for low, high in outcome.intervals[0]:
        assert low == high
        assert evaluate(graph, {0: low}, [loss])[loss] == pytest.approx(least * 1.2)


def test_a_feasible_valley_between_two_points_of_the_grid_is_found():
    graph = Graph()
    x = graph.unknown(0)
    away = graph.add("pow", graph.add("sub", x, graph.const(2.123)), graph.const(2.0))
    outcome = solve(system(graph, 0, 10, [compare(graph, "near", away, "le", graph.const(1e-12))]))
    assert outcome.point[0] == pytest.approx(2.122999)
    touching = solve(
        system(
            graph,
            0,
            10,
            [compare(graph, "at", graph.add("add", away, graph.const(1.0)), "eq", graph.const(1.0))],
        )
    )
    assert touching.point[0] == pytest.approx(2.123, abs=1e-4)


def test_an_optimum_inside_the_interval():
    graph = Graph()
    x = graph.unknown(0)
    loss = graph.add("add", power(graph, x, 400.0, -1.0), x)
    outcome = solve(system(graph, 1, 1e6, [], [objective(loss)]))
    assert outcome.point[0] == pytest.approx(20.0, rel=1e-6)
    bounded = solve(system(graph, 1, 1e6, [compare(graph, "c", x, "le", graph.const(7.0))], [objective(loss)]))
    assert bounded.point[0] == pytest.approx(7.0, rel=1e-12)


def test_steps_and_undefined_regions():
    graph = Graph()
    x = graph.unknown(0)
    nodes = graph.add("ceil", graph.add("div", x, graph.const(8.0)))
    root = graph.add("sqrt", graph.add("sub", x, graph.const(50.0)))
    conditions = [
        compare(graph, "few", nodes, "le", graph.const(9.0)),
        compare(graph, "defined", root, "ge", graph.const(0.0)),
    ]
    most = solve(system(graph, 0, 1000, conditions, [objective(x, -1)]))
    assert most.point[0] == pytest.approx(72.0, rel=1e-8)
    least = solve(system(graph, 0, 1000, conditions, [objective(x)]))
    assert least.point[0] == pytest.approx(50.0, rel=1e-12)


def test_the_discrete_unknowns_are_chosen_with_it():
    graph = Graph()
    x, gpus = graph.unknown(0), graph.unknown(1)
    time = graph.add("div", graph.const(1000.0), graph.add("mul", x, gpus))
    conditions = [
        compare(graph, "deadline", time, "le", graph.const(10.0)),
        compare(graph, "even", graph.add("mod", gpus, graph.const(4.0)), "eq", graph.const(0.0)),
    ]
    others = (discrete("gpus", range(2, 301, 2)),)
    outcome = solve(system(graph, 0.1, 0.7, conditions, [objective(gpus), objective(x)], others))
    assert outcome.point[1] == 144.0
    assert outcome.point[0] == pytest.approx(100 / 144, rel=1e-12)
    assert outcome.how == {0: "closed form", 1: "search"}
    assert outcome.feasible == sum(n >= 100 / 0.7 for n in range(4, 301, 4))


@pytest.mark.parametrize(("low", "high", "sense", "word"), [(1, math.inf, -1, "above"), (-math.inf, 1, 1, "below")])
def test_what_nothing_bounds_is_said(low, high, sense, word):
    graph = Graph()
    x = graph.unknown(0)
    outcome = solve(system(graph, low, high, [], [objective(x, sense)]))
    assert outcome.status == "error"
    assert [d.code for d in outcome.diagnostics] == ["E0403"]
    assert word in outcome.diagnostics[0].message


def test_two_continuous_unknowns_are_an_error():
    graph = Graph()
    product = graph.add("mul", graph.unknown(0), graph.unknown(1))
    condition = compare(graph, "c", product, "le", graph.const(7.0))
    outcome = solve(system(graph, 0, 1, [condition], others=(continuous("y", 0, 1),)))
    assert [d.code for d in outcome.diagnostics] == ["E0405"]


def test_a_continuous_unknown_that_nothing_needs_stays_at_its_lower_end():
    graph = Graph()
    graph.unknown(0)
    outcome = solve(system(graph, 3, 5, others=(discrete("n", [4, 2]),)))
    assert outcome.status == "solved"
    assert outcome.point == {0: 3.0, 1: 4.0}


def test_without_a_solution_the_nearest_end_is_given():
    graph = Graph()
    x = graph.unknown(0)
    conditions = [
        compare(graph, "more", x, "ge", graph.const(40.0)),
        compare(graph, "less", x, "le", graph.const(20.0)),
    ]
    outcome = solve(system(graph, 1, 30, conditions))
    assert outcome.status == "infeasible"
    assert outcome.conflict.smallest == (0,)
    assert outcome.conflict.violated == (0,)
    assert 1 <= outcome.point[0] <= 20


@settings(max_examples=examples(100), deadline=None)
@given(st.data())
def test_never_worse_than_a_fine_grid_and_never_infeasible(data):
    graph = Graph()
    x = graph.unknown(0)

    def term():
        return power(graph, x, data.draw(st.floats(-3, 3)), data.draw(st.sampled_from([-1.0, 0.5, 1.0, 2.0])))

    curves = [graph.add("add", term(), term()) for _ in range(3)]
    bounds = [graph.const(data.draw(st.floats(-20, 20))) for _ in range(2)]
    conditions = [
        compare(graph, f"c{i}", curves[i], data.draw(st.sampled_from(["le", "ge", "lt"])), bounds[i]) for i in range(2)
    ]
    made = system(graph, 0.5, 8.0, conditions, [objective(curves[2])])
    outcome = solve(made)
    roots = [c.node for c in conditions] + [curves[2]]
    fine = [evaluate(graph, {0: 0.5 + 7.5 * k / 3000}, roots) for k in range(3001)]
    costs = [v[curves[2]] for v in fine if all(v[c.node] == 1.0 for c in conditions)]
    if outcome.status == "infeasible":
        # A narrow interval may lie between the points of its grid, never a wide one.
        assert len(costs) < 100
        return
    at = evaluate(graph, outcome.point, roots)
    assert all(at[c.node] == 1.0 for c in conditions)
    assume(costs)
    assert at[curves[2]] <= min(costs) + 1e-6 * (1 + abs(min(costs)))


@settings(max_examples=examples(200), deadline=None)
@given(systems(st.integers(1, 3), 4), st.data())
def test_random_systems_with_one_continuous_unknown(made, data):
    index = data.draw(st.integers(0, len(made.unknowns) - 1))
    low = data.draw(st.sampled_from([-3.0, 0.0, 0.5, 1.0]))
    high = low + data.draw(st.sampled_from([0.0, 1.0, 7.5, 1e4]))
    unknowns = list(made.unknowns)
    unknowns[index] = continuous("x", low, high)
    mixed = System(made.graph, tuple(unknowns), made.conditions, made.preferences, made.objectives)
    outcome = solve(mixed)
    unknowns[index] = discrete("x", sorted({low + (high - low) * k / 64 for k in range(65)}))
    stepped = System(made.graph, tuple(unknowns), made.conditions, made.preferences, made.objectives)
    coarse = solve(stepped)
    if coarse.status == "solved":
        assert outcome.status == "solved"
    required = outcome.requirements
    values = evaluate(made.graph, outcome.point, [c.node for c in required])
    failed = [i for i, c in enumerate(required) if values[c.node] != 1.0]
    assert (failed == []) == (outcome.status == "solved")
    if coarse.status == "solved":
        mine, other = key(mixed, outcome.point), key(mixed, coarse.point)
        for a, b in zip(mine, other):
            if a != b and not abs(a - b) <= 1e-8 * abs(b) < math.inf:
                assert a < b
                break
    if outcome.conflict is not None:
        assert set(outcome.conflict.violated) == set(failed)


def key(system, point):
    values = evaluate(system.graph, point, range(len(system.graph)))
    score = sum(p.weight for p in system.preferences if values[p.node] == 1.0)
    costs = [values[o.node] * o.sense for o in system.objectives]
    return [-score, *(math.inf if math.isnan(cost) else cost for cost in costs)]


def test_too_many_settings_are_refused():
    graph = Graph()
    product = graph.add("mul", graph.unknown(0), graph.unknown(1))
    condition = compare(graph, "c", product, "le", graph.const(7.0))
    made = system(graph, 0, 1, [condition], others=(discrete("n", range(1000)),))
    assert [d.code for d in solve(made, limit=1000).diagnostics] == ["E0404"]
    assert [d.code for d in solve(system(graph, 0, 1, [condition]), limit=0).diagnostics] == ["E0404"]


def test_the_budget_may_end_within_a_search():
    graph = Graph()
    x, n = graph.unknown(0), graph.unknown(1)
    conditions = [compare(graph, "root", power(graph, x, 1.0, 3.0), "eq", n)]
    made = system(graph, 0, 100, conditions, [objective(n, -1)], (discrete("n", range(1, 9)),))
    enough = Budget(1e9)
    (best,) = LineScan(made, requirements_of(made), 0, Effort(budget=enough)).scan().top
    assert point_at(made, best.places) == {0: pytest.approx(2.0), 1: 8.0}
    with pytest.raises(OverLimit):
        LineScan(made, requirements_of(made), 0, Effort(budget=Budget((1e9 - enough.left) / 2))).scan()


def test_a_search_that_is_too_long_by_far_ends_after_its_first_settings():
    graph = Graph()
    x, n, m = graph.unknown(0), graph.unknown(1), graph.unknown(2)
    conditions = [compare(graph, "root", power(graph, x, 1.0, 3.0), "eq", graph.add("add", n, m))]
    others = (discrete("n", range(1, 101)), discrete("m", range(1, 101)))
    made = system(graph, 0, 100, conditions, [objective(n, -1)], others)
    enough = Budget(1e12)
    LineScan(made, requirements_of(made), 0, Effort(budget=enough)).scan()
    budget = Budget((1e12 - enough.left) / 5)
    with pytest.raises(OverLimit):
        LineScan(made, requirements_of(made), 0, Effort(budget=budget)).scan()
    assert budget.left > 0
