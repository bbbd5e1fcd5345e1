"""The compiler as functions: `check`, `solve`, `compile`. The command line is a face over these.

Each takes the path of a plan and returns data with its diagnostics; none raises for what a plan
says. Stages are imported where they are first needed: an answer that was kept needs none.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from llmplan.cache.answers import Question
from llmplan.diagnostics import Diagnostic, names, solving, system
from llmplan.load.files import project_root, read, shown
from llmplan.source import Source, Span

if TYPE_CHECKING:
    from llmplan.frontend import Checked
    from llmplan.load.modules import Module
    from llmplan.report.derivation import Step
    from llmplan.solution import Solution, Table
    from llmplan.solve.effort import Progress

DEFAULT_LIMIT = 10**8
"""The largest number of combinations that `solve` looks at unless it is told otherwise."""


@frozen
class Written:
    """What `compile` wrote, or with `check` found current: the directory as people know it, and names."""

    directory: str
    files: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


def check(
    path: str,
    *,
    root: str | None = None,
    settings: Sequence[tuple[str, str]] = (),
    scenario: str | None = None,
    text: str | None = None,
) -> list[Diagnostic]:
    """Diagnostics of a plan; nothing is solved.

    Raises:
        llmplan.load.files.Unreadable: if the plan itself cannot be read.
    """
    text = read(Path(path)) if text is None else text
    question = Question("check", path, text, (str(_base(path, root)), tuple(settings), scenario))
    kept = question.diagnostics()
    if kept is not None:
        return list(kept)
    from llmplan.frontend import front

    checked = front(path, root=root, settings=settings, scenario=scenario, text=text)
    if not checked.failed:
        question.keep(checked.diagnostics, checked.modules)
    return list(checked.diagnostics)


def solve(
    path: str,
    *,
    root: str | None = None,
    settings: Sequence[tuple[str, str]] = (),
    scenario: str | None = None,
    limit: int | None = None,
    text: str | None = None,
    templates: Path | None = None,
    tables: bool = False,
    progress: Progress | None = None,
) -> Solution:
    """The solution of a plan, with its diagnostics.

    Args:
        limit: The largest number of combinations to look at; `DEFAULT_LIMIT` if None.
        text: What the plan says, if it has been read already.
        tables: True to solve its sweeps and scenarios too.
        progress: Is told how many of how many are done, and of what, where that takes long.

    Raises:
        llmplan.load.files.Unreadable: if the plan itself cannot be read.
    """
    text = read(Path(path)) if text is None else text
    limit = limit or DEFAULT_LIMIT
    base = _base(path, root)
    question = Question("solve", path, text, (str(base), tuple(settings), scenario, limit, tables))
    kept = None if templates else question.solution()
    if kept is not None:
        return kept
    from llmplan.frontend import front

    checked = front(path, root=root, settings=settings, scenario=scenario, text=text, templates=templates)
    solution = evolve(_solution(checked, limit, progress), sources=_from_root(checked.modules, base))
    if tables and solution.status != "error" and checked.program is not None:
        from llmplan.whatif import variations

        grid = variations.sweep(checked.program, limit, progress) if checked.program.sweeps else None
        table = variations.scenarios(checked.program, limit, progress)
        solution = evolve(solution, sweep=grid, scenarios=table)
    if solution.status == "solved" and not templates:
        question.keep(solution, checked.modules)
    return solution


def _base(path: str, root: str | None) -> Path:
    return Path(root).resolve() if root else project_root(Path(path))


def sweep(
    path: str,
    *,
    root: str | None = None,
    settings: Sequence[tuple[str, str]] = (),
    scenario: str | None = None,
    limit: int | None = None,
    text: str | None = None,
    progress: Progress | None = None,
) -> tuple[Table | None, tuple[Diagnostic, ...]]:
    """A plan at every point of its sweeps, with its diagnostics; None if it cannot be computed.

    Args:
        progress: Is told after each point how many of how many are done.
    """
    from llmplan.frontend import front

    checked = front(path, root=root, settings=settings, scenario=scenario, text=text, sweeping=True)
    if checked.failed or checked.program is None:
        return None, checked.diagnostics
    from llmplan.system.sweeps import MOST_POINTS
    from llmplan.whatif import variations

    if not checked.program.sweeps:
        return None, (*checked.diagnostics, solving.no_sweep(checked.plan))
    table = variations.sweep(checked.program, limit or DEFAULT_LIMIT, progress)
    found = checked.diagnostics
    return table, found if table is not None else (*found, solving.large_sweep(MOST_POINTS))


def _from_root(modules: Sequence[Module], base: Path) -> dict[str, str]:
    """The plan's texts by name, each with its path from the project root."""
    files = [module.source.name for module in modules if not module.source.library]
    paths = {name: Path(name).resolve() for name in files if name != "<stdin>"}
    return {name: path.relative_to(base).as_posix() for name, path in paths.items() if path.is_relative_to(base)}


