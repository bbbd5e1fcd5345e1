"""What an answer assumes is on the screens of `solve` and `compile`, in the report and in the JSON."""

import json
from pathlib import Path

PLAN = """model "llama-3.1-405b"
dataset { tokens = 15.6T, sequence_length = 8192 }
hardware { gpu = "H100-SXM5-80GB", gpus = 16384 }
training { global_batch = 16M tokens, micro_batch = 1 }
parallelism { tensor = 8, pipeline = 16, zero_stage = 1 }
"""
DEFAULT = "parallelism.virtual_pipeline = 1 (by default; 8, all else equal: time -43.6%)"
FORMULA = "framework_advice = megatron (compiled kernels, as the plan names no framework and emits no configuration)"


def test_screens_report_and_json(llmplan, write) -> None:
    plan = write("a.plan", PLAN)
    for command in ("solve", "compile"):
        shown = llmplan(command, plan).out
        assert f"\nassumed\n  {FORMULA}\n" in shown and f"\n  {DEFAULT}\n" in shown
    report = Path("build/a/report.md").read_text()
    assert f"assumed: {DEFAULT}" in report and f"assumed: {FORMULA}" in report
    printed = json.loads(Path("build/a/solution.json").read_text())["assumed"]
    assert {"name": "framework_advice", "value": "megatron"}.items() <= printed[0].items()
    (default,) = [one for one in printed if one["name"] == "parallelism.virtual_pipeline"]
    assert (default["value"]["value"], default["instead"]["value"], default["result"]) == (1, 8, "time")
    # Nothing is asked of a check but what is out of date.
    assert "assumed" not in llmplan("compile", "--check", plan).out
