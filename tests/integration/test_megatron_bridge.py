"""Megatron-Bridge's own classes accept what is written, change none of it, and make the planned model.

Its sources, and those of the Megatron-LM that it pins, lie in an environment of their own, which `.ci/run` makes: the
packages of both want another Python than the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from llmplan.answer.schema.solution import Solution
from tests.emit import random_plans
from tests.emit.test_megatron_bridge import drawn
from tests.integration.answers import Answer, feasible, solved_all, value
from tests.integration.plans import ROOT
from tests.integration.real import read_each
from tests.integration.test_megatron import plan as planned
from tests.thorough import examples

pytestmark = [pytest.mark.integration, pytest.mark.slow]

OWN = ROOT / ".venv-bridge"
SOURCES = sorted(place for place in (OWN / "src").glob("*") if (place / "mlm" / "megatron" / "training").is_dir())
SOURCES = SOURCES if [*OWN.glob("lib/python*/site-packages/torch")] else []

releases = pytest.mark.parametrize(
    "sources",
    [pytest.param(place, id=place.name) for place in SOURCES]
    or [
        pytest.param(
            OWN, marks=pytest.mark.skip(reason=f"no sources of Megatron-Bridge in {OWN.name}/src: .ci/run fetches them")
        )
    ],
)


def plan(*what: Any, options: str = "", **more: Any) -> str:
    return planned(*what, **more).replace("megatron {  }", f"megatron_bridge {{ {options} }}")


def lone(model: str, fields: str = "") -> str:
    """A plan for a few layers on one GPU."""
    fields = f"layers = 2, {fields}"
    return plan(model, 1, "zero_stage = 0", batch=8, length=1024).replace(
        f'model "{model}"', f'model "{model}" {{ {fields} }}'
    )


PLANS = {
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
        options="scaling = delayed",
    ),
    "mxfp8": plan("llama-2-13b", 128, "tensor = 2, zero_stage = 1", "precision = mxfp8, recompute = none").replace(
        "H100-SXM5-80GB", "B200-SXM-180GB"
    ),
    "tf32": plan("llama-7b", 16, "tensor = 2, pipeline = 2, zero_stage = 1", "precision = tf32", length=2048),
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
    "data": plan(
        "llama-7b", 16, "zero_stage = 1", length=2048, options='data = "0.3 a 0.7 b", tokenizer = "huggyllama/llama-7b"'
    ),
}
BUILT = {
    name: lone(name, fields)
    for name, fields in {
        "llama-3.1-8b": "",
        "qwen2.5-7b": "",
        "qwen3-8b": "",
        "mixtral-8x7b": "experts = 4",
        "gpt2-medium": "vocab = 50_304, norm_epsilon = 0.000_01",
    }.items()
}


def flat(said: Mapping[str, Any], place: str = "") -> dict[str, Any]:
    """By its place each value of a file, but for what makes an object."""
    found: dict[str, Any] = {}
    for key, one in said.items():
        if isinstance(one, dict) and "_target_" not in one:
            found |= flat(one, f"{place}{key}.")
        elif not isinstance(one, dict):
            found[place + key] = one
    return found


def made(sources: Path, asked: Mapping[str, Answer], folder: Path, **more: Any) -> dict[str, dict[str, Any]]:
    """What one release makes of each answer."""
    cases = []
    for name, (solution, files) in asked.items():
        place = folder / name.replace(" ", "_")
        place.mkdir()
        for file in ("bridge.yaml", "bridge_train.py"):
            (place / file).write_text(files[file], encoding="utf-8")
        cases.append({"ranks": int(value(solution, "hardware.gpus")), "folder": str(place), **more})
    python = OWN / "bin" / "python"
    return dict(
        zip(asked, read_each("read_bridge.py", sources, cases=cases, folder=folder, python=python), strict=True)
    )


def unlike(files: Mapping[str, str], seen: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What is said in the file, and otherwise when training starts."""
    said = flat(yaml.safe_load(files["bridge.yaml"]))
    return {
        key: (one, seen["seen"].get(key, "unknown"))
        for key, one in said.items()
        if seen["seen"].get(key, "unknown") != one
    }


@releases
def test_the_file_is_accepted_and_nothing_in_it_is_changed(sources: Path, tmp_path: Path) -> None:
    asked = solved_all(PLANS)
    for name, seen in made(sources, asked, tmp_path).items():
        assert "error" not in seen, (name, seen)
        solution, files = asked[name]
        assert unlike(files, seen) == {}, name
        agree(name, solution, seen)


def agree(name: str, solution: Solution, seen: Mapping[str, Any]) -> None:
    """What Megatron-Bridge will do is what the plan says, in what one key sets and another one uses."""
    found = seen["seen"]
    assert seen["ranks of data"] == value(solution, "data_parallel"), name
    precision = value(solution, "training.precision")
    half = {"fp16": "torch.float16", "tf32": "torch.float32"}.get(precision, "torch.bfloat16")
    assert found["model.params_dtype"] == found["model.pipeline_dtype"] == half, name
    assert found["optimizer.bf16"] is found["model.bf16"] is (precision in ("bf16", "fp8", "mxfp8")), name
    assert bool(found["model.fp8"]) is (precision in ("fp8", "mxfp8")), name
    assert found["ddp.grad_reduce_in_fp32"] is (value(solution, "training.gradient_dtype") == "fp32"), name
    assert found["scheduler.lr_decay_steps"] == value(solution, "steps") * value(solution, "global_batch_sequences")
    assert found["scheduler.start_weight_decay"] == value(solution, "training.weight_decay"), name
    assert found["model.should_pad_vocab"] is False, name
    assert (found["model.virtual_pipeline_model_parallel_size"] or 1) == value(
        solution, "parallelism.virtual_pipeline"
    ), name


@releases
def test_the_model_has_the_planned_parameters(sources: Path, tmp_path: Path) -> None:
    asked = solved_all(BUILT)
    for name, seen in made(sources, asked, tmp_path, build=True).items():
        assert "error" not in seen, (name, seen)
        assert seen["parameters"] == value(asked[name][0], "model.params_total"), name


@releases
def test_a_key_that_the_release_does_not_know_stops_the_run(sources: Path, tmp_path: Path) -> None:
    asked = {name: (solution, dict(files)) for name, (solution, files) in solved_all({"half": PLANS["half"]}).items()}
    files = asked["half"][1]
    files["bridge.yaml"] = files["bridge.yaml"].replace("  num_layers:", "  layers_of_it: 3\n  num_layers:", 1)
    (seen,) = made(sources, asked, tmp_path).values()
    assert "does not know model.layers_of_it" in seen["error"]


@releases
def test_random_plans_are_accepted(sources: Path, tmp_path: Path) -> None:
    plans = [random_plans.drawn("megatron_bridge", 1000 + seed) for seed in range(examples(80))]
    at_random = [plan for plan in plans if "adapter.rank" not in plan]  # of which W0617 says that it means nothing
    asked = feasible([*(drawn(seed) for seed in range(examples(20))), *at_random])
    for name, seen in made(sources, asked, tmp_path).items():
        assert "error" not in seen, (name, seen)
        assert unlike(asked[name][1], seen) == {}, name
