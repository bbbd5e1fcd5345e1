"""The cache of published models by arithmetic, and what an engine has room for."""

from __future__ import annotations

import math

import pytest

from llmplan.backtest.base import Base

BASE = Base.of()


def number(model: str, name: str, **fields: object) -> float:
    settings = {
        "model": model,
        "hardware.gpu": "H100-SXM5-80GB",
        "serving.input_tokens": "1000 tokens",
        "serving.output_tokens": "24 tokens",
        "serving.concurrency": "1 queries",
        "serving.tensor": "1 GPUs",
        **{f"serving.{field}": str(value) for field, value in fields.items()},
    }
    return BASE.values(settings).number(name)


@pytest.mark.parametrize(
    ("model", "tensor", "expected"),
    [
        ("llama-2-7b", 1, 2 * 32 * 32 * 128 * 2),
        ("llama-3.1-8b", 1, 2 * 32 * 8 * 128 * 2),
        ("llama-3.1-70b", 8, 2 * 80 * 8 * 128 * 2),
        ("llama-3.1-405b", 16, 2 * 2 * 126 * 8 * 128 * 2),  # eight key heads on sixteen ranks
        ("qwen2.5-7b", 8, 2 * 2 * 28 * 4 * 128 * 2),  # four on eight
        ("qwen3-32b", 1, 2 * 64 * 8 * 128 * 2),
        ("mixtral-8x7b", 2, 2 * 32 * 8 * 128 * 2),
        ("falcon-7b", 1, 2 * 32 * 1 * 64 * 2),  # one head for all
        ("deepseek-v3", 8, 8 * 61 * (512 + 64) * 2),  # a latent, on every rank
        ("gemma-2-2b", 1, 2 * 13 * 4 * 256 * 2),  # every second layer sees a window
    ],
)
def test_a_token_of_the_cache(model: str, tensor: int, expected: int) -> None:
    assert number(model, "serving.cache_per_token", tensor=f"{tensor} GPUs") == expected


def test_a_cache_in_8_bits_is_half() -> None:
    wide = number("llama-3.1-8b", "serving.cache_per_token")
    assert number("llama-3.1-8b", "serving.cache_per_token", kv_precision="fp8") == wide / 2


def test_layers_without_attention_keep_a_state_whatever_the_length() -> None:
    short = number("qwen3-next-80b-a3b", "serving.mixer_state", input_tokens="10 tokens")
    assert short == number("qwen3-next-80b-a3b", "serving.mixer_state", input_tokens="9000 tokens") > 0
    assert number("qwen3-next-80b-a3b", "serving.cache_per_token") == 2 * 12 * 2 * 256 * 2


def test_parts_that_attend_for_themselves_hold_a_latent_once_and_more_weights() -> None:
    whole = number("deepseek-v3", "serving.cache_per_token", tensor="8 GPUs", attention_data=8)
    assert whole == 61 * (512 + 64) * 2
    held, once = (
        number("deepseek-v3", name, tensor="8 GPUs", attention_data=8)
        for name in ("serving.weights_held", "serving.shared_weights")
    )
    assert held == number("deepseek-v3", "serving.expert_weights") + 8 * once


def test_what_the_cache_holds_is_what_is_left() -> None:
    room, weights, context = (
        number("llama-3.1-8b", name, engine="vllm", context="8192 tokens")
        for name in ("serving.cache_room", "serving.weights_held", "serving.longest_at_once")
    )
    card = 81_559 * 2**20
    assert 0.9 * card - weights - 3e9 < room < 0.9 * card - weights - 1e9
    assert context == pytest.approx(room / (8192 * 131_072))
    tokens = number("llama-3.1-8b", "serving.cache_tokens", engine="vllm")
    assert tokens == 16 * math.floor(room / (16 * 131_072))
