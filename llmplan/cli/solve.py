"""`llmplan solve`: the solution, no files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from attrs import evolve

from llmplan.cli import terminal
from llmplan.cli.inputs import Ask, solving
from llmplan.cli.progress import progress
from llmplan.diagnostics import Diagnostic
from llmplan.load.files import STATEMENTS, shown
from llmplan.request import Request

if TYPE_CHECKING:
    from llmplan.answer.schema.solution import Solution

STATUS = {"solved": 0, "error": 1, "infeasible": 3}
"""The exit code that a solution asks for."""


@click.command()
@click.argument("plan", required=False, metavar="[PLAN]")
@solving
@click.option("--json", "as_json", is_flag=True, help="Print the solution as JSON.")
@click.option(
    "--fix",
    type=click.IntRange(min=1),
    metavar="N",
    help="Apply the Nth change that is suggested for an infeasible plan to its file, then solve again.",
)
def solve(ask: Ask, plan: str | None, as_json: bool, fix: int | None) -> int:
    """Solves a plan and prints the answer, its results and its assumptions. Writes no files but with --fix."""
    asked = ask(plan)
    if isinstance(asked, Diagnostic):
        terminal.show([asked])
        return 2
    from llmplan import api

    with progress() as line:
        solution = api.solve(asked, progress=line)
        if fix is not None and solution.status == "infeasible":
            _apply(asked, solution, fix)
            solution = api.solve(evolve(asked, text=None), progress=line)
    if as_json:
        from llmplan.emit import solution_json

        terminal.show(solution.diagnostics)
        terminal.result(solution_json.dump(solution_json.as_json(solution, ())))
    elif solution.status != "error":
        from llmplan.cli import next_command
        from llmplan.present import screen
        from llmplan.present.context import Context

        terminal.result(screen.render(Context(solution), terminal.width()), verdicts=True)
        # What is to be done comes last.
        terminal.show(solution.diagnostics, short=True)
        if following := next_command.after_solving(asked, solution):
            terminal.result(f"\n{following}")
    else:
        terminal.show(solution.diagnostics)
    return STATUS[solution.status]


def _apply(asked: Request, solution: Solution, number: int) -> None:
    """Applies one of the changes that would make a plan feasible.

    Raises:
        click.UsageError: The change does not exist, or is not in the plan or in a file inside its root that it uses.
    """
    from llmplan.cli import rewrite

    hints = rewrite.changes(solution.diagnostics)
    if number > len(hints):
        raise click.UsageError(f"--fix {number}: {len(hints) or 'no'} changes are suggested")
    hint = hints[number - 1]
    text = hint.text.partition(": ")[2]
    files = rewrite.files(hint)
    if not files or asked.path in ("-", STATEMENTS):
        raise click.UsageError(f"--fix {number}: {text} is no edit of {asked.name}")
    for name in files:
        if not Path(name).is_file() or not Path(name).resolve().is_relative_to(asked.base):
            raise click.UsageError(
                f"--fix {number}: {text} is an edit of {name}, which is no file inside {shown(asked.base)}"
            )
    for name, source in files.items():
        try:
            rewrite.replace(name, rewrite.edited(source.text, [hint], name))
        except OSError as error:
            raise click.UsageError(f"cannot write {name}: {error.strerror}") from None
    terminal.result(f"{', '.join(files)}: {text}\n")
