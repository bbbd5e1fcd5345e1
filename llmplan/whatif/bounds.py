"""A requirement with another bound: `time <= 30 days` with 35 in its place, as a program and as a text.

Input is a rule that compares something with a number; output the program, or the edit of its text. Only that one
number differs.
"""

from __future__ import annotations

from attrs import evolve

from llmplan.check.comparisons import comparison
from llmplan.check.ir import Num, Sides
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.source import Source, Span
from llmplan.syntax import nodes
from llmplan.syntax.parse import parse
from llmplan.units.measure import Measure

_BEFORE = "require bound: "


def bound_of(rule: Rule) -> int | None:
    """Which side of a comparison (0 or 1) is a number, if just one is."""
    if rule.sides is None or rule.sides.operation == "ne" or not isinstance(rule.type, Measure):
        return None
    numbers = [i for i, side in enumerate((rule.sides.left, rule.sides.right)) if isinstance(side, Num)]
    return numbers[0] if len(numbers) == 1 else None


def bounded_by(program: Program, rule: Rule, at: int, value: float) -> Program:
    """The program with another number on that side of a rule."""
    assert rule.sides is not None
    before = rule.sides
    sides = (
        Sides(before.operation, Num(value), before.right)
        if at == 0
        else Sides(before.operation, before.left, Num(value))
    )
    changed = evolve(rule, sides=sides, condition=comparison(sides.operation, sides.left, sides.right))
    return evolve(program, rules=[changed if one is rule else one for one in program.rules])


def place_of(program: Program, rule: Rule, at: int) -> Span | None:
    """Where the bound of a requirement is written; None if it is not a number there."""
    whole = program.scope.span(rule.place)
    file, problems = parse(Source(whole.source.name, f"{_BEFORE}{whole.text}\n"))
    if problems or len(file.statements) != 1 or not isinstance(file.statements[0], nodes.Require):
        return None
    node = _inside(file.statements[0].condition)
    if not isinstance(node, nodes.Compare) or len(node.rest) != 1:
        return None
    side = _inside((node.first, node.rest[0][1])[at])
    number = side.operand if isinstance(side, nodes.Negative) else side
    if not isinstance(_inside(number), nodes.Number):
        return None
    start = whole.start - len(_BEFORE)
    return Span(whole.source, start + side.span.start, start + side.span.end)


def _inside(node: nodes.Expr) -> nodes.Expr:
    while isinstance(node, nodes.Paren):
        node = node.inner
    return node
