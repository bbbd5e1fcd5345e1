"""Closed forms: what is solved, what is refused, and that search and formula agree."""

import math
import subprocess
import sys

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from llmplan.solve.closed_form.derive import closed_form
from llmplan.solve.closed_form.equation import Equation
from llmplan.solve.passes import solve
from llmplan.system.evaluate import evaluate
from llmplan.system.graph import Graph, Node
from llmplan.system.system import System
from tests.solve.systems import compare, discrete, objective
from tests.thorough import examples


class Named:
    """A graph with one unknown and knowns that keep their names."""

    def __init__(self):
        self.graph = Graph()
        self.x = self.graph.unknown(0)
        self.names = {self.x: "x"}
        self.values = {}

    def __call__(self, name, value):
        node = self.graph.intern(Node("named", (self.graph.const(value),), float(len(self.names))))
        self.names[node], self.values[node] = name, value
        return node

    def solve(self, left, right, *domain):
        return closed_form(Equation(self.graph, left, right, 0, self.names, self.values, *domain))


def worth(text, values):
    """What a printed formula comes to."""
    text = text.replace("·", "*").replace("^", "**")
    return eval(text, {"__builtins__": {}}, {"sqrt": math.sqrt, **values})


@settings(max_examples=examples(80, 0.3))
@given(
    st.lists(st.tuples(st.sampled_from([-2.0, -1.0, 0.5, 1.0, 1.5, 3.0]), st.floats(0.2, 50)), min_size=1, max_size=5),
    st.sampled_from([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0]),
    st.sampled_from([1.0, 6.0, 0.03, 2.5, 1 / 3, 0.123456789, 86400.0]),
    st.booleans(),
)
@pytest.mark.slow
def test_the_printed_formula_gives_the_root_that_bisection_finds(factors, exponent, constant, summed):
    """`constant · x^exponent == n0^p0 · n1^p1 …`, or with the last two known ones added up."""
    g = Named()
    terms = [op(g, "pow", g(f"n{i}", value), power) for i, (power, value) in enumerate(factors)]
    if summed and len(terms) > 1:
        terms = [*terms[:-2], op(g, "add", terms[-2], terms[-1])]
    right = terms[0]
    for term in terms[1:]:
        right = op(g, "mul", right, term)
    left = op(g, "mul", constant, op(g, "pow", g.x, exponent))
    found = g.solve(left, right, 1e-30, 1e30)
    assert found is not None and len(found.roots) == 1
    low, high = 1e-30, 1e30
    for _ in range(300):
        middle = math.sqrt(low * high)
        sides = evaluate(g.graph, {0: middle}, [left, right], g.values)
        low, high = (middle, high) if (sides[left] < sides[right]) == (exponent > 0) else (low, middle)
    assert found.roots[0] == pytest.approx(low, rel=1e-9)
    values = {name: g.values[node] for node, name in g.names.items() if node in g.values}
    text = found.relations[0].removeprefix("x = ")
    assert worth(text, values) == pytest.approx(low, rel=1e-4)
    assert summed or text.count("sqrt(") <= 1


def op(named, name, *args):
    graph = named.graph
    return graph.add(name, *(graph.const(arg) if isinstance(arg, float) else arg for arg in args))


def test_gpus_for_a_deadline():
    g = Named()
    params, tokens = g("params", 6.738e9), g("tokens", 1e12)
    mfu, peak, deadline = g("mfu", 0.4), g("peak", 312e12), g("deadline", 30 * 86400.0)
    flops = op(g, "mul", op(g, "mul", 6.0, params), tokens)
    time = op(g, "div", flops, op(g, "mul", op(g, "mul", g.x, mfu), peak))
    found = g.solve(time, deadline)
    assert found.roots == (pytest.approx(6 * 6.738e9 * 1e12 / (0.4 * 312e12 * 30 * 86400)),)
    assert found.relations == ("x = 6 · params · tokens / (mfu · peak · deadline)",)
    assert g.solve(deadline, time) == found


