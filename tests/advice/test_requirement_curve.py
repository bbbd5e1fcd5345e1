"""The curve that an input decides: its points are solutions, and its safe point is the first one."""

from __future__ import annotations

import pytest
from attrs import evolve

from llmplan import api
from llmplan.advice.ledger import SHARES
from llmplan.advice.requirement_curve import MOST
from llmplan.emit.solution_json import as_json
from tests.present.plans import CASES, QUICK, SEVEN, solved


@pytest.mark.slow
def test_points_are_solutions(plans) -> None:
    solution = solved(QUICK)
    curve = solution.curve
    assert curve is not None
    assert (curve.input.name, curve.result.name, curve.requirement) == ("hardware.gpus", "wall_time", "deadline")
    assert 5 <= len(curve.points) <= MOST
    answer = curve.points[curve.chosen]
    assert answer.at == solution.values["hardware.gpus"].value
    assert (answer.value, answer.model_low, answer.model_high) == tuple(
        getattr(solution.values["wall_time"], name) for name in ("value", "model_low", "model_high")
    )
    (deadline,) = (result for result in solution.requirements if result.name == "deadline")
    assert answer.chance == pytest.approx(deadline.chance) and answer.verdict == deadline.verdict
    for point in curve.points:
        again = plans.solve(SEVEN.replace("gpus = ?", f"gpus = {point.at:.0f}").replace("<= 30 days", "<= 999 days"))
        assert again.values["wall_time"].value == pytest.approx(point.value, rel=1e-9)
    safe = curve.points[curve.safe]
    assert safe.verdict == "safe" and safe.chance >= 0.9
    # Micro-batches that divide make the chance rise in steps and fall between them: the one before is not safe.
    again = plans.solve(SEVEN.replace("gpus = ?", f"gpus = {safe.at - 8:.0f}"))
    assert next(result for result in again.requirements if result.name == "deadline").verdict != "safe"


@pytest.mark.slow
def test_where_there_are_too_many_layouts_they_stay(plans, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SHARES, "curve", evolve(SHARES["curve"], points=4))
    curve = api.solve(plans.path, text=SEVEN, limit=10**7, tables=True).curve
    assert curve is not None and not curve.again
    point = next(
        point for point in curve.points if point.verdict == "safe" and point.at > curve.points[curve.chosen].at
    )
    answer = plans.solve(SEVEN)
    settled = {unknown.path: unknown.value.value for unknown in answer.unknowns} | {"hardware.gpus": point.at}
    again = plans.solve(SEVEN, settings=tuple((name, str(value)) for name, value in settled.items()))
    assert again.values["wall_time"].value == pytest.approx(point.value, rel=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_it_stands_in_the_json(name: str) -> None:
    solution = solved(name)
    record = as_json(solution, ())
    assert ("curve" in record) == (solution.curve is not None) and ("neighbours" in record) == bool(solution.neighbours)
    if solution.curve is not None:
        assert [point["value"] for point in record["curve"]["points"]] == [
            None if point.value is None else pytest.approx(point.value) for point in solution.curve.points
        ]
