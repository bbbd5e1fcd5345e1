"""A report and screens in Chinese: no English sentence remains, units are Chinese, code stays."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from llmplan import api
from llmplan.emit.render import render
from llmplan.present import screen
from llmplan.present.columns import table, wide, wrapped
from llmplan.present.context import Context
from llmplan.present.words import ask_for, words_of
from llmplan.present.words.zh.units import localized
from tests.present.answers import PLANS

ROOT = Path(__file__).parents[2]
ENGLISH = re.compile(r"(?:\b[a-z]{2,} ){2,}[a-z]{2,}\b")
"""Three English words in a row."""


def bare(text: str) -> str:
    """A text without code, links, and what authors and the library wrote: sources, notes, reasons."""
    lines = [line for line in text.splitlines() if not re.search(r"W0\d\d\d|^<!--|^#", line)]
    return re.sub(r"`[^`]*`|“[^”]*”|\(\w+\.svg\)|\*\*", "", "\n".join(lines))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PLANS))
def test_no_english_sentence_remains(name: str) -> None:
    text = re.sub(r"(?m)^prefer quick.*\n|^waive .*\n", "", PLANS[name])
    solution = api.solve(f"{name}.plan", text=f"{text}emit report {{ language = zh }}\n", tables=True)
    files, problems = render(solution)
    assert not problems and solution.status in ("solved", "infeasible")
    assert ENGLISH.findall(bare(files["report.md"])) == []
    shown = screen.render(Context(solution, words_of("zh")), 100)
    assert ENGLISH.findall(bare(shown)) == []
    pictures = [
        re.sub(r"(?s)<defs>.*?</defs>|<[^>]*>", "", text) for file, text in files.items() if file.endswith(".svg")
    ]
    assert [ENGLISH.findall(text) for text in pictures if ENGLISH.search(text)] == []
    assert any("\u4e00" <= char <= "\u9fff" for char in files["report.md"])


def conditions(text: str) -> list[str]:
    """The statements of a template, and the variables that its sentences name."""
    return re.findall(r"{%[^%]*%}", text) + sorted(set(re.findall(r"LLMPLAN_[A-Z0-9_]+", text)))


def test_what_a_script_must_do_is_said_in_chinese_under_the_same_conditions() -> None:
    english = sorted((ROOT / "templates").glob("*/script.j2"))
    assert len(english) >= 5
    for file in english:
        chinese = file.with_name("script.zh.j2").read_text(encoding="utf-8")
        assert conditions(chinese) == conditions(file.read_text(encoding="utf-8")), file
        assert ENGLISH.findall(bare(re.sub(r"{[%{#].*?[%}#]}", "", chinese))) == []


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("29.1 days", "29.1 天"),
        ("128 GPUs", "128 张 GPU"),
        ("57,800 – 79,700 GPU-hours", "57,800 – 79,700 GPU·小时"),
        ("4M tokens", "4M token"),
        ("−10,100 USD", "−10,100 美元"),
        ("4.13 × 10²² FLOP", "4.13 × 10²² FLOP"),
        ("25 GB/s/GPU", "25 GB/s/GPU"),
        ("driver 550 days2", "driver 550 days2"),
        ("30 days的期限", "30 天的期限"),
        ("days", "天"),
    ],
)
def test_units(english: str, chinese: str) -> None:
    assert localized(english) == chinese


def test_columns_are_as_wide_as_what_stands_in_them() -> None:
    rows = [("显存", "59.2 GB", "激活"), ("memory", "7 s", "compute")]
    lines = table(rows, 60).splitlines()
    assert [wide(line[: line.index(last)]) for line, (*_, last) in zip(lines, rows)] == [19, 19]
    text = "按计划进行，若每一步都按计划进行则为二十天，" * 4
    lines = wrapped(text, 30)
    assert "".join(lines) == text and all(wide(line) <= 32 and line[0] not in "，。" for line in lines)


def test_the_language_of_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    try:
        for locale, word in (("zh_CN.UTF-8", "最优"), ("de_DE.UTF-8", "best"), ("C", "best")):
            monkeypatch.setenv("LANG", locale)
            ask_for("auto")
            assert words_of().best == word
    finally:
        ask_for("en")
