"""What the wheel and the source archive hold, and that the wheel works on its own."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = {
    "llmplan": {".bin", ".json", ".py", ".md", ".typed"},
    "grammar": {".lark"},
    "plans/catalog": {".plan"},
    "plans/configs": {".plan"},
    "plans/published": {".plan", ".md"},
    "plans/questions": {".plan"},
    "plans/std": {".plan"},
    "templates": {".j2", ".json", ".md", ".plan", ".txt"},
}
"""The folders that a wheel is made of, and the kinds of file in them."""


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, source


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_its_three_texts_and_nothing_stray(archives):
    expected = {
        path.relative_to(ROOT / "llmplan" if folder == "llmplan" else ROOT).as_posix()
        for folder, suffixes in SHIPPED.items()
        for path in (ROOT / folder).rglob("*")
        if path.suffix in suffixes
    }
    expected |= {f"plans/{path.name}" for path in (ROOT / "plans").glob("*.plan")}  # the examples
    names = zipfile.ZipFile(archives[0]).namelist()
    assert {name for name in names if ".dist-info/" not in name} == {f"llmplan/{name}" for name in expected}


@pytest.mark.slow
def test_the_source_archive_holds_the_tests_too(archives):
    with tarfile.open(archives[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"grammar/plan.lark", "plans/llama7b.plan", "tests/test_packaging.py", "README.md", "LICENSE"} <= names


@pytest.mark.slow
def test_two_builds_give_the_same_bytes(archives, tmp_path):
    """From a copy with other times of change and another umask, so that what differs between two machines differs."""
    copy = tmp_path / "elsewhere"
    left_out = shutil.ignore_patterns(".git", ".venv*", ".*_cache", "__pycache__", "build", "dist", ".hypothesis")
    shutil.copytree(ROOT, copy, ignore=left_out, copy_function=shutil.copyfile)
    shutil.copy(ROOT / ".gitignore", copy)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    environment = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    subprocess.run(command, cwd=copy, check=True, capture_output=True, env=environment)
    (again,) = tmp_path.glob("*.whl")
    assert hashlib.sha256(again.read_bytes()).hexdigest() == hashlib.sha256(archives[0].read_bytes()).hexdigest()


def test_the_lock_file_has_what_is_needed():
    """Every dependency in a version that is promised, every package by its hash, and what is below them too."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = re.findall(r"(?m)^(\w+)==([\d.]+)(?: ; [^\\]*)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text)
    assert len(pins) == len(re.findall(r"(?m)^\w", text))
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    promised = re.findall(r'"(\w+)>=([0-9.]+)(?:; [^"]*)?"', project.partition("dependencies = [")[2].partition("]")[0])
    assert {name for name, _ in promised} | {"markupsafe", "mpmath"} == {name for name, _, _ in pins}
    for name, lowest in promised:
        assert all(_numbers(version) >= _numbers(lowest) for found, version, _ in pins if found == name)


def _numbers(version):
    return tuple(map(int, version.split(".")))


@pytest.mark.slow
def test_the_wheel_works_from_another_folder_and_unpacked_by_nobody(archives, tmp_path):
    """Imported from the zip itself, so that no resource needs to be a file on disk."""
    plan = tmp_path / "mine.plan"
    plan.write_text((ROOT / "plans" / "llama7b.plan").read_text(encoding="utf-8"), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(archives[0]), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "import llmplan, llmplan.cli; print(llmplan.__file__); llmplan.cli.main()",
            "compile",
            plan.name,
        ],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines()[0].startswith(str(archives[0]))
    solution = json.loads((tmp_path / "build" / "mine" / "solution.json").read_text(encoding="utf-8"))
    assert solution["status"] == "solved"


@pytest.mark.slow
def test_the_lowest_promised_lark_will_do(tmp_path):
    """What is used of Lark is there in the lowest version that the package asks for, and works there alike."""
    (lowest,) = re.findall(r'"lark>=([0-9.]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    command = [sys.executable, "-m", "pip", "install", "-q", "--target", str(tmp_path / "lark"), f"lark=={lowest}"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no package index can be reached")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path / "lark"), str(ROOT)]),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    (tmp_path / "mistaken.plan").write_text("h {\n  a = 1 +\nlet if = 3\nx = 4,096\n", encoding="utf-8")
    run = [sys.executable, "-c", "import lark, llmplan.cli; print(lark.__version__); llmplan.cli.main()", "check"]
    for plan, code, said in [(str(ROOT / "plans/llama7b.plan"), 0, ""), ("mistaken.plan", 1, "E0103")]:
        for _ in ("analysed", "from the cache"):
            found = subprocess.run(
                [*run, plan], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            assert found.returncode == code and said in found.stderr, found.stderr
            assert found.stdout.startswith(lowest)


@pytest.mark.slow
def test_the_description_has_no_link_that_holds_in_a_checkout_alone(archives):
    with zipfile.ZipFile(archives[0]) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        head, _, text = wheel.read(name).decode("utf-8").partition("\n\n")
    assert re.findall(r"\]\((?!https?://|#)[^)]*\)", text) == []
    assert "How accurate it is" in text and "docs/accuracy.md" in text and "![" not in text
    assert "Description-Content-Type: text/markdown" in head
    assert [f"Programming Language :: Python :: 3.{minor}" in head for minor in range(10, 15)] == [True] * 5


def test_with_a_home_the_links_of_the_description_lead_there():
    sys.path.insert(0, str(ROOT))
    try:
        from hatch_build import described
    finally:
        sys.path.remove(str(ROOT))
    text = "![a picture](docs/a.svg), [b](docs/b.md#c), [`d`](d), [e](https://e.example/f), [g](#g)"
    assert described(text) == "*a picture*, b, `d`, [e](https://e.example/f), [g](#g)"
    home = "https://h.example/o/llmplan"
    assert described(text, home).startswith(
        f"![a picture]({home}/raw/main/docs/a.svg), [b]({home}/blob/main/docs/b.md#c)"
    )
