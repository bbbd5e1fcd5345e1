"""The compiler as functions: `check`, `solve`, `sweep`, `compile` and `explain`, as the command line has them.

A plan is a path, or else the option `text` or `statements`; `options.py` says what each option means. All raise
ValueError for an option or a path that is wrong, and name it. None raises for a mistake in a plan: the diagnostics of
the result say it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmplan import api
from llmplan.public import inner
from llmplan.public.options import CheckOptions, Path, SolveOptions, SweepOptions, question, read, takes
from llmplan.public.records import Derivation, Diagnostics, Solution, Table, Written

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes(CheckOptions)
def check(plan: Path | None = None, **options: Unpack[CheckOptions]) -> Diagnostics:
    """The mistakes and warnings of a plan; nothing is solved.

    Raises:
        ValueError: An option or a path is wrong.
    """
    return inner.diagnostics(api.check(question(plan, options)))


@takes(SolveOptions)
def solve(plan: Path | None = None, **options: Unpack[SolveOptions]) -> Solution:
    """The solution of a plan; of an infeasible one the nearest plan.

    Raises:
        ValueError: An option or a path is wrong.
    """
    return inner.solution(api.solve(question(plan, options)))


@takes(SweepOptions)
def sweep(plan: Path | None = None, **options: Unpack[SweepOptions]) -> Table:
    """A plan solved at every point of its sweeps; without a row where it has errors or sweeps nothing.

    Raises:
        ValueError: An option or a path is wrong.
    """
    request = question(plan, options)
    return inner.table(request.name, *api.sweep(request))


@takes(SolveOptions)
def compile(
    plan: Path | None = None,
    *,
    into: Path | None = None,
    check: bool = False,
    force: bool = False,
    **options: Unpack[SolveOptions],
) -> Written:
    """Solves a plan and writes the files that it emits, all or none.

    Args:
        into: The folder to write to; else the one that the plan names, else `build/<plan name>` beside it.
        check: Write nothing, and report outdated files.
        force: Overwrite files that were edited or that llmplan did not write.

    Raises:
        ValueError: An option or a path is wrong.
    """
    own = {"out": read("into", into), "check": read("check", check), "force": read("force", force)}
    return inner.written(*api.compile(question(plan, options), **own))


@takes(SolveOptions)
def explain(
    plan: Path | None = None,
    name: str | None = None,
    *,
    depth: int = 1,
    uses: bool = False,
    **options: Unpack[SolveOptions],
) -> Derivation:
    """The derivation of a quantity, input, let or requirement at the solution of a plan: formula, numbers, sources.

    Args:
        name: None for all of them, each by itself.
        depth: How many names deep; 0 for the formula alone.
        uses: Whether what reads the name is asked for, in the place of what it reads.

    Raises:
        ValueError: An option or a path is wrong, or the plan has no such name.
    """
    solution, steps = api.explain(
        question(plan, options), read("name", name), depth=read("depth", depth), uses=read("uses", uses)
    )
    wrong = [d for d in solution.diagnostics if d.span is not None and d.span.source.name == api.QUANTITY]
    if wrong:
        raise ValueError(f"name: {'; '.join((wrong[0].message, *(hint.text for hint in wrong[0].hints)))}")
    return inner.derivation(solution, steps)
