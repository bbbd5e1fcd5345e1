"""What every command is given: plans by name or on standard input, `--root`, `--set`, `--scenario`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from llmplan.diagnostics import Diagnostic, command
from llmplan.load import files

_GRAVITY = (0, 3, 1, 2)

Command = TypeVar("Command", bound=Callable[..., Any])


def gravest(codes: Iterable[int]) -> int:
    """The exit code for several plans: 2 before 1 before 3 before 0."""
    return max(codes, key=_GRAVITY.index, default=0)


def read(path: str) -> str | Diagnostic:
    """The text of the plan that an argument names, `-` for standard input; or why it cannot be read."""
    try:
        if path == "-":
            return files.decode(sys.stdin.buffer.read(files.READ))
        return files.read(Path(path))
    except files.Unreadable as why:
        return command.unreadable("<stdin>" if path == "-" else path, str(why))


def _settings(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Each `PATH=VALUE` as a pair."""
    parted = [value.partition("=") for value in values]
    for value, (path, equals, _) in zip(values, parted):
        if not equals or not path.strip():
            raise click.BadParameter(f"{value!r} is not PATH=VALUE, as in --set hardware.gpus=64")
    return tuple((path.strip(), text.strip()) for path, _, text in parted)


def plan_options(function: Command) -> Command:
    """`--root`, `--set` and `--scenario`."""
    for option in (
        click.option("--scenario", metavar="NAME", help="The scenario of the plan to apply."),
        click.option(
            "--set",
            "settings",
            callback=_settings,
            multiple=True,
            metavar="PATH=VALUE",
            help="Give an input, let or assumption another value; may be repeated.",
        ),
        root_option,
    ):
        function = option(function)
    return function


def root_option(function: Command) -> Command:
    """`--root`."""
    return click.option(
        "--root",
        type=click.Path(exists=True, file_okay=False),
        metavar="DIR",
        help="The folder that used files must lie in.  [default: the nearest parent of the plan with .git "
        "or pyproject.toml, else the plan's folder]",
    )(function)


def limit_option(function: Command) -> Command:
    """`--limit`."""
    return click.option(
        "--limit",
        type=click.IntRange(min=1),
        metavar="N",
        help="The most combinations of unknowns to look at before giving up.",
    )(function)
