"""Closed defaults that decide an answer are said, with what another value would change."""

import pytest

from llmplan import api

LARGE = """model "llama-3.1-405b"
dataset { tokens = 15.6T, sequence_length = 8192 }
hardware { gpu = "H100-SXM5-80GB", gpus = 16384 }
training { global_batch = 16M tokens, micro_batch = 1 }
parallelism { tensor = 8, pipeline = 16, zero_stage = 1 }
"""
CHUNKS = "parallelism.virtual_pipeline"


@pytest.fixture(scope="module")
def solution():
    return api.solve("-", text=LARGE)


def names(text: str) -> set[str]:
    return {default.name for default in api.solve("-", text=text).defaults}


@pytest.mark.quick(1)
def test_the_closed_defaults_that_change_time_or_memory(solution) -> None:
    said = {default.name: default for default in solution.defaults}
    chunks = said[CHUNKS]
    assert (chunks.amount.value, chunks.instead.value, chunks.result) == (1, 8, "time")  # 2 and 4 gain less
    tried = api.solve("-", text=LARGE, settings=[(CHUNKS, "8")])
    change = tried.values["time"].value / solution.values["time"].value - 1
    assert chunks.change == pytest.approx(change) and change < -0.02
    assert {"training.precision", "parallelism.context"} <= set(said)
    assert "parallelism.expert_overlap" not in said  # changes nothing here


def test_what_the_plan_says_or_leaves_open_is_no_default(solution) -> None:
    said = {default.name for default in solution.defaults}
    assert said.isdisjoint({"parallelism.tensor", "parallelism.pipeline", "training.recompute"})
    assert CHUNKS not in names(LARGE + f"{CHUNKS} = ? in [1, 2]\n")


def test_no_value_that_breaks_a_requirement_counts() -> None:
    assert CHUNKS not in names(LARGE + f"require plain: {CHUNKS} == 1\n")
