"""Values of the graph as people and JSON see them: members and entries by name, numbers in a readable unit."""

from __future__ import annotations

import math
import re

from llmplan.check.scope import Scope
from llmplan.units.amount import Amount, Unit
from llmplan.units.measure import BoolType, EnumType, KindType, Measure, Scalar, Type


def amount(value: float, type: Type, scope: Scope, unit: str, exact_unit: bool = False) -> Amount:
    """A value of the graph as an amount that can be written.

    Args:
        value: In base units; for a member or an entry its index.
        unit: The unit of its declaration or author; with `exact_unit` no other unit is used.
    """
    if isinstance(type, Measure):
        number = scalar(value, type, scope) if math.isfinite(value) and value == math.floor(value) else value
        return Amount(number, type, Unit.of(unit, type, scope.units, exact_unit))
    return Amount(scalar(value, type, scope))


def show(value: float, type: Type, scope: Scope, unit: str, exact_unit: bool = False) -> str:
    """The text of a value in base units, as `Amount.exact` writes it."""
    return amount(value, type, scope, unit, exact_unit).exact()


def scalar(value: float, type: Type, scope: Scope) -> Scalar:
    """A value of the graph as JSON has it: members and entries by name, whole numbers as integers."""
    if not math.isfinite(value):
        return None
    if isinstance(type, EnumType):
        return type.members[int(value)]
    if isinstance(type, BoolType):
        return value == 1.0
    if isinstance(type, KindType):
        return sorted(scope.entries.get(type.name, {}))[int(value)]
    assert isinstance(type, Measure)
    if type.whole or (value == math.floor(value) and abs(value) < 2**53 and type.plain):
        return round(value)
    return value


TURNED = {"le": "ge", "lt": "gt", "ge": "le", "gt": "lt"}
"""Comparisons by size with their sides swapped."""


_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|#[^\n]*')
_CONTINUES = re.compile(r"[-+*/^<>=.,})\]]|!=|(?:in|and|or|then|else|when|because)\b")


def one_line(text: str) -> str:
    """An expression as written, on one line: comments dropped, line breaks inside braces as commas."""
    lines = [line.strip() for line in _COMMENT.sub(lambda m: m.group(1) or "", text).splitlines()]
    out = ""
    depth = 0
    for line in filter(None, lines):
        if out:
            ends = depth > 0 and not out.endswith(("{", ",", "(", "[")) and not _CONTINUES.match(line)
            out += ", " if ends else " "
        out += " ".join(line.split())
        depth += line.count("{") - line.count("}")
    return out
