"""Both highlighters know the words of the grammar and the library: no more, no fewer."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

from llmplan.check import library
from llmplan.check.calls import BUILTINS
from llmplan.operations.folds import FOLDS
from llmplan.resources import folder
from llmplan.syntax.grammar import CONTEXTUAL, LATER

ROOT = Path(__file__).parents[2]
VSCODE = ROOT / "editors" / "vscode" / "llmplan"
GRAMMAR = json.loads((VSCODE / "syntaxes" / "llmplan.tmLanguage.json").read_text(encoding="utf-8"))


def words_of_the_grammar() -> set[str]:
    """Every word that stands quoted in a rule, that a terminal finds in its place, or that is kept for later."""
    text = re.sub(r"//.*", "", folder("grammar").joinpath("plan.lark").read_text(encoding="utf-8"))
    quoted = set(re.findall(r'"([a-z]+)"', text))
    in_place = set(re.findall(r"^[A-Z]+\.3: /([a-z]+)", text, re.MULTILINE))
    return quoted | in_place | set(LATER)


@pytest.fixture(scope="module")
def wanted() -> dict[str, set[str]]:
    scope, problems = library.build(library.library_files())
    assert not problems
    words = words_of_the_grammar()
    return {
        "keywords": words - CONTEXTUAL - {"true", "false"},
        "contextual": words & CONTEXTUAL,
        "constants": {"true", "false"},
        "functions": {*BUILTINS, *FOLDS, "powers", "divisors"},
        "types": {"Int", "Real", "Bool", "Text"},
        "units": set(scope.units.words),
    }


def alternatives(pattern: str, having: str) -> set[str]:
    """The words of the group in a pattern that has a certain one."""
    groups = [set(group.split("|")) for group in re.findall(r"\(\?:([A-Za-z0-9_|]+)\)", pattern)]
    return next(group for group in groups if having in group)


@pytest.mark.parametrize(
    ("group", "name", "having"),
    [
        ("keywords", "keywords", "require"),
        ("contextual", "contextual", "step"),
        ("constants", "constants", "true"),
        ("functions", "functions", "min"),
        ("types", "types", "Int"),
        ("units", "quantities", "byte"),
        ("units", "conversions", "byte"),
    ],
)
def test_textmate(wanted, group, name, having):
    assert alternatives(GRAMMAR["repository"][name]["match"], having) == wanted[group]


@pytest.mark.parametrize("group", ["keywords", "contextual", "constants", "functions", "types", "units"])
def test_pygments(wanted, group):
    assert set(getattr(lexer_module(), group.upper())) == wanted[group]


def lexer_module():
    pytest.importorskip("pygments", reason="Pygments is not installed")
    place = ROOT / "editors" / "pygments" / "llmplan_lexer.py"
    spec = importlib.util.spec_from_file_location("llmplan_lexer", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_extension_names_files_that_are_there():
    package = json.loads((VSCODE / "package.json").read_text(encoding="utf-8"))
    (language,) = package["contributes"]["languages"]
    (grammar,) = package["contributes"]["grammars"]
    assert grammar["scopeName"] == GRAMMAR["scopeName"] and grammar["language"] == language["id"]
    assert language["extensions"] == [".plan"]
    json.loads((VSCODE / language["configuration"]).read_text(encoding="utf-8"))
    assert (VSCODE / grammar["path"]).is_file()


def test_everything_that_is_included_is_there():
    text = json.dumps(GRAMMAR)
    included = set(re.findall(r'"#(\w+)"', text))
    assert included == set(GRAMMAR["repository"])
