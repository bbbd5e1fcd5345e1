"""`model from` counts the parameters of random configurations as transformers does, which builds the models."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from llmplan import api
from tests.integration.real import needs, read

pytestmark = [pytest.mark.integration, pytest.mark.slow]

Config = dict[str, Any]
COUNT = 150
SEED = 5


def usual(pick: random.Random) -> Config:
    """What most families read. Keys that may be left out are left out at times."""
    heads = pick.choice([2, 4, 6])
    config: Config = {
        "hidden_size": heads * pick.choice([8, 16]),
        "num_hidden_layers": pick.randint(1, 5),
        "num_attention_heads": heads,
        "num_key_value_heads": pick.choice([1, 2, heads]) if heads != 6 else pick.choice([1, 2, 3, 6]),
        "intermediate_size": pick.randint(20, 90),
        "vocab_size": pick.randint(50, 300),
        "pad_token_id": 0,
    }
    if pick.random() < 0.7:
        config["tie_word_embeddings"] = pick.random() < 0.5
    if pick.random() < 0.5:
        config["max_position_embeddings"] = pick.choice([64, 128])
    return config


def of(*switches: str, dims: bool = False, **more: Callable[[random.Random], Any]) -> Callable[[random.Random], Config]:
    """The usual keys, truth values that are given at times, and further keys."""

    def make(pick: random.Random) -> Config:
        config = usual(pick)
        config |= {switch: pick.random() < 0.5 for switch in switches if pick.random() < 0.7}
        if dims and pick.random() < 0.6:
            config["head_dim"] = pick.choice([8, 16, 24])
        return config | {key: value(pick) for key, value in more.items()}

    return make


def experts(pick: random.Random) -> int:
    return pick.choice([2, 4, 8])


def few(pick: random.Random) -> int:
    return pick.choice([1, 2])


def width(pick: random.Random) -> int:
    return pick.choice([16, 24])


def renamed(config: Config, **names: str) -> Config:
    return {names.get(key, key): value for key, value in config.items() if names.get(key, key)}


def gpt2(pick: random.Random, **more: Any) -> Config:
    config = usual(pick)
    del config["num_key_value_heads"]
    config |= {"intermediate_size": pick.choice([None, 40])}
    names = {"hidden_size": "n_embd", "num_hidden_layers": "n_layer", "num_attention_heads": "n_head"}
    return renamed(config, **names, intermediate_size="n_inner", max_position_embeddings="n_positions") | more


def falcon(pick: random.Random) -> Config:
    config = of("new_decoder_architecture", "multi_query", "parallel_attn", "bias", "alibi")(pick)
    config = renamed(config, num_key_value_heads="num_kv_heads", intermediate_size="ffn_hidden_size")
    return config | ({"num_ln_in_parallel_attn": few(pick)} if pick.random() < 0.4 else {})


def opt(pick: random.Random) -> Config:
    config = of("do_layer_norm_before", "enable_bias")(pick)
    config = renamed(config, intermediate_size="ffn_dim", num_key_value_heads="")
    return config | {"word_embed_proj_dim": pick.choice([16, config["hidden_size"]])}


def latent(pick: random.Random) -> Config:
    config = of(
        n_routed_experts=lambda pick: 8, n_shared_experts=few, num_experts_per_tok=few, moe_intermediate_size=width,
        first_k_dense_replace=lambda pick: 1, q_lora_rank=lambda pick: pick.choice([None, 12]),
        kv_lora_rank=width, qk_nope_head_dim=width, qk_rope_head_dim=lambda pick: 8, v_head_dim=width,
    )(pick)  # fmt: skip
    return config | {"num_key_value_heads": config["num_attention_heads"]}


def sparse(pick: random.Random) -> Config:
    """Experts of which the number and kind is left to the class at times."""
    config = of(
        "attention_bias", "use_qk_norm", n_routed_experts=lambda pick: 8, n_shared_experts=few,
        num_experts_per_tok=few, moe_intermediate_size=width, first_k_dense_replace=few, head_dim=width,
    )(pick)  # fmt: skip
    left_out = ("n_routed_experts", "n_shared_experts", "first_k_dense_replace", "moe_intermediate_size")
    return {key: value for key, value in config.items() if key not in left_out or pick.random() < 0.7}


def mpt(pick: random.Random) -> Config:
    names = {"hidden_size": "d_model", "num_hidden_layers": "n_layers", "num_attention_heads": "n_heads"}
    config = renamed(usual(pick), **names, num_key_value_heads="", intermediate_size="", max_position_embeddings="")
    return config | {"expansion_ratio": few(pick)}


def bloom(pick: random.Random) -> Config:
    names = {"num_hidden_layers": "n_layer", "num_attention_heads": "n_head"}
    return renamed(usual(pick), **names, num_key_value_heads="", intermediate_size="")


FAMILIES: dict[str, Callable[[random.Random], Config]] = {
    "llama": of("attention_bias", "mlp_bias", dims=True),
    "mistral": of(dims=True),
    "mixtral": of(num_local_experts=experts, num_experts_per_tok=few),
    "qwen2": of("use_sliding_window"),
    "qwen3": of("attention_bias", dims=True),
    "qwen2_moe": of(
        num_experts=experts, num_experts_per_tok=few, moe_intermediate_size=width,
        shared_expert_intermediate_size=width, decoder_sparse_step=few,
    ),
    "qwen3_moe": lambda pick: renamed(
        of(num_experts=experts, num_experts_per_tok=few, moe_intermediate_size=width, decoder_sparse_step=few)(pick),
        num_experts=pick.choice(["num_experts", "num_local_experts"]),
    ),
    "gemma": of("attention_bias", dims=True),
    "gemma2": of("attention_bias", dims=True),
    "gemma3_text": of("attention_bias", dims=True),
    "phi": lambda pick: renamed(usual(pick), num_key_value_heads=""),
    "phi3": of(),
    "gpt2": gpt2,
    "gptj": lambda pick: gpt2(pick, rotary_dim=4),
    "gpt_bigcode": lambda pick: gpt2(pick, multi_query=pick.random() < 0.5),
    "gpt_neox": lambda pick: renamed(of("attention_bias", "use_parallel_residual")(pick), num_key_value_heads=""),
    "gpt_oss": of(num_local_experts=experts, num_experts_per_tok=few, head_dim=width),
    "opt": opt,
    "bloom": bloom,
    "falcon": falcon,
    "mpt": mpt,
    "olmo": of("attention_bias"),
    "olmo2": of("attention_bias"),
    "olmoe": of("attention_bias", num_experts=experts, num_experts_per_tok=few),
    "starcoder2": of("use_bias"),
    "deepseek_v2": latent,
    "deepseek_v3": latent,
    "glm4_moe": sparse,
    "glm": of("attention_bias", dims=True),
    "smollm3": of("attention_bias"),
    "llama4_text": of(
        "attention_bias", num_local_experts=experts, intermediate_size_mlp=width, head_dim=width,
        interleave_moe_layer_step=few,
    ),
    "glm4": of("attention_bias", dims=True),
    "olmo3": of("attention_bias"),
    "granite": of("attention_bias", "mlp_bias", dims=True),
    "granitemoe": of("attention_bias", num_local_experts=experts, num_experts_per_tok=few),
    "granitemoeshared": of(
        "attention_bias", num_local_experts=experts, num_experts_per_tok=few,
        shared_intermediate_size=lambda pick: pick.choice([0, 24]),
    ),
    "stablelm": of("use_qkv_bias", "qk_layernorm", "use_parallel_residual"),
    "cohere": of("attention_bias", "use_qk_norm"),
    "cohere2": of("attention_bias", sliding_window_pattern=few),
    "exaone4": of(dims=True, sliding_window=lambda pick: pick.choice([16, 32])),
    "nemotron": of("attention_bias", "mlp_bias", dims=True),
    "seed_oss": of("attention_bias", "attention_out_bias", "mlp_bias", dims=True),
    "ernie4_5": of("use_bias", dims=True),
    "ernie4_5_moe": of(
        dims=True, moe_num_experts=experts, moe_k=few, moe_intermediate_size=width, moe_num_shared_experts=few,
        moe_layer_start_index=lambda pick: pick.choice([0, 1, 2]), moe_layer_interval=few,
        moe_layer_end_index=lambda pick: pick.choice([-1, 3]),
    ),
    "hunyuan_v1_dense": of("attention_bias", head_dim=width),
    "hunyuan_v1_moe": of(
        "attention_bias", head_dim=width, num_experts=experts, moe_topk=lambda pick: pick.choice([1, [2] * 5])
    ),
    "bert": lambda pick: renamed(usual(pick), num_key_value_heads="") | {"type_vocab_size": few(pick)},
}  # fmt: skip


def test_random_configurations(tmp_path: Path) -> None:
    needs("transformers", "torch")
    pick = random.Random(SEED)
    folder = tmp_path / "configs"
    folder.mkdir()
    mine = {}
    for at in range(COUNT):
        family = list(FAMILIES)[at % len(FAMILIES)]
        name = f"{family}-{at}"
        config = {"model_type": family, **FAMILIES[family](pick)}
        (folder / f"{name}.json").write_text(json.dumps(config), encoding="utf-8")
        plan = tmp_path / "a.plan"
        plan.write_text(f'model from "configs/{name}.json"\n', encoding="utf-8")
        solution = api.solve(str(plan))
        value = solution.values.get("model.params_total")
        mine[name] = value.value if value else [d.message for d in solution.diagnostics]
    counted = read("count_parameters.py", folder)
    wrong = {name: (mine[name], counted[name]) for name in mine if mine[name] != counted[name]}
    texts = {name: (folder / f"{name}.json").read_text(encoding="utf-8") for name in wrong}
    assert wrong == {}, texts
