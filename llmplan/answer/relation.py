"""Closed forms with symbols: each unknown by what is given, out of the requirements that bind it."""

from __future__ import annotations

import math

from llmplan.solve.closed_form.derive import ClosedForm, closed_form
from llmplan.solve.closed_form.equation import Equation
from llmplan.solve.outcome import Outcome
from llmplan.solve.presolve.isolate import eliminated
from llmplan.system.intervals import domains
from llmplan.system.lower import Lowering
from llmplan.system.symbols import SymbolLowering
from llmplan.system.system import System


def relation(made: System, outcome: Outcome, unknown: int, lowering: Lowering) -> str:
    """The formula of an unknown that was found in closed form: `hardware.gpus = 6 · … / (…)`.

    Unknowns that equations tie together are each given by what is known; where that cannot be done,
    by one another. Empty if there is no formula.
    """
    if outcome.how.get(unknown) != "closed form" or unknown not in outcome.binding:
        return ""
    exact = outcome.exact.get(unknown, outcome.point[unknown])
    tied = _tied(made, outcome, unknown)
    for group in (tied, [unknown]) if len(tied) > 1 else (tied,):
        form = _form(made, outcome, group, lowering)
        if form is not None:
            nearest = min(range(len(form.roots)), key=lambda i: abs(form.roots[i] - exact))
            return form.relations[nearest]
    return ""


def _tied(made: System, outcome: Outcome, unknown: int) -> list[int]:
    """The unknown, then the continuous ones that its equation and theirs tie to it."""
    found = [unknown]
    for index in found:
        condition = outcome.requirements[outcome.binding[index]]
        reach = made.graph.reach(condition.node)
        for other, one in enumerate(made.unknowns):
            solved = one.values is None and outcome.how.get(other) == "closed form" and other in outcome.binding
            if solved and reach >> other & 1 and other not in found:
                found.append(other)
    return found


def _form(made: System, outcome: Outcome, group: list[int], lowering: Lowering) -> ClosedForm | None:
    """The closed form of the first unknown of a group in which each has an equation."""
    symbols = SymbolLowering(lowering.program, lowering.unknowns.fixed or {}, [made.unknowns[i].path for i in group])
    equations = []
    for index in group:
        name = outcome.requirements[outcome.binding[index]].name
        rule = next((rule for rule in lowering.program.rules if rule.name == name), None)
        sides = None if rule is None else symbols.sides(rule)
        if sides is None:
            return None
        equations.append(sides)
    box = domains(made.unknowns[index] for index in group)
    graph = symbols.graph
    left_over = eliminated(graph, equations, 0, box)
    if left_over is None:
        return None
    domain = made.unknowns[group[0]]
    ends = (domain.low, domain.high) if domain.values is None else (min(domain.low, 0.0), math.inf)
    return closed_form(Equation(graph, *left_over, 0, graph.names, graph.leaves(), *ends))
