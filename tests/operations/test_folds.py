"""A fold is one record: what is added there is known to the checker, to lowering and to the reference."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from generator import latex

import llmplan
from llmplan.operations.folds import FOLDS, Fold
from llmplan.source import Source
from llmplan.syntax.parse import parse_value

PACKAGE = Path(llmplan.__file__).parent
ENUM = "enum E { a, b, c }\nquantity q[e: E]: Real = match e { a => 2, b => 3, c => 4 }\n"


@pytest.mark.parametrize(("name", "value"), [("sum", 9), ("max", 4), ("min", 2), ("argmax", 2), ("argmin", 0)])
def test_a_fold_has_a_value(plans, name, value):
    assert plans.value(f"{name}(q[e] for e in E)", ENUM) == value


def test_a_further_fold_is_known_everywhere(plans, monkeypatch):
    product = Fold("product", "nothing", "mul", 1.0, r"\prod", encloses=True)
    monkeypatch.setitem(FOLDS, "product", product)
    assert plans.value("product(q[e] for e in E)", ENUM) == 24
    node = parse_value(Source("a", "product(q[e] for e in E)"))[0]
    assert node is not None and latex.expression(node).startswith(r"\prod_{")


def test_what_is_no_fold_is_undefined(plans):
    assert plans.codes(ENUM + "show mean(q[e] for e in E)") == ["E0201"]


def test_no_other_room_lists_folds():
    for path in PACKAGE.rglob("*.py"):
        if path.name != "folds.py":
            assert re.findall(r'"arg(?:max|min)"', path.read_text(encoding="utf-8")) == [], path


def test_empty_values():
    assert FOLDS["sum"].empty == 0.0 and all(math.isnan(FOLDS[name].empty) for name in ("max", "min", "argmax"))
