"""Memory of a step: exact against tensors counted in the real software, and the shape of its terms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from llmplan.answer.schema.solution import Solution
from tests.std.answers import block, number, solve
from tests.thorough import sample

ROWS = json.loads((Path(__file__).parent / "data" / "memory.json").read_text(encoding="utf-8"))["rows"]
TERMS = ["weights", "gradients", "optimizer", "activations", "logits", "temporary", "buffers", "context"]


def layout(**training: object) -> str:
    return (
        'model "llama-2-7b"\n'
        + block("dataset", sequence_length=4096)
        + block("hardware", gpu='"A100-SXM4-80GB"', gpus=64)
        + "parallelism.framework = deepspeed\n"
        + block("training", micro_batch=1, precision="bf16", **training)
    )


def terms(solution: Solution) -> dict[str, float]:
    return {term: number(solution, f"memory.{term}") for term in TERMS}


@pytest.mark.quick(2)
@pytest.mark.parametrize("row", sample(ROWS), ids=[row["name"] for row in ROWS])
def test_counted_tensors(row: dict[str, Any]) -> None:
    solution = solve(
        block("model", **row["model"], gated_mlp=True)
        + block("dataset", sequence_length=row["sequence_length"])
        + block("hardware", gpus=1)
        + block("parallelism", framework="ddp", zero_stage=0)
        + block(
            "training",
            micro_batch=row["micro_batch"],
            precision=row["precision"],
            attention=row["attention"],
            recompute=row["recompute"],
            **{f"{name}_dtype": dtype for name, dtype in row["dtypes"].items()},
        )
    )
    tensors = number(solution, "memory.total") - number(solution, "memory.context")
    assert tensors == pytest.approx(row["peak_bytes"], rel=1e-4)


@pytest.mark.quick(2)
@pytest.mark.parametrize("recompute", ["none", "selective", "full"])
@pytest.mark.parametrize("stage", [0, 3, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_terms_add_up(recompute: str, stage: int) -> None:
    solution = solve(layout(recompute=recompute) + f"parallelism.zero_stage = {stage}\nwaive fits\n")
    assert sum(terms(solution).values()) == pytest.approx(number(solution, "memory.total"))


@pytest.mark.slow
def test_zero_splits_one_more_state_with_each_stage() -> None:
    states = []
    for stage in range(4):
        found = terms(solve(layout(recompute="full") + f"parallelism.zero_stage = {stage}\nwaive fits\n"))
        states.append((found["weights"], found["gradients"], found["optimizer"]))
    params = 6_738_415_616
    assert states[0] == pytest.approx((2 * params, 2 * params, 12 * params))
    assert states[1] == pytest.approx((2 * params, 2 * params, 12 * params / 64))
    assert states[2] == pytest.approx((2 * params, 2 * params / 64, 12 * params / 64))
    assert states[3] == pytest.approx((2 * params / 64, 2 * params / 64, 12 * params / 64))


def test_one_fused_layer_by_the_table_of_the_paper() -> None:
    # 34 h bytes a token: 16 bits, no gate, four times the width, dropout, as many key heads as query heads.
    model = block("model", layers=24, hidden=2048, heads=16, ffn=8192, vocab=50_257, norm="layernorm")
    training = block("training", kernels="fused", dropout=0.1, precision="fp16")
    solution = solve(model + training)
    core = number(solution, "memory.core_activations")
    assert number(solution, "memory.layer_activations") - core == 34 * 2048
    assert core == 4 * 16


@pytest.mark.parametrize(
    ("model", "bytes_per_token"),
    [("llama-3-8b", 139_392), ("llama-7b", 131_712)],
)
def test_fused_llama_layers(model: str, bytes_per_token: int) -> None:
    solution = solve(f'model "{model}"\ntraining.kernels = fused\ntraining.precision = bf16\n')
    assert number(solution, "memory.layer_activations") == bytes_per_token


@pytest.mark.slow
def test_tensor_parallelism_splits_matrices_and_leaves_norms() -> None:
    whole = solve(layout(recompute="none") + "parallelism.zero_stage = 1\n")
    halves = solve(layout(recompute="none") + "parallelism.zero_stage = 1\nparallelism.tensor = 2\n")
    matrices = 32 * (4 * 4096**2 + 3 * 4096 * 11_008)
    assert number(whole, "memory.params") - number(halves, "memory.params") == matrices / 2
    assert number(halves, "memory.total") < number(whole, "memory.total")


def test_few_key_heads_are_held_whole_by_each_tensor_rank() -> None:
    def activations(tensor: int) -> float:
        plan = f'model "llama-2-70b"\nparallelism.tensor = {tensor}\nwaive tensor_inside_node\n'
        return number(solve(plan), "memory.attention_activations")

    # 64 query heads, 8 key heads, 128 wide, 2 bytes.
    assert activations(8) == 128 * 2 * (2 * 8 + 2 * 1)
    assert activations(16) == 128 * 2 * (2 * 4 + 2 * 1)


LORA = """model "llama-3.1-8b"
dataset.sequence_length = 4096
hardware { gpu = "RTX-4090", gpus = 1 }
training { task = finetune, micro_batch = 1, global_batch = 8 sequences, recompute = full, loss = linear }
adapter { method = lora, rank = 16 }
stack = "transformers-5"
waive fits
show memory.total
"""


def test_an_evaluation_has_all_logits() -> None:
    """As counted in transformers 5.23 without gradients: 2 bytes of logits, 4 of their copy and 4 of its softmax."""
    trained, evaluated = (solve(LORA + f"training.evaluation_batch = {batch}\n") for batch in (0, 8))
    assert number(trained, "memory.logits") == 0
    assert number(evaluated, "memory.logits") == 8 * 4096 * 128_256 * 10
    assert evaluated.values["memory.peak_phase"].value == "evaluate"


def test_an_evaluation_of_no_more_than_a_micro_batch_adds_nothing() -> None:
    trained, evaluated = (
        solve(LORA.replace("loss = linear", "loss = upcast") + f"training.evaluation_batch = {batch}\n")
        for batch in (0, 1)
    )
    assert number(evaluated, "memory.total") == number(trained, "memory.total")


def test_deepspeed_keeps_a_copy_for_optimizers_that_need_none() -> None:
    plan = layout(optimizer="adamw_8bit") + "parallelism.zero_stage = 2\nwaive fits\n"
    own = solve(plan.replace("framework = deepspeed", "framework = fsdp"))
    copied = solve(plan)
    assert own.values["training.master_dtype"].value == "none"
    assert copied.values["training.master_dtype"].value == "fp32"
    states = number(copied, "memory.optimizer") / number(copied, "model.params_total")
    assert states == pytest.approx((4 + 2) / 64, rel=1e-3)
