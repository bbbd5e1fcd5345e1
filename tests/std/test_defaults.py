"""What the library takes where a plan says nothing: batch, sequence, stack, task. What an answer rests on is listed."""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.present.blocks import plain
from llmplan.present.words import words_of
from tests.std.answers import number

FIRST = """model "llama-2-7b"
dataset.tokens = {tokens}
hardware {{ gpu = "A100-SXM4-80GB", gpus = {gpus} }}
minimize time
"""


def first(tokens: str = "1T", gpus: int = 64, more: str = "") -> Solution:
    return api.solve("-", text=FIRST.format(tokens=tokens, gpus=gpus) + more)


def rests_on(solution: Solution) -> list[str]:
    return [one.name for one in solution.assumptions]


def test_model_tokens_and_gpus_are_enough() -> None:
    solution = first()
    assert solution.status == "solved" and number(solution, "time") > 0
    assert rests_on(solution) == ["batch_advice", "sequence_advice", "framework_advice"]
    assert (
        plain(words_of().assumption(solution.assumptions[0])) == "batch_advice = 4M tokens (no global batch is given)"
    )


def test_what_is_given_is_not_listed() -> None:
    said = "dataset.sequence_length = 2048\ntraining.global_batch = 1M tokens\nparallelism.framework = megatron\n"
    assert rests_on(first(more=said)) == []


@pytest.mark.parametrize(
    ("tokens", "gpus", "batch"),
    [("100M", 8, 0.5e6), ("100B", 8, 0.58 * 2e11**0.571), ("15T", 64, 4e6), ("15T", 16_384, 16_384 * 4096 / 8)],
)
def test_the_batch_grows_with_the_data_and_with_very_many_gpus(tokens: str, gpus: int, batch: float) -> None:
    twice = "dataset.epochs = 2\n" if tokens == "100B" else ""  # the tokens of all epochs count
    assert number(first(tokens, gpus, twice), "batch_advice") == pytest.approx(batch)


@pytest.mark.parametrize(("given", "asked"), [("1M tokens", 1e6), ("256 sequences", 256 * 4096)])
@pytest.mark.slow
def test_a_batch_that_is_given_counts(given: str, asked: float) -> None:
    assert number(first(more=f"training.global_batch = {given}\n"), "global_batch_tokens") == pytest.approx(
        asked, rel=0.1
    )


def test_a_long_limit_is_no_sequence_length() -> None:
    solution = api.solve("-", text=FIRST.format(tokens="1T", gpus=64).replace("llama-2-7b", "llama-3.1-8b"))
    (found,) = solution.diagnostics
    assert (found.code, found.message) == ("E0401", "`time` cannot be computed: `dataset.sequence_length` is not given")
    assert "`dataset.sequence_length` has no default where `model.max_context` is 131,072 tokens" in found.notes
    assert any("sequence_length" in hint.text for hint in found.hints)


def test_what_follows_from_the_rest_is_not_asked_for() -> None:
    data = "model.params = ?\ndataset { tokens = 300B, sequence_length = 2048 }\n"
    text = f'{data}hardware {{ gpu = "A100-SXM4-80GB", gpus = 64 }}\n'
    (found,) = api.solve("-", text=text + "require time <= 21 days\nmaximize model.params\n").diagnostics
    hints = " ".join(hint.text for hint in found.hints)
    assert found.code == "E0401" and "layers = " in hints
    assert "recompute_layers" not in hints and "head_dim" not in hints


@pytest.mark.parametrize(
    ("more", "framework", "kernels"),
    [("parallelism.zero_stage = 2\n", "torchtitan", "compiled"), ("emit deepspeed\n", "deepspeed", "eager")],
)
def test_the_stack_is_that_of_the_target(more: str, framework: str, kernels: str) -> None:
    solution = first(more=more)
    assert solution.values["parallelism.framework"].value == framework
    assert solution.values["training.kernels"].value == kernels
    assert ("framework_advice" in rests_on(solution)) == ("emit" not in more)


