"""Memory, time and accelerators of a model that answers, against arithmetic written out here."""

from __future__ import annotations

import math

import pytest

from llmplan import api
from tests.emit.samples import answer
from tests.std.answers import block, number, solve

H100 = block("hardware", gpu='"H100-SXM5-80GB"')
PARAMS, MATMUL = 68_976_648_192, 68_976_648_192 - 32_000 * 8192 - 161 * 8192
TABLE = 32_000 * 8192


def serving(model: str = "llama-2-70b", **fields: object):
    wanted = {"input_tokens": 1000, "output_tokens": 500, "batch": 32, **fields}
    return solve(f'model "{model}"\n' + H100 + block("serving", **wanted))


def test_dense_model_by_hand() -> None:
    found = serving(queries_per_minute=1000)
    token = 2 * 80 * 8 * 128 * 2
    assert number(found, "serving.kv_cache") == 32 * 1500 * token
    assert number(found, "serving.memory") == 2 * PARAMS + 32 * 1500 * token
    rate = number(found, "gpu.peak_bf16") * number(found, "gpu.matmul_ceiling")
    bandwidth, link = number(found, "gpu.bandwidth"), number(found, "gpu.intranode_bandwidth")
    constant = {
        name: number(found, f"serving.{name}")
        for name in (
            "weight_efficiency", "cache_efficiency", "prefill_efficiency", "prefill_attention", "layer_overhead",
            "reduce_latency", "reduce_exposed",
        )
    }  # fmt: skip
    starts = 80 * constant["layer_overhead"]

    def reduces(tokens: float) -> float:
        traffic = 2 * 3 / 4 * tokens * 8192 * 2 * constant["reduce_exposed"] / link
        return 160 * (constant["reduce_latency"] + traffic)

    step = (
        (2 * PARAMS - 2 * TABLE) / (4 * bandwidth * constant["weight_efficiency"])
        + 32 * 1250 * token / (4 * bandwidth * constant["cache_efficiency"])
        + (starts + reduces(32) + number(found, "serving_engine.step_overhead"))
    )
    products = 32 * 2 * (1000 * (MATMUL - TABLE) + TABLE) / (4 * rate * constant["prefill_efficiency"])
    attention = 32 * 1000 * 2 * 64 * 256 * 80 * 500 / (4 * rate * constant["prefill_attention"])
    latency = products + attention + starts + reduces(32_000) + 499 * step
    assert number(found, "serving.tpot") == pytest.approx(step)
    assert number(found, "serving.latency") == pytest.approx(latency)
    assert number(found, "serving.gpus") == 4 * math.ceil(1000 / 60 * latency / 32)
    assert answer(found).startswith("28 H100-SXM5-80GB serve 1,000 queries per minute with llama-2-70b")


def test_a_large_batch_is_bound_by_its_products() -> None:
    found = serving("llama-2-7b", batch=4096, input_tokens=1, output_tokens=1)
    rate = number(found, "gpu.peak_bf16") * number(found, "gpu.matmul_ceiling")
    expected = 4096 * 2 * number(found, "model.params_matmul") / rate / number(found, "serving.product_efficiency")
    assert number(found, "serving.step_weights") == pytest.approx(expected / number(found, "serving.tensor"))


def test_without_a_number_of_queries_the_gpus_of_one_copy() -> None:
    found = serving()
    assert number(found, "serving.gpus") == number(found, "serving.copy_gpus") == 4


def test_latent_attention_keeps_the_latent_and_few_experts_are_read() -> None:
    found = serving("deepseek-v3", batch=1, tensor=32)
    assert number(found, "serving.kv_cache") == 1500 * 61 * (512 + 64) * 2
    assert number(found, "serving.cache_held") == 32 * number(found, "serving.kv_cache")
    experts = number(found, "model.params_experts")
    read = number(found, "model.params_total") - number(found, "model.params_embedding") - experts * (1 - 8 / 256)
    assert number(found, "serving.weights_read") == pytest.approx(2 * read)
    many = serving("deepseek-v3", batch=64, tensor=32)
    assert number(many, "serving.experts_touched") == pytest.approx(1 - (1 - 8 / 256) ** 64)


@pytest.mark.slow
def test_a_window_bounds_the_cache() -> None:
    long, short = (serving("gemma-2-2b", batch=1, input_tokens=tokens) for tokens in (50_000, 1000))
    width = number(long, "serving.cache_width") * 2
    assert number(long, "serving.kv_cache") == width * (13 * 50_500 + 13 * 4096)
    assert number(short, "serving.kv_cache") == width * 26 * 1500


def test_formats_leave_tables_head_and_norms_in_16_bits() -> None:
    whole = serving()
    rest = (
        number(whole, "model.params_total")
        - number(whole, "model.params_attention")
        - number(whole, "model.params_mlp")
    )
    assert rest == 2 * TABLE + 161 * 8192
    small = serving(precision="int4", kv_precision="fp8")
    expected = (PARAMS - rest) / 2 + 2 * rest + number(whole, "serving.kv_cache") / 2
    assert number(small, "serving.memory") == pytest.approx(expected)


