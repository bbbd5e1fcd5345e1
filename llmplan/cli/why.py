"""`llmplan why`: why a run had no memory left."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

import click

from llmplan.cli import configurations, terminal
from llmplan.cli.inputs import Ask, solving
from llmplan.diagnostics import command
from llmplan.load.files import PLAN

if TYPE_CHECKING:
    from llmplan.failures import Failure

_LONGEST = 100_000
_CONFIGURATIONS = (".json", ".py", ".sbatch", ".sh", ".toml", ".yaml", ".yml")
"""What is no log: where one comes first, the log is standard input."""


@click.command()
@click.argument("log", required=False, default="-")
@click.argument("plans", nargs=-1, metavar="[PLAN | CONFIG...]")
@solving
@configurations.reading
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def why(
    ask: Ask,
    log: str,
    plans: tuple[str, ...],
    gpu: str | None,
    gpus: int | None,
    run: int | None,
    as_json: bool,
) -> int:
    """Tells why a run had no memory left: which allocation failed, what was resident, and what avoids it.

    LOG is a log or a pasted traceback, by default standard input. The plan of the run, or its configurations, say what
    its allocations are.
    """
    if log.endswith((PLAN, *_CONFIGURATIONS)) and not sys.stdin.isatty():
        log, plans = "-", (log, *plans)
    asked = configurations.of_run(ask, plans, gpu, gpus, run)
    if asked == 2:
        return 2
    # What cannot be read as one plan is said; the message can still be read by itself.
    request, files = (None, None) if isinstance(asked, int) else asked
    from llmplan import failures

    try:
        if log == "-":
            found = failures.explain(_lines(sys.stdin), request, files)
        else:
            with open(log, encoding="utf-8", errors="replace") as stream:
                found = failures.explain(_lines(stream), request, files)
    except OSError as error:
        terminal.show([command.unreadable(log, error.strerror or "it is unreadable", os.path.isdir(log))])
        return 2
    return _show(found, log, as_json)


def _lines(stream: TextIO) -> Iterator[str]:
    """The lines of a log of any size, each cut to what a message can be."""
    while line := stream.readline(_LONGEST):
        yield line.rstrip("\r\n")


def _show(found: Failure, log: str, as_json: bool) -> int:
    from llmplan import failures
    from llmplan.present.failure import render
    from llmplan.present.words import words_of

    words = words_of()
    terminal.show(found.diagnostics)
    diagnosis = found.diagnosis
    if diagnosis is None:
        terminal.complain(f"{'<stdin>' if log == '-' else log}: {words.no_message()}")
        return 1
    if as_json:
        terminal.document(failures.as_json(found, found.changes))
    else:
        terminal.result(render(diagnosis, found.changes, found.solution, words, terminal.width(), found.seen))
    return 0
