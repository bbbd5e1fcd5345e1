"""Mistakes that reports once had: sums that did not add up, ranges that were lost, names of other things."""

from __future__ import annotations

import re
from functools import lru_cache

import pytest

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.emit.render import render

BASE = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 128 }
parallelism { framework = deepspeed, zero_stage = 2 }
training { global_batch = 4M tokens, micro_batch = 4, recompute = none }
"""


@lru_cache(maxsize=16)
def solved(text: str) -> Solution:
    return api.solve("a.plan", text=text, tables=True)


def report(text: str) -> str:
    files, problems = render(solved(text))
    assert not problems
    return files["report.md"]


def line(text: str, part: str) -> str:
    return next(one for one in report(text).splitlines() if part in one)


@pytest.mark.parametrize(
    ("rate", "word"),
    [pytest.param("30%", "more", marks=pytest.mark.slow), pytest.param("62%", "less", marks=pytest.mark.slow)],
)
def test_under_an_assumed_rate_the_parts_are_those_of_the_estimate_and_add_up(rate: str, word: str) -> None:
    said = line(f"{BASE}assume mfu = {rate}\n", "Step, s, ")
    parts, _, assumed = said.partition("Step, s, ")[2].partition(" These are the parts of the estimate")
    shares = [int(share) for share in re.findall(r"\((\d+)%\)", parts)]
    assert "-" not in re.sub(r"data-parallel|tensor-parallel", "", parts) and 90 <= sum(shares) <= 101
    assert "difference" not in parts
    slower = solved(f"{BASE}assume mfu = {rate}\n").values["step.other"].value
    assert isinstance(slower, float) and (slower > 0) == (word == "more") and assumed.endswith(f"% {word}.")


@pytest.mark.slow
def test_a_sweep_keeps_ranges_and_says_where_points_tie() -> None:
    text = report(f"{BASE}assume mfu = 30%..40%..55%\nsweep hardware.gpus in [64, 128]\nminimize cost\n")
    table = text.partition("## Sweep")[2].partition("\n## ")[0]
    assert table.count("as good as any") == 2 and "best" not in table
    assert re.search(r"\| [\d.]+ \([\d.]+ – [\d.]+\) \|", table) and "Assumed in every row: `mfu` = 40%" in table


def test_a_checkpoint_is_given_in_steps_and_numbers_as_people_write_them() -> None:
    run = line(BASE, "**Operated**: ")
    assert re.search(r"checkpoint every \d+ steps \([\d.]+ (min|hours)\)", run)
    assert "learning rate 3e-4" in line(BASE, "**Launched**: ")
    text = report(BASE).partition("-->")[2]  # the hash in the first line may hold anything
    assert "GPU*hour" not in text and not re.search(r"\de\+?\d\d", text) and "0.0003" not in text


@pytest.mark.slow
def test_a_card_without_a_price_is_said_once() -> None:
    text = report(
        BASE.replace("A100-SXM4-80GB", "RTX-4090")
        .replace("llama-7b", "tinyllama-1.1b")
        .replace("micro_batch = 4", "micro_batch = 1")
        .replace("gpus = 128", "gpus = 1")
    )
    assert text.count("no price of RTX-4090") == 1 and "undefined" not in text and "needs `hardware.price`" not in text


def test_what_holds_of_the_library_takes_no_line() -> None:
    text = report(BASE)
    assert "heads_divide" not in text and "library requirement" not in text


@pytest.mark.slow
def test_a_speed_that_the_plan_leaves_to_the_catalog_is_a_risk_where_it_matters() -> None:
    text = BASE.replace("zero_stage = 2", "zero_stage = 3").replace("micro_batch = 4", "micro_batch = 1")
    (risk, *_) = solved(text).risks
    assert risk.name == "hardware.internode_bandwidth" and risk.change >= 0.05 and risk.worse.exact() == "12.5 GB/s/GPU"
    assert f"at 12.5 GB/s/GPU `{risk.result}` is {100 * risk.change:.0f}% more" in report(text)
    assert "a list price (" in report(text)
    fixed = solved(f"{text}hardware.internode_bandwidth = 25 GB/s/GPU\nhardware.price = 2 USD/GPU/hour\n")
    assert "hardware.internode_bandwidth" not in [one.name for one in fixed.risks]
    slower = solved(f"{text}hardware.internode_bandwidth = 12.5 GB/s/GPU\n").values[risk.result].value
    before = solved(text).values[risk.result].value
    assert isinstance(slower, float) and isinstance(before, float)
    assert slower / before - 1 == pytest.approx(risk.change)


@pytest.mark.quick(1)
@pytest.mark.parametrize("asked", ["time", "wall_time"])
def test_a_deadline_of_either_kind_is_one(asked: str) -> None:
    text = report(f"{BASE}require deadline: {asked} <= 60 days\n")
    assert "no deadline in the plan" not in text and "no budget in the plan" in text
    assert "no deadline in the plan" in report(BASE)


def test_the_rows_of_a_table_carry_the_verdict() -> None:
    text = report(f'{BASE}require deadline: wall_time <= 60 days\nscenario "more" {{ hardware.gpus = 256 }}\n')
    table = text.partition("## Scenarios")[2].partition("\n## ")[0]
    assert "| verdict |" in table and re.search(r"\| (safe|likely|tight) \d+% \|", table)


@pytest.mark.slow
def test_a_waived_requirement_has_its_row_with_the_reason() -> None:
    text = report(f'{BASE}waive heads_divide because "tried on one node"\n')
    assert "| `heads_divide` (library) |" in text and "ⓘ waived: tried on one node" in text


@pytest.mark.slow
def test_a_chance_that_is_asked_for_stands_beside_its_limit() -> None:
    row = line(f"{BASE}require sure: chance(time <= 60 days) >= 90%\n", "| sure (")
    assert row.startswith("| sure (time), days |") and "✓ safe" in row and row.endswith("; asked 90% |")


def test_a_plan_that_only_serves_launches_no_training() -> None:
    text = report("""model "llama-2-7b"
hardware { gpu = "H100-SXM5-80GB", gpus = 8 }
serving { queries_per_second = 1, input_tokens = 1000, output_tokens = 300, batch = 8 }
""")
    assert "serve 60 queries per minute" in text
    assert "Launched" not in text and "adamw" not in text and "learning rate" not in text


@pytest.mark.slow
def test_what_is_infeasible_in_two_ways_has_one_story() -> None:
    """The headline's changes head the table, whole, before those of each conflict as if it were the only one."""
    text = report(f"{BASE}require deadline: time <= 3 days\nrequire budget: cost <= 1_000 USD\n")
    headline = next(one for one in text.splitlines() if one.startswith("**No plan meets"))
    table = [one.split("|")[1:3] for one in text.splitlines() if one.startswith("|") and " → " in one]
    assert "independent" not in text and table[0][0].strip() == "all of them"
    assert [row[0].strip() for row in table if row[0].strip()] == ["all of them", "deadline", "budget"]
    told = re.findall(r"`([^`]+)`", headline.partition(": ")[2])
    assert len(told) == 2 and all(one.split(" = ")[-1] in table[0][1] for one in told)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["both: ", ""])
def test_the_first_sentence_names_a_compound_requirement_as_written(name: str) -> None:
    text = "time <= 30 days and cost <= 1 MUSD"
    named = f"`both` (`{text}`)" if name else f"`{text}`"
    assert f"{named} has a chance of " in line(f"{BASE.replace('128', '96')}require {name}{text}\n", "**96 ")
