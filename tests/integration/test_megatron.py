"""Megatron-LM's own parser, checks and classes accept the emitted arguments, change none of them, and build what was planned.

The sources of its releases lie in an environment of their own, which `.ci/run` makes: `megatron.training` is in no wheel,
and Megatron-LM pins other versions than the rest.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from llmplan import api
from llmplan.emit.render import render
from llmplan.solution import Solution
from tests.emit.test_megatron import drawn, said
from tests.integration.plans import ROOT
from tests.integration.real import PROGRAMS
from tests.thorough import examples

pytestmark = [pytest.mark.integration, pytest.mark.slow]

OWN = ROOT / ".venv-megatron"
SOURCES = sorted(place for place in (OWN / "src").glob("*") if (place / "megatron" / "training").is_dir())
SOURCES = SOURCES if [*OWN.glob("lib/python*/site-packages/torch")] else []

BODY = """model "{model}"
dataset {{ tokens = 2T, sequence_length = {length} tokens }}
hardware {{ gpu = "H100-SXM5-80GB", gpus = {gpus} }}
parallelism {{ {layout} }}
training {{ global_batch = {batch} sequences, micro_batch = 1, {training} }}
waive fits
emit megatron {{ {options} }}
"""


def plan(
    model: str, gpus: int, layout: str, training: str = "recompute = none", *, batch: int = 1024, length: int = 4096, options: str = ""
) -> str:
    return BODY.format(model=model, gpus=gpus, layout=layout, training=training, batch=batch, length=length, options=options)


PLANS = {
    "llama7b": (ROOT / "plans" / "llama7b.plan").read_text(encoding="utf-8").replace("deepspeed, accelerate", "megatron"),
    "interleaved": plan("llama-3-70b", 512, "tensor = 8, pipeline = 4, virtual_pipeline = 5, zero_stage = 1"),
    "uneven": plan("llama-3.1-405b", 1024, "tensor = 8, pipeline = 16, zero_stage = 1", "recompute = full"),
    "experts": plan("mixtral-8x7b", 128, "tensor = 2, pipeline = 4, expert = 8, zero_stage = 1", "recompute = selective, recompute_norms = true"),
    "overlap": plan("mixtral-8x7b", 128, "pipeline = 4, virtual_pipeline = 2, expert = 8, zero_stage = 1, expert_overlap = true"),
    "many_experts": plan("qwen3-30b-a3b", 64, "pipeline = 2, expert = 8, expert_tensor = 2, tensor = 2, zero_stage = 1", "recompute = full"),
    "shared_experts": plan("deepseekmoe-16b", 64, "expert = 8, zero_stage = 1"),
    "long": plan("llama-3.1-8b", 64, "tensor = 4, context = 8, zero_stage = 1", "recompute = full", batch=32, length=131_072),
    "fp8": plan("llama-2-13b", 128, "tensor = 2, zero_stage = 1", "precision = fp8, recompute = none", options="recipe = tensorwise"),
    "mxfp8": plan("llama-2-13b", 128, "tensor = 2, zero_stage = 1", "precision = mxfp8, recompute = none").replace("H100-SXM5-80GB", "B200-SXM-180GB"),
    "fp16": plan("gpt3-2.7b", 16, "zero_stage = 0", "precision = fp16, recompute = none", length=2048).replace(
        'model "gpt3-2.7b"', 'model "gpt3-2.7b" { vocab = 50_304, norm_epsilon = 0.000_01 }'
    ),
    "tf32": plan("llama-7b", 16, "tensor = 2, zero_stage = 1", "precision = tf32, recompute = none", length=2048),
    "states": plan("llama-7b", 16, "zero_stage = 1", "optimizer_dtype = bf16, master_dtype = fp16, recompute = none", length=2048),
    "offload": plan("llama-7b", 16, "zero_stage = 1, offload = optimizer, offload_share = 0.5", length=2048),
    "half": plan("llama-7b", 16, "zero_stage = 1", "gradient_dtype = bf16, recompute = none", length=2048),
    "some_layers": plan("llama-7b", 16, "pipeline = 2, zero_stage = 1", "recompute = full, recompute_layers = 8", length=2048),
    "groups": plan("llama-7b", 64, "zero_stage = 1, replicas = 8", length=2048),
    "window": plan("mistral-7b", 16, "zero_stage = 1", length=8192),
    "biases": plan("qwen2.5-7b", 16, "zero_stage = 1, tensor = 2"),
    "norms": plan("qwen3-8b", 16, "zero_stage = 1, tensor = 2"),
    "squared": plan("qwen3-8b", 16, "zero_stage = 1").replace('"qwen3-8b"', '"qwen3-8b" { activation = squared_relu, gated_mlp = false }'),
    "data": plan("llama-7b", 16, "zero_stage = 1", length=2048, options='data = "0.3 a 0.7 b", tokenizer = "huggyllama/llama-7b"'),
}
REFUSED = {
    "hybrid sharding": plan("llama-3-8b", 64, "zero_stage = 3, replicas = 8, framework = fsdp"),
    "sharded gradients": plan("llama-3-8b", 64, "zero_stage = 2"),
    "qlora": plan("llama-3-8b", 8, "zero_stage = 0") + "adapter.method = qlora\n",
    "latents": plan("deepseek-v3", 512, "expert = 64, pipeline = 4, zero_stage = 1"),
}


@cache
def solved(text: str) -> tuple[Solution, Mapping[str, str]]:
    solution = api.solve("-", text=text)
    if solution.status != "solved":
        return solution, {}
    files, problems = render(solution)
    assert not problems, problems
    return solution, files


def case(solution: Solution, files: Mapping[str, str]) -> dict[str, Any]:
    exported = [line.removeprefix("export ") for line in files["launch.sh"].splitlines() if line.startswith("export CUDA_")]
    words = [word for name, rest in said(files["megatron.args"]).items() for word in (name, *rest.split())]
    return {
        "ranks": int(value(solution, "hardware.gpus")),
        "arguments": words,
        "environment": dict(line.split("=", 1) for line in exported),
    }


def value(solution: Solution, name: str) -> Any:
    return solution.values[name].value


def read(sources: Path, cases: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    """What one release makes of each case."""
    place = folder / "cases.json"
    place.write_text(json.dumps(cases), encoding="utf-8")
    command = [str(OWN / "bin" / "python"), str(PROGRAMS / "read_megatron.py"), str(sources), str(place)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600, env={**os.environ, "PYTHONWARNINGS": "ignore"})
    assert done.returncode == 0, done.stderr[-3000:]
    found: list[dict[str, Any]] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


releases = pytest.mark.parametrize(
    "sources",
    [pytest.param(place, id=place.name) for place in SOURCES]
    or [pytest.param(OWN, marks=pytest.mark.skip(reason=f"no sources of Megatron-LM in {OWN.name}/src: .ci/run fetches them"))],
)


@releases
def test_the_arguments_are_accepted_and_the_model_is_the_planned_one(sources: Path, tmp_path: Path) -> None:
    answers = {name: solved(text) for name, text in PLANS.items()}
    assert [name for name, (solution, _) in answers.items() if solution.status != "solved"] == []
    found = read(sources, [case(*answer) for answer in answers.values()], tmp_path)
    assert {name: seen["error"] for name, seen in zip(answers, found, strict=True) if "error" in seen} == {}
    for (name, (solution, _)), seen in zip(answers.items(), found, strict=True):
        agree(name, solution, seen)


def agree(name: str, solution: Solution, seen: Mapping[str, Any]) -> None:
    """What Megatron-LM will do is what the plan says."""
    assert seen["changed"] == [], name
    pairs = {
        "num_layers": "model.layers", "hidden_size": "model.hidden", "ffn_hidden_size": "model.ffn", "kv_channels": "model.head_dim",
        "num_attention_heads": "model.heads", "padded_vocab_size": "model.vocab", "layernorm_epsilon": "model.norm_epsilon",
        "seq_length": "dataset.sequence_length", "micro_batch_size": "training.micro_batch", "train_iters": "steps",
        "global_batch_size": "global_batch_sequences", "data_parallel_size": "data_parallel", "clip_grad": "training.gradient_clipping",
        "tensor_model_parallel_size": "parallelism.tensor", "pipeline_model_parallel_size": "parallelism.pipeline",
        "context_parallel_size": "parallelism.context", "sequence_parallel": "parallelism.sequence_parallel",
        "lr": "training.learning_rate", "lr_warmup_iters": "training.warmup", "weight_decay": "training.weight_decay",
    }  # fmt: skip
    assert {key: seen[key] for key in pairs} == {key: pytest.approx(value(solution, path)) for key, path in pairs.items()}, name
    batch = seen["micro_batch_size"] * seen["data_parallel_size"] * value(solution, "grad_accum")
    assert seen["global_batch_size"] == batch, name
    assert (seen["virtual_pipeline_model_parallel_size"] or 1) == value(solution, "parallelism.virtual_pipeline"), name
    assert seen["params_dtype"] == {"fp16": "torch.float16", "tf32": "torch.float32"}.get(
        value(solution, "training.precision"), "torch.bfloat16"
    ), name
    assert seen["untie_embeddings_and_output_weights"] is not value(solution, "model.tied_embeddings"), name
    assert seen["gated"] is value(solution, "model.gated_mlp"), name
    assert seen["use_distributed_optimizer"] is (value(solution, "parallelism.zero_stage") == 1), name
    assert (seen["num_experts"] or 0) == value(solution, "model.experts"), name
    if value(solution, "model.experts"):
        assert seen["expert_model_parallel_size"] == value(solution, "parallelism.expert"), name
        assert seen["moe_router_topk"] == value(solution, "model.experts_per_token"), name
    if value(solution, "model.positions") == "rotary":
        assert seen["rotary_base"] == value(solution, "model.rope_base"), name


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_cannot_do_is_refused_by_name(name: str) -> None:
    solution, _ = solved(REFUSED[name])
    assert [r.name for r in solution.requirements if r.holds is False and (r.name or "").startswith("megatron_")] != []


@releases
def test_answers_of_searches_are_accepted(sources: Path, tmp_path: Path) -> None:
    answers = [solved(drawn(seed)) for seed in range(examples(60))]
    cases = [case(*answer) for answer in answers if answer[0].status == "solved"]
    assert len(cases) >= len(answers) / 4
    found = read(sources, cases, tmp_path)
    assert [(seen["error"], one["arguments"]) for one, seen in zip(cases, found, strict=True) if "error" in seen] == []
    assert [seen["changed"] for seen in found if seen["changed"]] == []
