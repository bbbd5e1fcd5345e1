"""Texts are read as Lark reads them, in less time: the same trees, the same errors, the parser at the same place."""

from __future__ import annotations

import random

import pytest
from lark import TextSlice
from lark.exceptions import UnexpectedCharacters, UnexpectedInput

from llmplan.syntax.drive import Drive
from llmplan.syntax.grammar import TooDeep, grammar
from tests.errors.mutations import SNIPPETS, mutants
from tests.syntax.test_positions import PLANS, shape
from tests.thorough import THOROUGH


def outcome(parse, text):
    """A tree, or all that is read of an error."""
    try:
        return shape(parse(TextSlice(text, 0, len(text)), start="file"))
    except TooDeep as deep:
        return deep.place
    except UnexpectedInput as error:
        state = error.interactive_parser.parser_state
        token = None if isinstance(error, UnexpectedCharacters) else (error.token.type, str(error.token), error.token.start_pos)
        values = [value if isinstance(value, str) else shape(value) for value in state.value_stack]
        return type(error), error.pos_in_stream, token, list(state.state_stack), values


def same(text):
    own = outcome(grammar().parser.parse, text)
    assert outcome(lambda part, start: grammar().parse(part, start), text) == own, text
    return own


def test_lark_is_built_as_is_known():
    """Else reading takes twice as long without a word."""
    assert isinstance(grammar()._drive, Drive)


@pytest.mark.parametrize("plan", [pytest.param(p, marks=[pytest.mark.slow] * (at % 6 > 0), id=p.stem) for at, p in enumerate(PLANS)])
def test_plans_that_ship(plan):
    assert isinstance(same(plan.read_text(encoding="utf-8"))[0], str)


def test_texts_with_errors():
    found = [same(text) for text in (*SNIPPETS, *mutants(7, 600 if THOROUGH else 60), "", " ", "\n", "\x00", "let", "a.let = 1", "(" * 200)]
    assert sum(isinstance(one[0] if isinstance(one, tuple) else one, type) for one in found) > 10


def test_noise():
    dice = random.Random(5)
    words = ["let", "x", "=", "1", " ", "\n", "(", ")", "{", "}", '"a"', ",", "%", "GB", "\t", "$", "# c", "..", "in", "step 2", "é"]
    for _ in range(2000 if THOROUGH else 300):
        same("".join(dice.choice(words) for _ in range(dice.randrange(12))))


def test_a_part_of_a_text():
    text = 'show "{time in days}"'
    part = TextSlice(text, text.index("{") + 1, text.index("}"))
    assert shape(grammar().parse(part, "interpolation")) == shape(grammar().parser.parse(part, start="interpolation"))
