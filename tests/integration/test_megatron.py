"""Megatron-LM's own parser, checks and classes accept the emitted arguments, change none of them, and build what was
planned.

The sources of its releases lie in an environment of their own, which `.ci/run` makes: `megatron.training` is in no
wheel, and Megatron-LM pins other versions than the rest.
"""

from __future__ import annotations

import ast
import importlib.util
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from llmplan.answer.schema.solution import Solution
from tests.emit.test_megatron import drawn, said
from tests.integration import answers
from tests.integration.answers import Answer, feasible, refusals, solved_all, value
from tests.integration.plans import ROOT
from tests.integration.real import needs, read_each
from tests.thorough import examples

pytestmark = [pytest.mark.integration, pytest.mark.slow]

OWN = ROOT / ".venv-megatron"
SOURCES = sorted(place for place in (OWN / "src").glob("*") if (place / "megatron" / "training").is_dir())
SOURCES = SOURCES if [*OWN.glob("lib/python*/site-packages/torch")] else []


def plan(*what: Any, options: str = "", **more: Any) -> str:
    return answers.plan(f"megatron {{ {options} }}", *what, **more)


PLANS = {
    "llama7b": (ROOT / "plans" / "llama7b.plan")
    .read_text(encoding="utf-8")
    .replace("deepspeed, accelerate", "megatron"),
    "interleaved": plan("llama-3-70b", 512, "tensor = 8, pipeline = 4, virtual_pipeline = 5, zero_stage = 1"),
    "uneven": plan("llama-3.1-405b", 1024, "tensor = 8, pipeline = 16, zero_stage = 1", "recompute = full"),
    "experts": plan(
        "mixtral-8x7b",
        128,
        "tensor = 2, pipeline = 4, expert = 8, zero_stage = 1",
        "recompute = selective, recompute_norms = true",
    ),
    "overlap": plan(
        "mixtral-8x7b", 128, "pipeline = 4, virtual_pipeline = 2, expert = 8, zero_stage = 1, expert_overlap = true"
    ),
    "many_experts": plan(
        "qwen3-30b-a3b",
        64,
        "pipeline = 2, expert = 8, expert_tensor = 2, tensor = 2, zero_stage = 1",
        "recompute = full",
    ),
    "shared_experts": plan("deepseekmoe-16b", 64, "expert = 8, zero_stage = 1"),
    "long": plan(
        "llama-3.1-8b", 64, "tensor = 4, context = 8, zero_stage = 1", "recompute = full", batch=32, length=131_072
    ),
    "fp8": plan(
        "llama-2-13b",
        128,
        "tensor = 2, zero_stage = 1",
        "precision = fp8, recompute = none",
        options="recipe = tensorwise",
    ),
    "mxfp8": plan("llama-2-13b", 128, "tensor = 2, zero_stage = 1", "precision = mxfp8, recompute = none").replace(
        "H100-SXM5-80GB", "B200-SXM-180GB"
    ),
    "fp16": plan("gpt3-2.7b", 16, "zero_stage = 0", "precision = fp16, recompute = none", length=2048).replace(
        'model "gpt3-2.7b"', 'model "gpt3-2.7b" { vocab = 50_304, norm_epsilon = 0.000_01 }'
    ),
    "tf32": plan("llama-7b", 16, "tensor = 2, zero_stage = 1", "precision = tf32, recompute = none", length=2048),
    "states": plan(
        "llama-7b", 16, "zero_stage = 1", "optimizer_dtype = bf16, master_dtype = fp16, recompute = none", length=2048
    ),
    "offload": plan("llama-7b", 16, "zero_stage = 1, offload = optimizer, offload_share = 0.5", length=2048),
    "half": plan("llama-7b", 16, "zero_stage = 1", "gradient_dtype = bf16, recompute = none", length=2048),
    "some_layers": plan(
        "llama-7b", 16, "pipeline = 2, zero_stage = 1", "recompute = full, recompute_layers = 8", length=2048
    ),
    "groups": plan("llama-7b", 64, "zero_stage = 1, replicas = 8", length=2048),
    "window": plan("mistral-7b", 16, "zero_stage = 1", length=8192),
    "biases": plan("qwen2.5-7b", 16, "zero_stage = 1, tensor = 2"),
    "norms": plan("qwen3-8b", 16, "zero_stage = 1, tensor = 2"),
    "squared": plan("qwen3-8b", 16, "zero_stage = 1").replace(
        '"qwen3-8b"', '"qwen3-8b" { activation = squared_relu, gated_mlp = false }'
    ),
    "latents": plan(
        "deepseek-v3",
        2048,
        "pipeline = 16, expert = 64, zero_stage = 1",
        "recompute = full",
        batch=15_360,
        gpu="H800-SXM5-80GB",
    ),
    "projected_again": plan(
        "deepseek-v3",
        2048,
        "tensor = 2, pipeline = 16, expert = 64, zero_stage = 1",
        "recompute = selective, recompute_latents = true",
    ),
    "data": plan(
        "llama-7b", 16, "zero_stage = 1", length=2048, options='data = "0.3 a 0.7 b", tokenizer = "huggyllama/llama-7b"'
    ),
}
REFUSED = {
    "hybrid sharding": plan("llama-3-8b", 64, "zero_stage = 3, replicas = 8, framework = fsdp"),
    "sharded gradients": plan("llama-3-8b", 64, "zero_stage = 2"),
    "qlora": plan("llama-3-8b", 8, "zero_stage = 0") + "adapter.method = qlora\n",
    "queries without a latent": plan("deepseek-v2-lite", 64, "expert = 8, zero_stage = 1"),
    "groups by their best expert": plan("deepseek-v2", 512, "expert = 32, pipeline = 4, zero_stage = 1"),
}


