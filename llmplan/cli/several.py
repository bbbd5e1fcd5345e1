"""`--table` and `--csv` of `solve` and `compile`: the answers of several plans as one table, a row for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from llmplan.cli import terminal
from llmplan.diagnostics import Diagnostic
from llmplan.escape import visible_line

if TYPE_CHECKING:
    from llmplan.answer.schema.solution import Solution

Command = TypeVar("Command", bound=Callable[..., Any])


def tabulating(command: Command) -> Command:
    """Adds `--table` and `--csv` to a command."""
    csv = click.option("--csv", "as_csv", is_flag=True, help="With --table: print CSV, with the units in its headers.")
    table = click.option(
        "--table",
        "as_table",
        is_flag=True,
        help="Print one table, a row for each PLAN: status, GPUs, time, cost and memory as planned and on the "
        "calendar, the gravest verdict on its own requirements; of an infeasible one the reason. Exit code: the "
        "gravest of the plans'.",
    )
    return table(csv(command))


def agree(as_table: bool, as_csv: bool, **without: object) -> None:
    """Refuses options that do not go together.

    Args:
        without: By name, options that do not go with `--table`, each with its value.

    Raises:
        click.UsageError: Two of them do not.
    """
    if as_csv and not as_table:
        raise click.UsageError("--csv needs --table")
    for name, value in without.items():
        if as_table and value not in (None, False):
            raise click.UsageError(f"--table and --{name} are mutually exclusive")


def unread(plan: str | None, why: Diagnostic) -> Solution:
    """A row for a plan that cannot be read."""
    from llmplan.answer.schema.solution import Solution

    return Solution(plan or "", "", "error", diagnostics=(why,))


def show(answers: Sequence[tuple[str, Solution]], as_csv: bool, said: Sequence[str] = ()) -> None:
    """Prints the table, and below it the errors of plans without an answer and the warnings of all.

    Args:
        said: Lines about written files, which CSV has no place for.
    """
    from llmplan.present import several

    table = several.table([(visible_line(name), solution) for name, solution in answers])
    if as_csv:
        from llmplan.emit.table import answers_as_csv

        terminal.result(answers_as_csv(table))
    else:
        from llmplan.present import aligned
        from llmplan.present.words import words_of

        terminal.result(aligned.text(table, terminal.width(terminal.UNLIMITED), words_of()))
        terminal.result("".join(f"{text}\n" for text in ("", *said)) if said else "")
    terminal.show(dict.fromkeys(told for _, solution in answers for told in _told(solution)))


def _told(solution: Solution) -> Iterable[Diagnostic]:
    """What the table does not say: why a plan is infeasible stands in its row."""
    for told in solution.diagnostics:
        if told.severity == "warning" or (told.severity == "error" and solution.status == "error"):
            yield told
