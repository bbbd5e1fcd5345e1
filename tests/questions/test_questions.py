"""The answer in the header of each question is what its plan computes.

The figures are read from the header: the numbers of its lines after the question, in order. The
tests name what each of them is, and hold no figure themselves.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from llmplan import api
from tests.rules.figures import evaluate, header, questions
from tests.std.answers import PLANS
from tests.thorough import sample

# A number that is no part of a name (A100, Llama-2-13B, ZeRO 2 with two-way), with the unit behind it.
_FIGURE = re.compile(r"(?<![\w.,-])([0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?)(B\b)?(?: ?([\w/%]+))?")
_WORDS = {
    "%": "%", "GB": " GB", "USD": " USD", "TFLOP/s": " TFLOP/s", "days": " days", "hours": " hours",
    "minutes": " min", "seconds": " s", "billion": "B",
}  # fmt: skip

# What the figures of each answer are, in order, each in a scenario or in the plan itself. A unit that is a count
# (token, GPU) is divided away where the header prints a word for it.
MEANING: dict[str, list[tuple[str, str]]] = {
    "deadline": [("", "wall_time")],
    "failures": [
        ("", "job_mtbf"),
        ("", "checkpoint_interval_optimal"),
        ("", "checkpoint_size"),
        ("", "checkpoint_time"),
        ("", "goodput"),
    ],
    "fine_tune": [
        ("", "time"),
        ("", "steps / 1 step"),
        ("", "memory.total"),
        ("full rows", "time"),
        ("full rows", "steps / 1 step"),
    ],
    "lengths": [
        ("", "memory.total"),
        ("", "chance(memory.total <= gpu.memory)"),
        ("", "dataset.samples / 1 sequence"),
        ("", "time"),
        ("cut", "dataset.sequence_length / 1 token"),
        ("cut", "memory.total"),
        ("full rows", "time"),
    ],
    "preferences": [
        ("", "time"),
        ("", "training.micro_batch / 2 sequences"),
        ("", "memory.total"),
        ("", "memory.frozen_model"),
        ("computed before", "memory.total"),
        ("computed before", "time"),
        ("adapters", "memory.total"),
        ("adapters", "time"),
    ],
    "fits": [
        ("", "memory.total"),
        ("", "memory.activations"),
        ("recompute", "memory.total"),
        ("recompute", "memory.activations"),
        ("micro-batch of one", "memory.total"),
        ("ZeRO 3", "parallelism.zero_stage"),
        ("ZeRO 3", "memory.total"),
    ],
    "gpu_type": [
        ("", "hardware.price * 1 hour"),
        ("", "cost"),
        ("", "time"),
        ("B200", "cost"),
        ("H20", "hardware.peak"),
        ("H100", "hardware.peak"),
        ("H20", "cost"),
        ("H20", "time"),
    ],
    "gpus": [("", "hardware.gpus"), ("", "wall_time")],
    "gpus_and_cost": [("", "hardware.gpus"), ("", "wall_time"), ("", "wall_cost"), ("", "hardware.price * 1 hour")],
    "how_sure": [
        ("", "wall_time"),
        ("", "wall_cost"),
        ("", "low: wall_time"),
        ("", "low: wall_cost"),
        ("", "high: wall_time"),
        ("", "high: wall_cost"),
        ("", "late"),
        ("", "soon"),
        ("", "money"),
    ],
    "inference": [
        ("", "serving.memory"),
        ("", "serving.kv_cache"),
        ("", "serving.copy_gpus"),
        ("", "serving.latency"),
        ("", "serving.gpus"),
    ],
    "layout": [
        ("", "parallelism.tensor"),
        ("", "parallelism.pipeline"),
        ("", "training.micro_batch / 1 sequence"),
        ("", "time"),
        ("", "dataset.tokens / 1 token"),
        ("", "cost"),
        ("tensor parallel 8", "parallelism.tensor"),
        ("tensor parallel 8", "parallelism.pipeline"),
        ("tensor parallel 8", "parallelism.virtual_pipeline"),
        ("tensor parallel 8", "time"),
        ("recompute", "time"),
    ],
    "mfu_needed": [("", "mfu"), ("", "wall_time")],
    "mfu_percent": [("", "days_saved"), ("", "time / 1 day"), ("", "cost_saved")],
    "micro_batch": [("", "training.micro_batch"), ("", "2 * training.micro_batch")],
    "normal_speed": [
        ("", "step_time"),
        ("", "step_time * step.low"),
        ("", "step_time * step.high"),
        ("", "slower"),
    ],
    "own_objective": [
        ("", "model.params / 1 param"),
        ("", "dataset.tokens / 1 token"),
        ("", "tokens_per_parameter / 1 token/param"),
        ("", "reached"),
    ],
    "parameters": [("", "model.params / 1 param"), ("", "dataset.tokens / 1 token")],
    "parameters_given_tokens": [("", "model.params / 1 param"), ("", "tokens_per_parameter / 1 token/param")],
    "serving_context": [
        ("", "serving.context / 1 token"),
        ("", "serving.longest_at_once"),
        ("", "serving.cache_tokens / 1 token"),
        ("", "serving.concurrency"),
        ("", "serving.longest_each / 1 token"),
    ],
    "serving_cost": [
        ("", "serving.cost_per_million_tokens"),
        ("", "serving.concurrency"),
        ("", "serving.cost_per_million_input_tokens"),
        ("one at a time", "serving.cost_per_million_tokens"),
    ],
    "serving_gpus": [
        ("", "serving.gpus"),
        ("", "serving.concurrency"),
        ("", "serving.cost_per_million_tokens"),
        ("", "serving.ttft / 1 ms"),
        ("", "serving.tpot / 1 ms"),
    ],
    "serving_users": [("", "serving.concurrency"), ("", "serving.ttft"), ("", "serving.most_at_once")],
    "tokens": [("", "dataset.tokens / 1 token"), ("", "tokens_per_parameter / 1 token/param")],
    "zero_stage": [("", "parallelism.zero_stage"), ("", "16 bytes/parameter * model.params")],
}


def answer(plan: Path) -> str:
    """The header after the last question mark."""
    return header(plan).rpartition("?")[2]


def figures(plan: Path) -> list[str]:
    """The figures of the answer, as the plan language writes them."""
    return [f"{amount}{magnitude}{_WORDS.get(word, '')}" for amount, magnitude, word in _FIGURE.findall(answer(plan))]


@pytest.mark.quick(3)
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize("plan", sample(questions()), ids=lambda plan: plan.stem)
def test_answer_is_current(plan: Path) -> None:
    printed, meaning = figures(plan), MEANING[plan.stem]
    assert len(printed) == len(meaning), printed
    for scenario in dict.fromkeys(scenario for scenario, _ in meaning):
        pairs = [(expression, figure) for (where, expression), figure in zip(meaning, printed) if where == scenario]
        solution, wrong = evaluate(plan, pairs, scenario or None)
        assert wrong == []
        words = [u.value.value for u in solution.unknowns if u.asked and isinstance(u.value.value, str)]
        missing = [word for word in words if word not in answer(plan) and word != "none"]
        assert missing == [] or scenario


@pytest.mark.slow
def test_what_is_certain() -> None:
    solution = api.solve(str(PLANS / "questions/how_sure.plan"))
    found = {result.name: result.certainty for result in solution.requirements if result.origin == "plan"}
    assert found == {"surely": "certain", "likely": "expected", "budget": "expected"}


def test_the_sweep_over_accelerators_has_the_answer_as_its_best() -> None:
    table, _ = api.sweep(str(PLANS / "questions/gpu_type.plan"))
    assert [row.at[0].value for row in table.rows if row.best] == ["MI300X"]
    costs = {row.at[0].value: row.results["cost"].value for row in table.rows}
    assert max(costs, key=lambda gpu: costs[gpu]) == "H20"


@pytest.mark.parametrize("plan", questions(), ids=lambda plan: plan.stem)
def test_checks_without_a_finding(plan: Path) -> None:
    assert [d.message for d in api.check(str(plan))] == []


@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize(
    ("question", "settings", "status"),
    [
        ("fits", [], "infeasible"),
        ("fits", [("training.recompute", "full")], "solved"),
        ("fits", [("training.micro_batch", "1")], "infeasible"),
        ("fits", [("parallelism.zero_stage", "3")], "infeasible"),
        ("micro_batch", [("training.micro_batch", "16")], "infeasible"),
        ("zero_stage", [("parallelism.zero_stage", "0")], "infeasible"),
    ],
)
def test_what_fits(question: str, settings: list[tuple[str, str]], status: str) -> None:
    assert api.solve(str(PLANS / f"questions/{question}.plan"), settings=settings).status == status
