"""The parser's tables beside the grammar: those of this grammar, and no others are taken."""

from __future__ import annotations

import json

import pytest

from llmplan.resources import folder
from llmplan.syntax import tables

GRAMMAR = folder("grammar").joinpath("plan.lark").read_text(encoding="utf-8")
BESIDE = folder("grammar").joinpath(tables.BESIDE).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def both():
    found = tables.read(BESIDE, GRAMMAR)
    assert found is not None, "run `python -m llmplan.docs`"
    return tables.Tables(**found), tables.Tables(**tables.compute(GRAMMAR))


def test_they_are_what_lark_computes(both):
    beside, computed = both
    assert beside.kept == computed.kept and beside.words == computed.words and beside.marks == computed.marks
    assert sorted(map(repr, beside.rules)) == sorted(map(repr, computed.rules))
    assert len(beside.actions) == len(computed.actions)

    def shape(found: tables.Tables) -> list[list[tuple[str, bool, str]]]:
        """Each state by what can be done in it: rules by name, states, which are numbered by chance, as such."""
        return sorted(
            sorted((symbol, to >= 0, "" if to >= 0 else repr(found.rules[-1 - to])) for symbol, to in row.items())
            for row in found.actions
        )

    assert shape(beside) == shape(computed)


def test_those_of_another_grammar_are_not_taken():
    assert tables.read(BESIDE, GRAMMAR + "\n") is None
    assert tables.read("{}", GRAMMAR) is None
    assert tables.read("[1]", GRAMMAR) is None
    assert tables.read("", GRAMMAR) is None


def test_they_are_written_anew_only_for_another_grammar():
    assert tables.written(GRAMMAR, BESIDE) == BESIDE
    anew = tables.written(GRAMMAR, "")
    assert tables.read(anew, GRAMMAR) is not None and json.loads(anew).keys() == json.loads(BESIDE).keys()
