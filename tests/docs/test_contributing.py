"""What CONTRIBUTING, README and the changelog say of the project is so."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import llmplan
from llmplan.answer.schema import advice, requirements, solution, tables, values
from llmplan.check import ir, library
from llmplan.check import program as checked
from llmplan.diagnostics import pages
from llmplan.syntax import nodes
from llmplan.system import system

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_picture_shows_every_package() -> None:
    picture = re.findall(r"^```\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0]
    package = Path(llmplan.__file__).parent
    rooms = [f"{folder.name}/" for folder in package.iterdir() if (folder / "__init__.py").exists()]
    modules = [file.name for file in package.glob("*.py") if not file.name.startswith("__")]
    assert [name for name in (*rooms, *modules) if name not in picture] == []
    shown = set(re.findall(r"(?<![/\w])([a-z]+/)(?!\w|\w*\.)", picture)) - {"grammar/", "templates/"}
    assert shown == set(rooms)


def test_the_free_codes_are_the_next_of_each_hundred() -> None:
    last: dict[str, int] = {}
    for code in pages.codes():
        last[code[:3]] = max(last.get(code[:3], 0), int(code[3:]))
    (said,) = re.findall(r"^A diagnostic's code is never reused\..*?\n\n", PAGE, re.MULTILINE | re.DOTALL)
    assert re.findall(r"`([EW]\d{4})`", said) == [f"{block}{number + 1:02}" for block, number in sorted(last.items())]


def test_the_words_of_the_glossary_are_classes() -> None:
    answers = {
        name: record for part in (advice, requirements, solution, tables, values) for name, record in vars(part).items()
    }
    stages = (nodes, checked, system, SimpleNamespace(**{**answers, "__name__": "answer"}))
    for row in re.findall(r"^\| [a-z].*\|$", PAGE.partition("## One idea")[2].partition("## ")[0], re.MULTILINE):
        for cell, stage in zip(row.split(" | ")[2:], stages):
            for word in re.findall(r"`([A-Z]\w+)`", cell):
                assert hasattr(stage, word) or word in ("Span", "Place"), (word, stage.__name__)
    assert hasattr(ir, "Expr") and hasattr(nodes, "Expr")


def test_the_catalog_is_as_large_as_it_is_said() -> None:
    entries = library.load()[0].entries
    counts = {"models": len(entries["model"]), "accelerators": len(entries["gpu"])}
    for file in ("README.md", "CHANGELOG.md"):
        text = " ".join((ROOT / file).read_text(encoding="utf-8").split())
        said = re.findall(r"\b(\d+) (models|accelerators)\b", text)
        assert said, file
        assert [(number, what) for number, what in said if int(number) != counts[what]] == [], file
