"""Every record of the registry: what it says on numbers, arrays, intervals and of inverses is one meaning."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmplan.operations import FUNCTIONS, OPERATIONS
from llmplan.operations.numbers import NOWHERE, total
from llmplan.system.arrays import operate
from llmplan.system.graph import Graph, Node
from llmplan.units.measure import REAL, Measure
from tests.thorough import examples

EDGES = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, math.nan, math.inf, -math.inf, 1e308, -1e308, 1e-308, 710.0]
EDGES += [1 + 5e-10, 1 + 2e-9, 2 - 1e-9, 0.1 * 3 * 10, 7.000000001, 6.999999999]
NUMBERS = st.one_of(st.sampled_from(EDGES), st.floats(), st.floats(-1e4, 1e4), st.integers(-9, 9).map(float))
ENDS = st.one_of(
    st.sampled_from([-3.0, -1.0, 0.0, 0.5, 1.0, 2.0, 4.0]),
    st.integers(-600, 600).map(lambda x: x / 100),
    st.floats(0.01, 50),
)
TABLE = (0.0, 1.0, 3.0, 5.0, 2.0, 4.0)
LISTED = {name: op for name, op in OPERATIONS.items() if name not in ("together", "integral")}  # see test_chances.py
EACH = pytest.mark.parametrize("op", LISTED.values(), ids=LISTED)


def same(mine, expected):
    if math.isnan(expected) or math.isinf(expected):
        return mine == expected or math.isnan(mine) and math.isnan(expected)
    # The libraries of numpy and Python may differ in the last digits of powers and logarithms.
    return abs(mine - expected) <= 1e-13 * abs(expected)


def node(op):
    return Node(op.name, tuple(range(op.arity)), None, TABLE if op.tabled else ())


def on_arrays(op, columns):
    with np.errstate(all="ignore"):
        return operate(op.name, columns, node(op).table)


@EACH
def test_a_record_is_whole(op):
    assert OPERATIONS[op.name] is op
    assert len(op.inverse) in (0, op.arity) and len(op.neutral) in (0, op.arity)
    assert op.units is None or op.units.result is None or op.units.result(REAL) is not None
    assert op.name not in FUNCTIONS or op.units is not None


@EACH
def test_arrays_on_a_grid(op):
    grid = np.array(list(itertools.product(EDGES if op.arity < 3 else EDGES[:12], repeat=op.arity))).T
    found = np.broadcast_to(on_arrays(op, list(grid)), grid.shape[1])
    for mine, row in zip(found, grid.T.tolist()):
        assert same(float(mine), node(op).apply(row)), (row, mine)


@EACH
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_arrays(op, data):
    rows = data.draw(st.lists(st.tuples(*[NUMBERS] * op.arity), min_size=1, max_size=8))
    found = on_arrays(op, [np.array(column) for column in zip(*rows)])
    for mine, row in zip(np.broadcast_to(found, len(rows)), rows):
        assert same(float(mine), node(op).apply(row)), (row, mine)


@EACH
def test_truth_values_count_as_numbers(op):
    grid = np.array(list(itertools.product([0.0, 1.0], repeat=op.arity))).T
    found = on_arrays(op, [row.astype(bool) for row in grid])
    assert all(same(float(mine), node(op).apply(row)) for mine, row in zip(found, grid.T.tolist()))


@pytest.mark.quick(10)
@EACH
@settings(max_examples=examples(60, 0.5), deadline=None)
@given(data=st.data())
def test_intervals_hold_every_value_and_slope(op, data):
    """At points of a box: the value, and the quotient of differences along each argument."""
    truths = st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0])).map(sorted).map(tuple)
    pairs = st.tuples(ENDS, ENDS).map(sorted).map(tuple)
    logical = [op.name in ("and", "or", "not") or (op.name == "select" and at == 0) for at in range(op.arity)]
    box = [data.draw(truths if logic else pairs) for logic in logical]
    table = (TABLE,) if op.tabled else ()
    value, slopes = op.interval(*table, *box)
    if value[0] != value[0]:
        assert value != value or all(end != end for end in value)
        return
    inner = [
        [low, high] if logic else [low, low + (high - low) / 3, low + (high - low) * 0.7, high]
        for (low, high), logic in zip(box, logical)
    ]
    points = list(itertools.product(*inner))
    if op.name == "table":
        points = [(float(row),) for row in range(len(TABLE)) if box[0][0] <= row <= box[0][1]]
    worth = {point: node(op).apply(point) for point in points}
    slack = 1e-8 * (1 + max(abs(end) for pair in box for end in pair))
    slack *= 1 + max((abs(found) for found in worth.values() if math.isfinite(found)), default=0.0)
    for point, found in worth.items():
        assert math.isnan(found) or value[0] - slack <= found <= value[1] + slack, (box, point, found, value)
    for a, b in itertools.product(points, points):
        apart = [at for at in range(op.arity) if a[at] != b[at]]
        if len(apart) == 1 and a[apart[0]] < b[apart[0]] and not math.isnan(worth[a] + worth[b]):
            run, (low, high) = b[apart[0]] - a[apart[0]], slopes[apart[0]]
            rise = worth[b] - worth[a]
            assert run * low - slack <= rise <= run * high + slack, (box, a, b, rise, slopes)


@EACH
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_the_move_at_a_smooth_point_is_the_quotient_of_differences(op, data):
    if (
        op.move is None
        or op.name in ("ceil", "floor", "round", "table")
        or node(op).op in ("eq", "ne", "lt", "le", "and", "or", "not")
    ):
        return
    args = [data.draw(st.floats(0.3, 4.7)) for _ in range(op.arity)]
    moves = [data.draw(st.sampled_from([-1.0, 0.0, 1.0])) for _ in range(op.arity)]
    if op.name == "select":
        args[0], moves[0] = data.draw(st.sampled_from([0.0, 1.0])), 0.0
    table = (TABLE,) if op.tabled else ()
    here, near, far = (
        node(op).apply([arg + step * move for arg, move in zip(args, moves)]) for step in (0.0, 1e-6, 2e-6)
    )
    if abs((far - near) - (near - here)) < 1e-9:  # not at a step
        assert op.move(*table, args, moves) == pytest.approx((near - here) / 1e-6, abs=1e-3)


@EACH
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_an_inverse_gives_the_argument_back(op, data):
    graph = Graph()
    for at, undo in enumerate(op.inverse):
        if undo is None:
            continue
        args = [data.draw(st.floats(0.2, 6)) for _ in range(op.arity)]
        value = op.scalar(*args)
        other = args[1 - at] if op.arity == 2 else math.nan
        back = graph.constant(undo(graph, graph.const(value), graph.const(other)))
        assert back == pytest.approx(args[at], rel=1e-6, abs=1e-9)
        if op.arity == 1:  # what is no value of the operation has no inverse, or the record says that it has
            below = undo(graph, graph.const(-1.7), graph.const(math.nan))
            again = op.scalar(graph.constant(below))
            assert op.positive or math.isnan(again) or again == pytest.approx(-1.7)


@EACH
def test_neutral_numbers_and_zeros(op):
    for at, neutral in enumerate(op.neutral):
        if neutral is not None:
            for x in (-2.5, 0.5, 7.0):
                assert op.scalar(*((neutral, x) if at == 0 else (x, neutral))) == x
    if op.zero_at_zero:
        assert op.scalar(0.0) == 0.0 and all(op.scalar(x) != 0.0 for x in (1e-9, 0.5, 3.0))


@EACH
def test_what_may_have_no_value_says_so(op):
    """Where a point inside a box has no value, the interval does not hide it."""
    if op.arity == 1 and not op.tabled:
        value, _ = op.interval((-2.0, 3.0))
        inside = [op.scalar(x) for x in (-1.5, -0.5, 0.5, 2.5)]
        assert not any(map(math.isnan, inside)) or value[0] != value[0]


def test_a_division_through_zero_may_have_no_value():
    value, _ = OPERATIONS["div"].interval((1.0, 2.0), (-1.0, 1.0))
    assert all(end != end for end in value) and all(end != end for end in NOWHERE)
    assert OPERATIONS["div"].interval((1.0, 2.0), (0.0, 2.0))[0] == (0.5, math.inf)


def test_roots_take_dimensions_apart():
    rule = OPERATIONS["sqrt"].units
    assert rule.result(Measure((("Time", 4),))) == Measure((("Time", 2),))
    assert rule.result(Measure((("Time", 3),))) is None


def test_a_total_is_the_same_on_every_python() -> None:
    """`sum` makes up for what it rounds away from Python 3.12 on."""
    assert total([0.1] * 10) == 0.9999999999999999
    assert total([]) == 0.0 and math.isnan(total([math.inf, -math.inf]))
