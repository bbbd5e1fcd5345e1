"""What holds of every plan that serves, whatever the constants are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmplan.backtest.base import Base
from tests.thorough import examples

GPUS = ("H100-SXM5-80GB", "H200-SXM-141GB", "B200")
MODELS = ("llama-3.1-8b", "llama-3.1-70b", "qwen3-32b", "deepseek-v3", "gemma-2-2b")
ENGINES = ("generic", "vllm", "tensorrt_llm", "sglang")
BASE = Base.of()

plans = st.builds(
    lambda model, gpu, engine, precision, tensor, given, told: {
        "model": model,
        "hardware.gpu": gpu,
        "serving.engine": engine,
        "serving.precision": precision,
        "serving.tensor": f"{tensor} GPUs",
        "serving.input_tokens": f"{given} tokens",
        "serving.output_tokens": f"{told} tokens",
    },
    st.sampled_from(MODELS),
    st.sampled_from(GPUS),
    st.sampled_from(ENGINES),
    st.sampled_from(("bf16", "fp8", "awq")),
    st.sampled_from((1, 2, 4, 8)),
    st.integers(1, 20_000),
    st.integers(1, 4_000),
)


def figures(plan: dict[str, str], *names: str, **more: object) -> tuple[float, ...]:
    values = BASE.values({**plan, **{f"serving.{name}": str(value) for name, value in more.items()}})
    return tuple(values.number(name) for name in names)


@settings(max_examples=examples(40), deadline=None)
@given(plans, st.integers(1, 256), st.integers(1, 64))
def test_more_requests_at_once_are_never_fewer_tokens_and_never_sooner(plan, fewer, more):
    names = ("serving.output_rate", "serving.tpot", "serving.ttft", "serving.most_at_once")
    rate, token, first, places = figures(plan, *names, concurrency=fewer)
    faster, later, longer, still = figures(plan, *names, concurrency=fewer + more)
    assert later >= token * (1 - 1e-9)
    if fewer + more <= min(places, still):
        assert faster >= rate * (1 - 1e-9) and longer >= first * (1 - 1e-9)


@settings(max_examples=examples(25), deadline=None)
@given(plans, st.integers(1, 256))
def test_weights_in_8_bits_are_never_slower_where_the_card_multiplies_in_them(plan, concurrency):
    names = ("serving.step_time", "serving.prefill", "serving.tpot", "serving.in_flight")
    wide = figures({**plan, "serving.precision": "bf16"}, *names, concurrency=concurrency)
    slim = figures({**plan, "serving.precision": "fp8"}, *names, concurrency=concurrency)
    assert slim[1] <= wide[1] * (1 + 1e-9) and slim[3] >= wide[3]
    # Weights in 8 bits leave room for more requests, which a step then serves together.
    if slim[3] == wide[3]:
        assert slim[0] <= wide[0] * (1 + 1e-9) and slim[2] <= wide[2] * (1 + 1e-9)


@settings(max_examples=examples(25), deadline=None)
@given(plans, st.integers(1, 256), st.integers(1, 50))
def test_twice_the_copies_answer_twice_as_much(plan, concurrency, copies):
    names = ("serving.served_rate", "serving.gpus", "serving.cost_per_million_tokens")
    one = figures(plan, *names, concurrency=concurrency, replicas=copies)
    two = figures(plan, *names, concurrency=concurrency, replicas=2 * copies)
    assert two[0] == pytest.approx(2 * one[0]) and two[1] == 2 * one[1] and two[2] == pytest.approx(one[2])


@settings(max_examples=examples(25), deadline=None)
@given(plans, st.integers(1, 200))
def test_a_token_costs_less_in_company(plan, concurrency):
    names = ("serving.cost_per_million_tokens", "serving.most_at_once")
    (alone, places), (shared, still) = (
        figures(plan, *names, concurrency=wanted) for wanted in (concurrency, concurrency + 1)
    )
    if concurrency + 1 <= min(places, still):
        assert shared <= alone * (1 + 1e-9)


@settings(max_examples=examples(25), deadline=None)
@given(plans, st.integers(1, 64))
def test_parts_add_up(plan, concurrency):
    token, *parts = figures(
        plan, "serving.tpot", "serving.step_weights", "serving.step_cache", "serving.step_layers",
        "serving.step_reduce", "serving.step_engine", "serving.interleaved", concurrency=concurrency,
    )  # fmt: skip
    assert sum(parts) == pytest.approx(token)
    first, *parts = figures(
        plan, "serving.ttft", "serving.first_server", "serving.first_prefill", "serving.first_others",
        "serving.first_queue", concurrency=concurrency,
    )  # fmt: skip
    assert sum(parts) == pytest.approx(first)


@settings(max_examples=examples(15), deadline=None)
@given(plans)
def test_an_answer_of_one_token_is_its_prefill(plan):
    plan = {**plan, "serving.output_tokens": "1 token"}
    latency, first, share = figures(plan, "serving.latency", "serving.ttft", "serving.prefill", batch=1)
    assert latency == first == share


@settings(max_examples=examples(15), deadline=None)
@given(plans, st.integers(100, 4_000))
def test_a_prompt_of_one_token_is_decoding(plan, told):
    plan = {**plan, "serving.input_tokens": "1 token", "serving.output_tokens": f"{told} tokens"}
    latency, token = figures(plan, "serving.latency", "serving.tpot", batch=1)
    assert latency == pytest.approx(told * token, rel=0.02)


@settings(max_examples=examples(15), deadline=None)
@given(plans, st.integers(1, 128), st.integers(1, 20), st.floats(0.2, 0.98))
def test_the_busier_the_copies_the_longer_a_query_waits(plan, concurrency, copies, share):
    (held,) = figures(plan, "serving.requests_per_second", concurrency=concurrency)
    waits = [
        figures(
            plan, "serving.first_arrivals", "serving.mean_under_way", concurrency=concurrency, replicas=copies,
            queries_per_minute=60 * held * copies * busy,
        )
        for busy in (share, share + 0.01)
    ]  # fmt: skip
    assert 0 <= waits[0][0] <= waits[1][0] and waits[0][1] == pytest.approx(share * concurrency)


@settings(max_examples=examples(15), deadline=None)
@given(plans, st.integers(1, 64), st.integers(60, 100_000))
def test_copies_that_are_not_said_have_places_to_spare(plan, concurrency, queries):
    names = ("serving.busy", "serving.busiest", "serving.replicas", "serving.replicas_needed")
    busy, most, copies, least = figures(plan, *names, concurrency=concurrency, queries_per_minute=queries)
    assert busy <= most * (1 + 1e-9) and copies >= least


@settings(max_examples=examples(15), deadline=None)
@given(plans, st.integers(1, 64))
def test_as_many_of_the_longest_are_under_way_at_once_as_asked(plan, concurrency):
    (length,) = figures(plan, "serving.longest_held", concurrency=concurrency)
    if length >= 100_000:
        (places,) = figures(plan, "serving.longest_at_once", concurrency=concurrency, context=length)
        assert places == pytest.approx(concurrency, rel=1e-3)
