"""`llmplan bench`: what the machine in hand reaches."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from llmplan.cli import new_file, terminal
from llmplan.load.files import PLAN

if TYPE_CHECKING:
    from llmplan.answer.schema.solution import Solution


@click.command()
@click.argument("plan", required=False, metavar="[PLAN]")
@click.option("--matmul", is_flag=True, help="Matrix products by format.")
@click.option("--memory", is_flag=True, help="Copies in the card's memory and from its host.")
@click.option("--links", is_flag=True, help="Collectives by message size, under torchrun.")
@click.option("--gpu", metavar="NAME", help="The card's name in the catalog, where the driver's name does not tell it.")
@click.option("-o", "target", metavar="CARD.plan", help="Write the values to this file, which must be new.")
def bench(plan: str | None, matmul: bool, memory: bool, links: bool, gpu: str | None, target: str | None) -> int:
    """Measures what this machine reaches, and writes it as values of a plan, each with what it comes from.

    Of a PLAN the products of its own layers are measured too, in its format. Without an option all is measured that
    can be. torch is used where it is installed; without it, and without a GPU, there is what the system tells, and what
    is left out is named. Nothing of it runs unasked.
    """
    if target is not None and os.path.lexists(target):
        raise click.UsageError(f"{target} exists: name another file, it is never replaced")
    from llmplan.bench import run, text
    from llmplan.diagnostics import command

    asked = [name for name, wanted in zip(run.PARTS, (matmul, memory, links)) if wanted]
    folder = Path(os.path.dirname(target or "") or ".")
    of_plan = None if plan is None else _solved(plan)
    if isinstance(of_plan, int):
        return of_plan
    found = run.measured(asked, folder, run.torch_of(), of_plan)
    if found is None:
        return 0  # another rank writes
    name = gpu or found.card or (found.cards[0].name if found.cards else "")
    known = run.known(name) if name else None
    terminal.show(
        [command.slow_link(what, *(text.rate(x, "B/s") for x in both)) for what, *both in text.slow(found, known)]
    )
    if target is not None and not found.measured:
        terminal.result(text.of(found, known))
        terminal.complain(f"{target} is not written: nothing was measured that a plan takes over")
        return 0
    return new_file.write(target or "-", text.of(found, known), ": name another file, it is never replaced", "check")


def _solved(plan: str) -> Solution | int:
    """The plan's answer, whose layers are measured; or the exit code, after its reasons are shown."""
    from llmplan import api
    from llmplan.request import Request

    if not plan.endswith(PLAN):
        files = shlex.quote(plan)
        raise click.UsageError(f"{plan} is no plan: `llmplan import {files} -o run.plan` makes one of configurations")
    try:
        with open(plan, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeError) as error:
        from llmplan.diagnostics import command

        terminal.show([command.unreadable(plan, str(error), os.path.isdir(plan))])
        return 2
    solution = api.solve(Request(plan, text))
    if solution.status == "error":
        terminal.show(solution.diagnostics)
        return 1
    return solution
