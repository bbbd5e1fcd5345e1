"""Memory of split models: exact against counts of the real software, and the traps that other planners fell into."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from llmplan import api
from llmplan.backtest.base import Base, Values
from tests.std.answers import block, solve

DATA = Path(__file__).parent / "data"
FSDP2 = json.loads((DATA / "fsdp2.json").read_text(encoding="utf-8"))["rows"]
RANKS = json.loads((DATA / "megatron_ranks.json").read_text(encoding="utf-8"))["rows"]
STAGES = ("first", "second", "last")
TERMS = ("weights", "gradients", "optimizer", "activations", "logits", "temporary", "buffers", "context")

LLAMA_8B = {
    "model": "llama-3-8b",
    "dataset.sequence_length": "8192 tokens",
    "parallelism.framework": "megatron",
    "parallelism.zero_stage": "1",
    "training.micro_batch": "1",
    "training.recompute": "none",
    "training.precision": "bf16",
}
MIXTRAL = LLAMA_8B | {"model": "mixtral-8x7b", "dataset.sequence_length": "4096 tokens"}


@pytest.fixture(scope="module")
def base() -> Base:
    return Base.of()


def plan(base: Base, start: dict[str, str], **inputs: object) -> Values:
    """A start with further inputs: `gpus=8` and `tensor=2` are `hardware.gpus` and `parallelism.tensor`."""
    made = dict(start)
    for name, value in inputs.items():
        kind = next(kind for kind in ("hardware", "parallelism", "training", "model") if _has(base, kind, name))
        made[f"{kind}.{name}"] = str(value).lower()
    return base.values(made)


def _has(base: Base, kind: str, name: str) -> bool:
    return f"{kind}.{name}" in base.program.scope.fields


@pytest.mark.parametrize("row", FSDP2, ids=lambda row: row["name"])
def test_fsdp2_counted_tensors(base: Base, row: dict[str, Any]) -> None:
    inputs = {f"model.{name}": str(value) for name, value in row["model"].items()}
    inputs |= {
        "model.gated_mlp": "true",
        "parallelism.framework": "fsdp",
        "parallelism.zero_stage": "3",
        "hardware.gpus": str(row["world"] * row["replicate"]),
        "parallelism.replicas": str(row["replicate"]),
        "parallelism.reshard": str(row["reshard"]).lower(),
        "dataset.sequence_length": f"{row['sequence_length']} tokens",
        "training.micro_batch": str(row["micro_batch"]),
        "training.recompute": row["recompute"],
        "training.precision": "bf16",
    }
    found = base.values(inputs)
    tensors = found.number("memory.total") - found.number("memory.context")
    assert tensors == pytest.approx(row["peak_bytes"], rel=5e-4)


@pytest.mark.parametrize("row", RANKS, ids=lambda row: row["name"])
def test_megatron_rank_parameters(base: Base, row: dict[str, Any]) -> None:
    inputs = {f"model.{name}": str(value) for name, value in row["model"].items()}
    inputs |= {"model.gated_mlp": "true", "parallelism.framework": "megatron", "hardware.gpus": str(row["gpus"])}
    split = ("tensor", "pipeline", "virtual_pipeline", "expert", "expert_tensor")
    found = base.values(inputs | {f"parallelism.{name}": str(row[name]) for name in split})
    experts = found.number("memory.expert_params", row["stage"])
    assert found.number("memory.dense_params", row["stage"]) + experts == row["params"]
    assert experts == row["expert_params"]


LAYOUTS: list[dict[str, object]] = [
    {"gpus": 8, "tensor": 8},
    {"gpus": 64, "tensor": 4, "pipeline": 4},
    {"gpus": 64, "pipeline": 8, "virtual_pipeline": 2, "recompute": "full"},
    {"gpus": 32, "context": 4, "tensor": 2, "recompute": "selective"},
    {"gpus": 16, "framework": "fsdp", "zero_stage": 3},
    {"gpus": 16, "framework": "torchtitan", "zero_stage": 2, "pipeline": 2},
    {"gpus": 16, "framework": "deepspeed", "zero_stage": 3, "offload": "all"},
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("start", [LLAMA_8B, MIXTRAL], ids=["dense", "experts"])
def test_terms_add_up(base: Base, start: dict[str, str], layout: dict[str, object]) -> None:
    found = plan(base, start, **layout)
    terms = [found.number(f"memory.{term}") for term in TERMS]
    assert all(term >= 0 for term in terms)
    assert sum(terms) == pytest.approx(found.number("memory.total"))
    peak = STAGES[int(found.number("memory.peak_stage"))]
    assert found.number("memory_of", peak) == found.number("memory.total")


@pytest.mark.parametrize(
    "model", ["llama-3-8b", "llama-2-70b", "mixtral-8x7b", "deepseek-v3", "gpt-neo-1.3b", "qwen2.5-7b"]
)
def test_one_rank_holds_the_whole_model(base: Base, model: str) -> None:
    found = base.values({"model": model, "hardware.gpus": "1", "parallelism.framework": "ddp"})
    assert found.number("memory.params") == pytest.approx(found.number("model.params_total"), rel=1e-12)


@pytest.mark.slow
def test_a_megatron_plan_with_pipeline_gets_its_memory() -> None:
    text = 'model "llama-2-70b"\ndataset.sequence_length = 4096\n'
    text += block("hardware", gpu='"A100-SXM4-80GB"', gpus=512)
    text += block("parallelism", framework="megatron", tensor=8, pipeline=8, zero_stage=1)
    text += block("training", micro_batch=1, recompute="none", global_batch="512 sequences")
    solution = solve(text + "show memory.total\n")
    assert 15e9 < float(str(solution.values["memory.total"].value)) < 30e9


# Traps.


def test_states_are_split_over_data_parallel_ranks_not_over_all(base: Base) -> None:
    # 64 GPUs, of which 8 share each matrix: 8 ranks share the optimizer's states.
    found = plan(base, LLAMA_8B, gpus=64, tensor=8)
    assert found.number("memory.optimizer") == 12 * found.number("memory.params") / 8


def test_pipelines_of_pytorch_keep_gradients_whole_until_they_are_summed(base: Base) -> None:
    start = LLAMA_8B | {"training.global_batch": "64 sequences"}
    stage_2 = {"framework": "torchtitan", "zero_stage": 2, "gpus": 16}
    found = plan(base, start, pipeline=2, **stage_2)
    assert found.number("memory.gradients") == pytest.approx(4 * found.number("memory.params"), rel=1e-5)
    # Without stages each micro-batch is summed, and with one micro-batch nothing is to be kept.
    alone = plan(base, start, **stage_2)
    assert alone.number("memory.gradients") == pytest.approx(4 * alone.number("memory.params") / 16)
    single = plan(base, start | {"training.global_batch": "8 sequences"}, pipeline=2, **stage_2)
    assert single.number("memory.gradients") < 4 * single.number("memory.params") / 8


def test_gradients_that_are_not_reduced_after_each_micro_batch_stay_whole(base: Base) -> None:
    start = LLAMA_8B | {"training.global_batch": "64 sequences"}
    layout = {"framework": "fsdp", "zero_stage": 3, "gpus": 16}
    whole, shards = (plan(base, start, **layout, sync_each_batch=each) for each in (False, True))
    assert whole.number("memory.gradients") == pytest.approx(4 * whole.number("memory.params"), rel=1e-5)
    assert whole.number("step.data_time") < shards.number("step.data_time")
    # With one micro-batch in a step there is nothing to keep.
    start["training.global_batch"] = "16 sequences"
    once, same = (plan(base, start, **layout, sync_each_batch=each) for each in (False, True))
    assert once.number("memory.total") == same.number("memory.total")


def test_a_second_copy_of_the_weights_is_split_within_its_group(base: Base) -> None:
    sharded = {"framework": "deepspeed", "zero_stage": 3, "gpus": 64}
    whole, groups = plan(base, LLAMA_8B, **sharded), plan(base, LLAMA_8B, replicas=8, **sharded)
    assert groups.number("memory.weights") == pytest.approx(
        whole.number("memory.weights") + 2 * whole.number("memory.params") / 8
    )
    for term in ("gradients", "optimizer"):
        assert groups.number(f"memory.{term}") == whole.number(f"memory.{term}")


def test_experts_are_not_split_by_tensor_parallelism(base: Base) -> None:
    whole = plan(base, MIXTRAL, gpus=8, tensor=1).number("memory.expert_params", "first")
    assert plan(base, MIXTRAL, gpus=8, tensor=2).number("memory.expert_params", "first") == whole
    assert plan(base, MIXTRAL, gpus=8, tensor=2, expert_tensor=2).number("memory.expert_params", "first") == whole / 2


def test_experts_share_states_over_fewer_ranks(base: Base) -> None:
    found = plan(base, MIXTRAL, gpus=16, expert=8)
    dense, experts = found.number("memory.dense_params", "first"), found.number("memory.expert_params", "first")
    assert found.number("memory.optimizer") == pytest.approx(12 * (dense / 16 + experts / 2))


def test_layers_that_do_not_divide_are_refused() -> None:
    text = 'model "llama-3-8b"\n' + block("hardware", gpu='"H100-SXM5-80GB"', gpus=10)
    text += block("parallelism", framework="megatron", tensor=1, pipeline=5, zero_stage=0, last_stage_layers=6)
    text += block("training", micro_batch=1, recompute="full") + "dataset.sequence_length = 2048\nwaive fits\n"
    solution = api.solve("-", text=text)
    assert [r.name for r in solution.requirements if r.holds is False] == ["layers_divide"]


def test_fewer_micro_batches_than_stages(base: Base) -> None:
    few = plan(base, LLAMA_8B, gpus=8, pipeline=8, global_batch="2 sequences")
    assert [few.number("memory.in_flight", stage) for stage in STAGES] == [2, 2, 1]
    many = plan(base, LLAMA_8B, gpus=8, pipeline=8, global_batch="64 sequences")
    assert [many.number("memory.in_flight", stage) for stage in STAGES] == [8, 7, 1]


def test_interleaving_holds_more(base: Base) -> None:
    # (p - 1) (1 + 1/v) + 1/v micro-batches of the first stage: 1 + (p - 1) / (p v) times as many, paper's section 4.3.
    found = plan(base, LLAMA_8B, gpus=4, pipeline=4, virtual_pipeline=2, global_batch="64 sequences")
    assert found.number("memory.in_flight", "first") == (2 * 3 + 1 * 4 + 1) / 2


def test_the_fullest_stage_is_the_first_or_the_last(base: Base) -> None:
    activations = plan(base, LLAMA_8B, gpus=8, pipeline=4, global_batch="64 sequences")
    assert STAGES[int(activations.number("memory.peak_stage"))] == "first"
    logits = plan(base, LLAMA_8B, gpus=8, pipeline=4, global_batch="64 sequences", recompute="full", micro_batch=8)
    assert STAGES[int(logits.number("memory.peak_stage"))] == "last"


def test_both_ends_of_a_pipeline_hold_a_tied_embedding(base: Base) -> None:
    tied = plan(base, LLAMA_8B, gpus=2, pipeline=2, tied_embeddings=True)
    table = tied.number("memory.head_weights")
    layers = 16 * (tied.number("memory.attention_params") + tied.number("memory.mlp_params"))
    assert tied.number("memory.dense_params", "first") == layers + table
    assert tied.number("memory.dense_params", "last") == layers + table + 4096


def test_megatron_pads_the_vocabulary(base: Base) -> None:
    assert plan(base, LLAMA_8B, gpus=8, tensor=8, vocab=50_257).number("memory.vocab") == 51_200
    assert plan(base, LLAMA_8B, gpus=8, framework="fsdp", vocab=50_257).number("memory.vocab") == 50_257


def test_gradients_stand_beside_activations_under_accumulation(base: Base) -> None:
    start = LLAMA_8B | {"parallelism.framework": "ddp", "parallelism.zero_stage": "0", "hardware.gpus": "1"}
    one = plan(base, start, global_batch="1 sequence").number("memory.total")
    two = plan(base, start, global_batch="2 sequences").number("memory.total")
    assert two - one > 0.9 * 4 * 8.03e9


def test_full_recompute_keeps_the_working_set_of_a_layer(base: Base) -> None:
    found = plan(base, LLAMA_8B, gpus=1, recompute="full")
    assert found.number("memory.layer_recomputed") == pytest.approx(8192 * (139_392 - 2 * 4096))


def test_gradients_that_are_reduced_in_fp32_take_more_room(base: Base) -> None:
    start = LLAMA_8B | {"parallelism.framework": "fsdp", "parallelism.zero_stage": "3", "training.recompute": "full"}
    start |= {"dataset.sequence_length": "512 tokens"}
    full = plan(base, start, gpus=64).number("memory.total")
    half = plan(base, start, gpus=64, reduce_dtype="bf16").number("memory.total")
    assert full > half


def test_offloading_moves_states_to_the_host(base: Base) -> None:
    start = LLAMA_8B | {"parallelism.framework": "deepspeed", "parallelism.zero_stage": "3"}
    here = plan(base, start, gpus=8, gpus_per_node=8)
    there = plan(base, start, gpus=8, gpus_per_node=8, offload="optimizer")
    assert there.number("memory.optimizer") == 0
    assert here.number("memory.optimizer") == pytest.approx(12 * 8_030_261_248 / 8)
    assert there.number("memory.host") == pytest.approx(1.5 * 16 * 8_030_261_248)


def test_what_is_on_nvme_takes_buffers_of_the_host(base: Base) -> None:
    """DeepSpeed 0.19.8, stage3.py and partitioned_param_swapper.py, by hand."""
    start = LLAMA_8B | {"parallelism.framework": "deepspeed", "parallelism.zero_stage": "3"}
    params, rank, table = 8_030_261_248, 8_030_261_248 / 8, 128_256 * 4096 / 8
    host = plan(base, start, gpus=8, gpus_per_node=8, offload="all")
    nvme = {
        what: plan(base, start, gpus=8, gpus_per_node=8, offload=what, offload_to="nvme")
        for what in ("optimizer", "parameters", "all")
    }
    assert host.number("memory.nvme") == 0 == host.number("memory.swap_buffers")
    assert [found.number("memory.nvme") / params for found in nvme.values()] == pytest.approx([16, 2, 18])
    states, weights = 2 * rank + 16 * 1e9, 2 * (5 * 100e6 + 8e9)
    buffers = [found.number("memory.offloaded") for found in nvme.values()]
    assert buffers == pytest.approx([states, weights, states + weights]) and table < 100e6
    assert nvme["all"].number("memory.total") == host.number("memory.total")
    # Groups of a billion parameters are much of a small model, and little of a large one.
    large = start | {"model": "llama-3-70b"}
    here, there = (plan(base, large, gpus=8, gpus_per_node=8, offload="all", offload_to=to) for to in ("host", "nvme"))
    assert there.number("memory.offloaded") < here.number("memory.offloaded") / 3
    # The table of its vocabulary is larger than the buffers that DeepSpeed makes by default.
    assert there.number("memory.swap_buffer") == 128_256 * 8192 / 8 > 100e6


def test_a_share_is_offloaded(base: Base) -> None:
    start = LLAMA_8B | {"parallelism.framework": "deepspeed", "parallelism.zero_stage": "3"}
    none, half, whole = (plan(base, start, gpus=8, offload="optimizer", offload_share=share) for share in (0, 0.5, 1))
    for name in ("memory.optimizer", "memory.gradients"):
        assert half.number(name) == pytest.approx(none.number(name) / 2) and whole.number(name) == 0
    assert half.number("memory.offloaded") == pytest.approx(whole.number("memory.offloaded") / 2)
    # Megatron sums gradients where they are.
    megatron = LLAMA_8B | {"parallelism.framework": "megatron", "parallelism.zero_stage": "1"}
    there = plan(base, megatron, gpus=8, offload="optimizer")
    assert there.number("memory.optimizer") == 0 < there.number("memory.gradients")


def test_activations_wait_in_host_memory(base: Base) -> None:
    start = LLAMA_8B | {
        "parallelism.framework": "megatron",
        "training.recompute": "none",
        "parallelism.zero_stage": "1",
    }
    here, half, all_of_them = (plan(base, start, gpus=8, activation_offload=share) for share in (0, 0.5, 1))
    kept, layer = here.number("memory.stage_kept", "first"), here.number("memory.layer_kept", "first")
    assert here.number("memory.activations") - half.number("memory.activations") == pytest.approx(kept / 2 - layer)
    assert all_of_them.number("memory.activations") < 3 * layer
    assert all_of_them.number("memory.host") - here.number("memory.host") > 0


@pytest.mark.parametrize(
    ("loss", "logits"),
    [("upcast", 12), ("compiled", 6), ("in_place", 2), ("chunked", 1.5), ("linear", 0)],
)
def test_bytes_of_logits(base: Base, loss: str, logits: float) -> None:
    found = plan(base, LLAMA_8B | {"parallelism.framework": "torchtitan"}, gpus=8, zero_stage=3, loss=loss)
    assert found.number("memory.logits_at", "loss") == pytest.approx(8192 * 128_256 * logits)
    chunk = found.number("memory.loss_chunk")
    assert chunk == {
        "chunked": 2 * 8192 * 4096 + 4 * 4096 * 128_256,
        "linear": 10 * 8192 * 4096 + 2 * 4096 * 128_256,
    }.get(loss, 0)


@pytest.mark.parametrize(
    ("stage", "precision", "size"),
    [
        (1, "bf16", 6 * 8_030_261_248 / 4),
        (2, "bf16", 6 * 8_030_261_248 / 4),
        (3, "bf16", 6e9),  # a billion at a time of the two billion that a rank has
        (2, "fp32", 4 * 8_030_261_248 / 4),
    ],
)
def test_the_update_of_zero_flattens_gradients(base: Base, stage: int, precision: str, size: float) -> None:
    start = LLAMA_8B | {"parallelism.framework": "deepspeed", "training.precision": precision}
    found = plan(base, start, gpus=4, zero_stage=stage)
    assert found.number("memory.flat_gradients", "first") == pytest.approx(size)


def test_sequence_parallelism_splits_what_tensor_parallelism_leaves(base: Base) -> None:
    whole = plan(base, LLAMA_8B, gpus=8, tensor=8, sequence_parallel=False).number("memory.hidden_activations")
    assert plan(base, LLAMA_8B, gpus=8, tensor=8).number("memory.hidden_activations") == whole / 8


def test_context_parallelism_splits_tokens_and_shares_states(base: Base) -> None:
    found = plan(base, LLAMA_8B, gpus=8, context=8)
    assert found.number("local_tokens") == 1024
    assert found.number("memory.optimizer") == 12 * found.number("memory.params") / 8


def test_adapters_leave_weights_frozen(base: Base) -> None:
    start = LLAMA_8B | {"parallelism.framework": "ddp", "parallelism.zero_stage": "0", "adapter.method": "lora"}
    found = base.values(start | {"hardware.gpus": "1", "adapter.rank": "16"})
    matrices = 2 * (4096 + 4096) + 2 * (4096 + 1024) + 3 * (4096 + 14_336)
    trained = 32 * 16 * matrices
    assert found.number("adapter.params") == trained
    assert found.number("memory.weights") == pytest.approx(2 * 8_030_261_248 + 4 * trained)
    assert found.number("memory.gradients") == 4 * trained
    assert found.number("memory.optimizer") == 8 * trained


def test_gradients_flow_through_frozen_layers(base: Base) -> None:
    # The trap: frozen layers still keep what the gradient of their input needs.
    start = LLAMA_8B | {"parallelism.framework": "ddp", "parallelism.zero_stage": "0", "hardware.gpus": "1"}
    start |= {"training.parameter_dtype": "bf16"}
    whole = base.values(start).number("memory.layer_activations")
    lora = base.values(start | {"adapter.method": "lora", "adapter.targets": "[]"}).number("memory.layer_activations")
    assert whole - lora == 2 * (2 * 4096 + 14_336)  # inputs of products whose weights get no gradient
    # Of 4-bit products copies of the input; norms read and write a residual stream in fp32.
    in_16_bits = {"adapter.method": "qlora", "adapter.rest_bytes": "2 bytes/parameter"}
    assert base.values(start | in_16_bits).number("memory.layer_activations") == whole + 4 * 4096


def test_tables_in_fp32_put_the_residual_stream_in_fp32(base: Base) -> None:
    start = LLAMA_8B | {"parallelism.framework": "ddp", "parallelism.zero_stage": "0", "hardware.gpus": "1"}
    start |= {"training.recompute": "full", "adapter.method": "qlora"}
    upcast = base.values(start)
    left = base.values(start | {"adapter.rest_bytes": "2 bytes/parameter"})  # as PEFT does beside GPTQ
    assert upcast.number("memory.layer_input") == 2 * left.number("memory.layer_input")
    more = upcast.number("memory.outside_kept") - left.number("memory.outside_kept")
    assert more == 2 * 128_256 * 4096 + 2 * 8192 * 4096  # the cast of the head, and the stream itself


def test_batches_of_varying_length_leave_blocks_that_nothing_needs(base: Base) -> None:
    start = LLAMA_8B | {"parallelism.framework": "ddp", "parallelism.zero_stage": "0", "hardware.gpus": "1"}
    start |= {"training.recompute": "full", "adapter.method": "lora"}
    equal, varying = (
        base.values(start | {"dataset.batching": word, "hardware.gpu": "B200"}) for word in ("packed", "padded")
    )
    assert varying.number("memory.reserved") > equal.number("memory.reserved") + 20e9
    for name in ("memory.total", "memory.needed", "memory.allocated"):
        assert varying.number(name) == equal.number(name)
    # They are given back when the card is full.
    small = base.values(start | {"dataset.batching": "padded", "hardware.gpu": "A100-SXM4-40GB"})
    assert small.number("memory.reserved") <= max(0.95 * small.number("gpu.memory"), small.number("memory.allocated"))


@pytest.mark.parametrize(
    ("stage", "overlap", "backward", "forward"),
    [(1, "false", 1e9, 0), (1, "true", 2e9, 0), (2, "false", 1e9, 0), (3, "false", 1e9, 1e9)],
)
def test_buckets_of_deepspeed(base: Base, stage: int, overlap: str, backward: float, forward: float) -> None:
    start = LLAMA_8B | {"parallelism.framework": "deepspeed", "parallelism.data_overlap": overlap}
    for adapters in ({}, {"adapter.method": "lora"}):  # as large for few trained parameters
        found = plan(base, start | adapters, gpus=4, zero_stage=stage)
        assert found.number("memory.bucket_buffers", "head") == backward
        assert found.number("memory.bucket_buffers", "forward") == forward
    auto = plan(base, start | {"parallelism.reduce_bucket": f"{4096 * 4096} params"}, gpus=4, zero_stage=stage)
    assert auto.number("memory.bucket_buffers", "head") == backward / 5e8 * 4096 * 4096


def test_four_bit_weights(base: Base) -> None:
    start = LLAMA_8B | {"parallelism.framework": "ddp", "parallelism.zero_stage": "0", "hardware.gpus": "1"}
    found = base.values(start | {"adapter.method": "qlora", "adapter.params": "1M params"})
    matrices = 32 * found.number("memory.layer_weights")
    rest = 8_030_261_248 - matrices
    assert found.number("memory.weights") == pytest.approx(0.516 * matrices + 4 * rest + 4e6)
