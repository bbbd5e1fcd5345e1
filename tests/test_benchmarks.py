"""The tools in benchmarks/ that no other test runs still fit the package."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
def test_an_answer_can_be_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    freeze = runpy.run_path(str(ROOT / "benchmarks" / "freeze.py"), run_name="freeze")
    text = (ROOT / "plans" / "one_card.plan").read_text()
    found = freeze["answer"]("one_card.plan", text)
    assert found["status"] == "solved" and found["unknowns"]
    assert found == freeze["answer"]("one_card.plan", text)


def test_verdicts_on_deadlines_are_judged_by_other_families(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.deadlines import DEADLINES, deadlines

    spread = {str(n): [1.0 + n / 100] for n in range(21)}  # families alike, so that the others foretell each
    classes = {one["verdict"]: one for one in deadlines(spread)["classes"]}
    assert sum(one["count"] for one in classes.values()) == 21 * len(DEADLINES)
    assert classes["safe"]["met"] == 1.0 and classes["safe"]["stated"] > 0.9
    assert classes["tight or no"]["met"] < 0.1

    wrong = deadlines({**spread, "slow": [4.0] * 9})  # its runs weigh as much as one, and the others do not foretell it
    assert 0.9 < {one["verdict"]: one for one in wrong["classes"]}["safe"]["met"] < 1.0
    assert wrong["classes"][0]["count"] > classes["safe"]["count"]