@pytest.mark.parametrize(
    ("more", "rate"),
    [
        ("", 0.0003),
        ("training.task = finetune\n", 0.00002),
        ("adapter.method = lora\n", 0.0002),
        ('adapter.method = lora\nmodel = "llama-2-70b"\n', 0.0001),
    ],
)
def test_the_task_decides_the_learning_rate(more: str, rate: float) -> None:
    text = more if "model" in more else f'model = "llama-2-7b"\n{more}'
    assert number(api.solve("-", text=text + "show training.learning_rate\n"), "training.learning_rate") == rate


def test_a_rule_that_cannot_be_computed_opens_nothing() -> None:
    text = 'model.params = 7B\ndataset.tokens = 1T\nhardware { gpu = "A100-SXM4-80GB", gpus = 128 }\nassume mfu = 40%\n'
    solution = api.solve("-", text=text + "require mfu <= 50%\n")
    assert solution.status == "solved" and solution.unknowns == ()


@pytest.mark.parametrize(("stage", "framework"), [(1, "megatron"), (2, "torchtitan"), (3, "torchtitan")])
def test_every_stage_has_rules_where_no_framework_is_named(stage: int, framework: str) -> None:
    solution = first(more=f"parallelism.zero_stage = {stage}\n")
    assert solution.status == "solved" and solution.values["parallelism.framework"].value == framework
    assert solution.values["training.kernels"].value in ("compiled", "fused")


@pytest.mark.slow
def test_a_batch_that_nobody_gave_does_not_grow_for_the_sake_of_speed() -> None:
    """Larger micro-batches on many GPUs would make it half as large again, and a run faster that learns less."""
    plan = FIRST.replace("7b", "13b").replace("A100-SXM4-80GB", "H100-SXM5-80GB").format(tokens="1T", gpus=512)
    assert number(api.solve("-", text=plan), "global_batch_tokens") <= 1.4 * 4e6
    free = api.solve("-", text=plan + "waive batch_as_advised\n")
    assert number(free, "global_batch_tokens") > 1.4 * 4e6 and number(free, "time") < number(
        api.solve("-", text=plan), "time"
    )


def test_a_batch_that_must_be_larger_than_usual_is_remarked_on() -> None:
    solution = api.solve("-", text=FIRST.format(tokens="100M", gpus=64) + "training.micro_batch = 16 sequences\n")
    (said,) = (one for one in solution.diagnostics if "no global batch is given" in one.message)
    assert said.severity == "note" and "500,000 tokens is usual" in said.message


@pytest.mark.slow
def test_tokens_for_a_budget_need_no_global_batch() -> None:
    """The batch that is taken grows with the tokens, in steps, at each of which the answer may lie."""
    text = """model "llama-3.2-3b"
dataset { tokens = ?, sequence_length = 4096 }
hardware { gpu = "H100-SXM5-80GB", gpus = 64 }
require cost <= 50K USD
maximize dataset.tokens
"""
    solution = api.solve("-", text=text)
    assert solution.status == "solved" and 49_900 < number(solution, "cost") <= 50_000


@pytest.mark.parametrize(
    ("more", "kernel", "told"),
    [
        ("parallelism.framework = torchtitan\n", "ampere", False),
        ("emit torchtitan\n", "native", True),
        ('stack "torchtitan-0.2"\nemit torchtitan\n', "native", False),
        ("emit torchtitan\ntraining.flash_kernel = ampere\nwaive torchtitan_attention\n", "ampere", False),
    ],
)
def test_the_kernel_that_emit_torchtitan_changes_is_told(more: str, kernel: str, told: bool) -> None:
    solution = first(more=more)
    assert solution.values["training.flash_kernel"].value == kernel
    assert ("training.torchtitan_flash" in rests_on(solution)) == told
