"""The answer in one sentence: which machines do what, in how long, at what cost, and what that is worth.

Input: a solution. Output: the line that `templates/report/answer.j2` makes of it; which of the library's quantities it
names stands there.
"""

from __future__ import annotations

from pathlib import Path

from llmplan.solution import Solution

TEMPLATE = "report/answer.j2"


def answer(solution: Solution, templates: Path | None = None) -> str:
    """The answer without a line break; for an infeasible plan, which requirements conflict and what would cure it."""
    from llmplan.emit.render import filled

    return " ".join(filled(TEMPLATE, solution, templates).split())
