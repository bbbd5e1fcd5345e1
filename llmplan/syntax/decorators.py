"""The arguments of decorators as plain data.

Input: decorators as they appear in a tree. Output: texts and numbers. `check.decorators` checks the sort of each
argument; the data of a wrong one is never used.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from llmplan.syntax import nodes

Argument = nodes.Expr | nodes.Unit


def written(argument: Argument) -> str:
    """A text without its quotes, a dotted name, a unit without spaces; anything else as written."""
    if isinstance(argument, nodes.Text):
        return argument.plain or ""
    if isinstance(argument, nodes.Name):
        return argument.text
    return " ".join(argument.span.text.split())


def said(decorators: Sequence[nodes.Decorator], name: str) -> list[list[str]]:
    """The arguments of each decorator with a name."""
    return [[written(argument) for argument in d.arguments] for d in decorators if d.name.text == name]


def arguments(decorators: Sequence[nodes.Decorator], name: str) -> list[Argument]:
    """The arguments of all decorators with a name."""
    return [argument for d in decorators if d.name.text == name for argument in d.arguments]


def number(argument: Argument) -> Fraction | None:
    """The value of a plain number or of a quotient of two: `2`, `0.5`, `1/2`; None for anything else."""
    match argument:
        case nodes.Number(unit=None):
            return argument.value
        case nodes.Product(first=nodes.Number(unit=None), rest=(("/", nodes.Number(unit=None) as under),)):
            assert isinstance(argument.first, nodes.Number)
            return argument.first.value / under.value if under.value else None
    return None


def unit(argument: Argument) -> str:
    """A unit used as an argument, without the spaces that an expression may have: `%`, `GPU*hour`."""
    return "".join(argument.span.text.split())
