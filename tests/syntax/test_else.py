"""`else` of a requirement: where it stands, how it is laid out, and what a misplaced clause is told."""

from __future__ import annotations

import pytest

from llmplan.load.digest import digest
from llmplan.load.modules import load
from llmplan.source import Source
from llmplan.syntax import nodes
from llmplan.syntax.format import format_file
from llmplan.syntax.parse import parse


def read(text: str) -> tuple[nodes.Statement, ...]:
    tree, problems = parse(Source("a.plan", text))
    assert problems == []
    return tree.statements


def test_both_kinds_of_rule_have_one():
    require, prefer = read(
        'require a: 1 <= x when given(y) because "why" else "{x} is more"\nprefer 1 <= x else "so" weight 2\n'
    )
    assert isinstance(require, nodes.Require) and isinstance(prefer, nodes.Prefer)
    assert require.because is not None and require.because.plain == "why"
    assert require.otherwise is not None and isinstance(require.otherwise.parts[0], nodes.Interpolation)
    assert prefer.otherwise is not None and prefer.otherwise.plain == "so" and prefer.weight is not None


def test_a_choice_keeps_its_own():
    (rule,) = read('require if a then b else c\n    else "text"\n')
    assert isinstance(rule, nodes.Require) and isinstance(rule.condition, nodes.If)
    assert rule.otherwise is not None and rule.otherwise.plain == "text"


@pytest.mark.parametrize(
    ("text", "laid_out"),
    [
        (
            'require a: x <= 1\n  when  given(x)\n because "y"\n  else   "z"\n',
            'require a: x <= 1\n    when given(x)\n    because "y"\n    else "z"\n',
        ),
        ('prefer a:x<=1 else "z"  weight 2\n', 'prefer a: x <= 1 else "z" weight 2\n'),
        (
            'require a: x <= (if given(y)\nthen 1\nelse 2)\nelse "z"\n',
            'require a: x <= (if given(y)\n    then 1\n    else 2)\n    else "z"\n',
        ),
    ],
)
def test_layout(text: str, laid_out: str):
    source = Source("a.plan", text)
    once = format_file(parse(source)[0], source)
    assert once == laid_out
    again = Source("a.plan", once)
    assert format_file(parse(again)[0], again) == once


@pytest.mark.parametrize(
    ("text", "code", "at", "message"),
    [
        ('require a: 1 <= 2 else "x" because "y"', "E0109", "because", "`because` after `else`"),
        ('require a: 1 <= 2 because "x" when true', "E0109", "when", "`when` after `because`"),
        ('prefer a: 1 <= 2 weight 2 else "x"', "E0109", "else", "`else` after `weight`"),
        ('require a: 1 <= 2 else "x" else "y"', "E0109", "else", "second `else`"),
        ("require a: 1 <= 2 else", "E0101", "else", "after `else`"),
        ('require a: 1 <= 2 because "x" else 3', "E0109", "3", "`3`"),
    ],
)
def test_mistakes(text: str, code: str, at: str, message: str):
    (found,) = parse(Source("a.plan", text + "\nlet b = 2\n"))[1]
    assert found.code == code and found.span is not None and found.span.text == at
    assert message in found.message


def test_a_plan_without_one_keeps_the_hash_that_it_had_before_there_was_one():
    known = "0557c6c06987a16d5c9460fcaa4268603a7f378987cdc699dab6cf97b0457ef2"
    plan = 'require a: 1 <= 2 because "x"\nprefer b: 1 <= 2 weight 2\n'
    assert digest(load("-", plan)[0]) == known
    assert digest(load("-", plan.replace('"x"', '"x" else "y"'))[0]) != known
