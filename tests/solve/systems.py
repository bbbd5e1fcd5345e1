"""Small systems by hand and at random, and their solution by trying every point in plain Python."""

from __future__ import annotations

import math
from itertools import product

from hypothesis import strategies as st

from llmplan.operations import TOLERANCE
from llmplan.solve.passes import requirements_of
from llmplan.source import Source, Span
from llmplan.system.evaluate import evaluate
from llmplan.system.graph import Graph
from llmplan.system.system import Condition, Objective, System, Unknown
from llmplan.units.measure import INT, REAL

SPAN = Span(Source("test.plan", "?"), 0, 1)


def discrete(path, values, allowed=None, asked=True):
    values = tuple(float(value) for value in values)
    return Unknown(path, INT, values, min(values), max(values), (), "", allowed, asked, SPAN)


def continuous(path, low, high, asked=True):
    return Unknown(path, REAL, None, float(low), float(high), (), "", None, asked, SPAN)


def compare(graph, name, left, op, right, weight=None, origin="plan"):
    """A condition `left op right`, with `ge` and `gt` made of `le` and `lt`."""
    node = (
        graph.add(op, left, right)
        if op in ("le", "lt", "eq", "ne")
        else graph.add({"ge": "le", "gt": "lt"}[op], right, left)
    )
    return Condition(name, node, origin, left, right, op, weight, SPAN)


def objective(node, sense=1, author=True):
    return Objective(node, sense, "objective", SPAN, author)


def points(system):
    """Every point of the product of the domains, as places and as values."""
    sizes = [range(len(unknown.values)) for unknown in system.unknowns]
    for places in product(*sizes):
        yield places, {i: system.unknowns[i].values[place] for i, place in enumerate(places)}


def _key_less(mine, theirs):
    for a, b in zip(mine, theirs):
        if a != b and not abs(a - b) <= TOLERANCE * abs(b) < math.inf:
            return a < b
    return False


def brute_force(system):
    """The best point, the number of feasible points and the set of violated conditions of each point."""
    required = requirements_of(system)
    roots = [c.node for c in (*required, *system.preferences)] + [o.node for o in system.objectives]
    best, best_key, feasible, failing = None, None, 0, []
    for _, point in points(system):
        values = evaluate(system.graph, point, roots)
        failed = frozenset(i for i, c in enumerate(required) if values[c.node] != 1.0)
        failing.append(failed)
        if failed:
            continue
        feasible += 1
        costs = [values[o.node] * o.sense for o in system.objectives]
        score = sum(p.weight for p in system.preferences if values[p.node] == 1.0)
        key = [-score, *(math.inf if math.isnan(cost) else cost for cost in costs)]
        if best is None or _key_less(key, best_key):
            best, best_key = point, key
    return best, best_key, feasible, failing


NUMERIC = ("add", "sub", "mul", "div", "min", "max", "mod", "pow")
UNARY = ("neg", "abs", "ceil", "floor", "round", "sqrt", "log2", "ln", "exp")
COMPARISONS = ("le", "lt", "ge", "gt", "eq", "ne")


@st.composite
def systems(draw, unknowns=st.integers(0, 4), most=5):
    """A random system over discrete unknowns with small whole values."""
    graph = Graph()
    count = draw(unknowns)
    domains = [draw(st.lists(st.integers(-3, 9), min_size=1, max_size=most, unique=True)) for _ in range(count)]
    numbers = [graph.unknown(i) for i in range(count)]
    numbers += [graph.const(value) for value in (0.0, 1.0, 2.0, 0.5, -3.0)]
    truths = [graph.const(1.0)]
    for _ in range(draw(st.integers(0, 14))):
        kind = draw(st.integers(0, 9))
        some = st.sampled_from(numbers)
        if kind <= 4:
            numbers.append(graph.add(draw(st.sampled_from(NUMERIC)), draw(some), draw(some)))
        elif kind == 5:
            numbers.append(graph.add(draw(st.sampled_from(UNARY)), draw(some)))
        elif kind == 6:
            numbers.append(graph.add("select", draw(st.sampled_from(truths)), draw(some), draw(some)))
        elif kind == 7:
            table = tuple(draw(st.lists(st.sampled_from([0.0, 1.5, 4.0, math.nan]), min_size=1, max_size=6)))
            numbers.append(graph.table(draw(some), table))
        elif kind == 8:
            truths.append(graph.add(draw(st.sampled_from(("eq", "ne", "lt", "le"))), draw(some), draw(some)))
        else:
            op = draw(st.sampled_from(("and", "or", "not", "whole", "finite")))
            pool = st.sampled_from(truths) if op in ("and", "or", "not") else some
            truths.append(graph.add(op, *(draw(pool) for _ in range(2 if op in ("and", "or") else 1))))
    some = st.sampled_from(numbers)

    def condition(number, weight):
        if draw(st.booleans()):
            return compare(graph, f"c{number}", draw(some), draw(st.sampled_from(COMPARISONS)), draw(some), weight)
        return Condition(f"c{number}", draw(st.sampled_from(truths)), "library", None, None, "", weight, SPAN)

    conditions = tuple(condition(i, None) for i in range(draw(st.integers(0, 5))))
    preferences = tuple(condition(i, float(draw(st.integers(0, 3)))) for i in range(draw(st.integers(0, 2))))
    objectives = tuple(
        objective(draw(some), draw(st.sampled_from((1, -1))), draw(st.booleans()))
        for _ in range(draw(st.integers(0, 3)))
    )
    found = tuple(
        discrete(f"u{i}", domain, draw(st.sampled_from([None, truths[-1]]))) for i, domain in enumerate(domains)
    )
    return System(graph, found, conditions, preferences, objectives)
