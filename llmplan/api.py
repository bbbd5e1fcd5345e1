"""The compiler as functions: `check`, `solve`, `compile`. The command line is a face over these.

Each takes the path of a plan and returns data with its diagnostics; none raises for what a plan
says. Heavy libraries are imported where they are first needed: `check` needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from llmplan.check import library
from llmplan.check.plan import PlanCheck, Program
from llmplan.diagnostics import Diagnostic, names, solving, system
from llmplan.names.digest import digest
from llmplan.names.modules import Module, load, project_root, shown
from llmplan.solution import Solution, Table
from llmplan.source import Source, Span
from llmplan.system.build import Built, build, validate
from llmplan.system.expressions import TooLarge

if TYPE_CHECKING:
    from llmplan.explain.derivation import Step
    from llmplan.solve.outcome import Outcome

DEFAULT_LIMIT = 10**8
"""The largest number of combinations that `solve` looks at unless it is told otherwise."""


@frozen
class Checked:
    """A plan as far as it is known without solving.

    Attributes:
        program, built: None where errors prevent them.
        plan: The plan's path as people know it.
    """

    plan: str
    modules: tuple[Module, ...]
    program: Program | None
    built: Built | None
    diagnostics: tuple[Diagnostic, ...]
    library_hash: str

    @property
    def failed(self) -> bool:
        return any(diagnostic.severity == "error" for diagnostic in self.diagnostics)


@frozen
class Written:
    """What `compile` wrote, or with `check` found current: the directory as people know it, and names."""

    directory: str
    files: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


def front(
    path: str,
    *,
    root: str | None = None,
    settings: Sequence[tuple[str, str]] = (),
    scenario: str | None = None,
    text: str | None = None,
    templates: Path | None = None,
    sweeping: bool = False,
) -> Checked:
    """Parses, checks and lowers a plan; with `sweeping` at the first point of its sweeps.

    Raises:
        llmplan.names.modules.Unreadable: if the plan itself cannot be read.
    """
    from llmplan.emit.targets import targets

    modules, diagnostics = load(path, text, root)
    scope, content, problems = library.load()
    diagnostics = [*problems, *diagnostics]
    for module in modules:
        further = (source for found in module.configured for source in found.sources)
        for source in (module.source, *further):
            scope.sources[source.name] = source
    known = {name: target.options for name, target in targets(templates).items()}
    program: Program | None = None
    built: Built | None = None
    try:
        program = PlanCheck(scope, known, diagnostics.append).run(modules, scenario, settings)
        if not _failed(diagnostics):
            diagnostics += validate(program)
        if not _failed(diagnostics):
            built = build(_first_point(program) if sweeping else program, _reads(program, templates))
            diagnostics += built.diagnostics
    except RecursionError:
        diagnostics.append(system.too_deep())
    found = tuple(dict.fromkeys(_causes(diagnostics)))
    if not found and program is not None and not program.asks:
        found = (names.asks_nothing(modules[0].tree.span),)
    name = "<stdin>" if path == "-" else Path(path).as_posix()
    return Checked(name, tuple(modules), program, built, found, content)


def _causes(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics without those that follow from others.

    Left out is what points into a syntax error, an unknown name that stands on a line that could not
    be read, where it may have been defined, and next to errors the names that nothing reads.
    """
    failed = _failed(diagnostics)
    unread = [d.span for d in diagnostics if d.code.startswith("E01") and d.span is not None]
    lines = [span.source.line(span.line) for span in unread]

    def echo(found: Diagnostic) -> bool:
        at = found.span
        if failed and found.code == "W0602":
            return True
        if at is None or found.code.startswith("E01"):
            return False
        if any(at.source is bad.source and at.start < bad.end and bad.start < at.end for bad in unread):
            return True
        return found.code == "E0201" and any(at.text in line for line in lines)

    return [diagnostic for diagnostic in diagnostics if not echo(diagnostic)]


def _failed(diagnostics: Sequence[Diagnostic]) -> bool:
    return any(diagnostic.severity == "error" for diagnostic in diagnostics)


