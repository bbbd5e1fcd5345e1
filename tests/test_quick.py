"""Of the cases of a test with `quick` only as many run by default as it says."""

from __future__ import annotations

import pytest

from tests.quick import mark_others_slow, spread


def test_positions_are_spread_and_begin_with_the_first() -> None:
    assert spread(3, 10) == [0, 3, 6]
    assert spread(2, 7) == [0, 3]
    assert spread(3, 3) == spread(5, 3) == [0, 1, 2]


@pytest.mark.parametrize(
    "count, slow_before, slow",
    [(3, [], [1, 3, 5]), (2, [0], [0, 2, 4, 5]), (1, [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]), (9, [], [])],
)
def test_the_others_are_slow(
    count: int, slow_before: list[int], slow: list[int], request: pytest.FixtureRequest
) -> None:
    def case() -> None: ...

    items = [
        pytest.Function.from_parent(request.node.parent, name=f"case[{at}]", originalname="case", callobj=case)
        for at in range(6)
    ]
    for at, item in enumerate(items):
        item.add_marker(pytest.mark.quick(count))
        if at in slow_before:
            item.add_marker("slow")
    mark_others_slow(items)
    assert [at for at, item in enumerate(items) if item.get_closest_marker("slow")] == slow
