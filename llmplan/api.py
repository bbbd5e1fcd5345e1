"""The compiler as functions: `check`, `solve`, `sweep`, `compile`, `explain`. The command line is a face over these.

Each takes a `Request`, or the path of a plan and the request's other fields as keywords, and returns data with its
diagnostics. Mistakes in a plan never raise; a plan that cannot be read raises `llmplan.load.files.Unreadable`. Stages
are imported where they are first needed: a cached answer needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from llmplan.answer_cache import Question
from llmplan.diagnostics import Diagnostic, names, solving, system
from llmplan.load import output_dir
from llmplan.load.files import shown
from llmplan.request import Request, request
from llmplan.resources import is_format, templates_of
from llmplan.source import Source, Span

if TYPE_CHECKING:
    from llmplan.answer.derivation import Step
    from llmplan.answer.schema.solution import BestPoint, Solution
    from llmplan.answer.schema.summary import Summary
    from llmplan.answer.schema.tables import Table
    from llmplan.check.plan import Program
    from llmplan.frontend import Checked
    from llmplan.load.modules import Module


QUANTITY = "QUANTITY"
"""The name, in a diagnostic, of the text of a name to explain."""


@frozen
class Written:
    """What `compile` wrote, or with `check` found current: the directory as people know it, and names.

    Attributes:
        removed: Files of an earlier run that are no longer emitted.
        left: Files that stay though an earlier run is said to have written them, each with the reason.
        outdated: With `check`, files in the directory that are not of this answer.
        missing: With `check`, files of this answer that the directory lacks.
        summary: What differs from the last run; None with an error, and of a check that was not asked for it.
    """

    directory: str
    files: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    removed: tuple[str, ...] = ()
    left: tuple[tuple[str, str], ...] = ()
    outdated: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    summary: Summary | None = None


def check(plan: str | Request, **options: Any) -> list[Diagnostic]:
    """Diagnostics of a plan; nothing is solved."""
    asked = request(plan, **options)
    if is_format(asked.path):
        from llmplan import importing

        return importing.mistakes(asked.name, asked.text or "")
    question = Question("check", asked)
    if (kept := question.recall()) is not None:
        return list(kept)
    checked = analyse(asked, checking=True)
    checked = _swept(checked, asked) or checked
    if not checked.failed and checked.modules:  # a file of the library depends on all others of it
        question.keep(checked.diagnostics, checked.modules)
    return list(checked.diagnostics)


def analyse(plan: str | Request, *, point: int | None = None, checking: bool = False, **options: Any) -> Checked:
    """The knowledge about a plan without solving; with `point`, at that point of its sweeps.

    With `checking` nothing but the diagnostics counts.
    """
    from llmplan import frontend
    from llmplan.emit import template_mistakes
    from llmplan.emit.reads import reads, unread
    from llmplan.emit.targets import targets

    asked = request(plan, **options)
    own = asked.templates or (templates_of(asked.path) if asked.path != "-" else None)
    if own is not None and (broken := template_mistakes.manifests(own)):
        return frontend.Checked(asked.name, (), None, None, broken, "")
    checked = frontend.analyse(
        asked, targets(asked.templates), lambda emitted: reads(emitted, asked.templates), point, checking, unread
    )
    return checked if own is None else _with_mistakes(checked, own)


def _with_mistakes(checked: Checked, templates: Path) -> Checked:
    """What was checked, with the mistakes in templates of the user's own that the plan may need."""
    from llmplan.emit import template_mistakes

    program = checked.program
    if program is None:
        return checked
    found = template_mistakes.templates_of_targets(templates, program.written(), program.scope.kinds)
    return evolve(checked, diagnostics=(*found, *checked.diagnostics))


def solve(
    plan: str | Request, *, tables: bool = False, meanwhile: Callable[[Program], None] | None = None, **options: Any
) -> Solution:
    """The solution of a plan, with its diagnostics; with `tables` of its sweeps and scenarios too.

    Args:
        meanwhile: Called with the plan when there is nothing to do but wait for advice, if that ever happens.
    """
    asked = request(plan, **options)
    question = Question("solve", asked, tables)
    kept: Solution | None = question.recall()
    if kept is not None:
        return kept
    checked = analyse(asked)
    at: BestPoint | None = None
    grid: Table | None = None
    first = _swept(checked, asked)
    if first is not None and checked.program is not None:
        checked, at, grid = _at_the_best_point(checked.program, first, asked)
    sources = _from_root(checked.modules, asked.base)
    solution = evolve(_solution(checked, asked, tables, meanwhile), sources=sources, point=at)
    if tables and solution.status != "error" and checked.program is not None and checked.built is not None:
        from llmplan.advice.comparable import unlike_in_table
        from llmplan.answer import variations

        how = (checked.program, checked.built.lowering, asked.limit, asked.progress)
        if grid is None and checked.program.sweeps:
            grid = variations.sweep(*how)
        table = variations.scenarios(*how)
        unlike = unlike_in_table(checked.built.lowering, grid)
        solution = evolve(solution, sweep=grid, scenarios=table, diagnostics=_joined(solution.diagnostics, unlike))
    if solution.status == "solved":
        question.keep(solution, checked.modules)
    return solution


