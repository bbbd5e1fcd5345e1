"""Training stacks of the catalog: their defaults reach the inputs, what a plan says itself holds, and each has a
source.
"""

from __future__ import annotations

import pytest

from llmplan.backtest.base import Base, Values
from llmplan.check import library

LLAMA_8B = {"model": "llama-3-8b", "dataset.sequence_length": "8192 tokens", "training.micro_batch": "1 sequence"}
PARAMS = 8_030_261_248


@pytest.fixture(scope="module")
def base() -> Base:
    return Base.of()


def on(base: Base, stack: str, gpus: int = 8, stage: int = 3, **more: str) -> Values:
    start = LLAMA_8B | {"stack": stack, "hardware.gpus": str(gpus), "parallelism.zero_stage": str(stage)}
    return base.values(start | {"training.recompute": "full"} | {k.replace("__", "."): v for k, v in more.items()})


def states(found: Values) -> float:
    """Bytes of a parameter in weights, gradients and optimizer, before any sharding."""
    return sum(found.number(f"memory.{part}_of", "first") for part in ("weights", "gradients", "optimizer")) / PARAMS


@pytest.mark.parametrize(
    ("stack", "stage", "size"),
    [
        ("transformers-4", 0, 16),  # all in fp32
        ("transformers-5", 0, 8),  # all in bf16, without a master copy
        ("megatron-lm", 0, 18),  # gradients in fp32
        ("megatron-bridge-performance", 0, 16),  # gradients in bf16
        ("deepspeed", 0, 16),
    ],
)
def test_bytes_of_a_parameter(base: Base, stack: str, stage: int, size: float) -> None:
    assert states(on(base, stack, 1, stage)) == pytest.approx(size, rel=1e-3)


@pytest.mark.parametrize(
    ("stack", "logits"),
    [("trl-1.6", 12), ("trl-1.7", 0), ("megatron-lm", 6), ("nemo", 10), ("megatron-bridge", 2), ("nanotron", 10),
     ("torchtitan-0.2", 12), ("torchtitan-0.2-compiled", 6), ("torchtitan", 1.5), ("llm-foundry", 4)],
)  # fmt: skip
def test_bytes_of_a_logit(base: Base, stack: str, logits: float) -> None:
    assert on(base, stack, 8, 0).number("memory.loss_logits") == logits


def test_what_a_plan_says_holds(base: Base) -> None:
    named = on(base, "accelerate-fsdp1")
    said = on(base, "accelerate-fsdp1", training__reduce_dtype="fp32", parallelism__prefetch="true")
    other = on(base, "accelerate-fsdp2", training__reduce_dtype="fp32")
    for name in ("training.reduce_dtype", "parallelism.prefetch"):
        assert said.number(name) == other.number(name) != named.number(name)


@pytest.mark.slow
def test_fsdp_reduces_in_the_format_of_the_stack(base: Base) -> None:
    short = {"dataset__sequence_length": "128 tokens", "hardware__gpu": "A100-SXM4-80GB"}
    half, whole = (on(base, "accelerate-fsdp2", training__reduce_dtype=dtype, **short) for dtype in ("bf16", "fp32"))
    assert whole.number("memory.total") > half.number("memory.total")
    assert whole.number("step.reduce_time") == 2 * half.number("step.reduce_time")


def test_weights_that_are_not_fetched_ahead_are_waited_for(base: Base) -> None:
    card = {"hardware__gpu": "A100-SXM4-80GB", "training__global_batch": "64 sequences"}
    first, second = (on(base, f"accelerate-fsdp{version}", **card) for version in (1, 2))
    assert first.number("step.late_gathers") > 0 == second.number("step.late_gathers")
    assert first.number("step.data_comm") > second.number("step.data_comm")
    gathered = [found.number("memory.total") for found in (first, second)]
    assert gathered[0] <= gathered[1]


def test_the_update_of_all_tensors_at_once_makes_a_copy(base: Base) -> None:
    short = {"dataset__sequence_length": "128 tokens"}
    fused, foreach = (on(base, "transformers-5", 1, 0, training__update=how, **short) for how in ("fused", "foreach"))
    assert foreach.number("memory.total") - fused.number("memory.total") == pytest.approx(2 * PARAMS, rel=0.2)


def test_deepspeed_overlaps_at_stage_three_alone(base: Base) -> None:
    assert [on(base, "deepspeed", 8, stage).number("parallelism.data_overlap") for stage in range(4)] == [0, 0, 0, 1]


def test_nanotron_runs_all_forward_passes_first(base: Base) -> None:
    deep = {"parallelism__pipeline": "4", "training__global_batch": "64 sequences"}
    ours, usual = (
        on(base, "nanotron", 4, 0, **deep, **more) for more in ({}, {"parallelism__schedule": "one_f_one_b"})
    )
    assert ours.number("memory.total") > usual.number("memory.total")


def test_attention_in_8_bits_keeps_half(base: Base) -> None:
    half, whole = (on(base, "megatron-lm", training__attention_8bit=word) for word in ("true", "false"))
    assert 2 * half.number("memory.attention_activations") == whole.number("memory.attention_activations")


def test_fused_modules_keep_inputs_in_8_bits(base: Base) -> None:
    fp8 = {"training__precision": "fp8", "training__recompute": "none", "hardware__gpu": "H100-SXM-80GB"}
    eager, fused = (on(base, "accelerate-fsdp2", training__kernels=how, **fp8) for how in ("compiled", "fused"))
    inputs = 2 * 4096 + 14_336  # of the first products of both blocks, and of the last one
    assert eager.number("memory.dense_kept") - fused.number("memory.dense_kept") == inputs


def test_every_stack_has_a_framework_and_a_source() -> None:
    scope, _, problems = library.load()
    assert not problems
    entries = list(scope.entries["stack"].values())
    assert len(entries) > 20
    assert all(entry.cites and (entry.like or "framework" in dict(entry.settings)) for entry in entries)


def test_trainers_that_pad_to_the_longest_of_a_batch(base: Base) -> None:
    assert on(base, "trl", 1, 0).number("memory.outgrown") > 0 == on(base, "unsloth", 1, 0).number("memory.outgrown")
