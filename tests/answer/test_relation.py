"""Closed forms with symbols, of one unknown and of systems of equations: text, numbers and solution agree."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from llmplan import api
from llmplan.present import derivation
from llmplan.present.blocks import plain
from tests import told
from tests.thorough import examples

COMPUTE_OPTIMAL = """model {{ params = ? in 100M..1T }}
dataset.tokens = ? in 1B..100T
hardware {{
    gpu  = "H100-SXM5-80GB"
    gpus = 64
}}
training.precision = bf16
assume mfu = 40%
let term = 14 days
{asked}
"""


def value_of(text, values):
    """What a printed formula comes to; `values` by name in base units."""
    text = re.sub(r"[A-Za-z_][\w.]*", lambda m: str(values.get(m.group(), m.group())), text)
    functions = {name: getattr(math, name) for name in ("sqrt", "exp")} | {"ln": math.log}
    return eval(text.replace("·", "*").replace("^", "**"), {"__builtins__": {}}, functions)


def relations(solution):
    """By path the right-hand sides of the formulas, each checked against the solution."""
    values = {name: value.value for name, value in solution.values.items() if isinstance(value.value, float | int)}
    found = {}
    for unknown in solution.unknowns:
        left, _, right = unknown.relation.partition(" = ")
        if unknown.relation:
            assert left == unknown.path
            found[left] = right
            exact = unknown.value.value if unknown.exact is None else unknown.exact.value
            assert value_of(right, values) == pytest.approx(exact, rel=1e-5)
    return found


@pytest.mark.parametrize(
    "asked",
    [
        "require chinchilla: dataset.tokens == 20 tokens/parameter * model.params\nrequire budget: time == term",
        """require chinchilla: dataset.tokens == 20 tokens/parameter * model.params
        require budget: time <= term
        maximize model.params""",
        """require chinchilla: dataset.tokens == 20 tokens/parameter * model.params
        require budget: gpu_hours == hardware.gpus * term""",
        """require chinchilla: dataset.tokens / 20 tokens/parameter == model.params
        require budget: term >= time
        maximize dataset.tokens""",
    ],
)
@pytest.mark.slow
def test_both_unknowns_of_the_compute_optimal_question_stand_alone(plans, asked):
    solution = plans.solve(COMPUTE_OPTIMAL.format(asked=asked))
    found = relations(solution)
    flops = 64 * 989.4e12 * 0.4 * 14 * 86400
    assert solution.values["model.params"].value == pytest.approx(math.sqrt(flops / 120), rel=2e-3)
    assert solution.values["dataset.tokens"].value == pytest.approx(math.sqrt(flops * 20 / 6), rel=2e-3)
    for path, inside in (("model.params", "/ 120)"), ("dataset.tokens", "/ 3)")):
        assert found[path].count("sqrt(") == 1 and found[path].endswith(inside)
        names = {"hardware.gpus", "mfu", "hardware.peak", "term"}
        assert names == set(re.findall(r"[a-z][\w.]*", found[path])) - {"sqrt"}


def test_explain_shows_the_formula_and_the_same_with_numbers(plans):
    asked = "require chinchilla: dataset.tokens == 20 tokens/parameter * model.params\nrequire budget: time == term"
    text = COMPUTE_OPTIMAL.format(asked=asked)
    _, (step, *_) = api.explain(plans.path, "dataset.tokens", text=text)
    said = [plain(line) for line in derivation.solved(step, told.WORDS)]
    assert "dataset.tokens = sqrt(10 · mfu · hardware.peak · hardware.gpus · term / 3)" in said
    numbers = "dataset.tokens = sqrt(10 · 40% · 989.4 TFLOP/s/GPU · 64 GPUs · 14 days / 3), exactly 319.6B tokens"
    assert numbers in said


def test_a_continuous_unknown_beside_a_discrete_one_has_a_formula(plans):
    asked = "require time <= term\nmaximize dataset.tokens"
    text = (
        COMPUTE_OPTIMAL.format(asked=asked).replace("? in 100M..1T", "7B").replace("gpus = 64", "gpus = ? in [32, 64]")
    )
    solution = plans.solve(text)
    assert {unknown.path: unknown.how for unknown in solution.unknowns} == {
        "hardware.gpus": "search",
        "dataset.tokens": "closed form",
    }
    assert relations(solution) == {"dataset.tokens": "tokens_per_second · term"}


TERMS = st.tuples(st.sampled_from([-1.0, 0.5, 1.0, 2.0]), st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0]))


@settings(max_examples=examples(40), phases=[Phase.generate], report_multiple_bugs=False)
@given(TERMS, TERMS, st.floats(0.5, 20), st.floats(0.5, 20), st.floats(0.1, 9), st.floats(0.1, 9), st.booleans())
@pytest.mark.slow
def test_two_equations_of_powers(tmp_path_factory, first, second, x, y, c, d, bounded):
    """`c x^a y^b == p` and `d x^e y^f == q`, or the second as a bound that the objective meets."""
    (a, b), (e, f) = first, second
    assume(abs(a * f - b * e) > 1e-9)
    plan = f"""let a = {c:.3f}
let b = {d:.3f}
let p = {c * x**a * y**b:.12f}
let q = {d * x**e * y**f:.12f}
let x = ? in 0.01..1000
let y = ? in 0.01..1000
require first: a * x ^ ({a}) * y ^ ({b}) == p
require second: b * x ^ ({e}) * y ^ ({f}) {"<=" if bounded else "=="} q
maximize {"b" if bounded else "1"} * x ^ ({e}) * y ^ ({f})
"""
    solution = api.solve(str(tmp_path_factory.mktemp("plan") / "test.plan"), text=plan)
    assert solution.status == "solved", plan
    found = relations(solution)
    values = {unknown.path: unknown.value.value for unknown in solution.unknowns}
    left = round(c, 3) * values["x"] ** a * values["y"] ** b
    right = round(d, 3) * values["x"] ** e * values["y"] ** f
    assert left == pytest.approx(c * x**a * y**b, rel=1e-6, abs=1e-9)
    assert right == pytest.approx(d * x**e * y**f, rel=1e-6, abs=1e-9)
    assert not any(re.search(r"\b[xy]\b", right) for right in found.values()), found
    assert set(found) == {"x", "y"}