def test_nothing_is_trained_unless_data_or_a_batch_is_given() -> None:
    assert [u.path for u in serving().unknowns] == []
    trained = solve(
        'model "llama-2-7b"\ndataset.tokens = 1B\n' + H100 + block("serving", input_tokens=9, output_tokens=9)
    )
    assert "fits" in {r.name for r in trained.requirements if r.holds}


@pytest.mark.slow
def test_accelerators_that_are_given_are_a_limit() -> None:
    text = f'model "llama-2-70b"\n{H100}' + block(
        "serving", queries_per_minute=6000, input_tokens=1000, output_tokens=300
    )
    found = solve(text)
    needed = int(number(found, "serving.gpus"))
    assert needed > 24 and number(found, "serving.concurrency") > 1
    few = api.solve("-", text=f"{text}hardware.gpus = 8\n")
    (failed,) = [one for one in few.requirements if one.holds is False]
    assert failed.name == "queries_served" and failed.otherwise.startswith("8 GPUs, and ")


def test_given_accelerators_limit_what_is_served_without_a_demand_too() -> None:
    """64 were answered where 2 were given."""
    asked = 'model "llama-3.1-70b"\nhardware { gpu = "H100-SXM5-80GB", gpus = 4 }\nmaximize serving.batch\n'
    found = api.solve("-", text=asked + block("serving", input_tokens=15904, output_tokens=4096, batch="?"))
    assert found.status == "solved" and number(found, "serving.batch") == 16
    assert number(found, "serving.copy_gpus") == 4 and answer(found).startswith("4 H100-SXM5-80GB serve")
    many = api.solve("-", text=asked + block("serving", input_tokens=15904, output_tokens=4096, batch=512))
    assert "queries_served" in [one.name for one in many.requirements if one.holds is False]


def test_an_open_prompt_goes_up_to_the_context_of_the_model() -> None:
    asked = 'model "llama-3.1-8b"\nhardware { gpu = "H100-SXM5-80GB", gpus = 2 }\nmaximize serving.input_tokens\n'
    found = api.solve("-", text=asked + block("serving", input_tokens="?", output_tokens=1000, batch=1))
    assert number(found, "serving.input_tokens") == 131_072 - 1000
    batched = api.solve("-", text=asked + block("serving", input_tokens="?", output_tokens=1000, batch=32))
    longest = number(batched, "serving.input_tokens")
    room = number(batched, "serving.cache_room")
    assert 32 * 131_072 * (longest + 1000) <= room < 32 * 131_072 * (longest + 2024)
    (lacking,) = api.solve("-", text=f"{asked}serving.input_tokens = ?\n").diagnostics
    assert lacking.code == "E0401" and "`serving.output_tokens` is not given" in lacking.message


@pytest.mark.slow
def test_an_open_sequence_length_goes_up_to_the_context_of_the_model() -> None:
    text = """model "tinyllama-1.1b"
dataset { tokens = 1B, sequence_length = ? }
hardware { gpu = "H100-SXM5-80GB", gpus = 8 }
training.global_batch = 64 sequences
maximize dataset.sequence_length
"""
    assert number(api.solve("-", text=text), "dataset.sequence_length") == 2048


def test_a_copy_splits_its_heads() -> None:
    found = serving(batch=128)
    assert number(found, "serving.memory") > 2 * number(found, "gpu.memory")
    assert number(found, "serving.copy_gpus") == 4


def test_queries_of_a_second_are_sixty_in_a_minute() -> None:
    assert number(serving(queries_per_second=2), "serving.gpus") == number(
        serving(queries_per_minute=120), "serving.gpus"
    )


LATENCY = """model "qwen2.5-32b"
hardware {{ gpu = "L40S", gpus = ? }}
serving {{ queries_per_second = 5, input_tokens = 2000, output_tokens = 500 }}
require serving.latency <= {seconds} s
minimize hardware.gpus
"""


@pytest.mark.slow
@pytest.mark.advice
def test_more_accelerators_share_a_copy_where_answers_must_come_sooner() -> None:
    """Two hold the model, and take longer."""
    found = api.solve("-", text=LATENCY.format(seconds=20) + "serving.tensor = ?\n")
    assert found.status == "solved" and number(found, "serving.latency") <= 20
    assert number(found, "serving.copy_gpus") == number(found, "serving.tensor") > 2
    alone = api.solve("-", text=LATENCY.format(seconds=16) + "serving.concurrency = 1\n")
    assert alone.status == "infeasible" and "serving.tensor" in {one.name for one in alone.relaxations}


def test_a_range_of_queries_and_of_a_price_gives_a_range_of_the_cost(plans):
    found = plans.solve(
        """model "llama-3.1-8b"
        hardware { gpu = "H100-SXM5-80GB", price = 2 USD/GPU/hour .. 4 USD/GPU/hour }
        serving { input_tokens = 1_000, output_tokens = 300, engine = vllm, concurrency = 32 }
        serving.queries_per_minute = 800 .. 1_200
        show serving.cost_per_million_tokens"""
    )
    assert "W0608" not in {one.code for one in found.diagnostics}
    bounds = found.values["serving.cost_per_million_tokens"].spread
    assert bounds is not None
