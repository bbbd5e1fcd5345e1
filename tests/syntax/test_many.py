"""Many texts at once: the same trees, places and mistakes as one by one, whoever parses them."""

import subprocess
import sys
from pathlib import Path

import pytest

from llmplan.check.library import library_files
from llmplan.source import Source
from llmplan.syntax import many
from llmplan.syntax.parse import parse
from tests.forks import forks

ROOT = Path(__file__).resolve().parents[2]


SHORT = (
    ("first.plan", "let = 3"),
    ("last.plan", "require 3 >\nlet b = 4"),
    ("bom.plan", "\ufefflet b = 4"),
    ("none.plan", ""),
)


def library() -> list[Source]:
    return [Source(name, text, library=True) for name, text in library_files().items()]


SAME = """
from llmplan.source import Source
from llmplan.syntax import many
from llmplan.syntax.nodes import walk
from tests.syntax.test_many import SHORT, library
from llmplan.syntax.parse import parse

unpacked, unpack = [], many._tree
many._tree = lambda data: unpacked.append(data) or unpack(data)
sources = [*library()[-12:], *(Source(name, text) for name, text in SHORT)]
for source, (tree, problems) in zip(sources, many.parse_many(sources), strict=True):
    alone, found = parse(source)
    assert problems == found, source
    assert tree == alone and tree.comments == alone.comments, source
    assert [node.span for node in walk(tree)] == [node.span for node in walk(alone)], source
print(len(unpacked) > 5)
"""


@forks
@pytest.mark.slow
def test_the_same_trees_places_and_mistakes() -> None:
    done = subprocess.run([sys.executable, "-c", SAME], check=False, capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_without_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("llmplan.fork.possible", lambda: False)
    sources = [*(Source(name, text) for name, text in SHORT), *library()[-6:]]
    for source, found in zip(sources, many.parse_many(sources), strict=True):
        assert found == parse(source)


FIRST = """
import os
os.environ["XDG_CACHE_HOME"] = {cache!r}
from llmplan.syntax import grammar
{before}
with grammar.analysing() as busy:
    print(busy)
print(len(grammar._analysed))
grammar.analyse = None  # nobody may need it now
print(len(grammar.grammar().words) > 20)
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("left none")
"""


@forks
def test_a_grammar_is_analysed_beside_and_once(tmp_path: Path) -> None:
    def said(before: str = "") -> list[str]:
        code = FIRST.format(cache=str(tmp_path), before=before)
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
        assert done.stderr == ""
        return done.stdout.splitlines()

    assert said() == ["True", "1", "True", "left none"]
    assert said() == ["False", "0", "True", "left none"]
    # What cannot be kept is there for this run.
    assert said("grammar.store.load = grammar.store.keep = lambda *_: None") == ["True", "1", "True", "left none"]
