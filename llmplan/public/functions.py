"""The compiler as functions: `check`, `solve`, `sweep`, `compile` and `explain`, as the command line has them.

They share their options:

- plan: The path of a plan. Left out, the plan is `text`, or the `statements` alone.
- text: The plan's text; beside `plan`, it replaces the text of that file.
- settings: Values by path that win over the plan, as `--set` takes them: `{"hardware.gpus": 64}`, or pairs.
- statements: Further statements, which use the plan and win over it, as `-e` takes them.
- scenario: The scenario of the plan to apply.
- root: The folder that used files must lie in; else the project's.
- templates: A folder of templates that are laid over those of llmplan.
- no_waive: Whether each waived or replaced requirement is an error.
- limit: The largest number of combinations of unknowns to search.
- effort: How many times the usual work may go into advice on an infeasible plan.

All raise ValueError for an option or a path that is wrong, and name it. None raises for a mistake in a plan: the
diagnostics of the result say it.
"""

from __future__ import annotations

from collections.abc import Sequence

from llmplan import api
from llmplan.public import inner
from llmplan.public.options import Path, Settings, path, question
from llmplan.public.records import Derivation, Diagnostics, Solution, Table, Written
from llmplan.request import DEFAULT_LIMIT


def check(
    plan: Path | None = None,
    *,
    text: str | None = None,
    settings: Settings = (),
    statements: Sequence[str] = (),
    scenario: str | None = None,
    root: Path | None = None,
    templates: Path | None = None,
    no_waive: bool = False,
) -> Diagnostics:
    """The mistakes and warnings of a plan; nothing is solved.

    Raises:
        ValueError: An option or a path is wrong.
    """
    request = question(plan, text, settings, statements, scenario, root, templates, no_waive)
    return inner.diagnostics(api.check(request))


def solve(
    plan: Path | None = None,
    *,
    text: str | None = None,
    settings: Settings = (),
    statements: Sequence[str] = (),
    scenario: str | None = None,
    root: Path | None = None,
    templates: Path | None = None,
    no_waive: bool = False,
    limit: int = DEFAULT_LIMIT,
    effort: float = 1.0,
) -> Solution:
    """The solution of a plan; of an infeasible one the nearest plan.

    Raises:
        ValueError: An option or a path is wrong.
    """
    request = question(plan, text, settings, statements, scenario, root, templates, no_waive, limit, effort)
    return inner.solution(api.solve(request))


def sweep(
    plan: Path | None = None,
    *,
    text: str | None = None,
    settings: Settings = (),
    statements: Sequence[str] = (),
    scenario: str | None = None,
    root: Path | None = None,
    templates: Path | None = None,
    no_waive: bool = False,
    limit: int = DEFAULT_LIMIT,
) -> Table:
    """A plan solved at every point of its sweeps; without a row where it has errors or sweeps nothing.

    Raises:
        ValueError: An option or a path is wrong.
    """
    request = question(plan, text, settings, statements, scenario, root, templates, no_waive, limit)
    return inner.table(request.name, *api.sweep(request))


def compile(
    plan: Path | None = None,
    *,
    text: str | None = None,
    settings: Settings = (),
    statements: Sequence[str] = (),
    scenario: str | None = None,
    root: Path | None = None,
    templates: Path | None = None,
    no_waive: bool = False,
    limit: int = DEFAULT_LIMIT,
    effort: float = 1.0,
    into: Path | None = None,
    check: bool = False,
    force: bool = False,
) -> Written:
    """Solves a plan and writes the files that it emits, all or none.

    Args:
        into: The folder to write to; else the one that the plan names, else `build/<plan name>` beside it.
        check: Write nothing, and report outdated files.
        force: Overwrite files that were edited or that llmplan did not write.

    Raises:
        ValueError: An option or a path is wrong.
    """
    request = question(plan, text, settings, statements, scenario, root, templates, no_waive, limit, effort)
    return inner.written(*api.compile(request, out=path("into", into), check=check, force=force))


def explain(
    plan: Path | None = None,
    name: str | None = None,
    *,
    depth: int = 1,
    text: str | None = None,
    settings: Settings = (),
    statements: Sequence[str] = (),
    scenario: str | None = None,
    root: Path | None = None,
    templates: Path | None = None,
    no_waive: bool = False,
    limit: int = DEFAULT_LIMIT,
    effort: float = 1.0,
) -> Derivation:
    """The derivation of a quantity, input, let or requirement at the solution of a plan: formula, numbers, sources.

    Args:
        name: None for all of them, each by itself.
        depth: How many names deep; 0 for the formula alone.

    Raises:
        ValueError: An option or a path is wrong, or the plan has no such name.
    """
    request = question(plan, text, settings, statements, scenario, root, templates, no_waive, limit, effort)
    if not isinstance(depth, int) or depth < 0:
        raise ValueError(f"depth: expected a whole number from 0 on, not {depth!r}")
    solution, steps = api.explain(request, name, depth=depth)
    wrong = [d for d in solution.diagnostics if d.span is not None and d.span.source.name == api.QUANTITY]
    if wrong:
        raise ValueError(f"name: {'; '.join((wrong[0].message, *(hint.text for hint in wrong[0].hints)))}")
    return inner.derivation(solution, steps)
