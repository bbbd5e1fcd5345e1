"""`llmplan compile`: solves plans and writes what they emit."""

from __future__ import annotations

import os
from typing import Any

import click
from attrs import evolve

from llmplan.cli import terminal
from llmplan.cli.inputs import Ask, compiling, gravest
from llmplan.cli.progress import progress
from llmplan.cli.solve import STATUS
from llmplan.diagnostics import Diagnostic
from llmplan.visible import visible_line


@click.command()
@click.argument("plans", nargs=-1, required=True, metavar="PLAN...")
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Output directory; with several plans, DIR/<plan name> for each.  [default: as the plan says, "
    "else build/<plan name> next to it]",
)
@click.option("--check", is_flag=True, help="Write nothing; report what is out of date and why (exit code 1).")
@click.option("--force", is_flag=True, help="Overwrite files that were edited or that llmplan did not write.")
@compiling
@click.option("--json", "as_json", is_flag=True, help="Print the solution as JSON; a list for several plans.")
def compile(ask: Ask, plans: tuple[str, ...], out: str | None, check: bool, force: bool, as_json: bool) -> int:
    """Solves plans and writes the report and configs.

    For each plan, either all files are written or none. An infeasible plan gets a report of the
    nearest plan, and exit code 3.
    """
    folders = dict.fromkeys(plans, out)
    if out is not None and len(folders) > 1:
        folders = {plan: os.path.join(out, _name(plan)) for plan in plans}
        if len(set(folders.values())) < len(folders):
            raise click.UsageError("two plans have the same name and would share a directory in --out")
    from llmplan import api

    codes: list[int] = []
    printed: list[dict[str, Any]] = []
    told: list[Diagnostic] = []
    for plan, folder in folders.items():
        asked = ask(plan)
        if isinstance(asked, Diagnostic):
            terminal.show([asked])
            codes.append(2)
            continue
        with progress() as line:
            solution, written = api.compile(asked, out=folder, check=check, force=force, progress=line)
        # What is about the repository, not about a plan, is said once for all plans.
        found = [*solution.diagnostics, *(one for one in written.diagnostics if one not in told)]
        told += [one for one in written.diagnostics if one.severity == "note" and one.span is None]
        if as_json or solution.status == "error":
            terminal.show(found)
        failed = any(diagnostic.severity == "error" for diagnostic in written.diagnostics)
        codes.append(gravest([STATUS[solution.status], int(failed)]))
        if as_json:
            from llmplan.emit import solution_json

            whole = evolve(solution, diagnostics=(*solution.diagnostics, *written.diagnostics))
            record = solution_json.as_json(whole, () if failed else written.files)
            printed.append({**record, "removed": list(written.removed)} if written.removed else record)
        elif solution.status != "error":
            from llmplan.cli import onward
            from llmplan.cli.summary import departures, head
            from llmplan.emit.answer import headline

            width = terminal.width()
            if len(folders) > 1:  # which of the answers is whose
                terminal.result(f"{visible_line(plan)}:\n")
            terminal.result(head(solution, headline(solution, asked.templates), width), verdicts=True)
            for row in departures(solution):
                terminal.result(f"{'  '.join(row)}\n")
            if written.changed:
                terminal.result(f"since the last compile: {', '.join(written.changed)}\n")
            if not failed:
                did = "up to date in" if check else "wrote to"
                terminal.result(f"{did} {written.directory}: {', '.join(written.files)}\n")
            for name in written.removed:
                terminal.result(f"removed {written.directory}/{name}: no longer emitted\n")
            for name, why in written.left:
                terminal.result(f"left {written.directory}/{name}: {why}\n")
            terminal.show(found, short=True)
            if not failed and not check:
                terminal.result(onward.after_compiling(asked, solution, written.directory, written.files))
    if printed:
        import json

        terminal.result(
            json.dumps(printed if len(folders) > 1 else printed[0], indent=2, ensure_ascii=False, allow_nan=False)
            + "\n"
        )
    return gravest(codes)


def _name(plan: str) -> str:
    """The name of a plan's folder: its file name without `.plan`."""
    return "stdin" if plan == "-" else os.path.basename(plan).removesuffix(".plan")
