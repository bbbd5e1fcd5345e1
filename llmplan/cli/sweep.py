"""`llmplan sweep`: a plan at every point of its sweeps, as a table."""

from __future__ import annotations

import click

from llmplan.cli import terminal
from llmplan.cli.inputs import Ask, sweeping
from llmplan.cli.progress import progress
from llmplan.diagnostics import Diagnostic


@click.command()
@click.argument("plan", required=False, metavar="[PLAN]")
@sweeping
@click.option("--csv", "as_csv", is_flag=True, help="Print the table as CSV, with the units in its headers.")
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON, in base units.")
def sweep(ask: Ask, plan: str | None, as_csv: bool, as_json: bool) -> int:
    """Solves a plan at every point of its sweeps and prints one table. Writes no files.

    Infeasible points show the reason. Exit code 3 if no point is feasible.
    """
    if as_csv and as_json:
        raise click.UsageError("--csv and --json are mutually exclusive")
    asked = ask(plan)
    if isinstance(asked, Diagnostic):
        terminal.show([asked])
        return 2
    from llmplan import api

    with progress() as line:
        table, diagnostics = api.sweep(asked, progress=line)
    if table is None:
        terminal.show(diagnostics)
        return 1
    if as_json:
        from llmplan.diagnostics.render_json import record
        from llmplan.emit.solution_json import dump
        from llmplan.emit.table import as_json as points

        document = {"schema": 1, "plan": asked.path, **points(table)}
        terminal.result(dump({**document, "diagnostics": [record(found) for found in diagnostics]}) + "\n")
    elif as_csv:
        from llmplan.emit.table import as_csv as rows

        terminal.result(rows(table))
    else:
        from llmplan.present import aligned, screen, verdicts
        from llmplan.present.words import words_of

        words = words_of()
        terminal.result(aligned.text(table, terminal.width(terminal.UNLIMITED), words))
        if departed := screen.titled(verdicts.departures(table.departures, words), terminal.width()):
            terminal.result(f"\n{departed}\n")
    # What is to be said of the points stands below them.
    terminal.show(diagnostics, short=True)
    return 0 if any(row.status == "solved" for row in table.rows) else 3
