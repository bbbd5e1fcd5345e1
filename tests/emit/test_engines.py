"""The options of servers of SGLang and TensorRT-LLM: what the plan decided, and what they cannot do is refused."""

from __future__ import annotations

import shlex

import pytest
import yaml

from llmplan import api
from llmplan.emit.filters import path
from llmplan.emit.render import render

PLAN = """model "llama-3.1-70b"
hardware {{ gpu = "H100-SXM5-80GB", gpus = 64 }}
serving {{
    input_tokens = 1000, output_tokens = 300, concurrency = 32, engine = {engine}, precision = bf16, tensor = 4
    kv_precision = fp8, context = 8192, chunk = 4096, replicas = 2
}}
emit {engine}
"""
EXPERTS = {"serving.tensor": "8", "serving.expert": "8", "serving.attention_data": "8"}
pytestmark = pytest.mark.usefixtures("no_advice")


def rendered(engine: str, model: str = "llama-3.1-70b", more: str = "", **settings: str) -> dict[str, str]:
    text = PLAN.format(engine=engine).replace("llama-3.1-70b", model) + more
    solution = api.solve("-", text=text, settings=list(settings.items()))
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    files, problems = render(solution)
    assert not problems
    return files


def test_what_the_plan_decided_for_sglang() -> None:
    assert yaml.safe_load(rendered("sglang")["sglang.yaml"]) == {
        "model-path": "meta-llama/Llama-3.1-70B",
        "port": 30000,
        "tensor-parallel-size": 4,
        "pipeline-parallel-size": 1,
        "dtype": "bfloat16",
        "kv-cache-dtype": "fp8_e4m3",
        "mem-fraction-static": 0.88,
        "context-length": 8192,
        "max-running-requests": 32,
        "chunked-prefill-size": 4096,
    }


def test_parts_of_attention_are_within_the_tensor_group_of_sglang() -> None:
    found = yaml.safe_load(
        rendered("sglang", "qwen3-235b-a22b", **EXPERTS, **{"serving.precision": "fp8"})["sglang.yaml"]
    )
    assert (found["tensor-parallel-size"], found["data-parallel-size"], found["expert-parallel-size"]) == (8, 8, 8)
    assert found["enable-dp-attention"] is True and found["quantization"] == "fp8" and found["dtype"] == "auto"
    assert found["max-running-requests"] == 32  # of all parts together


def test_what_the_plan_decided_for_tensorrt_llm() -> None:
    files = rendered("tensorrt_llm")
    assert yaml.safe_load(files["trtllm.yaml"]) == {
        "tensor_parallel_size": 4,
        "pipeline_parallel_size": 1,
        "dtype": "bfloat16",
        "max_batch_size": 32,
        "max_num_tokens": 4096,
        "max_seq_len": 8192,
        "enable_chunked_prefill": True,
        "kv_cache_config": {"dtype": "fp8", "free_gpu_memory_fraction": 0.9, "enable_block_reuse": False},
    }
    words = shlex.split(files["trtllm_serve.sh"], comments=True)
    assert words[:3] == ["exec", "trtllm-serve", "meta-llama/Llama-3.1-70B"]
    assert words[-2:] == ["--extra_llm_api_options", "$(dirname -- $0)/trtllm.yaml"]


def test_each_rank_of_tensorrt_llm_attends_for_its_own() -> None:
    found = yaml.safe_load(
        rendered("tensorrt_llm", "qwen3-235b-a22b", **EXPERTS, **{"serving.cached_input": "0.5"})["trtllm.yaml"]
    )
    assert found["enable_attention_dp"] is True and found["moe_expert_parallel_size"] == 8
    assert found["max_batch_size"] == 4 and found["kv_cache_config"]["enable_block_reuse"] is True


@pytest.mark.parametrize("text", ["--x", "a'b\"c", "a: [b] #c", "!!python/object", "$(id)", "null", "1e5"])
@pytest.mark.parametrize("engine", ["sglang", "tensorrt_llm"])
def test_no_text_breaks_out_of_its_place(engine: str, text: str) -> None:
    written = text.replace(chr(34), chr(92) + chr(34))
    files = rendered(engine, more=f"{engine}.checkpoint = {chr(34)}{written}{chr(34)}\n")
    if engine == "sglang":
        assert yaml.safe_load(files["sglang.yaml"])["model-path"] == path(text)
    else:
        words = shlex.split(files["trtllm_serve.sh"], comments=True)
        assert words[2] == path(text)


@pytest.mark.parametrize(
    ("engine", "rule", "added", "said"),
    [
        ("sglang", "alone", "dataset.tokens = 1B\ntraining.global_batch = 64 sequences", "the plan does not serve"),
        ("sglang", "weights", "serving.precision = awq", "weights in awq"),
        ("sglang", "engine", "serving.engine = vllm", "the plan is for another engine"),
        ("sglang", "batching", "serving.batch = 8", "say `serving.concurrency`"),
        ("sglang", "cache", "serving.kv_precision = fp16", "the cache is to be in fp16, the weights in bf16"),
        (
            "sglang",
            "parts",
            'model = "qwen3-235b-a22b"\nserving.attention_data = 2\nserving.pipeline = 2',
            "2 parts in 2 groups of layers",
        ),
        ("tensorrt_llm", "alone", "dataset.tokens = 1B\ntraining.global_batch = 64 sequences", "does not serve"),
        ("tensorrt_llm", "weights", "serving.precision = fp8", "weights in fp8"),
        ("tensorrt_llm", "engine", "serving.engine = vllm", "the plan is for another engine"),
        ("tensorrt_llm", "batching", "serving.batch = 8", "say `serving.concurrency`"),
        ("tensorrt_llm", "cache", "serving.kv_precision = int8", "the cache is to be in int8"),
        ("tensorrt_llm", "memory", "serving.memory_share = 0.8", "for which it has no key"),
        (
            "tensorrt_llm",
            "parts",
            'model = "qwen3-235b-a22b"\nserving.attention_data = 2',
            "2 parts on 4 GPUs",
        ),
    ],
)
def test_what_an_engine_cannot_do(engine: str, rule: str, added: str, said: str) -> None:
    pairs = [tuple(line.split(" = ")) for line in added.splitlines()]
    found = api.solve("-", text=PLAN.format(engine=engine), settings=pairs)
    results = {one.name: one for one in found.requirements}
    notes = [note for one in found.diagnostics for note in one.notes]
    failed = results.get(f"{engine}_{rule}")
    if failed is None:
        assert any(said in note for note in notes), notes
    else:
        assert failed.holds is False and said in failed.otherwise
