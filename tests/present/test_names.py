"""The names of the library that Python knows: one that was renamed would leave out a picture without a word."""

from __future__ import annotations

from types import SimpleNamespace

from llmplan.check import library
from llmplan.present import names


def unknown(module: object) -> set[str]:
    """Names that the library does not have."""
    scope = library.load()[0]
    listed = {value for name, value in vars(module).items() if name.isupper() and isinstance(value, str)}
    return listed - {*scope.quantities, *scope.fields, *(rule.name for rule in scope.rules.values())}


def test_every_name_is_one_of_the_library() -> None:
    assert unknown(names) == set()
    assert unknown(SimpleNamespace(MEMORY="memory.totl", TIME="time", FITS="fits")) == {"memory.totl"}
