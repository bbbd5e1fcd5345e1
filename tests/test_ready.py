"""What comes with an installation: read where it fits, and never where anything has changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from llmplan import prepare
from llmplan.cache import ready, store
from llmplan.cache.key import key
from llmplan.check import library
from llmplan.syntax import grammar

DATA = {"a": [1, 2.5, None, True], "b": ("x", "y"), "c": {"d": b"e"}}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(ready, "FOLDER", tmp_path / "ready")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "ready"


@pytest.fixture
def unread(monkeypatch):
    """Nothing that this process has read or built before counts."""
    monkeypatch.setattr(library, "_latest", {})
    grammar.grammar.cache_clear()
    yield
    grammar.grammar.cache_clear()


def test_what_is_written_is_loaded_for_the_same_inputs_alone(folder):
    assert ready.load("thing", "text") is None
    ready.write(folder, "thing", DATA, "text")
    assert ready.load("thing", "text") == DATA
    assert ready.load("thing", "another text") is None
    assert ready.load("other", "text") is None


def test_of_a_changed_program_nothing_is_read(folder, monkeypatch):
    ready.write(folder, "thing", DATA, "text")
    monkeypatch.setattr(ready, "_program", lambda: "changed")
    assert ready.load("thing", "text") is None


@pytest.mark.parametrize("keep", [0, 20, 32, 40])
def test_a_damaged_file_is_none(folder, keep):
    ready.write(folder, "thing", DATA, "text")
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes()[:keep])
    assert ready.load("thing", "text") is None


def test_with_it_nothing_is_analysed_or_checked(folder, unread, monkeypatch):
    prepare.main()
    monkeypatch.setattr(grammar, "analyse", None)
    monkeypatch.setattr(library, "_built", None)
    scope, content, problems = library.load(tables=False)
    assert not problems and "memory.total" in scope.quantities
    assert grammar.grammar().parser.parse("let a = 1\n", start="file")
    # From then on it is the user's own.
    assert isinstance(store.load(library.CACHE_NAME, key(content)), dict)


@pytest.mark.slow
def test_without_it_the_result_is_the_same(folder, unread):
    before = library.load(tables=False)[0]
    assert not folder.exists()
    prepare.main()
    library._latest.clear()
    after = library.load(tables=False)[0]
    assert list(before.quantities) == list(after.quantities)
    assert before.quantities["memory.total"] == after.quantities["memory.total"]


def test_its_bytes_do_not_depend_on_the_run():
    command = [sys.executable, "-c", "from llmplan.syntax import grammar; print(hash(repr(grammar.prepared()[1])))"]
    root = Path(__file__).resolve().parent.parent
    printed = set()
    for _ in range(2):
        environment = {**os.environ, "PYTHONHASHSEED": "1"}
        found = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
        printed.add(found.stdout)
    assert len(printed) == 1
