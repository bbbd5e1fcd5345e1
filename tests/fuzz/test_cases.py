"""Made cases and the corpus of past defects: no traceback, no command that hangs, fills memory, steers a terminal or
strays.

The made ones run in a process of their own, so that its memory is theirs alone: a minute's worth in `.ci/run`.
For hours of new ones: `python -m tests.fuzz --seed N --seconds S`, see CONTRIBUTING.md.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import make, pieces, watch
from tests.fuzz.case import Case, File, Run, read, written

ROOT = Path(__file__).parents[2]
CORPUS = sorted(Path(__file__).parent.glob("corpus/*.case"))
LONG = (
    "advice_over_a_range",
    "entries_that_follow_each_other",
    "into_outside",
    "name_of_a_file_that_steers",
    "names_too_long",
    "one_folder_for_two_plans",
    "range_that_memory_depends_on",
)


@pytest.mark.quick(8)
@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem in LONG)) for path in CORPUS],
)
def test_past_defects(path, tmp_path):
    case = read(path.read_text(encoding="utf-8"))
    assert case.runs
    assert watch.complaints(case, tmp_path, watch.Seen(mebibytes=float("inf"))) == []  # other tests use memory too


@pytest.mark.slow
def test_made_pieces_are_checked(tmp_path):
    seen = watch.Seen(mebibytes=float("inf"))
    for number in range(20):
        assert watch.complaints(pieces.piece(0, number), tmp_path / str(number), seen) == []


@pytest.mark.slow
@pytest.mark.parametrize("options", [("--count", "200"), ("--check", "--count", "4000")])
def test_made_cases(options):
    command = [sys.executable, "-m", "tests.fuzz", "--seed", "0", *options]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_same_seed_makes_the_same_cases():
    assert [make.case(3, n) for n in range(20)] == [make.case(3, n) for n in range(20)]
    assert make.case(3, 0) != make.case(4, 0)
    assert [pieces.piece(3, n) for n in range(99)] == [pieces.piece(3, n) for n in range(99)]


def test_a_case_is_read_as_it_was_written():
    for number in range(80):
        for case in (make.case(5, number), pieces.piece(5, number)):
            assert read(written(case)) == case


def _raises(error):
    raise error


def _computes():
    while True:
        pass


def _strays():
    Path("../stray").touch()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (lambda: _raises(KeyError("x")), "E0901"),
        (lambda: _raises(SystemExit(3)), "raised SystemExit"),
        (_computes, "CPU time"),
        (lambda: print("\x1b[2J"), "U+001B raw"),
        (lambda: print("NaN"), "no JSON"),
        (_strays, "outside the project: stray"),
        (lambda: 7, "exit code 7"),
    ],
)
def test_what_goes_wrong_is_seen(monkeypatch, tmp_path, command, said):
    monkeypatch.setattr(watch, "SECONDS", 0.2)
    monkeypatch.setattr("llmplan.cli.group.main", lambda *given, **named: command())
    case = Case("", (Run(("check", "--json", "a.plan")),), (File("a.plan"),))
    found = watch.complaints(case, tmp_path, watch.Seen(mebibytes=float("inf")))
    assert said in "\n".join(found)