def case(solution: Solution, files: Mapping[str, str]) -> dict[str, Any]:
    exported = [
        line.removeprefix("export ") for line in files["launch.sh"].splitlines() if line.startswith("export CUDA_")
    ]
    words = [word for name, rest in said(files["megatron.args"]).items() for word in (name, *rest.split())]
    return {
        "ranks": int(value(solution, "hardware.gpus")),
        "arguments": words,
        "environment": dict(line.split("=", 1) for line in exported),
    }


def lone(model: str, fields: str) -> str:
    """A plan for a few layers on one GPU."""
    return plan(model, 1, "zero_stage = 0", batch=8).replace(f'model "{model}"', f'model "{model}" {{ {fields} }}')


WAIVED = "waive megatron_latent_queries\n"
BUILT = {
    "deepseek-v3": lone("deepseek-v3", "layers = 5, experts = 16, expert_groups = 8"),
    "deepseek-v3 not stretched": lone("deepseek-v3", "layers = 4, experts = 16, rope_scaling = none, rope_factor = 1"),
}
WITHOUT_LATENT_QUERIES = {
    "deepseek-v2-lite": lone("deepseek-v2-lite", "layers = 3") + WAIVED,
    "moonlight-16b-a3b": lone("moonlight-16b-a3b", "layers = 2, experts = 8") + WAIVED,
}


