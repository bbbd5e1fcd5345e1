"""The comparison in a requirement, and the requirements that fail at a point.

Input: a rule. Output: its sides, or those of the event whose chance it asks for, with the measure and unit of both;
None for a rule that does not compare two numbers. Input: a lowering at a point. Output: the names that fail there, and
for one requirement the author's text or its sides with their values.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

from attrs import frozen

from llmplan.check.ir import Chance, Expr, Ref, Sides
from llmplan.check.program import Rule
from llmplan.check.scope import Scope
from llmplan.source import Source, Span
from llmplan.syntax import nodes
from llmplan.syntax.parse import parse
from llmplan.system.display import amount, one_line
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.system.text import whole_text
from llmplan.units.amount import Amount
from llmplan.units.measure import Measure

_BEFORE = "require comparison: "


@frozen
class Comparison:
    """A comparison of two numbers.

    Attributes:
        place: Where the rule is written.
        asked: The required chance, None if the comparison itself is required.
    """

    sides: Sides
    type: Measure
    unit: str
    place: Span
    asked: Expr | None

    def text(self, side: Expr) -> str:
        """A side as its name, or as written; the whole text if the comparison has more than two sides."""
        if isinstance(side, Ref):
            return side.name
        written = sides_at(self.place, event=self.asked is not None)
        return one_line((self.place if written is None else written[side is self.sides.right]).text)


def comparison_of(rule: Rule, scope: Scope, operations: Collection[str]) -> Comparison | None:
    """The comparison in a rule, if its operation is one of `operations`."""
    sides, type, unit, asked = rule.sides, rule.type, rule.unit, None
    if sides is None:
        return None
    chance = next((side for side in (sides.left, sides.right) if isinstance(side, Chance)), None)
    if chance is not None:
        if len(chance.of) != 1:
            return None
        asked = sides.right if chance is sides.left else sides.left
        sides = chance.of[0]
        type, unit = _measure(sides, scope)
    if sides.operation not in operations or not isinstance(type, Measure):
        return None
    return Comparison(sides, type, unit, scope.span(rule.place), asked)


def _measure(sides: Sides, scope: Scope) -> tuple[Measure | None, str]:
    """The measure and unit of an event's sides, taken from a side that is a name."""
    for side in (sides.left, sides.right):
        meaning = scope.lookup(side.name) if isinstance(side, Ref) else None
        if meaning is not None and isinstance(meaning.type, Measure):
            return meaning.type, meaning.unit
    return None, ""


def sides_at(place: Span, event: bool = False) -> tuple[Span, Span] | None:
    """Where the two sides of a single comparison are written, without parentheses around them; None for anything else.

    Args:
        event: True for the sides of the comparison whose chance is asked for.
    """
    file, problems = parse(Source(place.source.name, f"{_BEFORE}{place.text}\n"))
    statement = file.statements[0] if len(file.statements) == 1 else None
    if problems or not isinstance(statement, nodes.Require):
        return None
    compared = _inside(statement.condition)
    if event and isinstance(compared, nodes.Compare):
        sides = (_inside(compared.first), _inside(compared.rest[0][1]))
        chances = [side for side in sides if isinstance(side, nodes.Call) and side.function.text == "chance"]
        compared = _inside(chances[0].arguments[0]) if chances else compared
    if not isinstance(compared, nodes.Compare) or len(compared.rest) != 1:
        return None
    start = place.start - len(_BEFORE)
    first, second = (_inside(side).span for side in (compared.first, compared.rest[0][1]))
    return (
        Span(place.source, start + first.start, start + first.end),
        Span(place.source, start + second.start, start + second.end),
    )


def _inside(node: nodes.Expr) -> nodes.Expr:
    while isinstance(node, nodes.Paren):
        node = node.inner
    return node


def failing(at: Lowering) -> Iterator[str]:
    """Names that fail at a point: of requirements, of preferences with a weight, and of values that must be legal."""
    constant, settled = at.graph.constant, at.unknowns.settled
    for rule in at.program.rules:
        if rule.weight == 0.0:
            continue
        if rule.when is not None:
            when = settled(at.lower(rule.when, {}, base=rule.place[0]))
            if isinstance(when, Missing) or constant(when) != 1.0:
                continue
        holds = settled(at.lower(rule.condition, {}, base=rule.place[0]))
        if not isinstance(holds, Missing) and constant(holds) != 1.0:
            yield rule.name
    for name, node in at.names.checks.items():
        if constant(node) == 0.0:
            yield name


def case(at: Lowering, name: str) -> tuple[str, tuple[Amount, str, Amount] | None]:
    """The text of a failed requirement: its `else`, or its sides with their values and the operation between them."""
    rule = next((rule for rule in at.program.rules if rule.name == name), None)
    text = None if rule is None or rule.otherwise is None else whole_text(rule.otherwise, at)
    if text or rule is None or rule.sides is None or rule.type is None:
        return text or "", None
    sides = [at.worth(side, rule.place[0]) for side in (rule.sides.left, rule.sides.right)]
    known = [amount(side, rule.type, at.scope, rule.unit) for side in sides if side is not None and math.isfinite(side)]
    return "", (known[0], rule.sides.operation, known[1]) if len(known) == 2 else None
