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


def test_the_callbacks_are_replaced(own):
    """Else a newer Lark is built otherwise, and reading takes twice as long without a word."""

    def kinds(of: Grammar) -> set[type]:
        return {type(callback) for callback in of.parser.parser.parser.parser.callbacks.values()}

    assert positions.PropagatePositions in kinds(own) and positions.PropagatePositions not in kinds(grammar.grammar())