def sweep(plan: str | Request, **options: Any) -> tuple[Table | None, tuple[Diagnostic, ...]]:
    """A plan at every point of its sweeps, with its diagnostics; None if it cannot be computed."""
    asked = request(plan, **options)
    checked = analyse(asked, point=0)
    if checked.failed or checked.program is None or checked.built is None:
        return None, checked.diagnostics
    from llmplan.answer import variations

    if not checked.program.sweeps:
        return None, (*checked.diagnostics, solving.no_sweep(checked.plan))
    from llmplan.advice.comparable import unlike_in_table
    from llmplan.answer.rules import departures

    lowering = checked.built.lowering
    table = variations.sweep(checked.program, lowering, asked.limit, asked.progress)
    unlike = unlike_in_table(lowering, table)
    if table is None:
        return None, (*checked.diagnostics, *unlike)
    table = evolve(table, departures=departures(lowering))
    # A plan that sweeps asks for that.
    told = tuple(one for one in checked.diagnostics if one.code != "W0610")
    return table, (*told, *table.notes, *unlike)


def _joined(found: tuple[Diagnostic, ...], more: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Adds diagnostics whose code has not been reported yet."""
    return (*found, *(one for one in more if one.code not in {other.code for other in found}))


def _swept(alone: Checked, asked: Request) -> Checked | None:
    """If the plan fails only because a swept input has no other value: the plan at its first sweep point."""
    if not alone.failed or alone.program is None or not alone.program.sweeps:
        return None
    from llmplan.system.sweeps import without_value

    there = analyse(asked, point=0) if without_value(alone.program) else alone
    return None if there.failed else there


def _at_the_best_point(alone: Program, first: Checked, asked: Request) -> tuple[Checked, BestPoint, Table | None]:
    """The plan at the best point of its sweeps, without which it fails; with that point, and the sweep.

    Args:
        first: The plan at the first point.
    """
    from llmplan.answer import variations
    from llmplan.system.sweeps import without_value

    assert first.program is not None and first.built is not None
    table = variations.sweep(first.program, first.built.lowering, asked.limit, asked.progress)
    rows = table.rows if table is not None else ()
    solved = [number for number, row in enumerate(rows) if row.status == "solved"]
    best = next((number for number, row in enumerate(rows) if row.best), *solved[:1] or [0])
    from llmplan.answer.schema.solution import BestPoint

    at = BestPoint(tuple(without_value(alone)), bool(rows) and rows[best].best, len(rows))
    return analyse(asked, point=best), at, table


def _from_root(modules: Sequence[Module], base: Path) -> dict[str, str]:
    """The plan's texts by name, each with its path from the project root."""
    files = [module.source.name for module in modules if not module.source.library]
    paths = {name: Path(name).resolve() for name in files if name != "<stdin>"}
    return {name: path.relative_to(base).as_posix() for name, path in paths.items() if path.is_relative_to(base)}


def _solution(
    checked: Checked, asked: Request, pictures: bool, meanwhile: Callable[[Program], None] | None
) -> Solution:
    from llmplan.advice import advise
    from llmplan.advice.layouts import KEPT
    from llmplan.advice.trial import Trial
    from llmplan.answer.build import BUILDERS, VERDICT, Context, build
    from llmplan.answer.findings import findings
    from llmplan.answer.schema.solution import Solution
    from llmplan.load.digest import digest
    from llmplan.system.too_large import TooLarge
    from llmplan.uncertainty.worst_case import solve_certain

    program, built = checked.program, checked.built
    found, plan_hash, library_hash = checked.diagnostics, digest(checked.modules), checked.library_hash
    failure = Solution(checked.plan, "", "error", diagnostics=found, plan_hash=plan_hash, library_hash=library_hash)
    if checked.failed or program is None or built is None or built.system is None:
        return failure
    built, outcome = solve_certain(program, built, asked.limit, KEPT, progress=asked.progress)
    failure = evolve(failure, title=program.title, diagnostics=(*found, *outcome.diagnostics))
    if outcome.status == "error":
        return failure
    try:
        context = Context.of(built, outcome)
        trial = Trial(built, outcome, context.lowering, checked.plan, asked.limit, asked.effort, asked.progress)
        answer = advise(
            trial,
            lambda: build(context, failure, VERDICT),
            lambda: build(context, failure, BUILDERS),
            pictures,
            lambda: None if meanwhile is None else meanwhile(program),
        )
        said = [one for one in answer.diagnostics if not (one.code == "W0610" and _tells(answer))]
        return evolve(answer, diagnostics=(*said, *findings(context.system, outcome, context.lowering, answer)))
    except (RecursionError, TooLarge) as stopped:
        # Everything is computed here, also what the plan did not ask for.
        wrong = system.too_large(None) if isinstance(stopped, TooLarge) else system.too_deep()
        return evolve(failure, title="", diagnostics=(*found, wrong))


def _tells(answer: Solution) -> bool:
    """Whether an answer has a result by which plans are compared, also where its plan asks for none."""
    return any(name in answer.values and answer.values[name].amount.finite for name in answer.compared)


def compile(
    plan: str | Request,
    *,
    out: str | None = None,
    check: bool = False,
    force: bool = False,
    summary: bool = False,
    **options: Any,
) -> tuple[Solution, Written]:
    """Solves a plan and writes what it emits, all files or none.

    Args:
        out: Where to write; else where the plan says, else `build/<plan name>` beside it.
        check: Write nothing, say what is out of date.
        force: Overwrite files that were edited or that llmplan did not write.
        summary: Compare inputs too with those of the last run, and with `check` results and verdicts.
    """
    from llmplan.emit import changes, write
    from llmplan.emit.attributes import unmarked
    from llmplan.emit.folder import Folder
    from llmplan.emit.ignored import ignored
    from llmplan.emit.portable import portable
    from llmplan.emit.solution_json import NAME
    from llmplan.emit.targets import written

    asked = request(plan, **options)

    def prepare(program: Program) -> None:
        from llmplan.emit.environment import compile_ahead

        compile_ahead([target.name for target in program.emits], asked.templates)

    solution = solve(asked, tables=True, meanwhile=prepare)
    contents, problems = ({}, []) if solution.status == "error" else files(solution, asked)
    directory = Path(out) if out else output_dir.folder(asked.path, solution.into)
    name = shown(directory)
    if solution.status == "error":
        return solution, Written(name, (), ())
    # An answer that was kept knows nothing of links that were made since.
    wrong = (
        output_dir.named(directory)
        if out
        else output_dir.refused(asked.path, solution.into, solution.into_at, asked.base)
    )
    if wrong is not None:
        return solution, Written(name, (), (wrong,))
    if any(problem.severity == "error" for problem in problems):
        return solution, Written(name, (), tuple(problems))
    stated = ("", None) if out else (solution.into, solution.into_at)
    own = Path(asked.path) if asked.path != "-" else None
    folder = Folder(directory, name, asked.base, own, *stated, names=written(asked.templates))
    last = changes.last(directory) if summary or not check else None
    change = None if last is None else changes.summary(last, solution, inputs=summary)
    if check:
        seen = write.check(folder, contents, portable(solution))
        told = (*problems, *seen.problems)
        return solution, Written(name, seen.current, told, outdated=seen.outdated, missing=seen.missing, summary=change)
    notes = (ignored(directory, name, contents), unmarked(directory, contents, NAME))
    done = write.write(folder, contents, force)
    if not done.problems:
        problems += [note for note in notes if note is not None]
    told = (*problems, *done.problems)
    if done.problems:
        return solution, Written(name, tuple(contents), told, done.removed, done.left)
    return solution, Written(name, tuple(contents), told, done.removed, done.left, summary=change)


def files(solution: Solution, asked: Request) -> tuple[dict[str, str], list[Diagnostic]]:
    """The files of a solution, as `render` returns them; they follow from the answer and are cached with it."""
    from llmplan.emit.render import render

    # An answer for a screen has no tables, nor what pictures show: its files are others.
    told = (solution.curve, solution.neighbours, solution.swings, solution.sweep, solution.scenarios)
    question = Question("files", asked, solution.plan_hash, *map(bool, told))
    if (kept := question.recall()) is not None:
        return kept[0], list(kept[1])
    contents, problems = render(solution, asked.templates)
    if solution.status == "solved":
        question.keep((contents, tuple(problems)), ())
    return contents, problems


def explain(
    plan: str | Request, name: str | None, *, depth: int = 2, uses: bool = False, **options: Any
) -> tuple[Solution, list[Step]]:
    """The derivation of a quantity, input, let or requirement of a plan at its solution, or what reads it.

    Args:
        name: None for all of them, each by itself.
        depth: How many names deep; 0 for the formula alone.
        uses: Whether what reads a value is asked for, in the place of what it reads.

    Returns:
        The solution, with E0201 among its diagnostics for an undefined name, and the steps.
    """
    from llmplan.answer import derivation

    solution = solve(plan, **options)
    if solution.status == "error":
        return solution, []
    if name is None:
        return solution, derivation.everything(solution)
    steps = (derivation.uses if uses else derivation.derive)(solution, name, depth)
    if steps is None:
        asked = Span(Source(QUANTITY, name), 0, len(name))
        known = [*solution.values, *(() if uses else derivation.rules(solution))]
        wrong = names.unknown_name(asked, name, known, None)
        return evolve(solution, status="error", diagnostics=(*solution.diagnostics, wrong)), []
    return solution, steps
