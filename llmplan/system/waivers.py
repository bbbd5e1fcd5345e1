"""Waivers without effect: those of a library requirement that applies to no candidate of the plan.

Input: a lowering. Output: W0612 for each.
"""

from __future__ import annotations

from llmplan.diagnostics import Diagnostic, final
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing


def idle(lowering: Lowering) -> list[Diagnostic]:
    """A diagnostic for each waiver of a requirement whose `when` is false for all values of the unknowns."""
    found = []
    for one in lowering.program.departures:
        if one.by is None and one.rule.origin == "library" and one.rule.when is not None:
            when = lowering.lower(one.rule.when, {}, base=one.rule.place[0])
            if not isinstance(when, Missing) and lowering.graph.constant(when) == 0.0:
                found.append(final.idle(lowering.scope.span(one.place), one.rule.name))
    return found
