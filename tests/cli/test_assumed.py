"""What an answer assumes is on the screens of `solve` and `compile`, in the report and in the JSON."""

import json
import re
from pathlib import Path

import pytest

PLAN = """model "llama-3.1-405b"
dataset { tokens = 15.6T, sequence_length = 8192 }
hardware { gpu = "H100-SXM5-80GB", gpus = 16384 }
training { global_batch = 16M tokens, micro_batch = 1 }
parallelism { tensor = 8, pipeline = 16, zero_stage = 1 }
"""
DEFAULT = "parallelism.virtual_pipeline = 1 (by default; 8, all else equal: time −43.7%)"
FORMULA = "framework_advice = megatron (compiled kernels, as the plan names no framework and emits no configuration)"


@pytest.mark.slow
def test_screens_report_and_json(llmplan, write) -> None:
    plan = write("a.plan", PLAN)
    for command in ("solve", "compile"):
        shown = llmplan(command, plan).out
        assert f"\nassumed\n  {FORMULA}\n" in shown and f"\n  {DEFAULT}\n" in shown
    report = Path("build/a/report.md").read_text()
    assert f"assumed: {DEFAULT}" in report and f"assumed: {FORMULA}" in report
    printed = json.loads(llmplan("solve", plan, "--json").out)["assumed"]
    assert {"name": "framework_advice", "value": "megatron"}.items() <= printed[0].items()
    (default,) = [one for one in printed if one["name"] == "parallelism.virtual_pipeline"]
    assert (default["value"]["value"], default["instead"]["value"], default["result"]) == (1, 8, "time")
    # Nothing is asked of a check but what is out of date.
    assert "assumed" not in llmplan("compile", "--check", plan).out


@pytest.mark.slow
@pytest.mark.parametrize(("layout", "code"), [("tensor = 4, pipeline = 4", 0), ("tensor = 2, pipeline = 2", 3)])
def test_levers_and_cures_say_that_an_assumed_rate_stays(llmplan, write, layout: str, code: int) -> None:
    """An MFU that the plan assumes for one card and layout is not that of another one."""
    text = re.sub(r"gpus = \d+", "gpus = 256", PLAN.replace("405b", "70b").replace("16M", "4M"))
    text = re.sub("tensor = 8, pipeline = 16", layout, text)
    run = llmplan("compile", write("b.plan", f"{text}assume mfu = 40%\n"))
    solved = llmplan("solve", "b.plan")
    said = (
        "the plan assumes `mfu`: what a change does to that"
        if code
        else "The plan assumes `mfu`: what a change does to"
    )
    assert run.code == solved.code == code and said in " ".join((solved.out + solved.err).split())
    assert "The plan assumes `mfu`: what a change does to that rate" in Path("build/b/report.md").read_text()
