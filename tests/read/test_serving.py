"""Command lines and files of vLLM's server, read as a plan that serves."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from llmplan import api
from llmplan.emit.render import render
from llmplan.importing import imported

SERVER = """vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size 4 --max-model-len 8192 \\
    --quantization fp8 --kv-cache-dtype fp8 --gpu-memory-utilization 0.85 --max-num-seqs 32 --enable-prefix-caching
"""
PLANS = (
    ("llama-3.1-70b", "precision = bf16, tensor = 8"),
    (
        "llama-3.1-70b",
        "precision = fp8, kv_precision = fp8, tensor = 4, context = 8192, chunk = 4096, memory_share = 0.85",
    ),
    ("qwen3-235b-a22b", "precision = fp8, kv_precision = fp8, tensor = 8, expert = 8, attention_data = 4"),
    ("llama-3.1-8b", "precision = bf16, tensor = 2, pipeline = 2, replicas = 3"),
)
TEXT = """model "{model}"
hardware {{ gpu = "H100-SXM5-80GB", gpus = 64 }}
serving {{ input_tokens = 1000, output_tokens = 300, concurrency = 32, engine = vllm, {fields} }}
emit vllm
"""
pytestmark = pytest.mark.usefixtures("no_advice")


def plan(folder: Path, files: dict[str, str], **settings: str) -> str:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    pairs = [
        ("hardware.gpu", '"H100-SXM5-80GB"'),
        *((path.replace("__", "."), text) for path, text in settings.items()),
    ]
    found = imported([str(folder / name) for name in files], pairs)
    assert not [one for one in found.diagnostics if one.severity == "error"]
    return found.plan


def test_a_command_line(tmp_path: Path) -> None:
    found = plan(tmp_path, {"run.sh": SERVER})
    for said in (
        'model "meta-llama/Llama-3.1-70B-Instruct"', "engine = vllm", "tensor = 4", "context = 8192",
        "concurrency = 32",
        "precision = fp8", "kv_precision = fp8", "memory_share = 0.85", "input_tokens = ?", "quantize = true",
    ):  # fmt: skip
        assert said in found
    assert "training" not in found and "least_chance" not in found


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("someone/Llama-3.1-8B-AWQ", "precision = awq"),
        ("someone/Llama-3.1-8B-FP8 --dtype bfloat16", "precision = fp8"),
        ("meta-llama/Llama-3.1-8B --dtype float16", "precision = fp16"),
    ],
)
def test_a_format_by_the_name_of_the_weights(tmp_path: Path, options: str, said: str) -> None:
    assert said in plan(tmp_path, {"run.sh": f"vllm serve {options}\n"})


@pytest.mark.parametrize(("model", "fields"), PLANS)
def test_emitted_read_and_emitted_again_are_the_same_options(tmp_path: Path, model: str, fields: str) -> None:
    first = _written(TEXT.format(model=model, fields=fields))
    again = plan(tmp_path, {"vllm.yaml": first}, serving__input_tokens="1000", serving__output_tokens="300")
    assert _written(again).split("\n")[2:] == first.split("\n")[2:]


def _written(text: str) -> str:
    solution = api.solve("-", text=text)
    assert solution.status == "solved", [one.message for one in solution.diagnostics]
    files, problems = render(solution)
    assert not problems and yaml.safe_load(files["vllm.yaml"])
    return files["vllm.yaml"]


def test_lengths_of_requests_have_to_be_said(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(SERVER, encoding="utf-8")
    found = imported([str(tmp_path / "run.sh")], [("hardware.gpu", '"H100-SXM5-80GB"')], whole=True)
    said = [one.message for one in found.diagnostics if one.severity == "error"]
    assert len(said) == 2 and "no file says `serving.input_tokens`" in said[0]
