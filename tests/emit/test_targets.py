"""Targets are folders: what is there, what a plan may set, and what a user may lay over it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from llmplan.emit.targets import load, plain_name, source, targets


def folder(directory: Path, name: str, **manifest: object) -> Path:
    target = directory / name
    target.mkdir(parents=True)
    whole = {"about": "a test", "when": "named", "files": {f"{name}.txt": "text.j2"}, **manifest}
    (target / "target.json").write_text(json.dumps(whole))
    (target / "text.j2").write_text("{{ solution.status }}\n")
    return target


def test_the_product_has() -> None:
    known, problems = load()
    assert not problems
    assert set(targets()) == {
        "accelerate",
        "axolotl",
        "deepspeed",
        "huggingface",
        "kubernetes",
        "lightning",
        "llamafactory",
        "megatron",
        "megatron_bridge",
        "probe",
        "report",
        "sglang",
        "skypilot",
        "slurm",
        "tensorrt_llm",
        "torchtitan",
        "vllm",
    }
    assert set(known) - set(targets()) == {"launch"}
    assert all(target.about for target in known.values())


def test_what_is_written_for_a_target() -> None:
    assert targets()["accelerate"].some == {"accelerate", "deepspeed", "launch", "report"}
    assert targets()["accelerate"].always == {"accelerate", "launch"}
    assert targets()["report"].some == targets()["report"].always == {"report"}


def test_jinja_is_not_imported() -> None:
    script = "import sys, llmplan.emit.targets as e; e.targets(); sys.exit(bool({'jinja2', 'sympy'} & {*sys.modules}))"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_new_folder_is_a_new_target(tmp_path: Path) -> None:
    folder(tmp_path, "ray", brings=["deepspeed"])
    found = targets(tmp_path)
    assert found["ray"].some == {"ray", "deepspeed", "launch", "report"}
    assert "deepspeed" in found


def test_a_file_of_the_user_comes_first(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "report.md.j2").write_text("mine")
    assert source("report/report.md.j2", tmp_path) == "mine"
    assert source("report/target.json", tmp_path) == source("report/target.json", None)


@pytest.mark.parametrize("place", ["../pyproject.toml", "report/../../x", "/etc/passwd", "report//x", "a\\b", "C:x"])
def test_no_template_lies_outside(place: str, tmp_path: Path) -> None:
    with pytest.raises(OSError):
        source(place, tmp_path)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "a\0", "a\n", "c:a"])
def test_names_that_would_leave(name: str) -> None:
    assert not plain_name(name)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("{", "target.json: "),
        ("[]", "target.json: "),
        ('{"about": "", "files": {}}', 'it has no "when"'),
        ('{"about": "", "when": "never", "files": {}}', "'never'"),
        ('{"about": "", "when": "named", "files": {"../x": "x.j2"}}', "not a plain file name"),
        ('{"about": "", "when": "named", "files": {}, "brings": ["nothing"]}', "uses the folder `nothing`"),
        ('{"about": "", "when": "named", "files": {}, "next": [{"if": {}}]}', 'it has no "command"'),
    ],
)
def test_a_broken_manifest_is_a_diagnostic(text: str, part: str, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "target.json").write_text(text)
    _, problems = load(tmp_path)
    assert [problem.code for problem in problems] == ["E0506"]
    assert part in problems[0].message


def test_a_missing_folder_is_a_diagnostic(tmp_path: Path) -> None:
    _, problems = load(tmp_path / "nothing")
    assert [problem.code for problem in problems] == ["E0506"]


def test_the_first_line_of_written_files_stands_in_one_template() -> None:
    product = Path(__file__).parents[2] / "templates"
    texts = {path.relative_to(product).as_posix(): path.read_text(encoding="utf-8") for path in product.glob("*/*.j2")}
    assert [name for name, text in sorted(texts.items()) if "Change the plan" in text] == ["launch/first.j2"]
    marked = [name for name, text in sorted(texts.items()) if ".generated()" in text]
    assert "launch/launch.sh.j2" in marked and "report/report.md.j2" in marked
