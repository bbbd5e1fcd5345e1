"""`llmplan diff`: what a plan differs in from another one, or from what it was at a revision of git."""

from __future__ import annotations

from contextlib import ExitStack

import click

from llmplan.cli import configurations, terminal
from llmplan.cli.inputs import Ask, comparing, gravest
from llmplan.cli.progress import progress
from llmplan.cli.solve import STATUS
from llmplan.diagnostics import command
from llmplan.load.files import IMPORTED, Unreadable
from llmplan.request import Request

FAILED = 4
"""The exit code where a condition of `--fail-if` is met."""

_PAIR = 2


@click.command()
@click.argument("plans", nargs=-1, required=True, metavar="A [B]")
@click.option(
    "--against",
    metavar="REV",
    help="Compare A with itself at a revision of git, in the place of B: the plan and all that it uses, or the "
    "configurations, are read as they were there, and nothing is checked out.",
)
@click.option(
    "--fail-if",
    "fail_if",
    multiple=True,
    metavar="COND",
    help="Exit with 4 where this is so: `wall_cost > +5%`, `wall_time > +3 days` of the change, `wall_time > 30 days` "
    "or `deadline < likely` of the newer plan; repeatable. A change that measurements would not tell is not one.",
)
@comparing
@configurations.reading
@click.option("--markdown", "as_markdown", is_flag=True, help="Print a comment for a pull request.")
@click.option("--json", "as_json", is_flag=True, help="Print the difference as JSON, in base units.")
def diff(
    ask: Ask,
    plans: tuple[str, ...],
    against: str | None,
    fail_if: tuple[str, ...],
    as_markdown: bool,
    as_json: bool,
    gpu: str | None,
    gpus: int | None,
    run: int | None,
) -> int:
    """Compares plan B with plan A: decisions, inputs, results, what moved them, and verdicts that turned.

    Either may be a configuration of other software, or a folder of configurations, which is read as a plan.

    With --against, A is the newer plan; configurations of one run may be several files. A change of a result inside the
    joint band of both plans is `not told apart`.
    Exit code 3 if no plan meets the newer one, 4 if a condition of --fail-if is met. Writes no files.
    """
    if against is None and len(plans) != _PAIR:
        raise click.UsageError("name a second plan, or a revision with --against")
    if against is not None and len(plans) > 1 and not configurations.are(plans):
        raise click.UsageError("--against compares one plan, or the configurations of one run, with themselves")
    a = plans[0]
    b = plans[1] if against is None else None
    if as_markdown and as_json:
        raise click.UsageError("--markdown and --json are mutually exclusive")
    if "-" in ((a,) if b is None else ()) or (a == b == "-"):
        raise click.UsageError("standard input can be one of two plans, and has no revisions")
    newer = configurations.side(ask, plans if b is None else [b], gpu, gpus, run)
    if isinstance(newer, int):
        return newer
    from llmplan import comparison, revision

    try:
        with ExitStack() as stack:
            older: Request | int = newer
            was = None
            if b is not None:
                older = configurations.side(ask, [a], gpu, gpus, run)
            elif against is not None and newer.path.endswith(IMPORTED):
                there = stack.enter_context(revision.files_as_they_were(plans, against))
                older = configurations.side(ask, there, gpu, gpus, run, against)
                was = there[0].removesuffix(a), f"{against}:{a}"
            if isinstance(older, int):
                return older
            stack.enter_context(progress())
            compared = comparison.compare(older, newer, None if was else against, fail_if, was)
    except Unreadable as why:
        terminal.show([command.unreadable(f"{against}:{a}", str(why))])
        return 2
    except comparison.WrongCondition as why:
        raise click.UsageError(f"--fail-if {why}") from None
    difference = compared.difference
    if difference is None:
        terminal.show(compared.diagnostics)
        return 1
    if as_json:
        from llmplan.emit.difference_json import as_json as document
        from llmplan.emit.solution_json import dump

        terminal.result(dump(document(difference)) + "\n")
    else:
        from llmplan.present import difference as told
        from llmplan.present.words import words_of

        words = words_of()
        text = told.markdown(difference, words) if as_markdown else told.screen(difference, terminal.width(), words)
        terminal.result(text)
    failed = comparison.failed(difference.thresholds)
    return gravest([STATUS[compared.status], FAILED if failed else 0])
