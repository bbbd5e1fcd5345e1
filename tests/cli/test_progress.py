"""Commands that take long: the bar on a terminal, and what is left after Ctrl-C."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time

import click
import pytest

from llmplan.cli import progress
from llmplan.solve.discrete.search import GridSearch
from tests.hanging import SECONDS, ends

pytestmark = pytest.mark.usefixtures("no_advice")

PLAN = """model "llama-7b"
dataset.tokens = 100B
dataset.sequence_length = 2048
hardware { gpu = "A100-SXM4-80GB", gpus = ? in 8..64 step 8 }
training.global_batch = 1024 sequences
require deadline: time <= 15 days
waive mfu_seen
minimize cost
emit report
"""

LONG = """model "llama-7b"
hardware { gpu = "A100-SXM4-80GB", gpus = 8 }
parallelism.zero_stage = 1
training { micro_batch = 1, recompute = none }
let a = ? in 1..4096
let b = ? in 1..4096
let c = ? in 1..4096
require apart: sqrt(a) * ln(b) + c > 0
minimize abs(sqrt(a) * ln(b) - sqrt(c + b))
"""


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.0)


@pytest.mark.parametrize(
    "arguments",
    [
        ["solve"],
        *(
            pytest.param(more, marks=pytest.mark.slow)
            for more in (["solve", "--json"], ["compile"], ["explain", "time"])
        ),
    ],
)
def test_a_bar_is_shown_on_a_terminal_and_cleared(llmplan, write, impatient, arguments):
    plan = write("a.plan", PLAN)
    command, *rest = arguments
    # The other way round the answer would be known already.
    shown = llmplan(command, plan, *rest, terminal=True)
    quiet = llmplan(command, plan, *rest)
    assert (quiet.code, quiet.err) == (0, "")
    assert click.unstyle(shown.out) == quiet.out
    *pictures, last = shown.err.split("\r")
    assert any("layouts" in picture and "#" in picture for picture in pictures)
    assert all(len(picture) < 90 for picture in pictures) and last == "\x1b[K"


def test_a_sweep_counts_its_points(llmplan, write, impatient):
    plan = write("a.plan", PLAN + "sweep dataset.tokens in [100B, 200B]\n")
    assert "2 of 2 points" in llmplan("sweep", plan, terminal=True).err


@pytest.mark.slow
@pytest.mark.advice
def test_what_would_help_is_counted_too(llmplan, write, impatient):
    plan = write("a.plan", PLAN.replace("15 days", "1 h"))
    outcome = llmplan("solve", plan, terminal=True)
    assert outcome.code == 3
    assert "changes" in outcome.err and "changes" not in outcome.err.rpartition("\x1b[K")[2]


@pytest.mark.slow
def test_quick_commands_and_dumb_terminals_have_no_bar(llmplan, write, impatient, monkeypatch):
    plan = write("a.plan", PLAN)
    monkeypatch.setenv("TERM", "dumb")
    assert llmplan("solve", plan, terminal=True).err == ""
    monkeypatch.delenv("TERM")
    monkeypatch.setattr(progress, "PATIENCE", 1e9)
    assert llmplan("solve", plan, terminal=True).err == ""


def test_ctrl_c_leaves_no_file_and_no_bar(llmplan, write, impatient, monkeypatch, tmp_path):
    plan = write("a.plan", PLAN)
    done = GridSearch.part

    def interrupted(scan, number):
        done(scan, number)
        raise KeyboardInterrupt

    monkeypatch.setattr(GridSearch, "part", interrupted)
    for command in ("solve", "compile"):
        outcome = llmplan(command, plan, terminal=True)
        assert (outcome.code, outcome.out) == (130, "")
        assert outcome.err.rpartition("\x1b[K")[2].strip() == ""
    assert [path.name for path in tmp_path.iterdir()] == ["a.plan"]


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals and process groups are of POSIX")
@pytest.mark.slow
def test_ctrl_c_in_a_long_search_ends_it_and_its_helpers(tmp_path):
    (tmp_path / "long.plan").write_text(LONG)
    ours, theirs = os.openpty()
    # What starts in the background of a shell begins with interrupts ignored.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from llmplan.__main__ import main; main()"
    )
    command = [sys.executable, "-c", code, "solve", "long.plan", "--limit", str(10**12)]
    environment = {**os.environ, "TERM": "xterm"}
    with (
        ends(),
        subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=theirs, start_new_session=True
        ) as process,
    ):
        os.close(theirs)
        said = b""
        while b"layouts" not in said:
            if not select.select([ours], [], [], SECONDS)[0]:
                process.kill()
                pytest.fail(f"no bar, but {said!r}")
            said += os.read(ours, 4096)
        # As the terminal does it: to the command and to whatever it has started.
        os.killpg(process.pid, signal.SIGINT)
        try:
            assert process.wait(SECONDS) == 130
        finally:
            process.kill()
        assert process.stdout is not None and process.stdout.read() == b""
        # A helper that was just being started ends by itself when nobody feeds it any more.
        with pytest.raises(ProcessLookupError):
            for _ in range(int(SECONDS / 0.05)):
                os.killpg(process.pid, 0)
                time.sleep(0.05)
    rest = os.read(ours, 65536)
    os.close(ours)
    assert b"Traceback" not in said + rest and rest.rstrip().endswith(b"\x1b[K")
