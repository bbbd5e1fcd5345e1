"""What SECURITY.md promises is shown by tests that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_each_promise_names_a_test_that_exists() -> None:
    rows = [row for row in re.findall(r"(?m)^\| (.*) \|$", PAGE) if not row.startswith("promise")]
    assert len(rows) >= 10
    assert [row for row in rows if "::" not in row.rpartition(" | ")[2]] == []


def test_the_named_tests_exist() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)
    assert len(named) == PAGE.count("::") > 20
    missing = []
    for file, test in named:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        if test not in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}:
            missing.append(f"{file}::{test}")
    assert missing == []
