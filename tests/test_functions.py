"""Functions of the package are short enough to be read at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import llmplan

PACKAGE = Path(llmplan.__file__).parent
MOST = 80


def lengths(text: str) -> Iterator[tuple[str, int]]:
    """Each function, a nested one too, with its lines from `def` to its end."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def test_no_function_is_long() -> None:
    long = [
        f"{path.relative_to(PACKAGE).as_posix()}: {name} has {lines} lines"
        for path in sorted(PACKAGE.rglob("*.py"))
        for name, lines in lengths(path.read_text(encoding="utf-8"))
        if lines > MOST
    ]
    assert long == [], f"split what is over {MOST} lines"


def test_a_long_function_is_seen() -> None:
    text = "class A:\n    def long(self):\n" + "        pass\n" * MOST
    assert list(lengths(text)) == [("long", MOST + 1)]
