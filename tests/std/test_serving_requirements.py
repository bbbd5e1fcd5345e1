"""What is refused of a serving plan, and what is said."""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.answer.schema.requirements import RequirementResult

PLAN = """model "llama-3.1-70b"
hardware { gpu = "H100-SXM5-80GB", gpus = 64 }
serving { input_tokens = 1000, output_tokens = 300, concurrency = 32, engine = vllm, precision = fp8, tensor = 8 }
"""
EXPERTS = PLAN.replace("llama-3.1-70b", "qwen3-235b-a22b")
FAILING = [
    ("queries_served", "hardware.gpus = 4", "4 GPUs, and 8 GPUs are needed"),
    ("serving_replicas", "serving.queries_per_minute = 60000\nserving.replicas = 2", "2 copies answer "),
    ("serving_heads", "serving.tensor = 6", "64 attention heads over 6 accelerators leave 4"),
    ("serving_widths", "serving.tensor = 5", "a width of 28,672 over 5 accelerators leaves 2"),
    ("serving_experts", "serving.expert = 8", "0 experts over 8 GPUs of the 8 GPUs of a copy"),
    ("serving_parts", "serving.attention_data = 4", "4 parts on 8 GPUs, in a model with 0 experts"),
    ("serving_stages", "serving.pipeline = 128", "128 stages for 80 layers"),
    ("serving_inside_node", "serving.tensor = 16", "16 GPUs share every layer, and 8 GPUs share a fast link"),
    ("serving_products", 'hardware.gpu = "A100-SXM4-80GB"', "A100-SXM4-80GB has no products in fp8"),
    ("serving_products", "serving.precision = nvfp4", "H100-SXM5-80GB has no products in nvfp4"),
    ("serving_cache_format", "serving.kv_precision = nvfp4", "the cache is to be in nvfp4"),
    (
        "serving_engine_format",
        "serving.precision = nf4\nserving.engine = tensorrt_llm",
        "does not serve weights in nf4",
    ),
    (
        "serving_engine_maker",
        'serving.engine = tensorrt_llm\nhardware.gpu = "MI300X"',
        "the engine does not run on MI300X",
    ),
    ("serving_fits", "serving.tensor = 1\nserving.precision = bf16", "141.1 GB of weights leave 0 GB of 1 GPU"),
    ("serving_batch_fits", "serving.batch = 20000", "the cache of 20,000 queries takes "),
    ("serving_unqueued", "serving.concurrency = 100000", "of 100,000 queries the cache holds "),
    (
        "serving_arrivals",
        "serving.queries_per_minute = 980\nserving.replicas = 2\nserving.concurrency = 32",
        "queueing: in the busiest minute queries take ",
    ),
    ("serving_context", "serving.context = 1200", "a context of 1,200 tokens for 1,000 tokens and 300 tokens"),
    ("serving_within_context", "serving.context = 200000", "exceeds the model's 131,072 tokens"),
    ("serving_format_meant", "training.precision = fp8", "says nothing of serving"),
    ("serving_split_meant", "parallelism.tensor = 16", "says nothing of serving"),
]


def failed(text: str, added: str) -> dict[str, RequirementResult]:
    pairs = [tuple(line.split(" = ")) for line in added.splitlines()]
    found = api.solve("-", text=text, settings=pairs)
    return {one.name: one for one in (*found.requirements, *found.preferences) if one.holds is False}


@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize(("name", "added", "said"), FAILING, ids=[name for name, _, _ in FAILING])
def test_what_is_said_where_it_fails(name: str, added: str, said: str) -> None:
    assert said in failed(PLAN, added)[name].otherwise


@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize("added", ["serving.tensor = 8", "serving.expert = 8", "serving.attention_data = 4"])
def test_experts_are_distributed(added: str) -> None:
    assert failed(EXPERTS, added) == {}


@pytest.mark.usefixtures("no_advice")
def test_more_requests_than_places_wait_and_are_no_faster() -> None:
    asked = PLAN + "show serving.tpot\nshow serving.ttft\nshow serving.most_at_once\nshow serving.in_flight\n"
    some, many = (
        api.solve("-", text=asked, settings=[("serving.concurrency", str(count))]).values for count in (2000, 20000)
    )
    assert some["serving.in_flight"].value == many["serving.in_flight"].value == many["serving.most_at_once"].value
    assert some["serving.tpot"].value == pytest.approx(many["serving.tpot"].value)
    assert many["serving.ttft"].value > 5 * some["serving.ttft"].value
