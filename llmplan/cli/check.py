"""`llmplan check`: diagnostics only, nothing is solved."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click
from attrs import evolve

from llmplan.cli import configurations, terminal
from llmplan.cli.inputs import Ask, checking, gravest
from llmplan.diagnostics import Diagnostic, files
from llmplan.load.files import STATEMENTS
from llmplan.request import Request
from llmplan.resources import library_of, templates_of
from llmplan.source import Source, Span

if TYPE_CHECKING:
    from llmplan.answer.schema.solution import Solution
    from llmplan.read.edits import Files

_FORMATS = ("text", "json", "sarif", "github")


@click.command()
@click.argument("plans", nargs=-1, metavar="PLAN... | CONFIG...")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="text", help="[default: text]")
@click.option(
    "--fix",
    is_flag=True,
    help="Show the first edit that is suggested for each mistake as a diff; ask, apply them, then check again.",
)
@click.option("--yes", is_flag=True, help="Apply the edits of --fix without asking.")
@checking
@configurations.reading
def check(
    ask: Ask,
    plans: tuple[str, ...],
    form: str,
    fix: bool,
    yes: bool,
    gpu: str | None,
    gpus: int | None,
    run: int | None,
) -> int:
    """Reports mistakes in plans, without solving them.

    Text goes to standard error, machine-readable formats to standard output. Files that do not end in .plan are
    configurations of other software: whether their run fits, in a line, with exit code 0 where it likely does and 3
    where not.
    """
    named = " ".join(plans)
    if configurations.are(plans := configurations.expanded(plans)):
        if fix:
            raise click.UsageError("--fix takes plans: `llmplan solve … --fix` changes configurations")
        if form != "text":
            return _listed(ask, plans, form, gpu, gpus, run)
        judged = configurations.asked(ask, plans, gpu, gpus, run)
        return judged if isinstance(judged, int) else _fits(judged.request, judged.files, named)
    configurations.none(gpu, gpus, run)
    from llmplan import api

    found: list[Diagnostic] = []
    codes = []
    library = False
    for plan in plans or (None,):
        asked = ask(plan)
        if isinstance(asked, Diagnostic):
            diagnostics, code = [asked], 2
        else:
            diagnostics = api.check(asked)
            if fix and _fixed(asked, diagnostics, form, yes):
                diagnostics = api.check(evolve(asked, text=None))
            library = plan not in (None, "-") and bool(library_of(asked.path) or templates_of(asked.path))
            if library and plan is not None:
                diagnostics = _not_of(diagnostics, {Path(other).resolve() for other in plans} - {Path(plan).resolve()})
            code = int(any(diagnostic.severity == "error" for diagnostic in diagnostics))
        # Files of one library have its mistakes in common: each is told once.
        fresh = [d for d in diagnostics if not (library and d in found)]
        if form == "text":
            terminal.show(fresh)
            terminal.result(f"{plan or STATEMENTS}: {_verdict(diagnostics)}\n")
        found += [_in_a_place(d, plan or STATEMENTS) for d in fresh] if form == "sarif" else fresh
        codes.append(code)
    if form != "text":
        terminal.result(import_module(f"llmplan.diagnostics.render_{form}").render(found))
    return gravest(codes)


def _listed(ask: Ask, files: Sequence[str], form: str, gpu: str | None, gpus: int | None, run: int | None) -> int:
    """What is wrong with configurations, and why their run does not fit, in a form for machines."""
    from llmplan import importing, rewording

    found = configurations.read(files, gpu, gpus, ask.options.get("settings", ()), run, True)
    if isinstance(found, Diagnostic):
        told, code = [found], 2
    elif found.failed or found.files is None:
        told, code = [*found.diagnostics], 1
    else:
        solution = rewording.answered(importing.question(found, **ask.options), found.files)
        told, code = [*found.diagnostics, *solution.diagnostics], _code(solution)
    told = [_in_a_place(one, files[0]) for one in told] if form == "sarif" else told
    terminal.result(import_module(f"llmplan.diagnostics.render_{form}").render(told))
    return code


def _code(solution: Solution) -> int:
    """The exit code of a gate: 0 where a run likely fits."""
    from llmplan.present import names

    likely = any(rule.name == names.FITS and rule.verdict in ("safe", "likely") for rule in solution.requirements)
    return 1 if solution.status == "error" else 0 if solution.status == "solved" and likely else 3


def _fits(asked: Request, files: Files, name: str) -> int:
    """Says whether a run fits in memory, in a line; only with what no file says is not enough for a gate."""
    from llmplan import api, rewording
    from llmplan.present import screen
    from llmplan.present.context import Context

    asked, solution = rewording.solved(asked)
    if solution.status == "error":
        terminal.show(solution.diagnostics)
        return 1
    line, code = screen.gate(Context(solution)), _code(solution)
    plain = {one.path: files.inputs[one.path].words[0] for one in solution.unknowns if files.inputs[one.path].words}
    if code == 0 and plain and _code(api.solve(evolve(asked, settings=(*asked.settings, *plain.items())))):
        chosen = [f"{path} = {solution.values[path].value}" for path in plain]
        given = " ".join(f"--set {one.replace(' ', '')}" for one in chosen)
        line, code = f"{line}; only with {' and '.join(chosen)}, which no file says: `{given}` if the run has that", 3
    for other in rewording.other_releases(solution, files) if code == 0 else ():
        if _code(api.solve(evolve(asked, settings=(*asked.settings, ("stack", other))))):
            own = solution.values["stack"].value
            line = f"{line}; not with {other}, and no file names a release: `--set stack={own}` if the run has that"
            code = 3
            break
    terminal.result(f"{name}: {line}\n", verdicts=True)
    return code


def _fixed(asked: Request, diagnostics: list[Diagnostic], form: str, yes: bool) -> bool:
    """Shows what can be applied to the plan's own file, and applies it on a yes; whether it did."""
    from llmplan.cli import rewrite

    hints = rewrite.applicable(diagnostics, asked.name)
    if not hints or asked.text is None or not os.path.isfile(asked.path):
        return False
    changed = rewrite.edited(asked.text, hints)
    if not rewrite.agreed(rewrite.difference(asked.path, asked.text, changed), yes, quiet=form != "text"):
        return False
    try:
        rewrite.replace(asked.path, changed)
    except OSError as error:
        terminal.show([files.cannot_write(asked.path, error.strerror or str(error))])
        return False
    if form == "text":
        for hint in hints:
            terminal.result(f"{asked.path}: fixed: {hint.text}\n")
    return True


def _in_a_place(diagnostic: Diagnostic, name: str) -> Diagnostic:
    """A diagnostic at the begin of its file if it has no place: code hosts refuse a result without a location."""
    return diagnostic if diagnostic.span is not None else evolve(diagnostic, span=Span(Source(name, ""), 0, 0))


def _not_of(diagnostics: Sequence[Diagnostic], files: Collection[Path]) -> list[Diagnostic]:
    """Diagnostics of a file of the library without those that stand in others, which are checked by themselves."""
    return [d for d in diagnostics if d.span is None or Path(d.span.source.name).resolve() not in files]


def _verdict(diagnostics: list[Diagnostic]) -> str:
    """`ok`, or `2 errors, 1 warning`."""
    counts = []
    for severity in ("error", "warning"):
        count = sum(diagnostic.severity == severity for diagnostic in diagnostics)
        if count:
            counts.append(f"{count} {severity}{'s' if count > 1 else ''}")
    return ", ".join(counts) or "ok"
