"""The neighbours of an answer: the plan with one change and nothing solved again."""

from __future__ import annotations

import pytest

from tests.present.plans import QUICK, SEVEN, solved


@pytest.mark.slow
def test_neighbours_are_the_plan_with_one_change(plans) -> None:
    solution = solved(QUICK)
    answer, *others = solution.neighbours
    settled = {unknown.path: unknown.value.value for unknown in solution.unknowns}
    assert answer.values["memory.total"] == solution.values["memory.total"].value and not answer.breaks
    assert {"training.micro_batch", "training.recompute", "parallelism.zero_stage"} <= {
        neighbour.name for neighbour in others
    }
    for neighbour in others:
        given = tuple((name, str(value)) for name, value in (settled | {neighbour.name: neighbour.value}).items())
        changed = plans.solve(SEVEN, settings=given)
        assert (changed.status == "solved") == (not neighbour.breaks), neighbour.name
        for name, value in neighbour.values.items():
            assert changed.values[name].value == pytest.approx(value, rel=1e-9), (neighbour.name, name)
        band = changed.values["memory.total"]
        assert neighbour.bands["memory.total"] == pytest.approx((band.model_low, band.model_high))
