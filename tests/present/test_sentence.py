"""The answer in one sentence, for each thing that a plan may ask."""

from __future__ import annotations

from typing import Literal

import pytest
from attrs import evolve

from llmplan.answer.schema.advice import Relaxation
from llmplan.answer.schema.requirements import Clash, Compared
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import Origin, SolvedUnknown, Value
from tests.amounts import amount, between
from tests.emit.samples import answer, having, solution, value

LLAMA = solution(unknowns=())


def asking(base: Solution, *asked: Value) -> Solution:
    unknowns = tuple(SolvedUnknown(item.name, item, "search", True) for item in asked)
    return evolve(having(base, *asked), unknowns=unknowns)


def without(base: Solution, *names: str) -> Solution:
    return evolve(base, values={name: item for name, item in base.values.items() if name not in names})


def fitting(spare: float, word: Literal["safe", "likely", "tight", "no"]) -> Solution:
    """With so many bytes to spare."""
    requirements = tuple(
        evolve(result, holds=word != "no", verdict=word, chance=0.7) if result.name == "fits" else result
        for result in LLAMA.requirements
    )
    total = value("memory.total", 85.1e9 - 2.553e9 - spare, "", "byte", formula="…")
    return having(evolve(LLAMA, requirements=requirements), total)


def test_gpus() -> None:
    assert answer(LLAMA) == (
        "88 A100-SXM4-80GB (11 nodes) train llama-7b on 1T tokens in 29.9 days (26.6 – 35.9 in eight of ten runs). "
        "The deadline of 30 days is tight (51%), not safe. The budget was not checked: needs hardware.price. "
        "It fits with 25.4 GB to spare."
    )


def test_the_calendar_comes_first_and_the_limit_says_what_it_is_set_on() -> None:
    wall = value("wall_time", 3.4e6, "39.35 days", "s", formula="…", band=between("27.1 .. 62.8 days"))
    bill = value("wall_cost", 2.5e5, "248,200 USD", "USD", formula="…")
    said = answer(having(LLAMA, wall, bill, value("cost", 1.8e5, "184,676 USD", "USD", formula="…")))
    assert said.startswith(
        "88 A100-SXM4-80GB (11 nodes) train llama-7b on 1T tokens in 39.4 days on the calendar (27 – 63) and "
        "248,000 USD, 29.9 days and 185,000 USD if every step runs as planned: the deadline of 30 days has a chance of "
        "51%. The budget was not checked"
    )


@pytest.mark.parametrize(
    ("epochs", "seen", "part"),
    [
        (3.0, "3T", "train llama-7b on 3 epochs of 1T tokens in"),
        (0.5, "500B", "train llama-7b on 500B tokens in"),
        (1.0, "1T", "train llama-7b on 1T tokens in"),
        (3.0, "2T", "train llama-7b on 2T tokens in"),  # so many steps are given
    ],
)
def test_data_that_is_seen_again(epochs: float, seen: str, part: str) -> None:
    total = float(seen[:-1]) * {"B": 1e9, "T": 1e12}[seen[-1]]
    run = (
        value("dataset.epochs", epochs, f"{epochs:g}"),
        value("tokens_total", total, f"{seen} tokens", "token", formula="…"),
    )
    assert part in answer(having(LLAMA, *run))


def test_steps_without_data() -> None:
    plan = without(having(LLAMA, value("tokens_total", 2e12, "2T tokens", "token", formula="…")), "dataset.tokens")
    assert "train llama-7b on 2T tokens in" in answer(plan)


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        (value("hardware.gpu", "H100-SXM5-80GB"), "88 H100-SXM5-80GB (11 nodes) train"),
        (value("dataset.tokens", 2e12, "2T tokens"), "on 2T tokens in"),
        (value("mfu", 0.413, "41.3%"), "with an MFU of 41.3%"),
        (value("deadline", 1e6, "31.2 days", role="let"), "with deadline 31.2 days"),
        (value("training.micro_batch", 4.0, "4 sequences"), "with micro-batch 4 sequences"),
        (value("parallelism.zero_stage", 2.0, "2"), "with ZeRO stage 2"),
        (value("model.layers", 32.0, "32"), "train a model of 6.74B parameters on 1T tokens"),
    ],
)
def test_what_was_asked_is_said(asked: Value, part: str) -> None:
    assert part in answer(asking(LLAMA, asked))


