"""Configurations of other software where a command takes a plan: the options that go with them, and the plan that they
make together."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from attrs import frozen

from llmplan.cli import terminal
from llmplan.cli.inputs import Ask
from llmplan.diagnostics import Diagnostic, command
from llmplan.load.files import IMPORTED, PLAN, Unreadable
from llmplan.request import Request

if TYPE_CHECKING:
    from llmplan.importing import Imported
    from llmplan.read.edits import Files

Command = TypeVar("Command", bound=Callable[..., Any])

GPU = "--gpu"
GPUS = "--gpus"
ANSWER = "solution.json"
_OTHER = (".md", ".svg", ".png", ".pdf", ".rst", ".log", ".jsonl", ".csv", ".lock", ".ipynb")
_USED = re.compile(r'^\w+ from "([^"]+)"', re.MULTILINE)


@frozen
class Asked:
    """A request, and the files whose words changes are told in."""

    request: Request
    files: Files


def side(
    ask: Ask, paths: Sequence[str], gpu: str | None, gpus: int | None, run: int | None, revision: str = ""
) -> Request | int:
    """The request for a plan, for configurations or for a folder of them, as `compile` writes them too; or, after the
    reason is shown, the exit code.

    Args:
        revision: Of git, at which the path was as it is.
    """
    path = paths[0]
    folder = os.path.isdir(path)
    if path == "-" or (path.endswith(PLAN) and not folder):
        request = ask(path)
        if isinstance(request, Diagnostic):
            terminal.show([request])
            return 2
        return request
    files = list(expanded(paths))
    names = {file: f"{revision}:./{os.path.basename(file)}" for file in files} if revision else {}
    found = asked(ask, files, gpu, gpus, run, side=path, names=names)
    return found if isinstance(found, int) else found.request


def inside(folder: str) -> list[str]:
    """The configurations in a folder."""
    names = [name for name in sorted(os.listdir(folder)) if not name.startswith(".") and not _is_other(name)]
    return [path for name in names if os.path.isfile(path := os.path.join(folder, name))]


def expanded(paths: Sequence[str]) -> tuple[str, ...]:
    """Paths with the configurations of a folder in its place, where there are no plans among them."""
    if any(path == "-" or path.endswith(PLAN) for path in paths):
        return tuple(paths)
    return tuple(file for path in paths for file in (inside(path) if os.path.isdir(path) else [path]) or [path])


def _is_other(name: str) -> bool:
    """Whether a file of a folder is no configuration: a plan, what `compile` writes beside them, notes, logs, data."""
    return name == ANSWER or name.endswith((PLAN, *_OTHER)) or (name.endswith(".txt") and "host" not in name)


def are(paths: Sequence[str]) -> bool:
    """Whether arguments are configurations: none of them is a plan.

    Raises:
        click.UsageError: Some are.
    """
    plans = [path for path in paths if path == "-" or path.endswith(PLAN) or os.path.isdir(path)]
    if plans and len(plans) < len(paths):
        raise click.UsageError(f"{plans[0]} is a plan, other arguments are configurations: give one or the others")
    return bool(paths) and not plans


def none(gpu: str | None, gpus: int | None, run: int | None) -> None:
    """Checks that no option of configurations goes with a plan.

    Raises:
        click.UsageError: One does.
    """
    for name, value, instead in (
        (GPU, gpu, "--set hardware.gpu=NAME"),
        (GPUS, gpus, "--set hardware.gpus=N"),
        ("--run", run, ""),
    ):
        if value is not None:
            hint = f": give `{instead}`" if instead else ""
            raise click.UsageError(f"{name} goes with configurations, not with a plan{hint}")


def reading(function: Command) -> Command:
    """The options `--gpu`, `--gpus` and `--run`."""
    for option in (
        click.option(
            "--run", type=int, metavar="N", help="Of configurations: the Nth launch of a script that has several."
        ),
        click.option(GPUS, type=click.IntRange(min=1), metavar="N", help="Of configurations: the number of GPUs."),
        click.option(GPU, metavar="NAME", help="Of configurations: the GPU, as in --gpu H100."),
    ):
        function = option(function)
    return function


def asked(
    ask: Ask,
    paths: Sequence[str],
    gpu: str | None,
    gpus: int | None,
    run: int | None,
    apart: bool = False,
    writes: bool = False,
    whole: bool = True,
    side: str = "",
    names: Mapping[str, str] | None = None,
) -> Asked | int:
    """The request for the plan that configurations make; or, after its reasons are shown, the exit code.

    Args:
        whole: Whether what a verdict needs must be said.
        apart: Whether the command has options that need a plan, or lacks the directory of its files.
        writes: Whether it writes files for the run.
        side: The one of two folders or files that is compared: the plan stands there, and is called after it.
        names: What files are called where that is not their path.

    Raises:
        click.UsageError: It does.
    """
    if apart:
        raise click.UsageError("configurations need -o DIR, and go with neither --table nor --summary")
    folder = side if os.path.isdir(side) else os.path.dirname(side)
    found = read(paths, gpu, gpus, ask.options.get("settings", ()), run, whole, folder, names)
    if isinstance(found, Diagnostic):
        terminal.show([found])
        return 2
    terminal.show(found.diagnostics)
    if found.failed or found.files is None:
        return 1
    from llmplan import importing

    name = f"{Path(side).resolve().name} {IMPORTED}" if side else IMPORTED
    return Asked(importing.question(found, Path(folder, name), writes, **ask.options), found.files)


def used(paths: Sequence[str], plan: str) -> list[str]:
    """Of the files that a plan was read from those that it uses by their names, as a model's config.json."""
    names = {os.path.basename(name) for name in _USED.findall(plan)}
    return [path for path in paths if os.path.basename(path) in names]


def of_run(
    ask: Ask, paths: Sequence[str], gpu: str | None, gpus: int | None, run: int | None
) -> tuple[Request | None, Files | None] | int:
    """The request for the plan of a run, if there is one, and the files that it was read from; or, after its reasons
    are shown, the exit code."""
    if not paths:
        return None, None
    if are(paths):
        found = asked(ask, paths, gpu, gpus, run, whole=False)
        return found if isinstance(found, int) else (found.request, found.files)
    none(gpu, gpus, run)
    if len(paths) > 1:
        raise click.UsageError("expected a single plan")
    request = ask(paths[0])
    if isinstance(request, Diagnostic):
        terminal.show([request])
        return 2
    return request, None


def read(
    paths: Sequence[str],
    gpu: str | None,
    gpus: int | None,
    further: Sequence[tuple[str, str]],
    run: int | None,
    whole: bool,
    folder: str = "",
    names: Mapping[str, str] | None = None,
) -> Imported | Diagnostic:
    """What configurations say, under what the command line says; or why one of them cannot be read."""
    from llmplan import importing

    others = [path for path in paths if _is_other(os.path.basename(path))]
    if 0 < len(others) < len(paths):  # what a shell's `*` finds in a folder that was compiled
        terminal.complain(f"not read, as it is no configuration: {', '.join(others)}")
        paths = [path for path in paths if path not in others]
    for path in paths:
        try:
            importing.readable(path)
        except Unreadable as why:
            return command.unreadable(path, str(why), False)
    return importing.imported(paths, importing.settings(gpu, gpus, further), run, whole, Path(folder), names)
