"""Languages: a sentence that a second one lacks is told, and no sentence stands outside of the words."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from llmplan.answer.derivation import everything
from llmplan.answer.schema.solution import Solution
from llmplan.cli import inputs
from llmplan.present import aligned, derivation, markdown, screen
from llmplan.present.blocks import line
from llmplan.present.context import Context
from llmplan.present.pictures import CHARTS, Picture
from llmplan.present.sections import SECTIONS
from llmplan.present.words import AUTO, LANGUAGES, USUAL, lacking, sentences, words_of
from llmplan.present.words.en import Words
from tests.present.answers import PLANS, solved
from tests.present.plans import QUICK
from tests.present.plans import solved as drawn

MARK = "¤"


def marked(value: Any) -> Any:
    """A function that says nothing but a mark, of the type that the words have."""
    if not callable(value):
        return MARK if isinstance(value, str) else line(MARK)
    text = inspect.signature(value, eval_str=False).return_annotation == "str"
    return lambda self, *_, **__: MARK if text else line(MARK)


def second(*without: str) -> type[Words]:
    """A language that has every sentence but some."""
    return type("Second", (Words,), {name: marked(getattr(Words, name)) for name in sentences(Words) - {*without}})


def test_every_language_has_every_sentence() -> None:
    assert USUAL in LANGUAGES
    others = {name: type(words_of(name)) for name in LANGUAGES if name != USUAL}
    assert {name: lacking(words) for name, words in others.items() if lacking(words)} == {}
    assert (*LANGUAGES, AUTO) == inputs.LANGUAGES


def test_a_sentence_that_a_language_lacks_is_told() -> None:
    assert lacking(second()) == set()
    assert lacking(second("fits", "best")) == {"fits", "best"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name != "alone" else name for name in PLANS]
)
def test_no_sentence_stands_outside_of_the_words(name: str) -> None:
    """In a language that says nothing, what is left are names, values and texts of the plan and the library."""
    answer = solved(name)
    context = Context(answer, second()(), frozenset({"launch"}), frozenset(f"{chart.name}.svg" for chart in CHARTS))
    said = screen.render(context, 100)
    for section, make in SECTIONS.items():
        said += markdown.markdown(make(context), markdown.SHOWN.get(section, ()))
    said += derivation.text(everything(answer), context.words)
    said += "".join(aligned.text(table, 100, context.words) for table in (answer.sweep, answer.scenarios) if table)
    said = re.sub(r"\(\w+\.svg\)", "", said)
    known = {*re.findall(r"[a-z]+", repr(answer).replace(r"\n", " ").lower())}
    units = {"s", "ms", "us", "min", "hours", "days", "bytes", "flop"}
    units |= {f"{prefix}{unit}" for prefix in "kmgtp" for unit in ("b", "flop")}
    assert {word for word in re.findall(r"[a-z]+", said.lower()) if word not in known | units} == set()


def twice(classes: Sequence[type]) -> set[str]:
    """The names that several of these classes have, of which one alone would be said."""
    names = [name for each in classes for name in vars(each) if not name.startswith("_")]
    return {name for name in names if names.count(name) > 1}


def test_no_sentence_hides_another_one() -> None:
    classes = [each for each in Words.__mro__ if each is not object]
    assert twice(classes) == set()
    assert twice([*classes, type("Planted", (), {"fits": "fits"})]) == {"fits"}


def test_the_words_of_pictures_are_among_those_of_a_language() -> None:
    assert {"curve_alt", "memory_title", "step_foot"} <= lacking(Words)


SHOWING = {
    "pareto": (solved, "front"),
    "sweep": (drawn, "ranges"),
    "stages": (drawn, "405b"),
    "layout": (drawn, "405b"),
}


def answered(solve: Callable[[str], Solution], name: str) -> Solution:
    return solve(name)


@pytest.mark.parametrize(
    "chart",
    [pytest.param(chart, marks=pytest.mark.slow if chart.name in SHOWING else ()) for chart in CHARTS],
    ids=lambda chart: chart.name,
)
def test_a_picture_is_told_in_the_words_that_are_given(chart: Picture) -> None:
    answer = answered(*SHOWING[chart.name]) if chart.name in SHOWING else drawn(QUICK)
    usual, other = chart.chart(Context(answer, Words())), chart.chart(Context(answer, second()()))
    assert usual is not None and other is not None and MARK not in usual.alt and other.alt == MARK


def test_every_sentence_is_used() -> None:
    """A function of the words that no section calls would be translated for nobody."""

    import llmplan.present as package

    folder = Path(package.__file__).parent
    cli = folder.parent / "cli"
    files = [*folder.rglob("*.py"), *cli.glob("*.py")]
    texts = "\n".join(path.read_text(encoding="utf-8") for path in files)
    called = set(re.findall(r"(?:self\.words|words|self|words_of\(\))\.([a-z_]+)", texts))
    assert sentences(Words) - called == set()