@pytest.mark.parametrize(
    ("left", "right", "relation"),
    [
        (lambda g, a, b: op(g, "sqrt", op(g, "div", g.x, a)), lambda g, a, b: b, "x = a · b^2"),
        (lambda g, a, b: op(g, "mul", g.x, 3.0), lambda g, a, b: op(g, "add", g.x, a), "x = a / 2"),
        (lambda g, a, b: op(g, "sub", a, g.x), lambda g, a, b: b, "x = a - b"),
        (lambda g, a, b: op(g, "sub", op(g, "neg", g.x), a), lambda g, a, b: b, "x = -a - b"),
        (lambda g, a, b: op(g, "ln", op(g, "mul", g.x, a)), lambda g, a, b: b, "x = exp(b) / a"),
        (lambda g, a, b: op(g, "log2", g.x), lambda g, a, b: b, "x = 2^b"),
        (lambda g, a, b: op(g, "ln", op(g, "mul", g.x, a)), lambda g, a, b: g.graph.const(1.0), "x = 2.71828 / a"),
        (lambda g, a, b: op(g, "exp", g.x), lambda g, a, b: a, "x = ln(a)"),
        (lambda g, a, b: op(g, "mul", g.x, op(g, "max", a, b)), lambda g, a, b: b, "x = b / max(a, b)"),
        (lambda g, a, b: op(g, "pow", op(g, "mul", g.x, a), -0.5), lambda g, a, b: b, "x = 1 / (a · b^2)"),
        (
            lambda g, a, b: op(g, "add", op(g, "mul", g.x, g.x), op(g, "mul", a, g.x)),
            lambda g, a, b: b,
            "x = (sqrt(a^2 + 4 · b) - a) / 2",
        ),
        (
            lambda g, a, b: op(g, "mul", a, op(g, "pow", g.x, 2.0)),
            lambda g, a, b: op(g, "div", b, 120.0),
            "x = sqrt(b / (120 · a))",
        ),
        (
            lambda g, a, b: op(g, "mul", g.x, op(g, "mul", g.x, 30.0)),
            lambda g, a, b: op(g, "mul", a, b),
            "x = sqrt(a · b / 30)",
        ),
        (lambda g, a, b: op(g, "pow", g.x, 3.0), lambda g, a, b: op(g, "div", a, b), "x = (a / b)^(1 / 3)"),
        (lambda g, a, b: op(g, "div", a, g.x), lambda g, a, b: op(g, "mul", b, g.x), "x = sqrt(a / b)"),
        (
            lambda g, a, b: op(g, "mul", b, op(g, "mul", g.x, g.x)),
            lambda g, a, b: g.graph.const(4.0),
            "x = 2 / sqrt(b)",
        ),
        (lambda g, a, b: op(g, "sub", g.x, op(g, "mul", 0.03, g.x)), lambda g, a, b: a, "x = a / 0.97"),
        (lambda g, a, b: op(g, "mul", g.x, 0.123456789), lambda g, a, b: op(g, "mul", a, 0.987654321), "x = 8 · a"),
    ],
)
def test_relations(left, right, relation):
    g = Named()
    a, b = g("a", 7.25), g("b", 2.5)
    left, right = left(g, a, b), right(g, a, b)
    found = g.solve(left, right)
    assert found is not None
    assert found.relations[0] == relation
    for root in found.roots:
        sides = evaluate(g.graph, {0: root}, [left, right])
        assert sides[left] == pytest.approx(sides[right])


@pytest.mark.parametrize("name", ["ceil", "floor", "round", "abs", "whole"])
def test_steps_are_refused(name):
    g = Named()
    assert g.solve(op(g, name, op(g, "mul", g.x, 0.3)), g("a", 2.0)) is None


def test_minima_choices_and_cubics_are_refused():
    g = Named()
    a = g("a", 2.0)
    assert g.solve(op(g, "max", g.x, 1.0), a) is None
    assert g.solve(op(g, "select", op(g, "le", g.x, 1.0), g.x, 3.0), a) is None
    assert g.solve(g.graph.table(g.x, (1.0, 2.0, 3.0)), a) is None
    cube = op(g, "mul", op(g, "mul", g.x, g.x), g.x)
    assert g.solve(op(g, "add", cube, op(g, "add", op(g, "mul", g.x, g.x), g.x)), a) is None
    assert g.solve(a, a) is None


def test_roots_outside_the_domain_or_not_real_are_left_out():
    g = Named()
    square = op(g, "mul", g.x, g.x)
    assert g.solve(square, g("a", 9.0)).roots == (3.0, -3.0)
    assert g.solve(square, g("a", 9.0), 0.0, 10.0).roots == (3.0,)
    assert g.solve(square, g("b", -9.0)) is None
    # The square of -4 is not what the root of x can be.
    assert g.solve(op(g, "sqrt", g.x), g("c", -4.0)) is None


