"""The command worth typing next, which `solve` and `compile` end with.

Input: what was asked and what came of it; output a line, empty where nothing follows.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection

from llmplan.load.files import STATEMENTS
from llmplan.request import Request
from llmplan.solution import Solution

_LAUNCHER = "launch.sh"


def after_solving(asked: Request, solution: Solution) -> str:
    """`next: llmplan compile a.plan`; after a failure the first change that can be applied."""
    if asked.path in ("-", STATEMENTS) or asked.statements or asked.settings or asked.scenario:
        return ""  # what was solved does not stand in a file
    if solution.status == "infeasible":
        return _fix(asked, solution)
    plan = shlex.quote(asked.path)
    return f"next: llmplan compile {plan}\n" if solution.emits else f"next: llmplan explain {plan}\n"


def after_compiling(asked: Request, solution: Solution, directory: str, files: Collection[str]) -> str:
    """How to launch what was written; after a failure as `after_solving`."""
    if solution.status == "infeasible":
        return after_solving(asked, solution)
    return f"next: {shlex.quote(f'{directory}/{_LAUNCHER}')} train.py\n" if _LAUNCHER in files else ""


def _fix(asked: Request, solution: Solution) -> str:
    from llmplan.cli import rewrite

    hints = rewrite.changes(solution.diagnostics)
    number = next((at for at, hint in enumerate(hints, 1) if rewrite.files(hint)), 0)
    return f"next: llmplan solve {shlex.quote(asked.path)} --fix {number}\n" if number else ""
