"""What fails at a point where everything has a value, and what is the case there.

Input: a lowering at the point. Output: names, in the order of the plan's requirements; and of one of them the author's
words, or its sides with their values. Nothing is solved here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from llmplan.answer.schema.advice import Broken
from llmplan.system.display import amount
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.system.text import whole_text
from llmplan.units.measure import SYMBOLS


def failing(at: Lowering) -> Iterator[str]:
    """Names of requirements, of preferences that count, and of values that must be legal, which fail at a point."""
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


def case(at: Lowering, name: str) -> Broken:
    """What is the case where a requirement fails: its `else`, or its sides with their values."""
    rule = next((rule for rule in at.program.rules if rule.name == name), None)
    if rule is None:
        return Broken(name)
    if rule.otherwise is not None and (text := whole_text(rule.otherwise, at)):
        return Broken(name, text)
    if rule.sides is None or rule.type is None:
        return Broken(name)
    sides = [at.worth(side, rule.place[0]) for side in (rule.sides.left, rule.sides.right)]
    known = [amount(side, rule.type, at.scope, rule.unit) for side in sides if side is not None and math.isfinite(side)]
    return Broken(name, sides=(known[0], SYMBOLS[rule.sides.operation], known[1]) if len(known) == 2 else None)
