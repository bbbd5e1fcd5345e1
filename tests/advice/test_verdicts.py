"""Verdicts on requirements that read uncertain values in any form: none is safe without a chance.

A requirement on a planned quantity is judged by its counterpart on the calendar. Random plans are named by their seeds;
see `tests/thorough.py`.
"""

from __future__ import annotations

import random

import pytest
from attrs import evolve

from llmplan.answer.schema.requirements import RequirementResult
from tests.thorough import SEED, many

pytestmark = pytest.mark.usefixtures("no_advice")

PLAN = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 96 }
training { global_batch = 4M tokens, micro_batch = 4, recompute = none }
parallelism.zero_stage = 3
"""
LETS = """let soon = time <= 30 days
let likely_time = quantile(time, 90%)
let share = chance(time <= 30 days)
fn late(limit: s) -> Bool = time > limit
"""
MODELS = ("llama-7b", "llama-3.1-8b", "llama-2-13b")
CARDS = ("A100-SXM4-80GB", "H100-SXM5-80GB")
ON_THE_CALENDAR = {
    "time": "wall_time", "cost": "wall_cost", "gpu_hours": "wall_gpu_hours", "energy": "wall_energy",
    "co2e": "wall_co2e",
}  # fmt: skip


def required(plans, text: str) -> dict[str, RequirementResult]:
    solution = plans.solve(text)
    assert solution.status == "solved", solution.diagnostics
    return {result.text: result for result in solution.requirements if result.origin == "plan"}


def test_any_condition_has_the_chance_of_its_counterpart_as_one_event(plans) -> None:
    conditions = [
        "time <= 30 days and cost <= 290 kUSD", "time <= 30 days or cost <= 170 kUSD", "not (time > 30 days)",
        "1 day <= time <= 30 days", "time in 1 day..30 days", "(if time <= 30 days then 1 else 0) == 1", "soon",
        "share >= 50%",
        "not late(30 days)",
    ]  # fmt: skip
    own = "".join(f"require r{number}: {text}\n" for number, text in enumerate(conditions))
    found = required(plans, f"{PLAN}{LETS}require plain: time <= 30 days\n{own}")
    plain = found["time <= 30 days"]
    assert plain.verdict == "no" and plain.chance == pytest.approx(0.226, abs=0.01)
    for text in conditions:
        assert found[text].holds and (found[text].verdict, found[text].on) == ("no", "calendar"), text
        assert found[text].chance == pytest.approx(plain.chance, abs=0.005), text
        assert found[text].planned.chance == pytest.approx(plain.planned.chance, abs=0.005), text


def test_a_quantile_is_judged_by_the_chance_that_its_value_is_met(plans) -> None:
    text = f"{PLAN}{LETS}require q: quantile(time, 90%) <= 36 days\nrequire own: likely_time <= 36 days\n"
    text += "require plain: time <= 36 days\n"
    found = required(plans, text)
    plain = found["time <= 36 days"]
    assert plain.chance < 0.5
    for one in ("quantile(time, 90%) <= 36 days", "likely_time <= 36 days"):
        assert (found[one].chance, found[one].verdict) == (plain.chance, "no")
        assert evolve(found[one].planned, compared=None) == evolve(plain.planned, compared=None)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("time == goal", "equality"),
        ("time == goal and hardware.gpus == 96", "equality"),
        ("quantile(time, 90%) + 1 day <= 90 days", "asked"),
        ("chance(wall_time <= 90 days) >= 50% and chance(wall_cost <= 900 kUSD) >= 50%", "asked"),
    ],
)
def test_what_is_no_single_event_is_not_judged(plans, condition, reason) -> None:
    found = required(plans, f"{PLAN}let goal = ? in 1 day..90 days\nrequire r: {condition}\nrequire g: time == goal\n")
    assert (found[condition].verdict, found[condition].chance, found[condition].unjudged) == (
        "not judged", None, reason,
    )  # fmt: skip


def test_a_sure_condition_without_an_uncertain_value_stays_safe(plans) -> None:
    found = required(
        plans, f"{PLAN}require few: hardware.gpus == 96\nrequire any: time <= 1 day or hardware.gpus > 8\n"
    )
    assert {(one.verdict, one.chance, one.unjudged) for one in found.values()} == {("safe", None, "")}


def test_a_condition_over_ranges_has_a_chance(plans) -> None:
    rules = "require soon: rest <= 20 s and rest >= 1 s\nrequire late: 1 s <= rest <= 30 s\n"
    found = required(plans, f"let rest = 5 s..25 s\n{rules}show rest\n")
    soon, late = found["rest <= 20 s and rest >= 1 s"], found["1 s <= rest <= 30 s"]
    assert soon.chance == pytest.approx(0.75, abs=0.01) and soon.verdict == "likely"
    assert late.chance is None and late.verdict == "safe"


@pytest.mark.quick(1)
@pytest.mark.parametrize("condition", ["time == goal", "time <= 90 days and cost <= 900 kUSD", "not (time > 90 days)"])
def test_an_assumed_rate_leaves_any_condition_unjudged(plans, condition) -> None:
    text = f"{PLAN}assume mfu = 40%\nlet goal = ? in 1 day..90 days\nrequire g: time == goal\nrequire r: {condition}\n"
    result = required(plans, text)[condition]
    assert (result.verdict, result.chance) == ("not judged", None)
    assert (result.rates, result.unjudged) == (((), "equality") if "==" in condition else (("mfu",), ""))


@pytest.mark.parametrize(("mfu", "verdict"), [("40%", "no"), ("55%", "not judged")])
def test_a_limit_missed_as_planned_is_no_though_its_rate_is_assumed(plans, mfu, verdict) -> None:
    """At 40 % the plan itself takes longer; at 55 % only the calendar does, of which nothing is known."""
    solution = plans.solve(f"{PLAN}assume mfu = {mfu}\nrequire d: time <= 30 days\n")
    result = next(one for one in solution.requirements if one.name == "d")
    assert (result.holds, result.verdict) == (verdict != "no", verdict)
    assert bool(result.rates) == (verdict == "not judged")


def random_plan(make: random.Random) -> str:
    return "\n".join((
        f'model "{make.choice(MODELS)}"',
        f"dataset {{ tokens = {make.choice((20, 300, 1000))}B, sequence_length = {make.choice((2048, 4096))} }}",
        f'hardware {{ gpu = "{make.choice(CARDS)}", gpus = {make.choice((32, 64, 256))} }}',
        "hardware { price = 2 USD/GPU/hour, carbon_intensity = 0.4 kg/kWh }",
        f"training {{ global_batch = {make.choice((256, 1024))} sequences, micro_batch = 1, recompute = full }}",
        f"parallelism.zero_stage = {make.choice((2, 3))}",
        "",
    ))  # fmt: skip


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "seed", [pytest.param(SEED + one, marks=[pytest.mark.slow] * (one >= 8)) for one in range(many(8, 24, 200))]
)
def test_a_verdict_has_the_chance_that_the_plan_shows(plans, seed: int) -> None:
    make = random.Random(f"verdicts {seed}")
    text, planned = random_plan(make), make.choice(sorted(ON_THE_CALENDAR))
    limit = plans.value(planned, before=text) * make.uniform(1.0, 2.5)
    unit = {"time": "s", "cost": "USD", "gpu_hours": "GPU*s", "energy": "J", "co2e": "kg"}[planned]
    solution = plans.solve(
        f"{text}require r: {planned} <= {limit!r} {unit}\nshow chance({ON_THE_CALENDAR[planned]} <= {limit!r} {unit})\n"
    )
    result = next(one for one in solution.requirements if one.name == "r")
    assert result.holds and result.on == "calendar", text
    assert result.chance == pytest.approx(solution.shown[0].amount.number, abs=1e-12), text
    assert 0.0 < result.chance < 1.0, text


def test_functions_that_double_are_spelled_out_to_a_bound(plans) -> None:
    doubled = "".join(f"fn f{one}(x: s) -> s = f{one - 1}(x) + f{one - 1}(x)\n" for one in range(1, 31))
    found = required(plans, f"{PLAN}fn f0(x: s) -> s = time + x\n{doubled}require r: f30(1 s) > 30 days\n")
    assert found["f30(1 s) > 30 days"].verdict == "safe"
