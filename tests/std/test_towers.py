"""Models that see: images into tokens, what a tower costs, and what freezing it saves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from llmplan import api
from llmplan.system.missing import Missing
from tests.std.answers import checked

DATA = Path(__file__).parents[1] / "load" / "data" / "architectures.json"
CONFIGS: dict[str, Any] = {row["name"]: row["config"] for row in json.loads(DATA.read_text(encoding="utf-8"))["rows"]}
SIZES = [(336, 336), (640, 480), (1024, 768), (1920, 1080), (4032, 3024)]
TOKENS = {  # by the processors' own code in transformers 5.23.0
    "Qwen2-VL-7B-Instruct": [144, 391, 999, 2691, 15552],
    "Qwen2.5-VL-7B-Instruct": [144, 391, 999, 2691, 15552],
    "Qwen3-VL-8B-Instruct": [100, 300, 768, 2040, 11844],
    "Qwen3.5-9B": [100, 300, 768, 2040, 11844],
    "llava-1.5-7b-hf": [576] * 5,
    "gemma-3-27b-it": [256] * 5,
    "pixtral-12b": [462, 1230, 3120, 2340, 3120],
    "Mistral-Small-3.1-24B-Instruct-2503": [156, 432, 1064, 1736, 2352],
}
RUN = """
model from "c.json"
hardware { gpu = "H100-SXM5-80GB", gpus = 8 }
dataset { samples = 10_000 sequences, sequence_length = 4096 }
training { task = finetune, global_batch = 64 sequences, micro_batch = 1, recompute = none }
parallelism { framework = fsdp, zero_stage = 3 }
"""


def solved(folder: Path, name: str, more: str) -> dict[str, float]:
    (folder / "c.json").write_text(json.dumps(CONFIGS[name]), encoding="utf-8")
    (folder / "a.plan").write_text(RUN + more, encoding="utf-8")
    values = checked(api.solve(str(folder / "a.plan"))).values
    found = {}
    for key, value in values.items():
        if isinstance(value.value, (int, float)):
            found[key] = float(value.value)
    return found


@pytest.mark.parametrize("name", TOKENS)
def test_an_image_has_as_many_tokens_as_the_processor_makes(name: str, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(json.dumps(CONFIGS[name]), encoding="utf-8")
    found = []
    for width, height in SIZES:
        text = f"images {{ per_sample = 1, width = {width}, height = {height} }}\nshow images.tokens\n"
        (tmp_path / "a.plan").write_text(f'model from "c.json"\n{text}', encoding="utf-8")
        read = api.analyse(str(tmp_path / "a.plan"))
        assert read.built is not None
        lowering = read.built.lowering
        node = lowering.unknowns.settled(lowering.name("images.tokens"))
        found.append(None if isinstance(node, Missing) else lowering.graph.constant(node))
    assert found == TOKENS[name]


def test_a_frozen_tower_costs_less_and_keeps_nothing(tmp_path: Path) -> None:
    seen = "images { per_sample = 1, width = 1024, height = 1024 }\nshow tower.activations\nshow flops_per_token\n"
    seen += "show memory.total\nshow step_time\n"
    trained = solved(tmp_path, "Qwen2.5-VL-7B-Instruct", seen)
    frozen = solved(
        tmp_path, "Qwen2.5-VL-7B-Instruct", seen + "tower { state = frozen }\nprojector { state = frozen }\n"
    )
    assert frozen["tower.activations"] == 0 < trained["tower.activations"]
    for name in ("flops_per_token", "memory.total", "step_time"):
        assert frozen[name] < trained[name], name


def test_more_images_never_cost_less(tmp_path: Path) -> None:
    runs = []
    for number in (0, 1, 2):
        seen = f"images {{ per_sample = {number}, width = 640, height = 480 }}\nshow memory.total\nshow step_time\n"
        runs.append(solved(tmp_path, "Qwen2.5-VL-7B-Instruct", seen))
    for name in ("memory.total", "step_time"):
        assert runs[0][name] < runs[1][name] < runs[2][name], name


def test_a_plan_without_images_of_a_model_that_sees_says_so(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(json.dumps(CONFIGS["gemma-3-27b-it"]), encoding="utf-8")
    (tmp_path / "a.plan").write_text(RUN.replace("recompute = none", "recompute = full"), encoding="utf-8")
    answer = api.solve(str(tmp_path / "a.plan"))
    assert any("no images are planned" in found.message for found in answer.diagnostics)
