"""Step time: each part against arithmetic by hand, and what must hold between plans."""

from __future__ import annotations

import pytest

from llmplan.backtest.base import Base, Refused

A100 = {"hardware.gpu": "A100-SXM4-80GB"}
GPT = {
    "model.layers": "24", "model.hidden": "4096", "model.heads": "32", "model.ffn": "16384", "model.vocab": "51200",
    "dataset.sequence_length": "2048", "training.precision": "bf16", "training.micro_batch": "2",
    "training.recompute": "none", "parallelism.zero_stage": "0", "parallelism.framework": "megatron",
}  # fmt: skip
EXPERTS = {"model.experts": "64", "model.experts_per_token": "8", "model.expert_ffn": "1024"}


@pytest.fixture(scope="module")
def base() -> Base:
    return Base.of()


@pytest.fixture(scope="module")
def part(base):
    """The value of a quantity for the small GPT with further inputs."""

    def run(name: str, **inputs: object) -> float:
        named = {path.replace("__", "."): str(value) for path, value in inputs.items()}
        return base.values({**A100, **GPT, **named}).number(f"step.{name}" if name != "step_time" else name)

    return run


def job(gpus: int, sequences: int, **inputs: object) -> dict[str, object]:
    return {"hardware__gpus": gpus, "training__global_batch": f"{sequences} sequences", **inputs}


PARTS = ("compute", "tensor_comm", "context_comm", "expert_comm", "pipeline_comm", "pipeline_bubble", "data_comm",
         "optimizer", "offload", "other")  # fmt: skip


@pytest.mark.parametrize(
    "inputs",
    [
        job(8, 64),
        job(64, 512, parallelism__tensor=8, parallelism__pipeline=4, parallelism__virtual_pipeline=2),
        job(32, 64, parallelism__context=4, parallelism__zero_stage=1),
        job(64, 512, parallelism__expert=8, **{k.replace(".", "__"): v for k, v in EXPERTS.items()}),
    ],
)
def test_the_parts_add_up(part, inputs):
    assert sum(part(name, **inputs) for name in PARTS) == pytest.approx(part("step_time", **inputs))
    assert all(part(name, **inputs) >= 0 for name in PARTS)


def test_matrix_products_of_a_layer(part):
    # 12 h^2 weights, 4,096 tokens, six operations; 312 TFLOP/s x 87 % x 85 %, and 4,096 of 4,096 + 768 rows.
    ceiling = part("matmul_rate", **job(1, 2)) / 312e12
    assert 0.7 < ceiling < 0.87
    rows = 2 * 2048
    expected = 6 * 12 * 4096**2 * rows / (312e12 * ceiling) * (rows + part("half_rate_tokens", **job(1, 2))) / rows
    assert part("dense_matmul", **job(1, 2)) == pytest.approx(expected)
    halves = job(2, 2, parallelism__tensor=2)
    assert part("dense_matmul", **halves) == pytest.approx(expected / 2)


def test_recompute_adds_a_forward_pass(part):
    plain, again = job(1, 2), job(1, 2, training__recompute="full")
    assert part("dense_matmul", **again) / part("dense_matmul", **plain) == pytest.approx(8 / 6)
    assert part("core_attention", **again) / part("core_attention", **plain) == pytest.approx(9 / 7)
    half = job(1, 2, training__recompute="full", training__recompute_layers=12)
    assert part("dense_matmul", **half) / part("dense_matmul", **plain) == pytest.approx(7 / 6)


def test_frozen_weights_have_no_gradients(part):
    adapted = job(1, 2, adapter__method="lora")
    assert part("dense_matmul", **adapted) / part("dense_matmul", **job(1, 2)) == pytest.approx(4 / 6)


@pytest.mark.parametrize("chunks", [1, 2, 3])
def test_the_bubble(part, chunks):
    # (p - 1) / v micro-batches of the slowest stage.
    found = job(4, 32, parallelism__pipeline=4, parallelism__virtual_pipeline=chunks)
    assert part("pipeline_bubble", **found) == pytest.approx(3 / chunks * part("stage_time", **found))
    assert part("compute", **found) == pytest.approx(16 * part("micro_batch_compute", **found))


