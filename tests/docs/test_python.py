"""docs/python.md: its examples run as they stand, and its tables have every option and every attribute."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path

import pytest

import llmplan

FILE = Path(__file__).parents[2] / "docs" / "python.md"
PAGE = FILE.read_text(encoding="utf-8")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FUNCTIONS = {
    "check": llmplan.Diagnostics, "solve": llmplan.Solution, "sweep": llmplan.Table, "compile": llmplan.Written,
    "explain": llmplan.Derivation, "diff": llmplan.Difference, "read": llmplan.Imported, "why": llmplan.Diagnosis,
    "calibrate": llmplan.Measured,
}  # fmt: skip


@pytest.mark.slow
def test_the_examples(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert ">>> " in PAGE
    assert doctest.testfile(str(FILE), module_relative=False, optionflags=FLAGS, encoding="utf-8").failed == 0


def test_every_option_is_in_the_table() -> None:
    rows = re.findall(r"^\| (`.*?) \|", PAGE.partition("## Options")[2].partition("## Results")[0], re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named == {
        name for function in FUNCTIONS for name in inspect.signature(getattr(llmplan, function)).parameters
    }


def test_every_record_is_in_the_table() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \| [^|]* \|$", PAGE.partition("## Results")[2], re.MULTILINE))
    assert rows.keys() == FUNCTIONS.keys()
    for function, record in FUNCTIONS.items():
        words = set(re.findall(r"`(\w+)`", rows[function]))
        public = {name for name in (*vars(record), *record.__annotations__) if not name.startswith("_")}
        assert record.__name__ in words
        assert public - {"to_dict", "rows"} <= words, function
