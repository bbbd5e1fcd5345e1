"""The library's own files: each checks in its place, and a broken library is named as the cause of what fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("no_advice")

ROOT = Path(__file__).parents[2]
FILES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "plans").rglob("*.plan"))


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A checkout of its own, with the library that its llmplan uses."""
    folder = tmp_path_factory.mktemp("checkout")
    for part in ("llmplan", "grammar", "plans", "templates"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def edit(copy):
    """Replaces a piece of a file, where it first stands, for the length of a test; in which line that is."""
    kept = {}

    def replace(file: str, old: str, new: str) -> int:
        text = (copy / file).read_text(encoding="utf-8")
        kept.setdefault(file, text)
        assert old in text
        (copy / file).write_text(text.replace(old, new, 1), encoding="utf-8")

        return text[: text.index(old)].count("\n") + 1

    yield replace
    for file, text in kept.items():
        (copy / file).write_text(text, encoding="utf-8")


def run(folder: Path, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "llmplan", *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=cwd or folder,
        env={**os.environ, "PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(folder / "cache")},
    )


@pytest.mark.slow
def test_every_file_that_ships_checks_clean(llmplan, monkeypatch):
    monkeypatch.chdir(ROOT)
    outcome = llmplan("check", *FILES)
    assert outcome.err == ""
    assert outcome.out.splitlines() == [f"{file}: ok" for file in FILES]
    assert outcome.code == 0


MISTAKES = [
    ("plans/catalog/gpus_hopper.plan", "bandwidth           = 3350 GB/s", "bandwith            = 3350 GB/s", "E0202"),
    ("plans/catalog/gpus_hopper.plan", "memory_nominal      = 80 GB", "memory_nominal      = 80 s", "E0302"),
    ("plans/catalog/gpus_hopper.plan", "tdp                 = 700 W\n    sms                 = 132\n    cores",
     "tdp                 = -700 W\n    sms                 = 132\n    cores", "E0305"),
    ("plans/configs/huggingface.plan", "(config.intermediate_size", "(config.intermedate_size", "E0201"),
    ("plans/configs/huggingface.plan", "gated_mlp       = true", "gated_mlp       = 3", "E0302"),
    ("plans/std/objectives.plan", "minimize memory.total", "minimize memory.totl", "E0201"),
    ("plans/std/data.plan", "quantity dataset.bytes: byte", "quantity dataset.bytes: bite", "E0204"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("file", "old", "new", "code"),
    [pytest.param(*mistake, marks=[pytest.mark.slow] * (mistake is not MISTAKES[0])) for mistake in MISTAKES],
)
def test_a_mistake_is_reported_where_it_stands(copy, edit, file, old, new, code):
    line = edit(file, old, new)
    outcome = run(copy, "check", "plans/std/batch.plan", file)
    assert outcome.returncode == 1
    first, second = outcome.stdout.splitlines()
    assert first == "plans/std/batch.plan: ok" and second == f"{file}: 1 error"
    assert f"error[{code}]" in outcome.stderr and f" {file}:{line}:" in outcome.stderr


def test_a_file_that_breaks_others_is_not_ok(copy, edit):
    edit("plans/std/kinds.plan", "enum Dtype {", "enum Dtype { fp5,")
    outcome = run(copy, "check", "plans/std/kinds.plan")
    assert outcome.returncode == 1 and "plans/std/kinds.plan: ok" not in outcome.stdout
    assert "error[E0308]" in outcome.stderr and " plans/std/states.plan:" in outcome.stderr


@pytest.mark.slow
def test_from_another_folder_places_are_given_from_there(copy, edit):
    line = edit(*MISTAKES[0][:3])
    outcome = run(copy, "check", "gpus_hopper.plan", cwd=copy / "plans" / "catalog")
    assert outcome.returncode == 1 and f" gpus_hopper.plan:{line}:" in outcome.stderr


@pytest.mark.slow
def test_a_library_beside_that_of_llmplan_is_checked_as_a_whole(llmplan, copy, edit):
    edit("plans/std/batch.plan", "quantity micro_batch_sequences:", "quantity sequences_at_once:")
    reading = llmplan("check", copy / "plans" / "std" / "batch.plan")
    assert reading.code == 1 and "error[E0201]" in reading.err  # the old name is still read elsewhere
    assert llmplan("check", copy / "plans" / "std" / "time.plan").code == 1
    assert llmplan("check", ROOT / "plans" / "std" / "batch.plan").err == ""


@pytest.mark.slow
def test_a_mistake_in_a_table_is_not_blamed_on_the_file_that_it_reads(copy, edit, tmp_path):
    edit(*MISTAKES[3][:3])
    (tmp_path / "config.json").write_text('{"model_type": "llama"}', encoding="utf-8")
    (tmp_path / "a.plan").write_text('model from "config.json"\nshow model.params_total\n', encoding="utf-8")
    outcome = run(copy, "solve", str(tmp_path / "a.plan"))
    assert outcome.returncode == 1 and "E0209" not in outcome.stderr
    assert "`config.intermedate_size`" in outcome.stderr and "plans/configs/huggingface.plan:" in outcome.stderr
    assert "did you mean `config.intermediate_size`?" in outcome.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("plans/std/emit.plan", "when emits(launch)", "when emits(lanch)"),
        ("plans/std/states.plan", "when emits(torchtitan)", "when emits(torchtian)"),
        ("templates/accelerate/target.plan", "when emits(accelerate)", "when emits(acelerate)"),
    ],
)
def test_a_target_that_does_not_exist_is_an_error_of_the_library(copy, edit, file, old, new):
    line = edit(file, old, new)
    right, wrong = (text.rpartition("(")[2].rstrip(")") for text in (old, new))
    for command in (["check", file], ["check", "plans/llama7b.plan"]):
        outcome = run(copy, *command)
        assert outcome.returncode == 1
        assert f"error[E0201]: undefined target `{wrong}`" in outcome.stderr
        assert f"{file}:{line}:" in outcome.stderr and f"did you mean `{right}`?" in outcome.stderr


COMMANDS = [
    ["check", "plans/llama7b.plan"],
    ["solve", "plans/llama7b.plan"],
    ["explain", "plans/llama7b.plan", "time"],
    ["catalog", "gpus"],
    ["catalog", "gpu", "H100-SXM5-80GB", "--json"],
]


@pytest.mark.parametrize("command", [COMMANDS[0], *(pytest.param(one, marks=pytest.mark.slow) for one in COMMANDS[1:])])
@pytest.mark.slow
def test_a_broken_library_is_the_cause_that_every_command_names(copy, edit, command):
    line = edit(*MISTAKES[0][:3])
    outcome = run(copy, *command)
    assert outcome.returncode == 1
    assert outcome.stderr.count("error[") == 1 and f"plans/catalog/gpus_hopper.plan:{line}:" in outcome.stderr
    assert "llama7b.plan:" not in outcome.stderr
    assert outcome.stdout in ("", "plans/llama7b.plan: 1 error\n")
