"""What norms keep for backward, as counted in transformers' modules by hooks on saved tensors, torch 2.13."""

from __future__ import annotations

import pytest

from llmplan import api

PLAN = """model {
    layers = 2, hidden = 256, heads = 8, kv_heads = 2, head_dim = 64, ffn = 512, gated_mlp = true, vocab = 1280
}
dataset { tokens = 1M, sequence_length = 256 tokens }
hardware { gpu = "A100-SXM4-80GB", gpus = 1 }
parallelism { zero_stage = 0, framework = ddp }
training { micro_batch = 1, global_batch = 1 sequences, kernels = eager, parameter_dtype = bf16, recompute = none }
"""
WIDE = ("model.norm_in_fp32", "true")
COUNTED = {
    "llama": ((), 10_792),
    "qwen3": ((("model.qk_norm", "per_head"),), 14_672),
    "gemma": ((WIDE,), 11_824),
    "gemma3_text": ((WIDE, ("model.layer_norms", "4"), ("model.qk_norm", "per_head")), 21_098),
    "olmo2": ((WIDE, ("model.norm_after", "true"), ("model.qk_norm", "full")), 16_944),
}
"""Bytes a token and layer, with 256 tokens; the scales of Gemma's norms, kept once, are a thousandth of it."""


@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize("family", COUNTED)
def test_saved_tensors_of_a_layer(family: str) -> None:
    settings, counted = COUNTED[family]
    solution = api.solve("-", text=PLAN, settings=settings)
    assert solution.values["memory.layer_activations"].value == pytest.approx(counted, rel=0.001)


@pytest.mark.usefixtures("no_advice")
def test_fused_norms_keep_what_they_read() -> None:
    def kept(*settings: tuple[str, str]) -> object:
        return (
            api.solve("-", text=PLAN, settings=[("training.kernels", "fused"), *settings])
            .values["memory.layer_activations"]
            .value
        )

    plain = kept()
    assert isinstance(plain, float)
    assert kept(("model.qk_norm", "per_head")) == plain + 2 * (8 + 2) * 64
    assert kept(WIDE, ("model.layer_norms", "4")) == plain + 2 * 2 * 256
