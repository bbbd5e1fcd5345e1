"""The command worth typing next, which `solve` and `compile` end with.

Input: what was asked and what came of it; output a line, empty where nothing follows.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection

from llmplan.answer.schema.solution import Solution
from llmplan.emit.targets import load
from llmplan.load.files import STATEMENTS
from llmplan.present.words import words_of
from llmplan.request import Request

_WANTING = "W0608"


def after_solving(asked: Request, solution: Solution) -> str:
    """`next: llmplan compile a.plan`; after a failure the first change that can be applied."""
    if asked.path in ("-", STATEMENTS) or asked.statements or asked.settings or asked.scenario:
        return ""  # what was solved does not stand in a file
    if solution.status == "infeasible":
        return _fix(asked, solution)
    if any(one.code == _WANTING for one in solution.diagnostics):
        return ""  # first what is asked for needs a value, which only the author can give
    plan = shlex.quote(asked.path)
    return _line(f"llmplan compile {plan}" if solution.emits else f"llmplan explain {plan}")


def after_compiling(asked: Request, solution: Solution, directory: str, files: Collection[str]) -> str:
    """How to launch what was written; after a failure as `after_solving`."""
    if solution.status == "infeasible":
        return after_solving(asked, solution)
    words = _starting(asked, solution, files)
    shown = (shlex.quote(f"{directory}/{word}" if word in files else word) for word in words)
    return _line(" ".join(shown)) if words else ""


def _starting(asked: Request, solution: Solution, files: Collection[str]) -> tuple[str, ...]:
    """The command by which a target starts what was written: of one that comes last before that of any other, of one
    that the plan names before that of one that is brought along."""
    known, _ = load(asked.templates)
    named = [emit.name for emit in solution.emits]
    order = sorted(known.values(), key=lambda one: (one.name not in named, not one.last, one.name))
    for target in order:
        if not any(file in files for file, _ in target.files):
            continue
        for command in target.next:
            values = ((solution.values.get(path), wanted) for path, wanted in command.when)
            if all(value is not None and value.value == wanted for value, wanted in values):
                return command.words
    return ()


def _fix(asked: Request, solution: Solution) -> str:
    from llmplan.cli import rewrite

    hints = rewrite.changes(solution.diagnostics)
    number = next((at for at, hint in enumerate(hints, 1) if rewrite.files(hint)), 0)
    return _line(f"llmplan solve {shlex.quote(asked.path)} --fix {number}") if number else ""


def _line(command: str) -> str:
    return f"{words_of().next(command)}\n"
