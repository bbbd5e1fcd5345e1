"""Model FLOPs against operators counted in the real software."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.std.answers import block, number, solve
from tests.thorough import sample

ROWS = json.loads((Path(__file__).parent / "data" / "flops.json").read_text(encoding="utf-8"))["rows"]


@pytest.mark.parametrize(
    "row",
    sample(ROWS),
    ids=[f"{row['name']}-{row['sequence_length']}-{row['attention']}-{row['recompute']}" for row in ROWS],
)
def test_counted_operators(row: dict[str, Any]) -> None:
    solution = solve(
        block("model", **row["model"], gated_mlp=True)
        + block("dataset", sequence_length=row["sequence_length"])
        + block("training", attention=row["attention"], recompute=row["recompute"])
    )
    assert number(solution, "model.params_matmul") == row["matmul_params"]
    tokens = row["sequence_length"] * row["batch"]
    assert number(solution, "flops_per_token_in[counter]") * tokens == pytest.approx(row["total_flops"], rel=1e-9)
    # The counter takes attention in full; without a flash kernel backward is twice forward.
    full = number(solution, "flops_per_token_in[full_attention]")
    assert full * tokens / 3 == pytest.approx(row["forward_flops"], rel=1e-9)
    # Causally half of it.
    attention = number(solution, "attention_flops_per_token")
    assert full - number(solution, "flops_per_token") == pytest.approx(attention)


@pytest.mark.parametrize(("recompute", "factor"), [("none", 1.0), ("full", 4 / 3)])
def test_recompute_adds_a_forward_pass_of_the_layers(recompute: str, factor: float) -> None:
    solution = solve(f'model "llama-7b"\ndataset.sequence_length = 2048\ntraining.recompute = {recompute}\n')
    head = 6 * number(solution, "model.head_weights")
    model = number(solution, "flops_per_token") - head
    assert number(solution, "hardware_flops_per_token") == pytest.approx(head + factor * model)


def test_active_experts_count() -> None:
    # Mixtral: 12.88B active, less the input embedding and the norms.
    solution = solve('model "mixtral-8x7b"\ndataset { tokens = 1T, sequence_length = 4096 }\n')
    norms = 65 * 4096
    assert number(solution, "model.params_matmul") == 12_879_925_248 - 32_000 * 4096 - norms
    assert number(solution, "flops_6nd") == 6 * 12_879_925_248 * 1e12
    matmul = 6 * number(solution, "model.params_matmul")
    assert number(solution, "flops_per_token") == matmul + 6 * 32 * 32 * 128 * 4096


def test_latent_attention_is_wider_for_scores_than_for_values() -> None:
    solution = solve('model "deepseek-v3"\ndataset.sequence_length = 4096\n')
    # Megatron's count: half the square of 128 x (128 + 64) for scores and 128 x 128 for values.
    expected = 6 * 61 * 128 * (192 + 128) / 2 * 4096
    assert number(solution, "attention_flops_per_token") == pytest.approx(expected)


@pytest.mark.slow
def test_windows() -> None:
    def attention(name: str, length: int) -> float:
        solution = solve(f'model "{name}"\ndataset.sequence_length = {length}\n')
        return number(solution, "attention_flops_per_token")

    # A sequence within the window knows nothing of it.
    assert attention("mistral-7b", 4096) == attention("llama-3-8b", 4096)
    # Beyond it: the first 4,096 tokens see half a window on average, the others a whole one.
    seen = (4096 * 2048 + 28_672 * 4096) / 32_768
    assert attention("mistral-7b", 32_768) / attention("llama-3-8b", 32_768) == pytest.approx(seen / 16_384)
    # Every second layer of Gemma 2 has a window.
    whole = 6 * 42 * 16 * 256 * 8192
    assert attention("gemma-2-9b", 8192) == pytest.approx(whole * (1 + (4096 - 1024) / 4096) / 2)


def test_an_encoder_sees_every_token() -> None:
    solution = solve('model "bert-base"\ndataset.sequence_length = 512\n')
    assert number(solution, "attention_flops_per_token") == 12 * 12 * 12 * 64 * 512


def test_mfu_is_converted_between_conventions() -> None:
    plan = """model "llama-2-7b"
dataset { tokens = 1T, sequence_length = 4096 }
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
training.recompute = full
assume mfu = 45% * mfu_factor[full_attention]
"""
    solution = solve(plan)
    assert number(solution, "mfu_in[full_attention]") == pytest.approx(0.45)
    assert number(solution, "mfu_in[causal_attention]") == number(solution, "mfu")
    assert number(solution, "mfu_in[hardware]") == pytest.approx(number(solution, "hfu"))
    # 12 of 12 against 6 of 12 for attention.
    matmul, square = 6 * 6_607_077_376, 12 * 32 * 4096 * 4096
    assert number(solution, "mfu") == pytest.approx(0.45 * (matmul + square / 2) / (matmul + square))
    assert number(solution, "mfu_in[six_nd]") < number(solution, "mfu") < number(solution, "mfu_in[full_attention]")


def test_time_of_a_model_with_experts_from_an_assumed_mfu() -> None:
    plan = 'model "deepseek-v3"\ndataset { tokens = 14.8T, sequence_length = 4096 }\n'
    plan += 'hardware { gpu = "H800-SXM5-80GB", gpus = 2048 }\nassume mfu = 40%\nwaive fits\n'
    solution = solve(plan)
    flops = number(solution, "flops_per_token") * 14.8e12
    assert number(solution, "time") == pytest.approx(flops / (0.4 * 989.4e12 * 2048))
