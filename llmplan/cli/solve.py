"""`llmplan solve`: the solution, no files."""

from __future__ import annotations

import click

from llmplan.cli import terminal
from llmplan.cli.inputs import Ask, solving
from llmplan.cli.progress import progress
from llmplan.diagnostics import Diagnostic

STATUS = {"solved": 0, "error": 1, "infeasible": 3}
"""The exit code that a solution asks for."""


@click.command()
@click.argument("plan", required=False, metavar="[PLAN]")
@solving
@click.option("--json", "as_json", is_flag=True, help="Print the solution as JSON.")
def solve(ask: Ask, plan: str | None, as_json: bool) -> int:
    """Solves a plan and prints the answer, its results and its assumptions. Writes no files."""
    asked = ask(plan)
    if isinstance(asked, Diagnostic):
        terminal.show([asked])
        return 2
    from llmplan import api

    with progress() as line:
        solution = api.solve(asked, progress=line)
    terminal.show(solution.diagnostics)
    if as_json:
        from llmplan.emit import solution_json

        terminal.result(solution_json.dump(solution_json.as_json(solution, ())))
    elif solution.status != "error":
        from llmplan.cli import summary
        from llmplan.emit.answer import answer

        terminal.result(summary.render(solution, answer(solution)))
    return STATUS[solution.status]
