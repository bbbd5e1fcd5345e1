"""Layers that do not divide over the stages of a pipeline: what each stage holds, what is refused, what it costs."""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.answer.schema.solution import Solution
from tests.thorough import sample

PLAN = """model "{model}"
dataset {{ tokens = 1T, sequence_length = 4096 }}
hardware {{ gpu = "H100-SXM5-80GB", gpus = {gpus} }}
parallelism {{ framework = megatron, tensor = 8, pipeline = {stages}, virtual_pipeline = {chunks}, zero_stage = 1 }}
training {{ global_batch = 1024 sequences, micro_batch = 1, recompute = full }}
show memory.inner_layers
show memory.layers_left_over
waive fits
"""


def solved(model: str, stages: int | str, chunks: int = 1, gpus: int = 128, more: str = "") -> Solution:
    return api.solve("-", text=PLAN.format(model=model, stages=stages, chunks=chunks, gpus=gpus) + more)


def cut(solution: Solution) -> tuple[object, ...]:
    names = ("parallelism.first_stage_layers", "memory.inner_layers", "parallelism.last_stage_layers")
    return tuple(solution.values[name].value for name in names)


def failing(solution: Solution) -> list[str]:
    return [one.name for one in solution.requirements if one.holds is False]


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("model", "stages", "chunks", "cuts"),
    sample(
        [
            ("llama-3.1-405b", 16, 1, (7, 8, 7)),
            ("llama-3.1-405b", 16, 8, (7, 8, 7)),  # embedding and head are the eighth chunk of the ends
            ("llama-3.1-405b", 2, 1, (63, 0, 63)),
            ("qwen2-0.5b", 16, 1, (0, 2, 0)),
            ("llama-3.1-70b", 16, 1, (5, 5, 5)),
        ],
        2,
    ),
)
def test_both_ends_hold_fewer(model: str, stages: int, chunks: int, cuts: tuple[int, ...]) -> None:
    found = solved(model, stages, chunks)
    assert cut(found) == cuts
    assert ("layers_divide" in failing(found)) == (cuts[0] == 0)


@pytest.mark.quick(1)
@pytest.mark.parametrize("stages", [3, 7, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 5, 16, 21, 40))])
def test_nothing_is_lost_and_the_ends_differ_by_one(stages: int) -> None:
    layers = 61
    found = solved("llama-7b", stages, gpus=8 * stages, more=f"model.layers = {layers}\n")
    first, inner, last = (int(value) for value in cut(found) if isinstance(value, float | int))
    if "layers_divide" in failing(found):
        assert last == 0  # no cut has equal inner stages and ends that hold one
        return
    assert first + inner * (stages - 2) + last == layers
    assert first - last in (0, 1) and first <= (inner or first)


@pytest.mark.slow
def test_an_end_that_is_given_leaves_the_rest_to_the_others() -> None:
    assert cut(solved("llama-3.1-405b", 16, more="parallelism.first_stage_layers = 6\n")) == (6, 8, 8)
    refused = solved("llama-3.1-405b", 16, more="parallelism.last_stage_layers = 6\n")
    assert failing(refused) == ["layers_divide"]
    opened = solved(
        "llama-3.1-405b", 16, more="parallelism.last_stage_layers = 6\nparallelism.first_stage_layers = ?\n"
    )
    assert cut(opened) == (8, 8, 6)


def test_chunks_that_a_stage_does_not_hold_are_refused() -> None:
    refused = solved("llama-3.1-405b", 16, chunks=5)
    assert failing(refused) == ["layers_divide"]


@pytest.mark.slow
def test_a_bare_pipeline_ranges_over_what_splits_the_model() -> None:
    found = solved("llama-3.1-405b", "?", gpus=504, more="minimize step_time\n")
    (unknown,) = [one for one in found.unknowns if one.path == "parallelism.pipeline"]
    assert failing(found) == [] and unknown.value.value in (7, 9, 21, 63)  # 504 is 8 × 63, and 63 divides 126


def test_a_pipeline_of_a_model_whose_layers_are_not_known() -> None:
    text = 'model.params = 7B params\nparallelism.pipeline = ?\nhardware { gpu = "A100-SXM4-80GB", gpus = 8 }\n'
    assert "E0401" not in {one.code for one in api.solve("-", text=text + "minimize memory.params\n").diagnostics}


DEEPSEEK = """model "deepseek-v3"
dataset { tokens = 14.8T, sequence_length = 4096 }
hardware { gpu = "H800", gpus = 2048 }
parallelism { framework = megatron, tensor = ?, pipeline = ?, expert = ?, virtual_pipeline = ?, expert_overlap = ? }
training { precision = fp8, global_batch = 15_360 sequences, recompute_norms = ?, recompute_latents = ? }
minimize time
"""

AS_PUBLISHED = """model "deepseek-v3"
dataset { tokens = 14.8T, sequence_length = 4096 }
hardware { gpu = "H800", gpus = 2048 }
training { precision = fp8, global_batch = 15_360 sequences }
training { recompute = selective, recompute_core = false, recompute_norms = true, recompute_latents = true }
parallelism { pipeline = 16, expert = 64, zero_stage = 1, schedule = zero_bubble }
parallelism { expert_overlap = true, dispatcher = deepep }
minimize time
"""

LLAMA = """model "llama-3.1-405b"
dataset { tokens = 15.6T, sequence_length = 8192 }
hardware { gpu = "H100", gpus = 16_384 }
parallelism { framework = megatron, tensor = ?, pipeline = ?, context = ?, virtual_pipeline = ? }
training { global_batch = 16M tokens }
minimize time
"""


@pytest.mark.slow
def test_short_plans_of_famous_runs_need_no_word_on_uneven_stages() -> None:
    """Published: 2.664M GPU-hours, 54.2 days on 2,048 GPUs (arXiv:2412.19437); 400 TFLOP/s a GPU (arXiv:2407.21783)."""
    deepseek, llama = (api.solve("-", text=text) for text in (DEEPSEEK, LLAMA))
    assert llama.values["parallelism.pipeline"].value == 16
    assert deepseek.values["parallelism.pipeline"].value in (8, 16)  # neither divides its 61 layers
    assert failing(deepseek) == failing(llama) == []
    days, rate = deepseek.values["time"].value, llama.values["tflops_per_gpu"].value
    assert isinstance(days, float) and days / 86_400 == pytest.approx(54.2, rel=0.25)
    assert isinstance(rate, float) and rate / 1e12 == pytest.approx(400, rel=0.1)


@pytest.mark.slow
def test_the_published_layout_of_deepseek_v3_takes_about_the_published_time() -> None:
    """2.664M hours of the whole run, which had no loss spike to roll back: little more than its steps."""
    found = api.solve("-", text=AS_PUBLISHED)
    stepping, calendar = found.values["time"], found.values["wall_time"]
    assert isinstance(stepping.value, float) and stepping.value / 86_400 == pytest.approx(54.2, rel=0.1)
    for value in (stepping, calendar):
        assert value.model_low is not None and value.model_high is not None
        assert value.model_low < 54.2 * 86_400 < value.model_high
