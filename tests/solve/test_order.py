"""What is better: the form for two points, for many and for trade-offs is one definition."""

from __future__ import annotations

from math import inf, isfinite

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from llmplan.solve.order import Front, Ranked, best, no_worse, ordered, prefers

# Costs that differ by rounding, or clearly; a chain of ties would have no order.
COSTS = st.builds(
    lambda cost, digit: cost * (1 + digit * 1e-15),
    st.sampled_from([-inf, -2.0, 0.0, 1.0, 1.0 + 1e-7, 3e20, inf]),
    st.integers(-3, 3),
)
ROWS = st.integers(1, 3).flatmap(lambda width: st.lists(st.tuples(*[COSTS] * width), min_size=1, max_size=12))


def points(rows):
    return [Ranked(costs, {0: number % 3, 1: number // 3}) for number, costs in enumerate(rows)]


def columns(rows):
    return [np.array(column) for column in zip(*rows)]


def places(rows):
    number = np.arange(len(rows))
    return lambda chosen: {0: (number % 3)[chosen], 1: (number // 3)[chosen]}


@given(ROWS, st.integers(1, 5), st.booleans())
def test_the_best_of_many_are_those_that_come_first_one_by_one(rows, wanted, competing):
    expected = ordered(points(rows))[:wanted]
    last = expected[-1] if competing else None
    found = ordered(best(columns(rows), places(rows), len(rows), wanted, last))[:wanted]
    assert [point.places for point in found] == [point.places for point in expected]


@given(ROWS, ROWS)
def test_what_is_preferred_is_so_in_one_direction(some, others):
    for mine, theirs in zip(some, others):
        decided = prefers(mine, theirs)
        assert prefers(theirs, mine) is (None if decided is None else not decided)
        assert prefers(mine, mine) is None
        worse = not no_worse(np.array(mine[0]), np.array(theirs[0]))
        assert worse == (prefers(mine[:1], theirs[:1]) is False)


@given(st.lists(st.tuples(COSTS, COSTS), min_size=1, max_size=12), st.integers(1, 12))
def test_a_front_has_what_nothing_dominates_in_parts_as_at_once(rows, cut):
    def dominated(mine, theirs):
        decided = [prefers(theirs[k : k + 1], mine[k : k + 1]) for k in range(2)]
        return True in decided and False not in decided

    fronts = []
    for parts in ([rows], [rows[:cut], rows[cut:]]):
        front = Front()
        for part in parts:
            if part:
                front.add(columns(part), {0: np.arange(len(part))}, len(part), np.zeros(()))
        fronts.append(front.costs)
    assert np.allclose(fronts[0], fronts[1])
    finite = [row for row in rows if all(map(isfinite, row))]
    kept = [row for row in finite if not any(dominated(row, other) for other in finite)]
    assert all(any(prefers(row, tuple(one)) is None for one in fronts[0].tolist()) for row in kept)
    assert all(any(prefers(row, tuple(one)) is None for row in kept) for one in fronts[0].tolist())
