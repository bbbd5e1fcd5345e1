"""What no count shows and what must be right for the same model to be trained: activation, norms, rotary positions,
routing.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from llmplan import api
from tests.std.answers import checked

FIELDS = (
    "activation", "norm_epsilon", "norm_after", "rope_base", "rope_scaling", "rope_factor", "rope_share",
    "rope_interleaved",
    "rope_layers", "rope_beta_fast", "rope_beta_slow", "rope_mscale", "rope_mscale_all_dim", "routing",
    "router_factor", "multipliers",
)  # fmt: skip
ROWS = {
    row["name"]: row["config"]
    for row in json.loads((Path(__file__).parent / "data" / "configs.json").read_text(encoding="utf-8"))["rows"]
}
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
YARN = {
    "type": "yarn",
    "factor": 40,
    "mscale": 0.707,
    "mscale_all_dim": 0.707,
    "original_max_position_embeddings": 4096,
}
RELEASED: dict[str, tuple[str, dict[str, Any]]] = {
    "llama-2-7b": ("Llama-2-7B", {"hidden_act": "silu", "rms_norm_eps": 1e-05, "rope_scaling": None}),
    "llama-3.1-8b": ("Llama-3.1-8B", {"rms_norm_eps": 1e-05, "rope_theta": 500000.0, "rope_scaling": LLAMA3}),
    "mistral-7b-v0.3": ("Mistral-7B-v0.3", {"hidden_act": "silu", "rms_norm_eps": 1e-05, "rope_theta": 1000000.0}),
    "mixtral-8x7b": ("Mixtral-8x7B", {"hidden_act": "silu", "rms_norm_eps": 1e-05, "rope_theta": 1000000.0}),
    "qwen2.5-7b": ("Qwen2.5-7B", {"hidden_act": "silu", "rms_norm_eps": 1e-06, "rope_theta": 1000000.0}),
    "qwen2.5-72b": ("Qwen2.5-72B", {"hidden_act": "silu", "rms_norm_eps": 1e-05, "rope_theta": 1000000.0}),
    "qwen3-30b-a3b": ("Qwen3-30B-A3B", {"rms_norm_eps": 1e-06, "rope_theta": 1000000, "norm_topk_prob": True}),
    "gemma-2-9b": ("Gemma-2-9B",
                   {"hidden_activation": "gelu_pytorch_tanh", "rms_norm_eps": 1e-06, "rope_theta": 10000.0}),
    "gemma-2b": ("Gemma-2B", {"hidden_act": "gelu", "rms_norm_eps": 1e-06, "rope_theta": 10000.0}),
    "gpt2": ("GPT-2", {"activation_function": "gelu_new", "layer_norm_epsilon": 1e-05}),
    "phi-2": ("Phi-2",
              {"hidden_act": "gelu_new", "layer_norm_eps": 1e-05, "rope_theta": 10000.0, "partial_rotary_factor": 0.4}),
    "opt-6.7b": ("OPT-6.7B", {"activation_function": "relu", "do_layer_norm_before": True}),
    "gpt-neox-20b": ("GPT-NeoX-20B", {"hidden_act": "gelu_fast", "rotary_pct": 0.25, "rotary_emb_base": 10000}),
    "deepseek-v2-lite": ("DeepSeek-V2-Lite", {"rms_norm_eps": 1e-06, "rope_theta": 10000, "rope_scaling": YARN}),
    "olmo-2-7b": ("OLMo-2-7B", {"hidden_act": "silu", "rms_norm_eps": 1e-06, "rope_theta": 500000}),
    "starcoder2-15b": ("StarCoder2-15B",
                       {"hidden_act": "gelu_pytorch_tanh", "norm_epsilon": 1e-05, "rope_theta": 100000}),
    "gpt-oss-20b": ("gpt-oss-20b", {"rope_scaling": {"rope_type": "yarn", "factor": 32.0}, "rope_theta": 150000}),
    "smollm3-3b": ("SmolLM3 3B", {"rope_theta": 5000000.0, "no_rope_layer_interval": 4}),
}  # fmt: skip
QUICK = {"gemma-2b"}


def of(text: str, folder: Path | None = None, **config: object) -> dict[str, object]:
    """By field what a plan's model says."""
    name = "-"
    if folder is not None:
        (folder / "c.json").write_text(json.dumps(config), encoding="utf-8")
        (folder / "a.plan").write_text(text, encoding="utf-8")
        name = str(folder / "a.plan")
    solution = checked(api.solve(name, text=None if folder else text))
    found = {field: solution.values.get(f"model.{field}") for field in FIELDS}
    return {field: value.value for field, value in found.items() if value is not None and value.value is not None}


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n not in QUICK)) for n in RELEASED])
def test_a_released_configuration_is_the_model_of_the_catalog(name: str, tmp_path: Path) -> None:
    row, keys = RELEASED[name]
    read = of('model from "c.json"\n', tmp_path, **{**ROWS[row], **keys})
    assert read == of(f'model "{name}"\n')


@pytest.mark.slow
def test_the_object_of_transformers_5_is_read(tmp_path: Path) -> None:
    keys = {"rope_parameters": {**LLAMA3, "rope_theta": 500000.0}}
    read = of('model from "c.json"\n', tmp_path, **{**ROWS["Llama-3.1-8B"], **keys, "hidden_act": "swish"})
    assert (read["rope_base"], read["rope_scaling"], read["rope_factor"], read["activation"]) == (
        5e5,
        "llama3",
        8,
        "silu",
    )


@pytest.mark.slow
def test_a_word_that_is_not_known_is_another_one(tmp_path: Path) -> None:
    keys = {"hidden_act": "laplace", "rope_scaling": {"rope_type": "mine"}}
    read = of('model from "c.json"\n', tmp_path, **{**ROWS["Llama-2-7B"], **keys})
    assert (read["activation"], read["rope_scaling"]) == ("other", "other")


def test_what_is_not_known_has_no_value() -> None:
    assert not {"activation", "norm_epsilon", "rope_base", "rope_scaling"} & set(
        of("model { layers = 2, hidden = 8 }\n")
    )


def test_no_two_models_have_one_name_on_the_hub() -> None:
    places = sorted((Path(__file__).parents[2] / "plans" / "catalog").glob("models*.plan"))
    entries = [
        e for place in places for e in re.split(r"^entry ", place.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    ]
    inherits = {re.findall(r'"([^"]+)"', e)[0]: re.findall(r'^model "[^"]+" like "([^"]+)"', e) for e in entries}
    hubs = {
        re.findall(r'"([^"]+)"', e)[0]: re.findall(r'^    hub +=\s"([^"]+)"', e, flags=re.MULTILINE) for e in entries
    }
    assert Counter(hub for found in hubs.values() for hub in found).most_common(1)[0][1] == 1
    # A model that is like another one would have its name too.
    assert [name for name, likes in inherits.items() if likes and hubs[likes[0]] and not hubs[name]] == []
    assert sum(map(bool, hubs.values())) > 140