def made(sources: Path, cases: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    return read_each("read_megatron.py", sources, cases=cases, folder=folder, python=OWN / "bin" / "python")


def accepted(sources: Path, asked: Mapping[str, Answer], folder: Path) -> dict[str, dict[str, Any]]:
    """What one release makes of each answer; it refuses none."""
    cases = [case(*answer) for answer in asked.values()]
    found = made(sources, cases, folder)
    assert [(seen["error"], one["arguments"]) for one, seen in zip(cases, found, strict=True) if "error" in seen] == []
    return dict(zip(asked, found, strict=True))


releases = pytest.mark.parametrize(
    "sources",
    [pytest.param(place, id=place.name) for place in SOURCES]
    or [
        pytest.param(
            OWN, marks=pytest.mark.skip(reason=f"no sources of Megatron-LM in {OWN.name}/src: .ci/run fetches them")
        )
    ],
)


@releases
def test_the_arguments_are_accepted_and_the_model_is_the_planned_one(sources: Path, tmp_path: Path) -> None:
    asked = solved_all(PLANS)
    for name, seen in accepted(sources, asked, tmp_path).items():
        agree(name, asked[name][0], seen)


def agree(name: str, solution: Solution, seen: Mapping[str, Any]) -> None:
    """What Megatron-LM will do is what the plan says."""
    assert seen["changed"] == [], name
    pairs = {
        "num_layers": "model.layers", "hidden_size": "model.hidden", "ffn_hidden_size": "model.ffn",
        "kv_channels": "model.head_dim",
        "num_attention_heads": "model.heads", "padded_vocab_size": "model.vocab",
        "layernorm_epsilon": "model.norm_epsilon",
        "seq_length": "dataset.sequence_length", "micro_batch_size": "training.micro_batch", "train_iters": "steps",
        "global_batch_size": "global_batch_sequences", "data_parallel_size": "data_parallel",
        "clip_grad": "training.gradient_clipping",
        "tensor_model_parallel_size": "parallelism.tensor", "pipeline_model_parallel_size": "parallelism.pipeline",
        "context_parallel_size": "parallelism.context", "sequence_parallel": "parallelism.sequence_parallel",
        "lr": "training.learning_rate", "lr_warmup_iters": "training.warmup", "weight_decay": "training.weight_decay",
    }  # fmt: skip
    assert {key: seen[key] for key in pairs} == {
        key: pytest.approx(value(solution, path)) for key, path in pairs.items()
    }, name
    batch = seen["micro_batch_size"] * seen["data_parallel_size"] * value(solution, "grad_accum")
    assert seen["global_batch_size"] == batch, name
    assert (seen["virtual_pipeline_model_parallel_size"] or 1) == value(solution, "parallelism.virtual_pipeline"), name
    assert seen["params_dtype"] == {"fp16": "torch.float16", "tf32": "torch.float32"}.get(
        value(solution, "training.precision"), "torch.bfloat16"
    ), name
    precision = value(solution, "training.precision")
    assert seen["bf16"] is (precision in ("bf16", "fp8", "mxfp8")) and bool(seen["fp8"]) is (
        precision in ("fp8", "mxfp8")
    ), name
    assert seen["num_distributed_optimizer_instances"] == value(solution, "parallelism.replicas"), name
    assert seen["untie_embeddings_and_output_weights"] is not value(solution, "model.tied_embeddings"), name
    assert seen["gated"] is value(solution, "model.gated_mlp"), name
    assert seen["use_distributed_optimizer"] is (value(solution, "parallelism.zero_stage") == 1), name
    assert (seen["num_experts"] or 0) == value(solution, "model.experts"), name
    if value(solution, "model.experts"):
        assert seen["expert_model_parallel_size"] == value(solution, "parallelism.expert"), name
        assert seen["expert_tensor_parallel_size"] == value(solution, "parallelism.expert_tensor"), name
        assert seen["moe_router_topk"] == value(solution, "model.experts_per_token"), name
    if value(solution, "model.positions") == "rotary":
        assert seen["rotary_base"] == value(solution, "model.rope_base"), name


@releases
def test_latent_attention_and_its_routers_are_built_as_planned(sources: Path, tmp_path: Path) -> None:
    asked = solved_all({**BUILT, **WITHOUT_LATENT_QUERIES})
    found = made(sources, [{**case(*answer), "build": True} for answer in asked.values()], tmp_path)
    for name, seen in zip(asked, found, strict=True):
        if name in WITHOUT_LATENT_QUERIES and sources.name == "core_v0.19.0":
            # It wants a projection of queries that norms the hidden states, which the layer has normed before.
            assert "to build `linear_q_proj`" in seen["error"], name
            continue
        assert "error" not in seen, seen
        solution, model = asked[name][0], seen["built"]
        assert seen["changed"] == [], name
        assert model["parameters"] == value(solution, "model.params_total"), name
        head, stretched = (
            value(solution, "model.head_dim") + value(solution, "model.rope_head_dim"),
            value(solution, "model.rope_scaling") == "yarn",
        )
        scale = 1 + 0.1 * value(solution, "model.rope_mscale_all_dim") * math.log(40) if stretched else 1
        assert model["softmax_scale"] == pytest.approx(scale**2 / math.sqrt(head)), name
        planned = {
            "scaling_factor": "rope_factor", "original_max_position_embeddings": "rope_original_context",
            "beta_fast": "rope_beta_fast",
            "beta_slow": "rope_beta_slow", "mscale": "rope_mscale", "mscale_all_dim": "rope_mscale_all_dim",
        }  # fmt: skip
        assert model["yarn"] == {
            key: value(solution, f"model.{path}") if stretched else None for key, path in planned.items()
        }, name
        sigmoid = value(solution, "model.routing") == "sigmoid"
        assert (seen["moe_router_score_function"], seen["moe_router_enable_expert_bias"]) == (
            "sigmoid" if sigmoid else "softmax",
            sigmoid,
        )
        assert (seen["moe_router_topk_scaling_factor"] or 1) == value(solution, "model.router_factor"), name


@releases
def test_the_plugin_of_accelerate_cannot_be_imported(sources: Path) -> None:
    """Its refusal is to be looked at again when this fails."""
    needs("accelerate")
    found = importlib.util.find_spec("accelerate")
    assert found is not None and found.origin is not None
    tree = ast.parse((Path(found.origin).parent / "utils" / "megatron_lm.py").read_text(encoding="utf-8"))
    asked = {
        node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("megatron.")
    }
    places = {name: sources / str(name).replace(".", "/") for name in asked}
    missing = {name for name, place in places.items() if not place.is_dir() and not place.with_suffix(".py").is_file()}
    assert "megatron.core.mpu" not in missing and "megatron.training.gpt_builders" in missing, asked


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_cannot_do_is_refused_by_name(name: str) -> None:
    assert refusals("megatron", REFUSED[name]) != []


@releases
def test_answers_of_searches_are_accepted(sources: Path, tmp_path: Path) -> None:
    asked = feasible([drawn(seed) for seed in range(examples(60))])
    assert [seen["changed"] for seen in accepted(sources, asked, tmp_path).values() if seen["changed"]] == []
