"""Trees have the places that Lark itself gives them."""

from __future__ import annotations

from pathlib import Path

import lark
import pytest

from llmplan.syntax import grammar, positions
from llmplan.syntax.grammar import Grammar

ROOT = Path(__file__).parents[2]
PLANS = sorted([*ROOT.glob("plans/std/*.plan"), *ROOT.glob("plans/configs/*.plan")])


@pytest.fixture(scope="module")
def own() -> Grammar:
    """The grammar as Lark loads it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grammar, "lighten", lambda parser: None)
        return Grammar(grammar.analyse((ROOT / "grammar" / "plan.lark").read_text(encoding="utf-8")))


def shape(tree: lark.Tree) -> tuple[object, ...]:
    """A tree with the places of every branch and word."""
    place = None if tree.meta.empty else (tree.meta.start_pos, tree.meta.end_pos)
    parts = [
        shape(part) if isinstance(part, lark.Tree) else (part, getattr(part, "start_pos", None))
        for part in tree.children
    ]
    return tree.data, place, tuple(parts)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.stem)
def test_places(own, plan):
    text = plan.read_text(encoding="utf-8")
    assert shape(grammar.grammar().parser.parse(text, start="file")) == shape(own.parser.parse(text, start="file"))


def made(**options: object) -> lark.Lark:
    text = (ROOT / "grammar" / "plan.lark").read_text(encoding="utf-8")
    return lark.Lark(text, parser="lalr", start=["file"], propagate_positions=True, **options)


def test_the_callbacks_are_replaced():
    """Else a newer Lark is built otherwise, and reading takes a quarter longer without a word."""
    parser = made()
    assert positions.lighten(parser) is True
    assert positions.lighten(parser) is False  # none is left


def test_the_grammar_is_lightened(monkeypatch):
    told = []
    monkeypatch.setattr(grammar, "lighten", lambda parser: told.append(positions.lighten(parser)))
    assert Grammar(grammar.analyse((ROOT / "grammar" / "plan.lark").read_text(encoding="utf-8"))).tolerant is not None
    assert told == [True, True]


def test_another_parser_stays_as_it_is(monkeypatch):
    monkeypatch.setattr(positions, "_TABLE", ("parser", "parser", "moved", "callbacks"))
    parser = made()
    before = parser.parse("a = 1", start="file")
    assert positions.lighten(parser) is False and parser.parse("a = 1", start="file") == before
