"""`llmplan examples`: every plan that ships, with its question; a copy of one is that plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan.examples import examples

PLANS = Path(__file__).parents[2] / "plans"


def test_every_shipped_plan_is_listed_with_its_question(llmplan):
    out = llmplan("examples").out
    assert all(len(line) <= 80 for line in out.splitlines())
    for plan in (*PLANS.glob("*.plan"), *(PLANS / "questions").glob("*.plan")):
        assert f"\n{plan.stem} " in f"\n{out}"
    assert all(one.question for one in examples())
    assert len({one.name for one in examples()}) == len(examples())


@pytest.mark.parametrize("name", ["gpus", "gpus.plan"])
def test_a_copy(llmplan, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    outcome = llmplan("examples", name)
    assert outcome.code == 0 and "next: llmplan solve gpus.plan" in outcome.out
    assert (tmp_path / "gpus.plan").read_text() == (PLANS / "questions/gpus.plan").read_text()
    (tmp_path / "gpus.plan").write_text("mine")
    outcome = llmplan("examples", name)
    assert outcome.code == 2 and "exists" in outcome.err and (tmp_path / "gpus.plan").read_text() == "mine"
    assert llmplan("examples", name, "-").out == (PLANS / "questions/gpus.plan").read_text()


def test_no_such_example(llmplan):
    outcome = llmplan("examples", "gpuss")
    assert outcome.code == 2 and "did you mean `gpus`" in outcome.err
