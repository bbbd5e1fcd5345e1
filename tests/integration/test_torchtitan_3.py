"""torchtitan 0.3 reads the emitted configuration, and builds and splits the planned model from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.emit.test_torchtitan_3 import drawn
from tests.integration import test_torchtitan as older
from tests.integration.answers import Answer, feasible, refusals, solved_all, value
from tests.integration.plans import ROOT
from tests.integration.real import read_each
from tests.integration.test_torchtitan import EAGER, REFERENCES, agree
from tests.thorough import examples

pytestmark = [pytest.mark.integration, pytest.mark.slow]

PYTHON = ROOT / ".venv-torchtitan" / "bin" / "python"
real = pytest.mark.skipif(not PYTHON.exists(), reason="torchtitan 0.3 is not installed: .ci/run does it")


def plan(*what: Any, **more: Any) -> str:
    return newer(older.plan(*what, **more))


def newer(text: str) -> str:
    """The plan for release 0.3; attention in fp32 is FlexAttention, too."""
    text = re.sub(
        r"emit torchtitan( \{)?", lambda found: 'emit torchtitan { release = "0.3"' + ("," if found[1] else " }"), text
    )
    return text.replace("attention = standard, ", "").replace("attention = standard", "attention = flash")


KEPT = (
    "llama7b", "interleaved", "uneven", "one_f_one_b", "gpipe", "experts", "lent_ranks", "tensor_experts", "mixtral",
    "all_experts", "long", "long_experts", "hybrid", "fp8_experts", "mxfp8", "bf16", "tensor_alone", "tf32", "fp32",
    "eager", "offload", "asynchronous", "norms", "tied", "one", "narrow", "wide", "options",
)  # fmt: skip
PLANS = {name: newer(older.PLANS[name]) for name in KEPT} | {
    "fp8": plan("llama-2-13b", 128, "tensor = 2, zero_stage = 3", "precision = fp8, recompute = none",
                options="recipe = rowwise_with_gw_hp"),
    "stages_of_qwen": plan("qwen3-8b", 64, "pipeline = 4, zero_stage = 2"),
    "stages_of_experts": plan("qwen3-30b-a3b", 64, "pipeline = 4, expert = 8, zero_stage = 2"),
    "graphs": plan("llama-7b", 16, "zero_stage = 3", "recompute = none, cuda_graphs = step", length=2048),
    "stack": plan("llama-7b", 16, "zero_stage = 3", length=2048) + 'stack "torchtitan-0.3"\n',
    "all_logits": plan("llama-7b", 16, "zero_stage = 3", EAGER, length=2048),
    "mxfp8_experts": plan("qwen3-30b-a3b", 64, "expert = 8, zero_stage = 3", "precision = mxfp8, recompute = none",
                          gpu="B200-SXM-180GB"),
}  # fmt: skip
REFUSED = {
    "latents": newer(older.PLANS["latent"]),
    "some layers": newer(older.PLANS["some_layers"]),
    "ranks of one expert": newer(older.PLANS["split_experts"]),
    "scaled by tensor": newer(older.PLANS["fp8"]),
    "graphs with stages": plan("llama-7b", 16, "pipeline = 2, zero_stage = 2", "cuda_graphs = step", length=2048),
    "tied stages": plan("qwen3-0.6b", 16, "pipeline = 2, zero_stage = 2"),
    "plain data parallelism": newer(older.REFUSED["plain data parallelism"]),
    "8-bit optimizer": newer(older.REFUSED["8-bit optimizer"]),
}


def accepted(asked: Mapping[str, Answer], folder: Path) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """What torchtitan makes of each answer on its first and on its last rank; it refuses none."""
    cases = []
    for name, (solution, files) in asked.items():
        ranks, place = int(value(solution, "hardware.gpus")), written(folder / name, files)
        cases += [{"folder": str(place), "ranks": ranks, "rank": rank} for rank in (0, ranks - 1)]
    found = read_each("read_torchtitan_3.py", cases=cases, folder=folder, python=PYTHON)
    wrong = [(seen.get("error", seen.get("wrong")), case) for case, seen in zip(cases, found, strict=True)]
    assert [one for one in wrong if one[0] != []] == []
    return dict(zip(asked, zip(found[::2], found[1::2], strict=True), strict=True))


def written(place: Path, files: Mapping[str, str]) -> Path:
    place.mkdir(exist_ok=True)
    for file in ("torchtitan_config.py", "torchtitan_model.py"):
        (place / file).write_text(files[file], encoding="utf-8")
    return place


@real
def test_the_configuration_is_accepted_and_the_model_is_the_planned_one(tmp_path: Path) -> None:
    asked = solved_all(PLANS)
    for name, (first, last) in accepted(asked, tmp_path).items():
        solution = asked[name][0]
        agree(name, solution, first, last)
        linear = {"fp8": "Float8Linear", "mxfp8": "MXFP8Linear"}.get(value(solution, "training.precision"))
        experts = f"{linear.removesuffix('Linear')}GroupedExperts" if linear else None
        wanted = [linear, experts] if value(solution, "model.experts") else [linear]
        assert first["formats"] == sorted(one for one in wanted if one), name
        chunked = value(solution, "training.loss") == "chunked"
        assert first["loss"] == ("ChunkedLossWrapper" if chunked else "CrossEntropyLoss"), name
        assert "FlexAttention" in first["attention"], name
        graphs = value(solution, "training.cuda_graphs")
        assert first["training"]["disable_cuda_graphs"] is (graphs == "none"), name


@real
def test_the_same_model_trains(tmp_path: Path) -> None:
    """With the same weights the logits are those of transformers."""
    asked = solved_all({name: newer(text) for name, (text, _) in REFERENCES.items()})
    cases = [
        {"folder": str(written(tmp_path / name, files)), "reference": REFERENCES[name][1]}
        for name, (_, files) in asked.items()
    ]
    found = dict(
        zip(REFERENCES, read_each("read_torchtitan_3.py", cases=cases, folder=tmp_path, python=PYTHON), strict=True)
    )
    assert {name: seen["apart"] for name, seen in found.items() if not seen["apart"] < 1e-4} == {}


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_cannot_do_is_refused_by_name(name: str) -> None:
    assert refusals("torchtitan", REFUSED[name]) != []


@real
def test_answers_of_searches_are_accepted(tmp_path: Path) -> None:
    accepted(feasible([drawn(seed) for seed in range(examples(40))]), tmp_path)
