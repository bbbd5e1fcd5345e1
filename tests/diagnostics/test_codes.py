"""A code stands for one mistake: who takes one that is taken, or that a page teaches, is told."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

from llmplan import diagnostics

MODULES = Path(diagnostics.__file__).parent
ROOT = Path(__file__).parents[2]

SEVERAL = {
    "E0101": {"syntax": 3},
    "E0106": {"syntax": 6},
    "E0108": {"syntax": 7},
    "E0109": {"syntax": 13},
    "E0110": {"syntax": 4},
    "E0111": {"syntax": 2},
    "E0201": {"names": 11},
    "E0202": {"names": 4},
    "E0203": {"names": 5},
    "E0205": {"syntax": 1, "units": 1},
    "E0206": {"entries": 1, "names": 2},
    "E0207": {"entries": 1, "names": 3},
    "E0209": {"config": 7},
    "E0301": {"units": 2},
    "E0302": {"units": 2},
    "E0303": {"units": 9},
    "E0304": {"units": 2},
    "E0305": {"system": 3, "units": 4},
    "E0310": {"decorators": 6},
    "E0401": {"imports": 6, "solving": 1, "system": 3},
    "E0403": {"solving": 1, "system": 1},
    "E0404": {"solving": 1, "system": 2},
    "E0407": {"system": 2},
    "E0501": {"files": 2},
    "E0503": {"files": 3},
    "E0505": {"files": 3},
    "E0506": {"files": 3},
    "E0510": {"imports": 2},
    "E0512": {"imports": 5},
    "E0513": {"imports": 2},
    "E0515": {"logs": 3},
    "E0518": {"logs": 2},
    "W0602": {"lint": 2},
    "W0606": {"system": 2, "imports": 1},
    "W0608": {"system": 2},
    "W0621": {"names": 2},
}
"""Codes whose page covers several forms of one mistake, with the number of their constructors by module."""


def constructors(texts: dict[str, str]) -> dict[str, dict[str, int]]:
    """By code the modules whose functions make a diagnostic of it, and how many do."""
    made: dict[str, Counter[str]] = {}
    for module, text in texts.items():
        for function in ast.parse(text).body:
            codes = {node.value for node in ast.walk(function) if isinstance(node, ast.Constant)}
            if isinstance(function, ast.FunctionDef):
                for code in (c for c in codes if isinstance(c, str) and re.fullmatch(r"[EW]\d{4}", c)):
                    made.setdefault(code, Counter())[module] += 1
    return {code: dict(modules) for code, modules in made.items()}


def texts() -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in MODULES.glob("*.py")}


def several(texts: dict[str, str]) -> dict[str, dict[str, int]]:
    return {code: modules for code, modules in constructors(texts).items() if sum(modules.values()) > 1}


def free_codes() -> set[str]:
    """The codes that CONTRIBUTING offers."""
    page = " ".join((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
    said = re.search(r"The next free codes are ([^.]*)\.", page)
    assert said is not None
    return set(re.findall(r"[EW]\d{4}", said[1]))


def test_a_code_has_one_constructor():
    assert several(texts()) == SEVERAL


def test_a_taken_code_would_be_seen():
    changed = texts()
    changed["lint"] += '\ndef empty(span: Span) -> Diagnostic:\n    return warning("W0618", "empty", span)\n'
    assert set(several(changed)) - set(SEVERAL) == {"W0618"}


def test_a_free_code_is_free():
    assert free_codes() & set(constructors(texts())) == set()


def test_the_code_that_is_taught_is_free():
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    section = page[page.index("## A diagnostic") :].split("\n### ", 1)[0]
    taught = set(re.findall(r"\b[EW]\d{4}\b", section))
    assert taught and taught <= free_codes()
