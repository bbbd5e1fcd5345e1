"""The language of answers on the terminal."""

from __future__ import annotations

import pytest

from llmplan.present.words import ask_for

PLAN = """let days = 3 days
show days
require short: days <= 4 days
"""


@pytest.fixture(autouse=True)
def afterwards():
    yield
    ask_for("en")


@pytest.mark.parametrize("command", ["solve", "compile"])
def test_answers_are_in_the_language_that_is_asked_for(llmplan, write, command: str) -> None:
    plan = write("a.plan", PLAN)
    answer = llmplan(command, plan, "--lang", "zh")
    assert answer.code == 0 and "3 天" in answer.out and "稳妥" in answer.out
    ask_for("en")
    assert "3 days" in llmplan(command, plan).out


def test_another_language_is_a_mistake(llmplan, write) -> None:
    assert llmplan("solve", write("a.plan", PLAN), "--lang", "fr").code == 2


def test_the_language_of_a_report_is_not_that_of_the_terminal(llmplan, write, tmp_path) -> None:
    plan = write("a.plan", PLAN + "emit report { language = zh }\n")
    assert "days" in llmplan("compile", plan).out
    report = (tmp_path / "build" / "a" / "report.md").read_text(encoding="utf-8")
    assert "4 天" in report and "未包括" in report
