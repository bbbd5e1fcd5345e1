"""`llmplan verify`: whether a run is on plan."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from llmplan.cli import configurations, terminal
from llmplan.cli.calibrate import is_log_file, open_log, steps_of
from llmplan.cli.inputs import Ask, solving
from llmplan.diagnostics import command
from llmplan.escape import visible_line
from llmplan.load.files import PLAN
from llmplan.units import amount

if TYPE_CHECKING:
    from llmplan import verification

_OFF = 3
_MOST = 1000


def _tolerance(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """`10%` as 0.1."""
    if value is None:
        return None
    found = amount.of_text(value.removesuffix("%"))
    if found is None or not 0 <= found <= _MOST:
        raise click.BadParameter(f"{value!r} is no share, as in --tolerance 10%")
    return float(found / 100)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="PLAN | CONFIG... LOG")
@solving
@configurations.reading
@click.option(
    "--tolerance",
    callback=_tolerance,
    metavar="SHARE",
    help="What counts as on plan.  [default: 10%; of configurations what eight of ten such runs reach]",
)
@click.option("--format", metavar="NAME", help="The software that printed the log, where it does not show it.")
@click.option("--steps", callback=steps_of, metavar="A..B", help="Only these steps.")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print it as Markdown.")
def verify(
    ask: Ask,
    files: tuple[str, ...],
    gpu: str | None,
    gpus: int | None,
    run: int | None,
    tolerance: float | None,
    format: str | None,
    steps: tuple[float, float] | None,
    as_json: bool,
    as_markdown: bool,
) -> int:
    """Says whether a run is on plan: its steps, rate and memory as its LOG has them, beside the plan as it is written.

    Exits with 3 where something is further from the plan than the tolerance, or a requirement on time or cost is missed
    at the pace of the log. Of configurations, without a plan, it
    says whether speed and memory are normal: within what eight of ten such runs reach. A log of another layout is
    refused. What the plan leaves open is as the log says.
    """
    plans, log = _told_apart(files)
    asked = configurations.of_run(ask, plans, gpu, gpus, run)
    if isinstance(asked, int):
        return asked
    plan, read = asked
    assert plan is not None
    from llmplan import verification, verification_json

    with ExitStack() as stack:
        try:
            found = verification.verify(open_log(stack, log), plan, read, tolerance, format, steps)
        except OSError as error:
            shown = str(error.filename or log)
            terminal.show([command.unreadable(shown, error.strerror or "it is unreadable", os.path.isdir(shown))])
            return 2
    terminal.show(found.diagnostics)
    if as_json:
        terminal.document(verification_json.as_json(found))
    elif not found.failed:
        terminal.result(_text(found, "<stdin>" if log == "-" else log, as_markdown))
    return 1 if found.failed else 0 if found.on_plan else _OFF


def _told_apart(files: tuple[str, ...]) -> tuple[list[str], str]:
    """The plan or the configurations, and the log: the last file, unless that is none and another one is.

    Raises:
        click.UsageError: There is no plan, or no log.
    """
    *plans, log = files
    if plans and (log.endswith(PLAN) or not (log == "-" or is_log_file(log))):
        log = next((name for name in plans if name == "-" or (not name.endswith(PLAN) and is_log_file(name))), log)
        plans = [name for name in files if name != log]
    if not plans or log.endswith(PLAN):
        raise click.UsageError("name the plan or the configurations of the run, and its log")
    return plans, log


def _text(found: verification.Verification, log: str, as_markdown: bool) -> str:
    from llmplan.present import verified
    from llmplan.present.words import words_of

    rest, of = None, found.progress
    if of is not None:
        cost = None
        if of.spent is not None and of.cost is not None and of.planned_cost is not None:
            cost = of.spent, of.cost, of.planned_cost
        goodput = of.goodput, of.planned_goodput
        losing = (of.pace, of.wall_left) if of.as_logged and of.wall_left is not None else None
        rest = verified.Rest(of.done, of.steps, of.left, of.planned_left, goodput, of.end, cost, of.otherwise, losing)
    why = found.causes
    reasons = verified.Reasons(why.off, why.suspects, why.waiting, found.between, why.whole, found.lost, found.promises)
    piece = None if found.run is None else found.run.piece
    stretch = verified.Stretch()
    if piece is not None:
        steps = piece.first_step, piece.last_step
        stretch = verified.Stretch(*steps, piece.restarts, piece.repeated, found.later, found.failure)
    said = visible_line(log), found.rows, found.tolerance, rest, found.parts, reasons, stretch, words_of()
    return verified.in_markdown(*said) if as_markdown else verified.render(*said, terminal.width())