def test_the_slowest_stage_counts(part):
    even = job(4, 32, parallelism__pipeline=4)
    lighter = job(4, 32, parallelism__pipeline=4, parallelism__last_stage_layers=5, parallelism__first_stage_layers=5)
    head = part("head", **even)
    assert part("micro_batch_compute", **even) == pytest.approx(6 * part("dense_layer", **even) + head)
    middle = 7 * part("dense_layer", **even)
    assert part("micro_batch_compute", **lighter) == pytest.approx(max(middle, 5 * part("dense_layer", **even) + head))


def test_tensor_parallel_traffic(part):
    # Four all-reduces of b s h numbers a layer, of which each rank sends 2 (t - 1) / t; 300 GB/s x 78 %.
    found = job(8, 16, parallelism__tensor=8, parallelism__sequence_parallel="false")
    once = 2 * 7 / 8 * 2 * 2048 * 4096 * 2 / (300e9 * 0.78) + 20e-6
    assert part("tensor_comm", **found) == pytest.approx(8 * 24 * 4 * once)
    again = job(8, 16, parallelism__tensor=8, parallelism__sequence_parallel="false", training__recompute="full")
    assert part("tensor_comm", **again) == pytest.approx(8 * 24 * 6 * once)
    assert part("tensor_comm", **job(8, 16)) == 0


def test_handing_over(part):
    # b s h numbers at 25 GB/s x 85 % to and from the next stage, for each of 64 micro-batches.
    found = job(16, 128, parallelism__tensor=1, parallelism__pipeline=16)
    once = 2 * 2048 * 4096 * 2 / (25e9 * 0.85) + 20e-6
    assert part("pipeline_comm", **found) == pytest.approx(2 * 64 * once)


def test_gradients_and_weights(part):
    # ZeRO 3 sends 3 psi for each micro-batch, ZeRO 1 psi of gradients behind backward; 2 bytes each.
    small = {"parallelism__framework": "deepspeed", "parallelism__communication_dtype": "bf16"}
    one = job(8, 32, parallelism__zero_stage=1, **small)
    three = job(8, 32, parallelism__zero_stage=3, **small)
    assert part("data_bytes", **three) == pytest.approx(2 * 3 * part("data_bytes", **one))
    assert part("data_bytes", **job(1, 32, parallelism__zero_stage=1, **small)) == 0


def test_experts_see_the_tokens_that_are_sent_to_them(part):
    moe = {path.replace(".", "__"): value for path, value in EXPERTS.items()}
    even = job(8, 64, parallelism__expert=8, training__expert_imbalance=1, **moe)
    worse = job(8, 64, parallelism__expert=8, training__expert_imbalance=1.5, **moe)
    assert part("expert_comm", **even) > 0
    assert part("compute", **worse) > part("compute", **even)
    alone = job(8, 64, parallelism__expert=1, training__expert_imbalance=1, **moe)
    assert part("expert_comm", **alone) == 0
    # The same tokens meet the same weights wherever they lie, but in more and smaller products.
    assert part("moe_matmul", **alone) > part("moe_matmul", **even)


def test_experts_beyond_the_node_cost_more(part):
    moe = {path.replace(".", "__"): value for path, value in EXPERTS.items()}
    inside, beyond = (job(64, 512, parallelism__expert=ranks, **moe) for ranks in (8, 64))
    assert part("expert_comm", **beyond) > 2 * part("expert_comm", **inside)


def test_attention_on_later_accelerators(part):
    ampere = job(1, 2, hardware__gpu="H100-SXM5-80GB", training__flash_kernel="ampere")
    native = job(1, 2, hardware__gpu="H100-SXM5-80GB", training__flash_kernel="native")
    assert part("core_attention", **ampere) == pytest.approx(2 * part("core_attention", **native))
    assert part("core_attention", **job(1, 2, training__flash_kernel="ampere")) == part("core_attention", **job(1, 2))


def test_small_layers_wait_for_the_host(part):
    tiny = job(1, 2, model__hidden=256, model__ffn=1024, model__heads=4, dataset__sequence_length=256)
    assert part("dense_layer", **tiny) == part("layer_launch", **tiny)


@pytest.mark.parametrize("path", [{"parallelism__replicas": 2}, {"parallelism__offload": "optimizer"}])
def test_what_is_not_modelled_has_no_value(part, path):
    with pytest.raises(Refused):
        part("step_time", **job(8, 64, parallelism__zero_stage=3, parallelism__framework="deepspeed", **path))