def _first_point(program: Program) -> Program:
    """A program in which what it sweeps has its first value, as it may have none of its own."""
    from llmplan.check.vary import varied
    from llmplan.system.sweeps import points

    grid = points(program)
    first = {path: point.setting for path, point in grid[0].items()} if grid else {}
    return varied(program, "sweep", first)


def _reads(program: Program, templates: Path | None) -> tuple[str, ...]:
    """Inputs that the emitted files read, so that open ones are solved too."""
    from llmplan.emit.reads import reads

    return reads([target.name for target in program.emits], templates)


def check(
    path: str,
    *,
    root: str | None = None,
    settings: Sequence[tuple[str, str]] = (),
    scenario: str | None = None,
    text: str | None = None,
) -> list[Diagnostic]:
    """Diagnostics of a plan; nothing is solved."""
    return list(front(path, root=root, settings=settings, scenario=scenario, text=text).diagnostics)


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
) -> Solution:
    """The solution of a plan, with its diagnostics; with `tables` its sweeps and scenarios too."""
    checked = front(path, root=root, settings=settings, scenario=scenario, text=text, templates=templates)
    base = Path(root).resolve() if root else project_root(Path(path))
    solution = evolve(_solution(checked, limit), sources=_from_root(checked.modules, base))
    if not tables or solution.status == "error" or checked.program is None:
        return solution
    from llmplan.explain import variations

    grid = variations.sweep(checked.program, limit or DEFAULT_LIMIT) if checked.program.sweeps else None
    return evolve(solution, sweep=grid, scenarios=variations.scenarios(checked.program, limit or DEFAULT_LIMIT))


def sweep(
    path: str,
    *,
    root: str | None = None,
    settings: Sequence[tuple[str, str]] = (),
    scenario: str | None = None,
    limit: int | None = None,
    text: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Table | None, tuple[Diagnostic, ...]]:
    """A plan at every point of its sweeps, with its diagnostics; None if it cannot be computed.

    Args:
        progress: Is told after each point how many of how many are done.
    """
    checked = front(path, root=root, settings=settings, scenario=scenario, text=text, sweeping=True)
    if checked.failed or checked.program is None:
        return None, checked.diagnostics
    from llmplan.explain import variations
    from llmplan.system.sweeps import MOST_POINTS

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


def _solution(checked: Checked, limit: int | None) -> Solution:
    from llmplan.explain.solved import solution

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
    outcome = _solve_system(built, limit)
    try:
        return solution(
            checked.plan, program, built, outcome, checked.diagnostics, plan_hash, checked.library_hash
        )
    except (RecursionError, TooLarge) as stopped:
        # Everything is computed here, also what the plan did not ask for.
        wrong = system.too_large(None) if isinstance(stopped, TooLarge) else system.too_deep()
        return evolve(failure, diagnostics=(*failure.diagnostics, wrong))


def _solve_system(built: Built, limit: int | None) -> Outcome:
    from llmplan.explain.layouts import KEPT
    from llmplan.solve.solve import solve as solve_system

    assert built.system is not None
    return solve_system(built.system, limit or DEFAULT_LIMIT, KEPT)


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
) -> tuple[Solution, Written]:
    """Solves a plan and writes what it emits, all files or none.

    Args:
        out: Where to write; else where the plan says, else `build/<plan name>` beside it.
        check: Write nothing, say what is out of date.
        force: Overwrite files that were edited or that llmplan did not write.
        templates: A folder laid over the templates that ship with llmplan.
    """
    from llmplan.emit import write
    from llmplan.emit.render import render

    over = Path(templates) if templates else None
    solution = solve(
        path, root=root, settings=settings, scenario=scenario, limit=limit, text=text, templates=over, tables=True
    )
    directory = Path(out) if out else output_folder(path, solution.into)
    name = shown(directory)
    if solution.status == "error":
        return solution, Written(name, (), ())
    contents, problems = render(solution, over)
    if _failed(problems):
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
) -> tuple[Solution, list[Step]]:
    """The derivation of a quantity, input, let or requirement of a plan at its solution.

    Args:
        depth: How many names deep; 0 for the formula alone.

    Returns:
        The solution, with E0201 among its diagnostics if nothing is called so, and the steps.
    """
    from llmplan.explain.derivation import derive

    solution = solve(path, root=root, settings=settings, scenario=scenario, limit=limit, text=text)
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