def test_long_expressions_are_refused_quickly():
    g = Named()
    left = g.x
    for k in range(40):
        left = op(g, "mul", op(g, "add", left, float(k) + 0.5), g.x)
    assert g.solve(left, g("a", 3.0)) is None


@settings(max_examples=examples(60, 0.3), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0]), st.floats(1e-3, 1e6)),
        min_size=1,
        max_size=3,
    ),
    st.floats(1.5, 4000),
    st.sampled_from([1, 8]),
    st.sampled_from(["le", "ge"]),
)
def test_closed_form_and_search_agree(factors, place, step, kind):
    exponent = sum(e for e, _ in factors)
    assume(exponent != 0)
    graph = Graph()
    x = graph.unknown(0)
    left = graph.const(1.0)
    for e, coefficient in factors:
        left = graph.add("mul", left, graph.add("mul", graph.add("pow", x, graph.const(e)), graph.const(coefficient)))
    bound = evaluate(graph, {0: place}, [left])[left]
    values = [float(v) for v in range(step, 4097, step)]
    sense = 1 if (exponent < 0) == (kind == "le") else -1
    condition = compare(graph, "c", left, kind, graph.const(bound))
    outcome = solve(System(graph, (discrete("x", values),), (condition,), (), (objective(x, sense),)))
    side = [v for v in values if (v >= place * (1 - 1e-10) if sense > 0 else v <= place * (1 + 1e-10))]
    if not side:
        assert outcome.status == "infeasible"
        return
    best = min(side) if sense > 0 else max(side)
    assert outcome.point == {0: best}
    if best != values[0 if sense > 0 else -1] and abs(best - place) > 1e-6:
        assert outcome.how == {0: "closed form"}
        assert outcome.exact[0] == pytest.approx(place, rel=1e-9)
        assert outcome.binding == {0: 0}


def test_rounding_that_hardware_forces_is_not_called_a_closed_form():
    graph = Graph()
    gpus = graph.unknown(0)
    time = graph.add("div", graph.const(1000.0), gpus)
    conditions = (
        compare(graph, "deadline", time, "le", graph.const(30.0)),
        compare(graph, "split", graph.add("mod", gpus, graph.const(16.0)), "eq", graph.const(0.0)),
    )
    outcome = solve(System(graph, (discrete("gpus", range(1, 100)),), conditions, (), (objective(gpus),)))
    assert outcome.point == {0: 48.0}
    assert outcome.how == {0: "search"}
    assert outcome.exact == {}


def test_importing_the_solver_imports_neither_numpy_nor_sympy():
    code = "import llmplan.solve, llmplan.solve.passes, sys; print({'numpy', 'sympy'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.slow
def test_a_search_without_a_closed_form_does_not_import_sympy():
    code = (
        "from tests.solve.systems import *; from llmplan.solve.passes import solve; import sys\n"
        "g = Graph(); x = g.unknown(0)\n"
        "c = compare(g, 'c', g.add('ceil', x), 'ge', g.const(3.5))\n"
        "assert solve(System(g, (discrete('x', range(9)),), (c,), (), (objective(x),))).point == {0: 4.0}\n"
        "print('sympy' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert result.stdout == "False\n", result.stderr


def test_numbers_that_overflow_have_no_closed_form():
    g = Named()
    assert g.solve(op(g, "ln", g.x), g("a", 1e6)) is None
    assert g.solve(op(g, "mul", g.x, 0.0), g("b", 1.0)) is None
    assert g.solve(op(g, "mul", g.x, g("nothing", math.nan)), g("c", 1.0)) is None


def test_what_is_refused_outside_of_legal_values_has_a_closed_form_inside():
    g = Named()
    a = g("a", 12.0)

    def legal(limit):
        tokens = op(g, "mul", g.x, 20.0)
        return op(g, "select", op(g, "le", tokens, float(limit)), tokens, math.nan)

    found = g.solve(op(g, "mul", legal(1000), g.x), a, 0.0)
    assert found.relations == ("x = sqrt(a / 20)",)
    assert found.roots == (pytest.approx(math.sqrt(12 / 20)),)
    assert g.solve(op(g, "mul", legal(10), g.x), a, 0.0) is None
    # A choice between two values is another equation in each, and is refused.
    choice = op(g, "select", op(g, "le", g.x, 5.0), g.x, 3.0)
    assert g.solve(choice, a) is None
