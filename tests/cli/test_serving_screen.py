"""A plan that only serves: what its screen and its tables tell."""

from __future__ import annotations

import pytest

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
    results = seen.out.partition("results\n")[2].partition("\n\n")[0].split("\n")
    assert [row.split()[0] for row in results] == [
        "serving.gpus",
        "serving.copy_gpus",
        "serving.memory",
        "serving.kv_cache",
        "serving.latency",
        "model.params_total",
    ]
    assert "not computed" not in seen.out
