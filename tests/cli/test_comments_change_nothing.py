"""A comment, an empty line or a moved setting changes no byte of any emitted file."""

from __future__ import annotations

from pathlib import Path

import pytest

PLAN = """## How long?
model "llama-7b" { layers = 30 }
dataset { tokens = 1T, sequence_length = 2048 }
hardware {
    gpu = "A100-SXM4-80GB"
    gpus = 64
}
training {
    global_batch = 4M tokens
    micro_batch = 1
    recompute = full
}
assume restart_time = 20 min
let limit = 20 days
    + 40 days
require deadline: time <= limit because "signed"
prefer cheap: cost <= 1 USD
waive heads_divide because "tried"
emit deepspeed, report
"""


def commented(plan: str) -> str:
    """The same plan with comments and empty lines everywhere."""
    title, rest = plan.split("\n", 1)
    rest = rest.replace("\n", "   # a comment\n\n", 3).replace("20 days\n", "20 days  # more\n")
    return f"# first\n\n{title}\n{rest}# last\n"


def moved(plan: str) -> str:
    """The same plan with a setting, and a block, in another place."""
    plan = plan.replace("    micro_batch = 1\n    recompute = full\n", "    recompute = full\n    micro_batch = 1\n")
    block = plan[plan.index("hardware {") : plan.index("training {")]
    return plan.replace(block, "").replace("assume ", f"{block}assume ")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("changed", [commented, moved])
@pytest.mark.slow
def test_no_byte_changes(changed, llmplan, write, tmp_path):
    write("pyproject.toml", "")
    plan = write("a.plan", PLAN)
    assert changed(PLAN) != PLAN and llmplan("compile", plan, "-o", "out").code == 0
    before = contents(tmp_path / "out")
    write("a.plan", changed(PLAN))
    assert llmplan("compile", "--check", plan, "-o", "out").code == 0
    assert llmplan("compile", plan, "-o", "out").code == 0
    assert contents(tmp_path / "out") == before


@pytest.mark.slow
def test_no_line_is_written(llmplan, write, tmp_path):
    write("pyproject.toml", "")
    llmplan("compile", write("a.plan", PLAN), "-o", "out")
    for name, content in contents(tmp_path / "out").items():
        assert ".plan:" not in content.decode(), name
        assert '"line"' not in content.decode(), name
