"""Elasticities against solving again with a slightly different input."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmplan.emit.solution_json import as_json
from llmplan.system.evaluate import evaluate
from llmplan.system.graph import Graph
from llmplan.system.slopes import slopes

PLAN = """model "llama-7b"
dataset {{
    tokens = {tokens} tokens
    sequence_length = 2048
}}
hardware {{
    gpu = "A100-SXM4-80GB"
    gpus = 64
}}
training.global_batch = 1024 sequences
let growth = {growth}
assume mfu = {mfu}
show (time * growth ^ 2) in days
minimize cost
"""
BASE = {"tokens": 1e12, "growth": 1.1, "mfu": 0.4}


def text(**changes):
    values = {**BASE, **changes}
    return PLAN.format(**{name: f"{value:.12f}" for name, value in values.items()})


@pytest.mark.slow
def test_elasticities_are_what_solving_again_gives(plans):
    solution = plans.solve(text())
    parts = {one.result: dict(one.by) for one in solution.sensitivities}
    for name, path in (("tokens", "dataset.tokens"), ("mfu", "mfu")):
        more = plans.solve(text(**{name: BASE[name] * (1 + 1e-5)}))
        for result in ("time", "cost"):
            change = math.log(more.values[result].value / solution.values[result].value) / math.log(1 + 1e-5)
            assert parts[result][path] == pytest.approx(change, rel=1e-3)
    shown = next(part for result, part in parts.items() if "growth" in result)
    assert shown["growth"] == pytest.approx(2.0)


@pytest.mark.slow
def test_the_strongest_comes_first_and_what_does_nothing_is_left_out(plans):
    solution = plans.solve(text())
    time = next(one for one in solution.sensitivities if one.result == "time")
    sizes = [abs(part) for _, part in time.by]
    assert sizes == sorted(sizes, reverse=True)
    assert "growth" not in dict(time.by)


def test_one_percentage_point_more_is_exact(plans):
    solution = plans.solve(text())
    (gain,) = (gain for gain in solution.gains if gain.name == "mfu")
    assert (gain.before, gain.after) == pytest.approx((0.4, 0.41))
    time = next(change for change in gain.changes if change[0] == "time")
    assert time[2].exact() == plans.solve(text(mfu=0.41)).values["time"].text


def test_solved_numbers_count_like_given_ones(plans):
    solution = plans.solve(text().replace("gpus = 64", "gpus = ?") + "require time <= 60 days\n")
    time = next(one for one in solution.sensitivities if one.result == "time")
    assert dict(time.by)["hardware.gpus"] == pytest.approx(-1.0, rel=1e-6)


def test_the_json_has_them(plans):
    document = as_json(plans.solve(text()), ())
    assert document["sensitivities"]["time"]["dataset.tokens"] == pytest.approx(1.0)


@st.composite
def smooth(draw):
    """A random smooth expression of two positive unknowns."""
    graph = Graph()
    nodes = [graph.unknown(0), graph.unknown(1), graph.const(1.5)]
    operations = st.sampled_from(("add", "mul", "div", "sqrt", "ln", "exp", "max", "select"))
    for op in draw(st.lists(operations, max_size=8)):
        a, b = (nodes[draw(st.integers(0, len(nodes) - 1))] for _ in range(2))
        if op == "sqrt":
            nodes.append(graph.add(op, a))
        elif op == "ln":
            nodes.append(graph.add("ln", graph.add("add", a, graph.const(1.0))))
        elif op == "exp":
            nodes.append(graph.add("exp", graph.add("neg", a)))
        elif op == "select":
            nodes.append(graph.add("select", graph.add("le", a, b), graph.add("mul", a, a), b))
        else:
            nodes.append(graph.add(op, a, b))
    return graph, nodes[-1]


def differences(graph, root, point, unknown, step):
    """The quotient of differences to one side at two step sizes, the smaller first."""
    here = evaluate(graph, point, (root,))[root]
    return [
        (evaluate(graph, {**point, unknown: point[unknown] + size}, (root,))[root] - here) / size
        for size in (step, 2 * step)
    ]


@given(smooth(), st.one_of(st.floats(0.7, 1.9), st.just(1.5)), st.one_of(st.floats(2.1, 3.3), st.just(1.5)))
@settings(max_examples=200, deadline=None)
@pytest.mark.slow
def test_slopes_agree_with_differences(made, x, y):
    graph, root = made
    point = {0: x, 1: y}
    values = evaluate(graph, point, (root,))
    if not math.isfinite(values[root]) or abs(values[root]) > 1e6:
        return
    for unknown in (0, 1):
        (found,) = slopes(graph, (root,), values, unknown).values()
        sides = [differences(graph, root, point, unknown, step) for step in (1e-6, -1e-6)]
        smooth_sides = [near for near, far in sides if math.isfinite(far) and abs(near - far) < 1e-4 * (1 + abs(near))]
        if smooth_sides:  # the right one first
            assert found == pytest.approx(smooth_sides[0], rel=1e-3, abs=1e-3)


def one_unknown(build, x=1.0):
    graph = Graph()
    root = build(graph, graph.unknown(0))
    values = evaluate(graph, {0: x}, (root,))
    return slopes(graph, (root,), values, 0)[root]


def test_where_branches_meet_the_next_one_counts():
    assert one_unknown(lambda g, x: g.add("max", x, g.add("mul", x, x))) == 2.0
    assert one_unknown(lambda g, x: g.add("min", x, g.add("mul", x, x))) == 1.0
    assert one_unknown(lambda g, x: g.add("abs", g.add("sub", x, g.const(1.0)))) == 1.0
    assert one_unknown(lambda g, x: g.interpolate(x, (0.0, 1.0, 2.0), (0.0, 1.0, 5.0))) == 4.0


@pytest.mark.parametrize("comparison", ["eq", "le"])
def test_where_a_condition_turns_the_other_side_counts(comparison):
    def build(g, x):
        return g.add("select", g.add(comparison, x, g.const(1.0)), x, g.add("mul", x, x))

    assert one_unknown(build) == 2.0


def test_a_jump_to_the_right_leaves_the_slope_to_the_left():
    small = lambda g, x: g.add("le", x, g.const(1.0))
    assert one_unknown(lambda g, x: g.add("select", small(g, x), x, g.const(7.0))) == 1.0
    only = lambda g, x: g.add("eq", x, g.const(1.0))
    assert math.isnan(one_unknown(lambda g, x: g.add("select", only(g, x), x, g.const(7.0))))


@pytest.mark.slow
def test_stages_that_hold_the_same_have_a_slope(plans):
    solution = plans.solve("""model "llama-7b"
dataset {
    tokens = 1T
    sequence_length = 2048
}
hardware {
    gpu = "A100-SXM4-80GB"
    gpus = 64
}
parallelism {
    pipeline = 4
    zero_stage = 1
    framework = megatron
}
training {
    global_batch = 1024 sequences
    micro_batch = 2
    recompute = selective
}
""")
    parts = {one.result: dict(one.by) for one in solution.sensitivities}
    assert parts["memory.total"]["training.micro_batch"] > 0
    assert all(math.isfinite(part) for by in parts.values() for part in by.values())
