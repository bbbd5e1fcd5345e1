"""The options of a vLLM server: what the plan decided, and what vLLM cannot do is refused."""

from __future__ import annotations

import pytest
import yaml

from llmplan import api
from llmplan.emit.filters import path
from llmplan.emit.render import render

PLAN = """model "llama-3.1-70b"
hardware { gpu = "H100-SXM5-80GB", gpus = 64 }
serving {
    input_tokens = 1000, output_tokens = 300, concurrency = 32, engine = vllm, precision = fp8, tensor = 4
    kv_precision = fp8, context = 8192, chunk = 4096, memory_share = 0.85, replicas = 2
}
emit vllm
"""
pytestmark = pytest.mark.usefixtures("no_advice")


def written(text: str = PLAN, **settings: str) -> dict[str, object]:
    solution = api.solve(
        "-", text=text, settings=[(path.replace("__", "."), value) for path, value in settings.items()]
    )
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    files, problems = render(solution)
    assert not problems
    return yaml.safe_load(files["vllm.yaml"])


def test_what_the_plan_decided() -> None:
    assert written() == {
        "model": "meta-llama/Llama-3.1-70B",
        "port": 8000,
        "tensor-parallel-size": 4,
        "pipeline-parallel-size": 1,
        "dtype": "bfloat16",
        "quantization": "fp8",
        "kv-cache-dtype": "fp8",
        "gpu-memory-utilization": 0.85,
        "max-model-len": 8192,
        "max-num-seqs": 32,
        "max-num-batched-tokens": 4096,
    }


def test_experts_and_parts_of_attention() -> None:
    found = written(
        PLAN.replace("llama-3.1-70b", "qwen3-235b-a22b"),
        serving__tensor="8",
        serving__expert="8",
        serving__attention_data="4",
    )
    assert (found["tensor-parallel-size"], found["data-parallel-size"]) == (2, 4)
    assert found["enable-expert-parallel"] is True and found["max-num-seqs"] == 8


@pytest.mark.parametrize("text", ["-x", "a'b\"c", "a: [b] #c", "!!python/object", "* &a", "null", "1e5"])
def test_no_text_breaks_out_of_its_place(text: str) -> None:
    found = written(PLAN + f"vllm.checkpoint = {chr(34)}{text.replace(chr(34), chr(92) + chr(34))}{chr(34)}\n")
    assert found["model"] == path(text) and "quantization" not in found


@pytest.mark.parametrize("server", ["vllm", "sglang"])
def test_no_name_becomes_an_option(server: str) -> None:
    """Servers turn the keys of their file into words of their command line."""
    named = PLAN.replace("vllm", server) + f'{server}.served_name = "--trust-remote-code"\n'
    assert [d.code for d in api.check("-", text=named) if d.severity == "error"] == ["E0305"]


@pytest.mark.parametrize(
    ("name", "added", "said"),
    [
        ("vllm_alone", "dataset.tokens = 1B\ntraining.global_batch = 64 sequences", "the plan does not serve"),
        ("vllm_weights", "serving.precision = awq", "weights in awq"),
        ("vllm_engine", "serving.engine = sglang", "the plan is for another engine"),
        ("vllm_cache", "serving.kv_precision = int8", "the cache is to be in int8"),
    ],
)
def test_what_vllm_cannot_do(name: str, added: str, said: str) -> None:
    pairs = [tuple(line.split(" = ")) for line in added.splitlines()]
    found = api.solve("-", text=PLAN, settings=pairs)
    (failed,) = [one for one in found.requirements if one.name == name]
    assert failed.holds is False and said in failed.otherwise


def test_experts_over_a_part_of_a_copy() -> None:
    found = api.solve("-", text=PLAN.replace("llama-3.1-70b", "qwen3-235b-a22b") + "serving.expert = 2\n")
    assert "vllm_experts" in {one.name for one in found.requirements if one.holds is False}


def test_a_batch_that_begins_together() -> None:
    (found,) = [d for d in api.solve("-", text=PLAN + "serving.batch = 8\n").diagnostics if d.severity == "error"]
    assert found.code == "E0406" and any("say `serving.concurrency`" in note for note in found.notes)
