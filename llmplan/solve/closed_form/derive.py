"""Closed forms: the value of one unknown at which two sides are equal, as a formula.

Input: two nodes, names for the nodes that keep one, and the known values. Output: the roots in the domain, each checked
by substitution, and their formulas. Formulas are cached between runs, since importing sympy takes longer than solving
most plans; `algebra` does the work.
"""

from __future__ import annotations

from typing import Any

from attrs import frozen

from llmplan.cache import store
from llmplan.cache.key import key
from llmplan.solve.closed_form.equation import Equation


@frozen
class ClosedForm:
    """Solutions of an equation for one unknown.

    Attributes:
        roots: In base units, each checked by substitution, the likeliest (principal) first.
        relations: The formula of each root: `hardware.gpus = 6 · params · tokens / (mfu · peak)`; empty if too long to
            read.
    """

    roots: tuple[float, ...]
    relations: tuple[str, ...]


def closed_form(equation: Equation) -> ClosedForm | None:
    """Solves an equation; None if it cannot be solved for the unknown, or no root lies in the domain."""
    if not equation.is_short():
        return None
    kept = key(equation.key())
    known: Any = store.load("derivation", kept)
    if known is None:
        from llmplan.solve.closed_form.algebra import solutions

        roots = solutions(equation)
        known = tuple(roots), tuple(roots.values())
        store.keep("derivation", kept, known)
    return ClosedForm(*known) if known[0] else None
