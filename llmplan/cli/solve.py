"""`llmplan solve`: the solution, no files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from attrs import evolve

from llmplan.cli import configurations, terminal
from llmplan.cli.inputs import Ask, gravest, solving
from llmplan.cli.progress import progress
from llmplan.cli.several import agree, show, tabulating, unread
from llmplan.diagnostics import Diagnostic
from llmplan.load.files import STATEMENTS, shown

if TYPE_CHECKING:
    from llmplan.answer.schema.solution import Solution

STATUS = {"solved": 0, "error": 1, "infeasible": 3}
"""The exit code that a solution asks for."""


@click.command()
@click.argument("plans", nargs=-1, metavar="[PLAN | CONFIG...]...")
@solving
@configurations.reading
@tabulating
@click.option("--json", "as_json", is_flag=True, help="Print the solution as JSON.")
@click.option(
    "--fix",
    is_flag=False,
    flag_value="1",
    metavar="[N]",
    help="Show the Nth change, by default the first, that is suggested for an infeasible plan as a diff of its file; "
    "ask whether to apply it, then solve again.",
)
@click.option("--yes", is_flag=True, help="Apply the change of --fix without asking.")
def solve(
    ask: Ask,
    plans: tuple[str, ...],
    as_table: bool,
    as_csv: bool,
    as_json: bool,
    fix: str | None,
    yes: bool,
    gpu: str | None,
    gpus: int | None,
    run: int | None,
) -> int:
    """Solves a plan and prints the answer, its results and its assumptions. Writes no files but with --fix.

    With --table, PLAN may be several. Files that do not end in .plan are configurations of other software, which are
    read as one plan, as `llmplan import` does: whether they fit, how fast they are, and what to change in them.
    """
    agree(as_table, as_csv, json=as_json, fix=fix)
    if configurations.are(plans := configurations.expanded(plans)):
        if as_table:
            raise click.UsageError("--table takes plans: `llmplan import` writes one")
        _, number = _numbered("", fix)
        return _judged(lambda: configurations.asked(ask, plans, gpu, gpus, run), number, yes, as_json)
    configurations.none(gpu, gpus, run)
    if as_table:
        return _tabulated(ask, plans, as_csv)
    if len(plans) > 1:
        raise click.UsageError("expected a single plan, or --table for several")
    plan, number = _numbered(plans[0] if plans else None, fix)
    asked = ask(plan)
    if isinstance(asked, Diagnostic):
        terminal.show([asked])
        return 2
    from llmplan import api

    with progress() as line:
        solution = api.solve(asked, progress=line)
        if number and solution.status == "infeasible":
            line.clear()
            if not _apply(asked.name, asked.base, solution, number, yes, as_json):
                return STATUS[solution.status]
            solution = api.solve(evolve(asked, text=None), progress=line)
        elif fix is not None and solution.status == "solved":
            terminal.complain("--fix: nothing to change, as the plan is met")
    _print(solution, as_json)
    if not as_json and solution.status != "error":
        from llmplan.cli import next_command

        if following := next_command.after_solving(asked, solution):
            terminal.result(f"\n{following}")
    return STATUS[solution.status]


def _print(solution: Solution, as_json: bool) -> None:
    if as_json:
        from llmplan.emit import solution_json

        terminal.show(solution.diagnostics)
        terminal.result(solution_json.dump(solution_json.as_json(solution, ())))
    elif solution.status != "error":
        from llmplan.present import screen
        from llmplan.present.context import Context

        # What is to be done comes last: notes after an answer, and why there is none before what would be one.
        if solution.status == "infeasible":
            terminal.show(solution.diagnostics, short=True)
        terminal.result(screen.render(Context(solution), terminal.width()), verdicts=True)
        if solution.status != "infeasible":
            terminal.show(solution.diagnostics, short=True)
    else:
        terminal.show(solution.diagnostics)


def _judged(read: Callable[[], configurations.Asked | int], number: int, yes: bool, as_json: bool) -> int:
    """Solves the plan that configurations make, and tells its changes in their words; with a number, makes that one."""
    from llmplan import rewording

    with progress() as line:
        for again in (False, True):
            found = read()
            if isinstance(found, int):
                return found
            solution = rewording.answered(found.request, found.files, line)
            if again or not number or solution.status != "infeasible":
                break
            line.clear()
            if not _apply("these files", set(found.files.texts), solution, number, yes, as_json):
                return STATUS[solution.status]
        if number and not again and solution.status == "solved":
            terminal.complain("--fix: nothing to change, as the run fits likely and the requirements are met")
    _print(solution, as_json)
    return STATUS[solution.status]


def _tabulated(ask: Ask, plans: tuple[str, ...], as_csv: bool) -> int:
    """Solves plans and prints a row for each."""
    from llmplan import api

    codes: list[int] = []
    answers: list[tuple[str, Solution]] = []
    for plan in plans or (None,):
        asked = ask(plan)
        if isinstance(asked, Diagnostic):
            answers.append((plan or "", unread(plan, asked)))
            codes.append(2)
            continue
        with progress() as line:
            solution = api.solve(asked, progress=line)
        answers.append((plan or asked.path, solution))
        codes.append(STATUS[solution.status])
    show(answers, as_csv)
    return gravest(codes)


def _numbered(plan: str | None, fix: str | None) -> tuple[str | None, int]:
    """The plan and the number of a change, 0 for none: the word after `--fix` is the plan unless it is a number.

    Raises:
        click.UsageError: It is neither.
    """
    if fix is None:
        return plan, 0
    if fix.isdecimal() and int(fix) > 0:
        return plan, int(fix)
    if plan is not None:
        raise click.UsageError(f"--fix {fix}: expected the number of a change, as in --fix 1")
    return fix, 1


def _apply(name: str, base: Path | set[str], solution: Solution, number: int, yes: bool, quiet: bool) -> bool:
    """Shows one of the changes that would make a plan feasible, and applies it on a yes; whether it did.

    Args:
        name: What the change should be an edit of.
        base: The folder whose files may change, or their names.

    Raises:
        click.UsageError: The change does not exist, or is no edit of such a file.
    """
    from llmplan.cli import rewrite

    hints = rewrite.changes(solution.diagnostics)
    if number > len(hints):
        raise click.UsageError(f"--fix {number}: {len(hints) or 'no'} changes are suggested")
    hint = hints[number - 1]
    text = hint.text.partition(": ")[2]
    files = rewrite.files(hint)
    if not files or name in ("-", STATEMENTS):
        raise click.UsageError(f"--fix {number}: {text} is no edit of {name}")
    for file in files:
        if isinstance(base, Path) and not (Path(file).is_file() and Path(file).resolve().is_relative_to(base)):
            raise click.UsageError(
                f"--fix {number}: {text} is an edit of {file}, which is no file inside {shown(base)}"
            )
        if isinstance(base, set) and file not in base:
            raise click.UsageError(f"--fix {number}: {text} is an edit of {file}, which was not given")
    texts = {file: (source.text, rewrite.edited(source.text, [hint], file)) for file, source in files.items()}
    if not rewrite.agreed("".join(rewrite.difference(file, *pair) for file, pair in texts.items()), yes, quiet):
        return False
    for file, (_, changed) in texts.items():
        try:
            rewrite.replace(file, changed)
        except OSError as error:
            raise click.UsageError(f"cannot write {file}: {error.strerror}") from None
    return True
