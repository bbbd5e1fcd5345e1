"""A `solution.json` that says anything at all: nobody's file is lost, and every answer is a diagnostic."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from llmplan.diagnostics import render_json, render_text
from llmplan.emit.folder import Folder
from llmplan.emit.render import render
from llmplan.emit.solution_json import NAME, digest, sealed
from llmplan.emit.targets import written
from llmplan.emit.write import check, write
from tests.emit.samples import emitting, solution
from tests.thorough import examples

TEXTS, _ = render(solution())
FEWER, _ = render(emitting(solution(), "report"))
MINE = {"train.py": "print(1)\n", "notes.txt": "", ".env": "token = hunter2\n", "plan.plan": "show 1\n"}
NAMES = [*TEXTS, *MINE, "../victim", "/etc/passwd", "a/b", "", ".", "..", "\x1b[31m", "\ud800", "x" * 300, "nul\0"]

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(NAMES)
)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
)
hashes = st.dictionaries(st.sampled_from(NAMES), scalars | st.sampled_from([digest(text) for text in MINE.values()]))


@st.composite
def documents(draw: st.DrawFn) -> Any:
    """The record of a run with some of its parts changed, most of them with a sound hash of themselves."""
    document = json.loads(TEXTS[NAME])
    for _ in range(draw(st.integers(0, 4))):
        table, keys = document, list(document)
        while keys and draw(st.booleans()):
            inner = table[draw(st.sampled_from(keys))]
            if not isinstance(inner, dict):
                break
            table, keys = inner, list(inner)
        if keys:
            table[draw(st.sampled_from(keys))] = draw(anything)
    lock = document["lock"] if isinstance(document.get("lock"), dict) else {}
    if isinstance(lock.get("files"), dict):
        lock["files"] |= draw(hashes) | {name: digest(text) for name, text in MINE.items()}
    return document


def as_text(document: Any, sound: bool) -> str:
    try:
        return sealed(document) if sound else json.dumps(document)
    except (ValueError, KeyError, TypeError, AttributeError):
        return json.dumps(document)


@settings(max_examples=examples(400, 0.03))
@given(documents(), st.booleans(), st.booleans(), st.booleans())
def test_a_forged_record(document: Any, sound: bool, force: bool, fewer: bool) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve()
        (root / "victim").write_text("")
        folder = root / "out"
        write(Folder(folder), TEXTS)
        for name, text in MINE.items():
            (folder / name).write_text(text)
        (folder / NAME).write_bytes(as_text(document, sound).encode("utf-8", "surrogatepass"))
        contents = FEWER if fewer else TEXTS
        at = Folder(folder, "out", root, None, "out", None, written())
        found = check(at, contents, solution()).problems
        done = write(at, contents, force)
        shown = render_text.render([*found, *done.problems], False) + json.dumps(
            [render_json.record(one) for one in found]
        )
        assert "hunter2" not in shown and "\x1b" not in shown
        assert {name: (folder / name).read_text() for name in MINE} == MINE and (root / "victim").exists()
        assert not {*done.removed} - {*TEXTS}
        if not done.problems:
            assert {name: (folder / name).read_text() for name in contents} == contents
