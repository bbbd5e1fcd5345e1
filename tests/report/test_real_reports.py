"""Reports of real plans: short, their columns whole, and a change of the plan is a short difference."""

from __future__ import annotations

import difflib
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pytest

from llmplan import api
from llmplan.emit.render import render

REPOSITORY = Path(__file__).parents[2]
REAL = Path(__file__).parent / "real"
PLANS = {
    "7b": REPOSITORY / "plans" / "llama7b.plan",
    "70b": REAL / "search_70b.plan",
    "405b": REPOSITORY / "plans" / "published" / "llama3_1_405b.plan",
    "moe": REAL / "moe.plan",
    "one card": REPOSITORY / "plans" / "one_card.plan",
    "lora": REAL / "lora.plan",
    "infeasible": REAL / "infeasible.plan",
    "ranges": REAL / "ranges.plan",
}
CHANGES = {
    "7b": ("time <= 30 days", "time <= 29 days"),
    "70b": ("3.5 MUSD", "3 MUSD"),
    "405b": ("15.6T", "15.5T"),
    "moe": ("500B", "600B"),
    "one card": ("10B", "12B"),
    "lora": ("rank = 16", "rank = 32"),
    "infeasible": ("21 days", "28 days"),
    "ranges": ("290_000", "300_000"),
}
FIRST = {  # what the first sentence must say, so that it answers the title
    "7b": ("A100-SXM4-80GB (", "train llama-7b on 1T tokens in about", "The deadline of 30 days, set on planned time, is"),
    "70b": ("tensor parallelism", "pipeline parallelism", "The budget of 3.5 MUSD, set on planned cost, is"),
    "405b": ("on the calendar (", "if every step runs as planned"),
    "moe": ("deepseek-v3 with 48 layers", "on the calendar ("),
    "one card": ("1 RTX-4090 trains tinyllama-1.1b", "days"),
    "lora": ("by QLoRA of rank 16", "It fits with"),
    "infeasible": ("No plan meets `deadline`", "nor `budget`", "would do"),
    "ranges": ("The budget of 290,000 USD, set on planned cost, is likely",),
}
SLOW = ("7b", "70b", "405b", "infeasible", "ranges", "moe", "lora")
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in PLANS]


@lru_cache(maxsize=32)
def report(name: str, changed: bool = False) -> str:
    text = PLANS[name].read_text(encoding="utf-8")
    text = text.replace(*CHANGES[name]) if changed else text
    solution = api.solve(str(PLANS[name]), text=text, tables=True)
    files, problems = render(solution)
    assert not problems
    return files["report.md"]


@pytest.mark.parametrize("name", NAMES)
def test_a_report_is_short(name: str) -> None:
    text = report(name)
    assert text.count("\n") <= 150 and len(text.encode()) <= 20_000
    assert ".plan:" not in text and "None" not in text and "undefined" not in text


@pytest.mark.parametrize("name", NAMES)
def test_the_first_sentence_answers_the_title(name: str) -> None:
    sentence = report(name).splitlines()[4]
    for part in FIRST[name]:
        assert part in sentence
    assert name != "infeasible" or len(sentence.split()) <= 40


@pytest.mark.parametrize("name", NAMES)
def test_every_row_has_the_columns_of_its_header(name: str) -> None:
    lines = report(name).splitlines()
    for before, line in pairwise(lines):
        if before.startswith("|") and line.startswith("|"):
            assert before.replace("\\|", "").count("|") == line.replace("\\|", "").count("|")


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANS)
def test_a_change_of_one_line_is_a_short_difference(name: str) -> None:
    found = list(difflib.unified_diff(report(name).splitlines(), report(name, True).splitlines(), lineterm="", n=3))
    assert len(found) <= 60