def _solution(checked: Checked, limit: int, progress: Progress | None) -> Solution:
    from llmplan.load.digest import digest
    from llmplan.report.layouts import KEPT
    from llmplan.report.solution import solution
    from llmplan.solution import Solution
    from llmplan.system.expressions import TooLarge
    from llmplan.whatif.robust import solve_certain

    program, built = checked.program, checked.built
    plan_hash = digest(checked.modules)
    failure = Solution(
        checked.plan,
        "",
        "error",
        diagnostics=checked.diagnostics,
        plan_hash=plan_hash,
        library_hash=checked.library_hash,
    )
    if checked.failed or program is None or built is None or built.system is None:
        return failure
    built, outcome = solve_certain(program, built, limit, KEPT, progress=progress)
    try:
        return solution(
            checked.plan, program, built, outcome, checked.diagnostics, plan_hash, checked.library_hash, progress
        )
    except (RecursionError, TooLarge) as stopped:
        # Everything is computed here, also what the plan did not ask for.
        wrong = system.too_large(None) if isinstance(stopped, TooLarge) else system.too_deep()
        return evolve(failure, diagnostics=(*failure.diagnostics, wrong))


def compile(
    path: str,
    *,
    out: str | None = None,
    check: bool = False,
    force: bool = False,
    templates: str | None = None,
    root: str | None = None,
    settings: Sequence[tuple[str, str]] = (),
    scenario: str | None = None,
    limit: int | None = None,
    text: str | None = None,
    progress: Progress | None = None,
) -> tuple[Solution, Written]:
    """Solves a plan and writes what it emits, all files or none.

    Args:
        out: Where to write; else where the plan says, else `build/<plan name>` beside it.
        check: Write nothing, say what is out of date.
        force: Overwrite files that were edited or that llmplan did not write.
        templates: A folder laid over the templates that ship with llmplan.
        progress: See `solve`.
    """
    from llmplan.emit import write
    from llmplan.emit.render import render

    over = Path(templates) if templates else None
    solution = solve(
        path,
        root=root,
        settings=settings,
        scenario=scenario,
        limit=limit,
        text=text,
        templates=over,
        tables=True,
        progress=progress,
    )
    directory = Path(out) if out else output_folder(path, solution.into)
    name = shown(directory)
    if solution.status == "error":
        return solution, Written(name, (), ())
    contents, problems = render(solution, over)
    if any(problem.severity == "error" for problem in problems):
        return solution, Written(name, (), tuple(problems))
    if check:
        problems += write.check(directory, contents, solution.plan, name)
    else:
        problems += write.write(directory, contents, force, name)
    return solution, Written(name, tuple(contents), tuple(problems))


def explain(
    path: str,
    name: str,
    *,
    depth: int = 2,
    root: str | None = None,
    settings: Sequence[tuple[str, str]] = (),
    scenario: str | None = None,
    limit: int | None = None,
    text: str | None = None,
    progress: Progress | None = None,
) -> tuple[Solution, list[Step]]:
    """The derivation of a quantity, input, let or requirement of a plan at its solution.

    Args:
        depth: How many names deep; 0 for the formula alone.
        progress: See `solve`.

    Returns:
        The solution, with E0201 among its diagnostics if nothing is called so, and the steps.
    """
    from llmplan.report.derivation import derive

    solution = solve(
        path, root=root, settings=settings, scenario=scenario, limit=limit, text=text, progress=progress
    )
    if solution.status == "error":
        return solution, []
    steps = derive(solution, name, depth)
    if steps is None:
        rules = [rule.name for rule in (*solution.requirements, *solution.preferences)]
        asked = Span(Source("QUANTITY", name), 0, len(name))
        wrong = names.unknown_name(asked, name, [*solution.values, *rules], None)
        return evolve(solution, status="error", diagnostics=(*solution.diagnostics, wrong)), []
    return solution, steps


def output_folder(path: str, into: str) -> Path:
    """Where `compile` writes a plan's files unless the command line says: `into` is relative to the plan."""
    plan = Path(path)
    folder = Path() if path == "-" else plan.parent
    return folder / (into or f"build/{'stdin' if path == '-' else plan.stem}")
