"""Decorators: what their table says holds of its own examples; how arguments are laid out and read."""

from __future__ import annotations

import pytest

from llmplan.check.annotations import _fits
from llmplan.check.decorators import PLACES, TABLE
from llmplan.source import Source
from llmplan.syntax import nodes, parse
from llmplan.syntax.format import format_file


def decorator(text: str) -> nodes.Decorator:
    file, problems = parse(Source("a.plan", f"{text}\ndimension D\n"))
    assert problems == []
    (made,) = file.statements[0].decorators
    return made


@pytest.mark.parametrize("name", TABLE)
def test_the_example_of_a_decorator_is_one(name):
    rule, made = TABLE[name], decorator(TABLE[name].example)
    assert made.name.text == name
    assert len(made.arguments) >= len(rule.takes)
    for number, argument in enumerate(made.arguments):
        sort = rule.sort(number)
        assert sort is not None and _fits(sort, argument), argument


def test_every_declaration_that_can_be_annotated_has_a_place():
    annotated = {
        cls for cls in nodes.Statement.__subclasses__() if any(f.name == "decorators" for f in cls.__attrs_attrs__)
    }
    assert annotated == set(PLACES)
    assert {place for rule in TABLE.values() for place in rule.on} <= set(PLACES.values())


def test_arguments_are_laid_out():
    text = "@lever(  1 / 2,2 , )  @unit( % )@unit(GPU * hour)\n@example(f( 1,2 ),3 GB)\ndimension D\n"
    laid = "@lever(1/2, 2) @unit(%) @unit(GPU*hour)\n@example(f(1, 2), 3 GB)\ndimension D\n"
    source = Source("a.plan", text)
    once = format_file(parse(source)[0], source)
    again = Source("a.plan", once)
    assert format_file(parse(again)[0], again) == once
    assert parse(again)[0] == parse(source)[0]
    assert once == laid


def test_a_release_names_software_in_one_word(plans):
    plan = "@release({}) replace quantity restart_time: s = 4 min\nshow restart_time"
    assert plans.codes(plan.format('deepspeed, "0.19.8"')) == []
    for wrong in ('"deepspeed", "0.19.8"', 'deep.speed, "0.19.8"', "deepspeed, 0.19", "deepspeed"):
        assert "E0310" in plans.codes(plan.format(wrong)), wrong


def test_an_example_does_not_read_its_function(plans):
    text = "@example(twice(2), 4)\nfn twice(m: Real) -> Real = 2 * m\nlet a = 1 + 2\nshow a"
    assert [one.code for one in plans.check(text)] == ["W0602"]


def test_braces_mean_nothing_in_a_text(plans):
    text = '@cite("a {b", "c {d}")\nreplace quantity restart_time: s = 4 min\nshow restart_time'
    assert plans.codes(text) == []


@pytest.mark.parametrize("text", ['phase "long" { a.b = 3 }', "let x = 1\nphase { x = 2 }"])
def test_a_word_kept_for_later_begins_no_statement(text, plans):
    assert plans.codes(f"{text}\nshow 1") == ["E0208"]
