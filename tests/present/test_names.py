"""The names of the library that Python knows: one that was renamed would leave out a sentence without a word."""

from __future__ import annotations

from types import SimpleNamespace

from llmplan.check import library
from llmplan.emit.targets import load
from llmplan.present import names


def unknown(module: object) -> set[str]:
    """Names that the library does not have."""
    scope = library.load()[0]
    listed = {value for name, value in vars(module).items() if name.isupper() and isinstance(value, str)}
    members = {member for enum in scope.enums.values() for member in enum.members}
    rules = {rule.name for rule in scope.rules.values()}
    return listed - {*scope.quantities, *scope.fields, *scope.kinds, *members, *rules, *load()[0]}


def test_every_name_is_one_of_the_library() -> None:
    assert unknown(names) == set()
    assert unknown(SimpleNamespace(MEMORY="memory.totl", TIME="time", FITS="fits")) == {"memory.totl"}


def test_kinds_and_dimensions_too() -> None:
    scope = library.load()[0]
    assert {*names.LAYOUT_KINDS} <= {*scope.kinds}
    assert {name for name, _ in names.MONEY} <= {*scope.dimensions}
