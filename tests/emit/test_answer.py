"""The answer in one sentence, for each thing that a plan may ask."""

from __future__ import annotations

from typing import Literal

import pytest
from attrs import evolve

from llmplan.emit.answer import answer, verdict
from llmplan.solution import RequirementResult, Solution, SolvedUnknown, Value
from tests.emit.samples import having, solution, value

LLAMA = solution(unknowns=())


def asking(base: Solution, *asked: Value) -> Solution:
    unknowns = tuple(SolvedUnknown(item.name, item, "search", True, "…") for item in asked)
    return evolve(having(base, *asked), unknowns=unknowns)


def without(base: Solution, *names: str) -> Solution:
    return evolve(base, values={name: item for name, item in base.values.items() if name not in names})


def fitting(spare: float, word: Literal["safe", "likely", "tight", "no"]) -> Solution:
    """With so many bytes to spare."""
    requirements = tuple(
        evolve(result, holds=word != "no", verdict=word, chance_text="70%") if result.name == "fits" else result
        for result in LLAMA.requirements
    )
    total = value("memory.total", 85.1e9 - 2.553e9 - spare, "", "byte", formula="…")
    return having(evolve(LLAMA, requirements=requirements), total)


def test_gpus() -> None:
    assert answer(LLAMA) == (
        "88 A100-SXM4-80GB (11 nodes of 8) train llama-7b on 1T tokens in 29.91 days (26.6 .. 35.9 days in eight of ten), "
            "at 40% MFU; "
        "fits with 25.4 GB to spare."
    )


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        (value("hardware.gpu", "H100-SXM5-80GB"), "88 H100-SXM5-80GB (11 nodes of 8) train"),
        (value("dataset.tokens", 2e12, "2T tokens"), "on 2T tokens in"),
        (value("mfu", 0.413, "0.413"), "at 41.3% MFU;"),
        (value("deadline", 1e6, "31.2 days", role="let"), "with deadline 31.2 days;"),
        (value("training.micro_batch", 4.0, "4 sequences"), "with micro-batch 4 sequences;"),
        (value("parallelism.zero_stage", 2.0, "2"), "with ZeRO stage 2;"),
        (value("model.layers", 32.0, "32"), "train a model of 6.738B parameters on 1T tokens"),
    ],
)
def test_what_was_asked_is_said(asked: Value, part: str) -> None:
    assert part in answer(asking(LLAMA, asked))


def test_parameters() -> None:
    plan = asking(without(LLAMA, "model", "model.params_total"), value("model.params", 7e9, "7B parameters"))
    assert "train a model of 7B parameters on 1T tokens" in answer(plan)


def test_one_gpu() -> None:
    one = having(LLAMA, value("hardware.gpus", 1.0, "1 GPU"), value("hardware.nodes", 1.0, "1 node"))
    assert answer(one).startswith("1 A100-SXM4-80GB trains llama-7b")


def test_cost() -> None:
    assert "40% MFU, for 123 USD; fits" in answer(having(LLAMA, value("cost", 123.0, "123 USD")))


def test_memory_alone() -> None:
    plan = without(LLAMA, "time", "dataset.tokens", "mfu")
    assert answer(plan) == (
        "llama-7b on 88 A100-SXM4-80GB (11 nodes of 8) needs 57.15 GB per GPU; fits with 25.4 GB to spare."
    )


def test_compute_alone() -> None:
    names = [name for name in LLAMA.values if not name.startswith(("model", "dataset"))]
    plan = having(without(evolve(LLAMA, requirements=()), *names), value("train_flops", 4e22, "4e22 FLOP"))
    assert answer(plan) == "Training llama-7b on 1T tokens takes 4e22 FLOP."


def test_nothing_known() -> None:
    assert answer(Solution("plans/a.plan", "", "solved")) == "Nothing to solve."


@pytest.mark.parametrize(
    ("spare", "verdict_of_fits", "word", "said"),
    [
        (25e9, "safe", "fits", "fits with 25 GB to spare."),
        (4e9, "likely", "tight", "tight: fits with a chance of 70%, 4 GB to spare."),
        (-2e9, "tight", "tight", "tight: fits with a chance of 70%, 2 GB over."),
        (-20e9, "no", "does not fit", "does not fit: 20 GB over."),
    ],
)
def test_verdict(spare, verdict_of_fits, word, said) -> None:
    solved = fitting(spare, verdict_of_fits)
    assert verdict(solved) == word and answer(solved).endswith(said)


def test_infeasible() -> None:
    requirements = tuple(
        evolve(result, holds=False, values="41 days <= 30 days") if result.name == "deadline" else result
        for result in LLAMA.requirements
    )
    found = evolve(LLAMA, status="infeasible", requirements=requirements, conflict=("deadline", "budget"))
    said = answer(found)
    assert said.startswith("No plan satisfies `deadline` and `budget` together. The nearest plan: 88 A100-SXM4-80GB")
    assert said.endswith("; violates `deadline` (41 days <= 30 days).")
    said = answer(evolve(found, conflict=("deadline",)))
    assert said.startswith("No plan satisfies `deadline`. The nearest plan: ")


def test_what_the_nearest_plan_violates_is_said_once_and_the_librarys_by_name() -> None:
    broken = [
        RequirementResult(name, False, "no", None, text, values, because, origin, "")
        for name, text, values, because, origin in (
            ("late", "time <= 10 days", "undefined: `data_parallel` is 5.333", "", "plan"),
            ("fits", "memory.total <= gpu.memory", "undefined: `data_parallel` is 5.333", "", "library"),
            ("heads_divide", "mod(heads, tensor) == 0", "1 == 0", "heads are split evenly", "library"),
            ("cheap", "cost <= 7 USD", "9 USD <= 7 USD", "", "plan"),
        )
    ]
    said = answer(evolve(LLAMA, status="infeasible", requirements=tuple(broken), conflict=("late",)))
    assert said.endswith(
        "; undefined: `data_parallel` is 5.333; violates `heads_divide` (1 == 0); violates `cheap` (9 USD <= 7 USD)."
    )


def test_error() -> None:
    assert answer(evolve(LLAMA, status="error")) == "plans/llama7b.plan was not solved."
