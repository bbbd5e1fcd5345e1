"""`llmplan compile`: solves plans and writes what they emit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import evolve

from llmplan.cli import configurations, terminal
from llmplan.cli.inputs import Ask, compiling, gravest
from llmplan.cli.progress import progress
from llmplan.cli.several import agree, show, tabulating, unread
from llmplan.cli.solve import STATUS
from llmplan.diagnostics import Diagnostic
from llmplan.escape import visible_line

if TYPE_CHECKING:
    from llmplan.answer.schema.solution import Solution
    from llmplan.api import Written
    from llmplan.present.words.en import Words
    from llmplan.request import Request


@click.command()
@click.argument("plans", nargs=-1, required=True, metavar="PLAN... | DIRECTORY... | CONFIG...")
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Output directory; with several plans, DIR/<plan name> for each.  [default: as the plan says, "
    "else build/<plan name> next to it]",
)
@click.option("--check", is_flag=True, help="Write nothing; report outdated files and why (exit code 1).")
@click.option("--force", is_flag=True, help="Overwrite files that were edited or that llmplan did not write.")
@compiling
@tabulating
@configurations.reading
@click.option(
    "--summary", is_flag=True, help="Print what differs from the last run as Markdown, at most eight lines for a plan."
)
@click.option("--json", "as_json", is_flag=True, help="Print the solution as JSON; a list for several plans.")
def compile(
    ask: Ask,
    plans: tuple[str, ...],
    out: str | None,
    check: bool,
    force: bool,
    as_table: bool,
    as_csv: bool,
    summary: bool,
    as_json: bool,
    gpu: str | None,
    gpus: int | None,
    run: int | None,
) -> int:
    """Solves plans and writes the report and configs.

    For each plan, either all files are written or none. An infeasible plan gets a report of the nearest plan, and
    exit code 3. A DIRECTORY stands for all plans below it that emit files, but for what is hidden or ignored by git.
    Files that do not end in .plan are configurations of other software, read as one plan for -o.
    """
    agree(as_table, as_csv, json=as_json, summary=summary)
    if configurations.are(plans := tuple(_expanded(plans))):
        judged = configurations.asked(ask, plans, gpu, gpus, run, apart=out is None or as_table or summary, writes=True)
        return judged if isinstance(judged, int) else _judged(judged, out or "", check, force, as_json)
    configurations.none(gpu, gpus, run)
    if summary and as_json:
        raise click.UsageError("--summary and --json are mutually exclusive")
    folders = _folders(plans, out)
    from llmplan import api
    from llmplan.present.words import words_of

    codes: list[int] = []
    printed: list[dict[str, Any]] = []
    told: list[Diagnostic] = []
    answers: list[tuple[str, Solution]] = []
    said: list[str] = []
    blocks: list[str] = []
    for plan, folder in folders.items():
        asked = ask(plan)
        if isinstance(asked, Diagnostic):
            codes.append(2)
            if as_table:
                answers.append((plan, unread(plan, asked)))
            else:
                terminal.show([asked])
            continue
        with progress() as line:
            solution, written = api.compile(asked, out=folder, check=check, force=force, summary=summary, progress=line)
        # What is about the repository, not about a plan, is said once for all plans.
        found = [*solution.diagnostics, *(one for one in written.diagnostics if one not in told)]
        told += [one for one in written.diagnostics if one.severity == "note" and one.span is None]
        failed = any(diagnostic.severity == "error" for diagnostic in written.diagnostics)
        codes.append(gravest([STATUS[solution.status], int(failed)]))
        if as_table:
            answers.append((plan, solution))
            terminal.show(found[len(solution.diagnostics) :])
            if solution.status != "error":
                said += _said(words_of(), evolve(written, summary=None), check, failed)
            continue
        if summary and written.summary is not None:
            from llmplan.present.summary import markdown

            terminal.show(found, short=True)
            blocks.append(markdown(written.summary, words_of()))
            continue
        if as_json or solution.status == "error":
            terminal.show(found)
        if as_json:
            printed.append(_record(solution, written, failed))
        elif solution.status != "error":
            if len(folders) > 1:  # which of the answers is whose
                terminal.result(f"{visible_line(plan)}:\n")
            _tell(asked, solution, written, found, check, failed)
    if blocks:
        terminal.result("\n".join(blocks))
    if as_table:
        show(answers, as_csv, said)
    if printed:
        terminal.document(printed if len(folders) > 1 else printed[0])
    return gravest(codes)


def _tell(
    asked: Request, solution: Solution, written: Written, found: list[Diagnostic], check: bool, failed: bool
) -> None:
    """Prints an answer, its diagnostics and the command worth typing next."""
    if solution.status == "infeasible":
        terminal.show(found, short=True)
    _answer(solution, written, check, failed)
    if solution.status != "infeasible":
        terminal.show(found, short=True)
    if not failed and not check:
        from llmplan.cli import next_command

        terminal.result(next_command.after_compiling(asked, solution, written.directory, written.files))


def _judged(found: configurations.Asked, out: str, check: bool, force: bool, as_json: bool) -> int:
    """Solves the plan that configurations make and writes its files; tells changes in the words of configurations."""
    from llmplan import api, carried_over, rewording

    with progress() as line:
        solution, written = api.compile(found.request, out=out, check=check, force=force, progress=line)
    solution = rewording.reworded(solution, found.files)
    texts = {name: Path(written.directory, name).read_text(encoding="utf-8") for name in written.files if _starts(name)}
    told = carried_over.told(found.files, texts) if written.files else ()
    written = evolve(written, diagnostics=(*written.diagnostics, *told))
    failed = any(diagnostic.severity == "error" for diagnostic in written.diagnostics)
    if as_json:
        terminal.document(_record(solution, written, failed))
    elif solution.status != "error":
        _answer(solution, written, check, failed)
    terminal.show([*solution.diagnostics, *written.diagnostics], short=not as_json)
    return gravest([STATUS[solution.status], int(failed)])


def _starts(name: str) -> bool:
    """Whether a written file is for the run itself, not for its readers."""
    return not name.endswith((".md", ".svg")) and name != configurations.ANSWER


def _configurations(path: str) -> tuple[str, ...]:
    """The configurations in a folder without plans; nothing where there are plans, or it is no folder."""
    if not os.path.isdir(path):
        return ()
    from llmplan.below import plans_below

    found = plans_below(path)
    return () if found.emitting or found.others else tuple(configurations.inside(path))


def _expanded(plans: tuple[str, ...]) -> Iterator[str]:
    """The plans, those of a directory in its place, or its configurations where it has no plan.

    Raises:
        click.UsageError: A directory has none that emits files.
    """
    for plan in plans:
        if own := _configurations(plan):
            yield from own
            continue
        if not os.path.isdir(plan):
            yield plan
            continue
        from llmplan.below import plans_below

        found = plans_below(plan)
        if not found.emitting:
            raise click.UsageError(f"no plan below {visible_line(plan)} emits files")
        if found.others:
            terminal.complain(f"without `emit`: {', '.join(map(visible_line, found.others))}")
        yield from found.emitting


def _folders(plans: tuple[str, ...], out: str | None) -> dict[str, str | None]:
    """The folder of each plan, None where the plan decides."""
    if out is None or len(dict.fromkeys(plans)) == 1:
        return dict.fromkeys(plans, out)
    folders: dict[str, str | None] = {plan: os.path.join(out, _name(plan)) for plan in plans}
    if len(set(folders.values())) < len(folders):
        raise click.UsageError("two plans have the same name and would share a directory in --out")
    return folders


def _record(solution: Solution, written: Written, failed: bool) -> dict[str, Any]:
    """The answer as JSON, with what was noticed of the files and which were removed."""
    from llmplan.emit import solution_json

    whole = evolve(solution, diagnostics=(*solution.diagnostics, *written.diagnostics))
    record = solution_json.as_json(whole, () if failed else written.files)
    return {**record, "removed": list(written.removed)} if written.removed else record


def _answer(solution: Solution, written: Written, check: bool, failed: bool) -> None:
    """Prints the answer, the departures, what is assumed where files were written, and what became of the files."""
    from llmplan.present import screen
    from llmplan.present.context import Context

    context = Context(solution)
    terminal.result(screen.head(context, terminal.width()), verdicts=True)
    for row in screen.departures(context):
        terminal.result(f"{'  '.join(row)}\n")
    if not check:
        terminal.result(screen.assumed(context, terminal.width()))
    for text in _said(context.words, written, check, failed):
        terminal.result(f"{text}\n")


def _said(words: Words, written: Written, check: bool, failed: bool) -> Iterator[str]:
    """The files written, removed and left, or out of date, and the results that changed since the last time."""
    if not failed:
        if not written.outdated and not written.missing:
            yield words.written(check, written.directory, written.files)
        if written.outdated:
            yield words.out_of_date(written.directory, written.outdated)
        if written.missing:
            yield words.missing(written.directory, written.missing)
    yield from (words.removed(f"{written.directory}/{name}") for name in written.removed)
    yield from (words.left(f"{written.directory}/{name}", why) for name, why in written.left)
    change = written.summary
    if not failed and change is not None and change.known:
        from llmplan.present.blocks import bare
        from llmplan.present.summary import moved

        if told := bare(moved(change, words)):
            yield words.since_the_last_compile(told)


def _name(plan: str) -> str:
    """The name of a plan's folder: its file name without `.plan`."""
    return "stdin" if plan == "-" else os.path.basename(plan).removesuffix(".plan")
