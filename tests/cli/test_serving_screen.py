"""A plan that only serves: what its screen and its tables tell."""

from __future__ import annotations

import pytest

from llmplan.present import names

SERVED = """model "llama-3.1-8b"
hardware { gpu = "H100-SXM5-80GB", gpus = 4 }
serving { batch = 16, input_tokens = 1000, output_tokens = 300 }
"""


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "served.plan"
    file.write_text(SERVED, encoding="utf-8")
    return str(file)


def test_results_are_those_of_serving(llmplan, path):
    seen = llmplan("solve", path)
    results = seen.out.partition("results, and eight of ten measured\n")[2].partition("\n\n")[0].split("\n")
    assert [row.split()[0] for row in results] == list(names.FIRST_SERVED)
    assert "not computed" not in seen.out


def test_the_first_screen_says_when_tokens_come_what_they_cost_and_what_binds(llmplan, path):
    said = " ".join(llmplan("solve", path).out.split())
    assert said.startswith("1 H100-SXM5-80GB serves queries with llama-3.1-8b at 0.708 USD a million output tokens.")
    assert "The first token comes in 424 ms (237 ms – 1.36 s), each further one in 8.83 ms" in said
    assert "1 copy of 1 GPU, bound by memory bandwidth." in said
    rows = [row for row in ("memory 18.8 GB", "first token 424 ms", "token 8.83 ms") if row in said]
    assert len(rows) == 3


@pytest.mark.parametrize(
    ("more", "bound"),
    [
        ("serving.concurrency = 100000", "the memory for the cache: requests wait"),
        ("serving.concurrency = 1", "memory bandwidth"),
        ("serving.concurrency = 64\nserving.input_tokens = 30000", "arithmetic"),
        ("serving.concurrency = 1\nserving.tensor = 8", "the start of kernels and collectives"),
    ],
)
def test_what_binds(llmplan, tmp_path, more, bound):
    file = tmp_path / "served.plan"
    fields = SERVED.replace("batch = 16, ", "").replace("gpus = 4", "gpus = 8")
    fields = fields.replace("input_tokens = 1000, ", "") if "input_tokens" in more else fields
    file.write_text(f"{fields}{more}\n", encoding="utf-8")
    assert f"bound by {bound}." in " ".join(llmplan("solve", str(file)).out.split())
