"""The terminal: the answer and its verdicts in a dozen lines, everything within its width, advice last."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
REAL = REPOSITORY / "tests" / "present" / "real"
SHORT = """
model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 128 }
training { global_batch = 4M tokens, micro_batch = 1, recompute = full }
require deadline: time <= 40 days
"""


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param(REPOSITORY / "plans" / "llama7b.plan", marks=pytest.mark.slow),
        REPOSITORY / "plans" / "one_card.plan",
        pytest.param(REAL / "ranges.plan", marks=pytest.mark.slow),
        pytest.param(REAL / "infeasible.plan", marks=pytest.mark.slow),
        pytest.param(REPOSITORY / "plans" / "published" / "llama3_1_405b.plan", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(
    "columns", [80, pytest.param(60, marks=pytest.mark.slow), pytest.param(140, marks=pytest.mark.slow)]
)
def test_the_answer_and_its_verdicts_stand_first_and_fit(plan, columns, llmplan):
    outcome = llmplan("solve", plan, columns=columns)
    lines = outcome.out.splitlines()
    assert lines.index("") <= 14 or columns < 80
    # A row whose cells leave no room for its last one goes on below itself.
    assert all(len(line) <= columns or line.startswith("next:") for line in lines if columns >= 80)


def test_notes_are_a_line_and_come_after_what_they_are_about(llmplan, write):
    outcome = llmplan("solve", write("a.plan", SHORT.replace("4M tokens", "970_000 tokens")))
    assert re.search(r"^note\[W0606\]: .*\(a\.plan:5\)$", outcome.err, re.MULTILINE)
    assert len(outcome.err.splitlines()) <= 2


def test_verdicts_have_a_colour_on_a_terminal(llmplan, write, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *_, **__: shutil.os.terminal_size((100, 20)))
    plan = write("a.plan", SHORT)
    out = llmplan("solve", plan, terminal=True).out
    assert re.search("deadline +\x1b\\[3[123]m(safe|likely|tight|no)\x1b\\[0m", out)
    assert "\x1b" not in llmplan("solve", plan).out


@pytest.mark.slow
def test_after_a_failure_the_advice_comes_last(llmplan, write, capsys):
    plan = write("a.plan", SHORT.replace("40 days", "2 days"))
    outcome = llmplan("solve", plan)
    assert outcome.code == 3 and outcome.out.startswith("No plan meets `deadline` (")
    assert outcome.err.splitlines()[-1].startswith("  = help: ")
    assert "note[" not in outcome.err or outcome.err.startswith("note[")


@pytest.mark.slow
def test_what_changed_since_the_last_compile_is_said(llmplan, write):
    write("pyproject.toml", "")
    plan = write("a.plan", SHORT + "emit report\n")
    first = llmplan("compile", plan)
    assert "since the last compile" not in first.out
    write("a.plan", SHORT.replace("gpus = 128", "gpus = 256") + "emit report\n")
    second = llmplan("compile", plan)
    (said,) = (line for line in second.out.splitlines() if line.startswith("since the last compile: "))
    assert re.search(r"wall_time [\d.]+ days \(−[\d.]+%\), wall_cost [\d,]+ USD \(\+[\d.]+%\)", said)
    assert "since" not in llmplan("compile", plan).out


@pytest.mark.slow
def test_a_summary_says_what_a_change_does(llmplan, write):
    write("pyproject.toml", "")
    plan = write("a.plan", SHORT + "emit report\n")
    first = llmplan("compile", plan, "--summary")
    assert (
        first.out.startswith("**`a.plan`**, compiled for the first time: `wall_time` ") and first.out.count("\n") == 1
    )
    assert llmplan("compile", plan, "--summary").out == "**`a.plan`**: every answer and result is as it was\n"
    write("a.plan", SHORT.replace("gpus = 128", "gpus = 512") + "emit report\n")
    seen = llmplan("compile", plan, "--check", "--summary")
    done = llmplan("compile", plan, "--summary")
    assert (seen.code, done.code) == (1, 0) and seen.out == done.out and len(done.out.splitlines()) <= 8
    assert "- inputs: hardware.gpus 128 GPUs → 512 GPUs at a.plan:" in done.out
    assert re.search(r"^- verdicts: `deadline` \w+ \(.*%\) → \w+", done.out, re.MULTILINE)
    write("a.plan", SHORT.replace("gpus = 128", "gpus = 8") + "emit report\n")
    gone = llmplan("compile", plan, "--summary")
    assert gone.code == 3 and gone.out.startswith("**`a.plan`**: no plan meets its requirements now, ")
    assert llmplan("compile", plan, "--summary", "--json").code == 2


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 80])
def test_a_derivation_fits_the_terminal(columns, llmplan, write):
    plan = write("a.plan", SHORT)
    wide = llmplan("explain", plan, "step_time").out
    narrow = llmplan("explain", plan, "step_time", columns=columns).out
    assert max(map(len, wide.splitlines())) > columns >= max(map(len, narrow.splitlines()))
    assert narrow.split() == wide.split()


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 80])
def test_a_sweep_that_is_too_wide_fits_the_terminal(columns, llmplan, write):
    plan = write("a.plan", SHORT + "sweep hardware.gpus in [64, 128]\nshow wall_time in days\n")
    wide = llmplan("sweep", plan).out
    narrow = llmplan("sweep", plan, columns=columns).out
    assert max(map(len, wide.splitlines())) > columns >= max(map(len, narrow.splitlines()))
    assert "violates deadline" in narrow and {"time", "[days]", "[USD]"} <= {*narrow.split()}
