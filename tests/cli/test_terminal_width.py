"""Diagnostics fit a terminal, colours can be asked for, and an answer that there is not ends with its cure."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from llmplan.cli import terminal

CLASH = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
training { global_batch = 4M tokens, micro_batch = ?, recompute = ? }
require deadline: wall_time <= 30 days
require budget: wall_cost <= 100_000 USD
"""


class Screen:
    def isatty(self) -> bool:
        return True


def test_what_is_too_long_goes_on_below_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Screen())
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *_, **__: os.terminal_size((60, 24)))
    source = '7 | require deadline: time <= 5 weeks because "a very long reason that nobody can read at once"\n'
    note = "  = note: \x1b[1mnearest plan\x1b[0m: parallelism.pipeline = 1, parallelism.tensor = 4, and further\n"
    folded = terminal._folded(source + note + "  = help: short\n")
    first, *rest = folded.splitlines()
    assert first == source.rstrip("\n") and rest[-1] == "  = help: short"
    assert all(len(terminal._ESCAPES.sub("", line)) <= 60 for line in rest) and rest[1].startswith(" " * 10)
    assert " ".join(" ".join(rest[:-1]).split()) == " ".join(note.split())


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_can_be_asked_for_where_there_is_no_terminal(monkeypatch, tmp_path, environment, coloured) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with (tmp_path / "log").open("w") as stream:
        assert terminal.colour(stream) is coloured


@pytest.mark.slow
def test_an_answer_that_there_is_not_ends_with_the_decision_and_its_cure(llmplan, write) -> None:
    answer = llmplan("solve", write("a.plan", CLASH), columns=80)
    lines = answer.out.rstrip("\n").splitlines()
    assert answer.code == 3 and len(lines) <= 24
    assert (
        lines[0].startswith("No plan meets `") and "would do" in " ".join(lines[:3]) and lines[-1].startswith("next: ")
    )
