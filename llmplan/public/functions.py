"""The compiler as functions: `check`, `solve`, `sweep`, `compile`, `explain`, `diff` and more, as the command line has
them.

A plan is a path, or else the option `text` or `statements`; `options.py` says what each option means. All raise
ValueError for an option or a path that is wrong, and name it. None raises for a mistake in a plan: the diagnostics of
the result say it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from llmplan import api
from llmplan.load.files import PLAN, Unreadable
from llmplan.public import inner
from llmplan.public.options import CheckOptions, Path, SolveOptions, SweepOptions, question, takes
from llmplan.public.options import read as option
from llmplan.public.records import (
    Derivation,
    Diagnosis,
    Diagnostics,
    Difference,
    Imported,
    Measured,
    Solution,
    Table,
    Written,
)
from llmplan.request import Request

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from llmplan import importing
    from llmplan.read.edits import Files


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
    own = {"out": option("into", into), "check": option("check", check), "force": option("force", force)}
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
        question(plan, options), option("name", name), depth=option("depth", depth), uses=option("uses", uses)
    )
    wrong = [d for d in solution.diagnostics if d.span is not None and d.span.source.name == api.QUANTITY]
    if wrong:
        raise ValueError(f"name: {'; '.join((wrong[0].message, *(hint.text for hint in wrong[0].hints)))}")
    return inner.derivation(solution, steps)


def read(
    files: Path | Sequence[Path], *, gpu: str | None = None, gpus: int | None = None, run: int | None = None
) -> Imported:
    """Configurations of other software as a plan: `llmplan.read`.

    Args:
        gpu: The card, where no file says it.
        gpus: The number of cards, likewise.
        run: Which of several launches of a script, from 1.

    Raises:
        ValueError: A path or an option is wrong.
    """
    return inner.imported(*_imported(files, gpu, gpus, run))


def _imported(
    files: Path | Sequence[Path], gpu: str | None, gpus: int | None, run: int | None
) -> tuple[importing.Imported, str]:
    from llmplan import importing  # what it imports is of use for few functions

    paths = [os.fspath(one) for one in ([files] if isinstance(files, (str, os.PathLike)) else files)]
    if not paths:
        raise ValueError("files: name at least one")
    given = importing.settings(gpu, gpus)
    for path in paths:
        try:
            importing.readable(path)
        except Unreadable as why:
            raise ValueError(f"files: cannot read {path}: {why}") from None
    return importing.imported(paths, given, run), ", ".join(paths)


def why(log: Path, files: Path | Sequence[Path] = (), *, gpu: str | None = None, gpus: int | None = None) -> Diagnosis:
    """Why a run had no memory left.

    Args:
        log: A log or a saved traceback.
        files: The plan of the run, or its configurations.

    Raises:
        ValueError: A path is wrong.
    """
    from llmplan import failures, importing

    paths = [os.fspath(one) for one in ([files] if isinstance(files, (str, os.PathLike)) else files)]
    asked: Request | None = None
    read: Files | None = None
    if len(paths) == 1 and paths[0].endswith(PLAN):
        asked = question(paths[0], {})
    elif paths:
        found, _ = _imported(paths, gpu, gpus, None)
        if found.failed:
            return inner.diagnosis(failures.Failure(None, diagnostics=found.diagnostics))
        asked, read = importing.question(found), found.files
    try:
        with open(os.fspath(log), encoding="utf-8", errors="replace") as stream:
            return inner.diagnosis(failures.explain((line.rstrip("\r\n") for line in stream), asked, read))
    except OSError as error:
        raise ValueError(f"log: cannot read {os.fspath(log)}: {error.strerror}") from None


def calibrate(
    logs: Path | Sequence[Path],
    files: Path | Sequence[Path] = (),
    *,
    format: str | None = None,
    steps: tuple[int, int] | None = None,
    gpu: str | None = None,
    gpus: int | None = None,
) -> Measured:
    """What logs of training runs measure, as statements of a plan.

    Args:
        logs: One log, or several.
        files: The plan of the runs, or its configurations.
        format: The software that printed the logs, where they do not show it.
        steps: Only these, from the first to the last.
        gpu: What neither log nor files say, as `gpus`.

    Raises:
        ValueError: A path is wrong.
    """
    from contextlib import ExitStack

    from llmplan import calibration, importing

    paths = [os.fspath(one) for one in ([files] if isinstance(files, (str, os.PathLike)) else files)]
    names = [os.fspath(one) for one in ([logs] if isinstance(logs, (str, os.PathLike)) else logs)]
    asked: Request | None = None
    read: Files | None = None
    if len(paths) == 1 and paths[0].endswith(PLAN):
        asked = question(paths[0], {})
    elif paths:
        found, _ = _imported(paths, gpu, gpus, None)
        if found.failed:
            return inner.measured(calibration.Calibration("", (), found.diagnostics), ", ".join(names))
        asked, read = importing.question(found), found.files
    with ExitStack() as stack:
        try:
            opened = [calibration.opened(stack, name) for name in names]
        except OSError as error:
            raise ValueError(f"logs: cannot read {error.filename}: {error.strerror}") from None
        settings = () if asked else importing.settings(gpu, gpus)
        return inner.measured(calibration.calibrate(opened, asked, read, settings, format, steps), ", ".join(names))


@takes(SweepOptions)
def diff(
    plan: Path | None = None,
    b: Path | None = None,
    *,
    against: str | None = None,
    fail_if: Sequence[str] = (),
    **options: Unpack[SweepOptions],
) -> Difference:
    """What a plan differs in from another one: `b` from `plan`, or `plan` from itself at a revision of git.

    Args:
        b: The newer plan.
        against: In place of `b`: the revision of git that `plan` is compared with.
        fail_if: Conditions under which the difference counts as failed, as `--fail-if` takes them.

    Raises:
        ValueError: An option, a path, a revision or a condition is wrong.
    """
    from llmplan import comparison

    if (b is None) == (against is None):
        raise ValueError("b: name a second plan, or a revision as `against`")
    older = question(plan, options)
    newer = older if b is None else question(b, {name: one for name, one in options.items() if name != "text"})
    try:
        return inner.difference(
            comparison.compare(older, newer, option("against", against), option("fail_if", fail_if))
        )
    except Unreadable as why:
        raise ValueError(f"against: cannot read {older.name} at {against}: {why}") from None
    except comparison.WrongCondition as why:
        raise ValueError(f"fail_if: {why}") from None
