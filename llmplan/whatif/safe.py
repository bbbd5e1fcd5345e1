"""The nearest value of one input at which the author's requirements are safe, everything else fixed.

Input: a plan whose other unknowns have their value. Output: a value that the library knows for that input, found by
    solving
with each uncertain requirement held at a chance of nine in ten; and the least of the chances there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import evolve

from llmplan.check.comparisons import comparison
from llmplan.check.ir import Chance, Num, Sides
from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.solve.effort import Budget, Effort, OverLimit
from llmplan.solve.nearest import nearest
from llmplan.solve.passes import requirements_of
from llmplan.system.adjustable import Knob
from llmplan.system.build import build
from llmplan.system.evaluate import evaluate
from llmplan.system.lower import Lowering
from llmplan.units.measure import REAL
from llmplan.whatif.bands import SAFE

_LIMIT = 1e6
_EVALUATIONS = 2e8
_FAR = 4.0
"""How many times as much, or as little, is still near."""


def safest(
    program: Program,
    base: Lowering,
    knob: Knob,
    now: float,
    beside: tuple[list[float], list[float]],
    uncertain: Sequence[str],
) -> tuple[float, float] | None:
    """The nearest value of a number at which requirements are safe, and the least of their chances; None if there is
    none.
    """
    below, above = beside
    sides = [[v for v in side if 1 / _FAR <= v / now <= _FAR] for side in (above, below)] if now > 0 else []
    tried = [value for side in sides for value in side]
    if not tried:
        return None
    rules = [_held(rule) for rule in program.rules if rule.name in uncertain and rule.sides is not None]
    held = evolve(program, rules=[*program.rules, *rules], goals=[], front=[], shows=[])
    made = build(base, varied(held, "--set", {knob.path: knob.opened([now, *tried])}, over=True)).system
    index = None if made is None else next((i for i, u in enumerate(made.unknowns) if u.path == knob.path), None)
    if made is None or index is None or any(u.used for i, u in enumerate(made.unknowns) if i != index):
        return None
    effort = Effort(_LIMIT, Budget(_EVALUATIONS))
    try:
        found = [nearest(made, requirements_of(made), index, side, now, None, effort) for side in sides]
    except OverLimit:
        return None
    works = [value for value in found if value is not None]
    if not works:
        return None
    value = min(works, key=lambda value: abs(math.log(value / now)))
    names = {rule.name for rule in rules}
    nodes = [c.left for c in made.conditions if c.name in names and c.left is not None]
    point = {i: value if i == index else unknown.low for i, unknown in enumerate(made.unknowns)}
    at = evaluate(made.graph, point, nodes)
    return value, min((at[node] for node in nodes), default=1.0)


def _held(rule: Rule) -> Rule:
    """A requirement that another one is safe."""
    assert rule.sides is not None
    sides = Sides("ge", Chance((rule.sides,)), Num(SAFE))
    condition = comparison(sides.operation, sides.left, sides.right)
    return evolve(
        rule,
        name=f"{rule.name}, safely",
        sides=sides,
        condition=condition,
        otherwise=None,
        type=REAL,
        unit="",
        certain=False,
    )
