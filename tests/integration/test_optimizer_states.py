"""SOAP and Shampoo keep as many bytes as planned: tiny models of transformers take two steps by pytorch-optimizer."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from llmplan import api
from tests.integration.real import needs, read

pytestmark = [pytest.mark.integration, pytest.mark.slow]

CLASSES = {"soap": "SOAP", "shampoo": "ScalableShampoo"}
AS_PLANNED = {"shampoo": {"shape_interpretation": False}}
"""Settings that the entry in `plans/catalog/optimizers.plan` names, beside the package's own defaults."""

CALLED = {
    "soap": {"longest_side": "max_precondition_dim"},
    "shampoo": {"longest_side": "no_preconditioning_for_layers_with_dim_gt", "block_size": "block_size"},
}
"""What fields of a plan's `optimizer` are called in the package."""

PLAN = """
model from "config.json"
hardware {{ gpu = "H100-SXM5-80GB", gpus = 1 }}
dataset {{ sequence_length = 8 tokens }}
training {{ optimizer = {optimizer}, precision = fp32, micro_batch = 1, global_batch = 1 sequence, recompute = none }}
parallelism {{ framework = ddp, zero_stage = 0 }}
optimizer {{ {fields} }}
show memory.optimizer
"""

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 72,
    "vocab_size": 100,
}
OPT: dict[str, Any] = {
    "model_type": "opt", "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2, "ffn_dim": 90,
    "max_position_embeddings": 40, "vocab_size": 95, "word_embed_proj_dim": 24,
}  # fmt: skip
"""With biases, a table of positions, and a head that is the embedding; queries, keys and values are matrices apart."""

WIDE = {**LLAMA, "hidden_size": 640, "num_hidden_layers": 1, "intermediate_size": 1100, "vocab_size": 9000}
"""With sides over a block of 512, and a vocabulary beyond 8,192 rows."""

CASES: list[tuple[str, dict[str, Any], dict[str, int]]] = [
    ("soap", LLAMA, {}),
    ("soap", {**LLAMA, "tie_word_embeddings": True}, {}),
    ("soap", LLAMA, {"longest_side": 60}),
    ("soap", OPT, {"longest_side": 80}),
    ("shampoo", LLAMA, {}),
    ("shampoo", LLAMA, {"block_size": 20, "longest_side": 80}),
    ("shampoo", OPT, {"block_size": 7}),
    ("shampoo", WIDE, {}),
]


def drawn(count: int, seed: int) -> list[tuple[str, dict[str, Any], dict[str, int]]]:
    """Random models and settings."""
    pick = random.Random(seed)
    cases = []
    for _ in range(count):
        heads = pick.choice([2, 4, 6])
        config = {
            **LLAMA,
            "hidden_size": heads * pick.choice([8, 12]),
            "num_hidden_layers": pick.randint(1, 3),
            "num_attention_heads": heads,
            "num_key_value_heads": pick.choice([1, 2]),
            "intermediate_size": pick.randint(20, 99),
            "vocab_size": pick.randint(50, 130),
            "tie_word_embeddings": pick.random() < 0.5,
            "attention_bias": pick.random() < 0.5,
        }
        name = pick.choice(["soap", "shampoo"])
        fields = {"longest_side": pick.randint(30, 120)}
        if name == "shampoo":
            fields["block_size"] = pick.randint(5, 40)
        cases.append((name, config, fields))
    return cases


def planned(name: str, config: dict[str, Any], fields: dict[str, int], folder: Path) -> float:
    """The bytes of `memory.optimizer`."""
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    said = ", ".join(f"{field} = {value}" for field, value in fields.items())
    plan = folder / "a.plan"
    plan.write_text(PLAN.format(optimizer=name, fields=said), encoding="utf-8")
    value = api.solve(str(plan)).values["memory.optimizer"].value
    assert isinstance(value, (int, float))
    return value


def test_states_are_those_of_the_plan_to_the_byte(tmp_path: Path) -> None:
    needs("torch", "transformers", "pytorch_optimizer")
    cases = [*CASES, *drawn(12, seed=3)]
    asked = [
        {
            "config": config,
            "optimizer": CLASSES[name],
            "settings": {**AS_PLANNED.get(name, {}), **{CALLED[name][field]: at for field, at in fields.items()}},
        }
        for name, config, fields in cases
    ]
    (tmp_path / "cases.json").write_text(json.dumps(asked), encoding="utf-8")
    kept = read("optimizer_states.py", tmp_path / "cases.json")
    assert [planned(*case, tmp_path) for case in cases] == kept
