"""Layers without attention: what they compute, keep and hold of a sequence."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan import api
from llmplan.system.missing import Missing

# Qwen3-Next, by its published configuration.
NEXT = """
model {
    layers = 48, hidden = 2048, heads = 16, kv_heads = 2, head_dim = 256, ffn = 5632, gated_mlp = true, vocab = 151_936
    qk_norm = per_head, attention_gate = true, experts = 512, experts_per_token = 10, expert_ffn = 512
    shared_experts = 1
    shared_gate = true, mixer = delta, mixer_layers = 36, mixer_heads = 32, mixer_head_dim = 128, mixer_key_heads = 16
    mixer_key_dim = 128
}
"""


def value(text: str, name: str) -> float:
    read = api.analyse("-", text=f"{text}\nshow {name}\n")
    assert read.built is not None and not read.failed
    lowering = read.built.lowering
    node = lowering.unknowns.settled(lowering.name(name))
    assert not isinstance(node, Missing)
    found = lowering.graph.constant(node)
    assert found is not None
    return found


def test_a_model_of_the_plan_counts_as_its_file() -> None:
    assert value(NEXT, "model.params_total") == 79_674_391_296
    assert value(NEXT, "model.params_mixer") == 1_213_864_704
    assert value(NEXT, "model.params_attention") == 327_161_856


def test_operations_of_the_delta_rule() -> None:
    """Matrix products in chunks of 64, and the convolution; three passes, forward and backward."""
    rule = 32 * (2 * 64 * (2 * 128 + 128) + 6 * 128 * 128)
    convolution = 2 * 4 * (2 * 16 * 128 + 32 * 128)
    assert value(NEXT, "mixer_flops_per_token") == 3 * 36 * (rule + convolution)


def test_what_kernels_keep_and_what_the_fallback_keeps() -> None:
    """Bytes of a token in 16 bits: those of fla's kernels, and those fitted to PyTorch's own operations."""
    sizes = "training { precision = bf16, global_batch = 8 sequences, micro_batch = 1 }\n"
    sizes += 'hardware { gpu = "H100-SXM5-80GB", gpus = 8 }\ndataset { sequence_length = 4096, tokens = 1B }\n'
    keys, values = 16 * 128, 32 * 128
    fused = 8 * keys + 10 * values + 152 * 32
    eager = 4 * 2048 + 8 * keys + 32 * (32 * 128 + 34 * 128 + 1327) + 4.1 * 32 * 128 * 128 / 64
    assert value(NEXT + sizes, "memory.mixer_activations") == pytest.approx(0.75 * fused)
    sizes += "training.mixer_kernels = eager\n"
    assert value(NEXT + sizes, "memory.mixer_activations") == pytest.approx(0.75 * eager)


def test_states_in_place_of_a_cache() -> None:
    """Of a sequence a fixed state in layers of the mixer, keys and values in the others."""
    served = "serving { input_tokens = 1000, output_tokens = 1000, batch = 1, kv_precision = bf16 }\n"
    served += 'hardware { gpu = "H100-SXM5-80GB" }\n'
    state = 36 * (4 * 32 * 128 * 128 + 2 * (2 * 16 * 128 + 32 * 128) * 3)
    cache = 12 * 2 * 2 * 2 * 256 * 2000
    assert value(NEXT + served, "serving.kv_cache") == state + cache


def test_a_configuration_with_an_infinity(tmp_path: Path) -> None:
    """Mamba-2 style files hold a list with `Infinity`, which is no JSON; later ones an object in its place."""
    for limit in ("[0.0, Infinity]", '[0.0, {"__float__": "Infinity"}]'):
        (tmp_path / "c.json").write_text(
            '{"model_type": "mamba2", "hidden_size": 2560, "num_hidden_layers": 64, "num_heads": 80, "n_groups": 1,'
            f' "vocab_size": 50288, "tie_word_embeddings": true, "time_step_limit": {limit}}}',
            encoding="utf-8",
        )
        (tmp_path / "a.plan").write_text('model from "c.json"\nshow model.params_total\n', encoding="utf-8")
        read = api.analyse(str(tmp_path / "a.plan"))
        assert read.built is not None and not read.failed
        lowering = read.built.lowering
        node = lowering.unknowns.settled(lowering.name("model.params_total"))
        assert not isinstance(node, Missing) and lowering.graph.constant(node) == 2_702_599_680


def test_gated_attention_keeps_what_was_counted_in_eager_modules() -> None:
    """A layer of Qwen3.5, all of attention: 20h + 8f + 18ad + 12kd + 8a + 4k + 8 bytes of a token, flash attention."""
    text = """
model {
    layers = 4, hidden = 1024, heads = 8, kv_heads = 2, head_dim = 256, ffn = 3072, gated_mlp = true, vocab = 32_000
    qk_norm = per_head, attention_gate = true
}
training { precision = bf16, kernels = eager, recompute = none, attention = flash, micro_batch = 1 }
training { global_batch = 8 sequences, parameter_dtype = bf16 }
parallelism { framework = ddp, tensor = 1 }
hardware { gpu = "H100-SXM5-80GB", gpus = 8 }
dataset { sequence_length = 4096, tokens = 1B }
"""
    h, f, q, k, a, n = 1024, 3072, 2048, 512, 8, 2
    assert value(text, "memory.dense_activations") == 20 * h + 8 * f + 18 * q + 12 * k + 8 * a + 4 * n + 8


# Gemma 4, by its published configuration.
WIDE = """
model {
    layers = 60, hidden = 5376, heads = 32, kv_heads = 16, head_dim = 256, ffn = 21_504, gated_mlp = true
    vocab = 262_144, tied_embeddings = true, layer_norms = 4, qk_norm = per_head
    sliding_layers = 50, sliding_window = 1024, mixer = global, mixer_layers = 10
    mixer_heads = 32, mixer_head_dim = 512, mixer_key_heads = 4, mixer_shares_keys = true
}
"""


def test_layers_of_wider_heads_count_as_attention() -> None:
    assert value(WIDE, "model.params_attention") == 8_477_772_800
    assert value(WIDE, "model.params_mixer") == 0
    sizes = "dataset { sequence_length = 4096, tokens = 1B }\n"
    windowed = 50 * 32 * 512 * (1024 - 1024**2 / 8192)
    assert value(WIDE + sizes, "attention_flops_per_token") == 6 * (windowed + 10 * 32 * 1024 * 2048)
    assert value(WIDE + sizes, "attention_square_flops_per_token") == 6 * 4096 * (50 * 32 * 512 + 10 * 32 * 1024)


def test_layers_of_wider_heads_cache_every_token() -> None:
    served = "serving { input_tokens = 3000, output_tokens = 1000, batch = 1, kv_precision = bf16 }\n"
    served += 'hardware { gpu = "H100-SXM5-80GB" }\n'
    cache = 2 * (50 * 16 * 512 * 1024 + 10 * 4 * 1024 * 4000)
    assert value(WIDE + served, "serving.kv_cache") == cache
