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
