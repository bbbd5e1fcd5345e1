"""The command worth typing next, which `solve` and `compile` end with.

Input: what was asked and what came of it; output a line, empty where nothing follows.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection

from llmplan.answer.schema.advice import Relaxation
from llmplan.answer.schema.solution import Solution
from llmplan.emit.filters import path
from llmplan.emit.targets import load
from llmplan.load.files import STATEMENTS
from llmplan.present.words import words_of
from llmplan.request import Request
from llmplan.system.calendar import written

_WANTING = "W0608"


def after_solving(asked: Request, solution: Solution) -> str:
    """`next: llmplan compile a.plan`; where a requirement is hardly met on the calendar, the same plan with that; after
    a failure with what makes it feasible.

    Never a command that edits a plan.
    """
    if asked.path in ("-", STATEMENTS) or asked.statements or asked.settings or asked.scenario:
        return ""  # what was solved does not stand in a file
    if solution.status == "infeasible":
        return _cured(asked, solution)
    plan = shlex.quote(path(asked.path))
    if meant := _meant(solution):
        return _line(f"llmplan solve {plan} -e {shlex.quote(meant)}")
    if any(one.code == _WANTING for one in solution.diagnostics):
        return ""  # first what is asked for needs a value, which only the author can give
    return _line(f"llmplan compile {plan}" if solution.emits else f"llmplan explain {plan}")


def after_compiling(asked: Request, solution: Solution, directory: str, files: Collection[str]) -> str:
    """How to launch what was written; after a failure as `after_solving`."""
    if solution.status == "infeasible":
        return after_solving(asked, solution)
    words = _starting(asked, solution, files)
    shown = (shlex.quote(path(f"{directory}/{word}") if word in files else word) for word in words)
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


def _meant(solution: Solution) -> str:
    """The author's first requirement that is hardly met on the calendar, as a statement on the calendar."""
    for rule in solution.requirements:
        instead = written(solution.calendar, rule.text)
        if rule.origin != "library" and rule.planned and rule.verdict in ("no", "tight") and instead != rule.text:
            return f"require {rule.name}: {instead}" if rule.name != rule.text else f"require {instead}"
    return ""


def _cured(asked: Request, solution: Solution) -> str:
    """The headline's change, laid over the plan: a command that is offered edits nothing."""
    best = next(iter(solution.relaxations), None)
    options = [_option(one) for one in (best, *best.beside)] if best is not None else []
    plan = shlex.quote(path(asked.path))
    return _line(" ".join(["llmplan solve", plan, *options])) if options and all(options) else ""


def _option(change: Relaxation) -> str:
    """A change as an option; empty for a requirement without a name, which another one cannot replace."""
    name, _, value = change.statement.removeprefix("let ").removeprefix("assume ").partition(" = ")
    if change.kind == "input":
        return f"--set {shlex.quote(f'{name}={value}')}" if value else ""
    return f"-e {shlex.quote(change.statement)}" if change.name.isidentifier() and change.statement else ""


def _line(command: str) -> str:
    return f"{words_of().next(command)}\n"
