"""What reaches a terminal: hidden characters only as escapes, wherever they come from."""

from __future__ import annotations

import json

import pytest

from llmplan.escape import HIDDEN

ODD = "\x1b[31m\u202e\x9b\u200b"
SHOWN = r"\u001b[31m\u202e\u009b\u200b"
SOUND = "let a = 1\nshow a\n"


@pytest.mark.slow
def test_names_of_files(llmplan, write):
    plan = write(f"{ODD}.plan", SOUND)
    for command in (["check", plan], ["check", "--format", "github", plan], ["solve", plan], ["compile", plan]):
        found = llmplan(*command, terminal=True)
        assert not HIDDEN.search(found.out + found.err.replace("\x1b[", "")), command
    assert llmplan("check", plan).out == f"{SHOWN}.plan: ok\n"
    assert f"wrote to build/{SHOWN}: " in llmplan("compile", "--force", plan).out


@pytest.mark.parametrize(
    "command",
    [
        ("check", f"{ODD}.plan"),
        ("check", "--scenario", ODD, "a.plan"),
        ("check", "--set", f"{ODD}=1", "a.plan"),
        ("check", "--set", f"a={ODD}", "a.plan"),
        ("check", f"--{ODD}", "a.plan"),
        ("explain", "a.plan", ODD),
        ("catalog", "gpus", ODD),
        ("backtest", ODD),
        (ODD,),
    ],
)
def test_words_of_the_command_line(llmplan, write, command):
    write("a.plan", SOUND)
    found = llmplan(*command)
    assert found.code in (1, 2) and r"\u202e" in found.err + found.out
    assert not HIDDEN.search(found.out + found.err)


def test_json_reads_back(llmplan, write):
    plan = write(f"{ODD}.plan", SOUND)
    found = llmplan("solve", "--json", plan)
    assert not HIDDEN.search(found.out) and json.loads(found.out)["plan"] == plan


def test_files_that_are_written(llmplan, write, tmp_path):
    plan = write(f"{ODD}@someone.plan", SOUND)
    llmplan("compile", "-o", "out", plan)
    for file in (tmp_path / "out").iterdir():
        assert not HIDDEN.search(file.read_text(encoding="utf-8")), file
    report = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "\n# \\\\u001b" in report and "@someone.plan`\n" in report


@pytest.mark.parametrize("char", ["\u202e", "\u2066", "\u200b", "\x9b", "\ufeff", "\U000e0041"])
@pytest.mark.parametrize(
    "text",
    ['require r: 1 <= 2 because "a{}b"', "# a comment {}", 'let a = 1\nscenario "big{}" {{ a = 2 }}', "let {}a = 1"],
)
def test_plans_have_none(llmplan, write, text, char):
    found = llmplan("check", write("a.plan", text.format(char) + "\n"))
    assert found.code == 1 and found.err.startswith("error[E0110]: the character U+")
    assert not HIDDEN.search(found.err) and r"\u" in found.err