def test_what_the_launch_says_is_left_out_where_something_else_was_asked() -> None:
    asked = (value("hardware.gpus", 88.0, "88 GPUs"), value("training.micro_batch", 4.0, "4 sequences"))
    assert "micro-batch" not in answer(asking(LLAMA, *asked))


def test_parameters() -> None:
    plan = asking(without(LLAMA, "model", "model.params_total"), value("model.params", 7e9, "7B parameters"))
    assert "train a model of 7B parameters on 1T tokens" in answer(plan)


def test_one_gpu() -> None:
    one = having(LLAMA, value("hardware.gpus", 1.0, "1 GPU"), value("hardware.nodes", 1.0, "1 node"))
    assert answer(one).startswith("1 A100-SXM4-80GB trains llama-7b")


def test_an_entry_with_other_sizes_is_not_that_entry() -> None:
    layers = value("model.layers", 48.0, "48", others=(Origin("entry", "", "32"),))
    assert "train llama-7b with 48 layers on" in answer(having(LLAMA, layers))


def test_a_method_is_called_what_it_is() -> None:
    adapter = (value("adapter.method", "qlora"), value("adapter.rank", 16.0, "16"))
    assert "train llama-7b by QLoRA of rank 16 on" in answer(having(LLAMA, *adapter))


def test_memory_alone() -> None:
    plan = evolve(without(LLAMA, "time", "dataset.tokens", "mfu"), requirements=LLAMA.requirements[1:2])
    assert (
        answer(plan) == "llama-7b on 88 A100-SXM4-80GB (11 nodes) needs 57.1 GB per GPU. It fits with 25.4 GB to spare."
    )


def test_compute_alone() -> None:
    names = [name for name in LLAMA.values if not name.startswith(("model", "dataset"))]
    plan = having(without(evolve(LLAMA, requirements=()), *names), value("train_flops", 4e22, "4e22 FLOP"))
    assert answer(plan) == "Training llama-7b on 1T tokens takes 4 × 10²² FLOP."


def test_nothing_known() -> None:
    assert answer(Solution("plans/a.plan", "", "solved")) == "Nothing to solve."


@pytest.mark.parametrize(
    ("spare", "verdict_of_fits", "said"),
    [
        (25e9, "safe", "It fits with 25 GB to spare."),
        (4e9, "likely", "It fits with a chance of 70%, 4 GB to spare."),
        (-2e9, "tight", "Memory is tight: it fits with a chance of 70%, 2 GB over."),
        (-20e9, "no", "It does not fit: 20 GB over."),
    ],
)
def test_verdict(spare, verdict_of_fits, said) -> None:
    assert answer(fitting(spare, verdict_of_fits)).endswith(said)


def cure(name: str, text: str, condition: str = "") -> Relaxation:
    kind: Literal["requirement", "input"] = "requirement" if condition else "input"
    return Relaxation(name, kind, None, "", (amount(text),), (text,), "", 0.1, condition, f"{name} = {text}")


def test_conflicts_stand_in_a_short_sentence_with_what_makes_all_of_them_hold() -> None:
    late = Compared("time", "le", amount("137.5 days"), amount("21 days"), amount("116.5 days"), False)
    requirements = tuple(
        evolve(result, holds=False, verdict="no", compared=late) if result.name == "deadline" else result
        for result in LLAMA.requirements
    )
    clashes = (
        Clash(("deadline",), (cure("hardware.gpus", "480 GPUs"),)),
        Clash(("budget", "fits"), (cure("budget", "590,000 USD", "cost <= 590_000 USD"),)),
    )
    failed = evolve(LLAMA, status="infeasible", requirements=requirements, clashes=clashes, conflict=("deadline",))
    both = evolve(clashes[0].cures[0], beside=clashes[1].cures)
    said = answer(evolve(failed, relaxations=(both,)))
    assert said == (
        "No plan meets `deadline` (138 days, limit 21 days) or `budget` with `fits`: `hardware.gpus = 480 GPUs` and "
        "`cost <= 590_000 USD` would do."
    )
    assert answer(failed).endswith("or `budget` with `fits`. No change was found that makes all of them hold.")
    assert len(said.split()) <= 40
    said = answer(evolve(LLAMA, status="infeasible", requirements=requirements, conflict=("deadline",)))
    assert said == "No plan meets `deadline`."


def test_error() -> None:
    assert answer(evolve(LLAMA, status="error")) == "plans/llama7b.plan was not solved."
