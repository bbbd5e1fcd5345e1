"""Detects, before solving, unknowns over a range that a plan bounds without saying which value it wants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from llmplan.system.graph import Graph
from llmplan.system.system import Condition, Objective, Unknown


def undecided(
    graph: Graph,
    unknowns: Sequence[Unknown],
    roots: Iterable[int],
    conditions: Sequence[Condition],
    goals: Sequence[Objective],
) -> list[Unknown]:
    """Continuous unknowns that occur in no objective and no equation.

    An unknown that a requirement ties to a wanted one counts as wanted too.

    Args:
        roots: Everything that the plan asks for.
        conditions: The requirements of the plan and of the library.
        goals: The plan's own objectives.
    """
    ranges = sum(1 << index for index, unknown in enumerate(unknowns) if unknown.values is None)
    decisive = [goal.node for goal in goals] + [c.node for c in conditions if c.op == "eq"]
    wanted = graph.reached(decisive) & ranges
    before = 0
    while wanted != before:
        before = wanted
        for condition in conditions:
            tied = graph.reach(condition.node) & ranges
            if tied & wanted:
                wanted |= tied
    loose = graph.reached(roots) & ranges & ~wanted
    return [unknown for index, unknown in enumerate(unknowns) if unknown.asked and loose >> index & 1]
