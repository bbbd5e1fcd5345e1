"""What commands take: plans by name or on standard input, and the options `--root`, `--set`, `--scenario`, `--limit`,
`--effort`."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from attrs import frozen

from llmplan.diagnostics import Diagnostic, command
from llmplan.load import files
from llmplan.request import MOST_EFFORT, Request

_GRAVITY = (0, 4, 3, 1, 2)

Command = TypeVar("Command", bound=Callable[..., Any])


def gravest(codes: Iterable[int]) -> int:
    """The exit code for several plans: 2 before 1 before 3 before 4 before 0."""
    return max(codes, key=_GRAVITY.index, default=0)


def read(path: str) -> str | Diagnostic:
    """The text of the plan that an argument names, `-` for standard input; or why it cannot be read."""
    try:
        if path == "-":
            return files.decode(_standard_input())
        return files.read_plan(Path(path))
    except files.Unreadable as why:
        return command.unreadable("<stdin>" if path == "-" else path, str(why), path != "-" and os.path.isdir(path))


def _standard_input() -> bytes:
    if sys.stdin is None:  # closed before llmplan began
        raise files.Unreadable("it is closed")
    try:
        return sys.stdin.buffer.read(files.READ)
    except OSError as error:
        raise files.Unreadable(error.strerror or "it is unreadable") from None


@frozen
class Ask:
    """Makes the request for each plan that a command names, from the options that it was given."""

    options: dict[str, Any]

    def __call__(self, path: str | None) -> Request | Diagnostic:
        """The request with the plan's text, or why that cannot be read; without a path that of `-e` alone.

        Raises:
            click.UsageError: There is neither a plan nor a statement, or the two do not go together.
        """
        statements = self.options.get("statements")
        if path is None:
            if not statements:
                raise click.UsageError("name a plan, `-` for standard input, or give statements with -e")
            return Request(files.STATEMENTS, "\n".join(statements), **{**self.options, "statements": ()})
        text = read(path)
        if statements and path != "-":
            from llmplan.resources import library_of  # of use for few commands

            if library_of(path) is not None:
                raise click.UsageError(f"-e does not go with {path}, which is a file of the library")
        return text if isinstance(text, Diagnostic) else Request(path, text, **self.options)


def _settings(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Each `PATH=VALUE` as a pair."""
    parted = [value.partition("=") for value in values]
    for value, (path, equals, _) in zip(values, parted):
        if not equals or not path.strip():
            raise click.BadParameter(f"{value!r} is not PATH=VALUE, as in --set hardware.gpus=64")
    return tuple((path.strip(), text.strip()) for path, _, text in parted)


def _effort(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """`10x` as 10."""
    if value is None:
        return None
    try:
        found = float(value.removesuffix("x"))
    except ValueError:
        found = 0.0
    if not 0.0 < found <= MOST_EFFORT:
        raise click.BadParameter(f"{value!r} is no multiple, as in --effort 10x")
    return found


LANGUAGES = ("en", "zh", "auto")
"""Those of `llmplan.present.words`, which takes long to import, and that of the locale."""


def _language(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value is not None:
        from llmplan.present.words import ask_for

        ask_for(value)


_OPTIONS: dict[str, Callable[[Command], Command]] = {
    "root": click.option(
        "--root",
        type=click.Path(exists=True, file_okay=False),
        metavar="DIR",
        help="Project root; used files must be inside it.  [default: the nearest parent of the plan with "
        ".git or pyproject.toml, else the plan's directory]",
    ),
    "statements": click.option(
        "-e",
        "statements",
        multiple=True,
        metavar="STATEMENT",
        help="Add a statement that wins over PLAN, or needs none; repeatable.",
    ),
    "settings": click.option(
        "--set",
        "settings",
        callback=_settings,
        multiple=True,
        metavar="PATH=VALUE",
        help="Override an input, let or assumption; repeatable.",
    ),
    "scenario": click.option("--scenario", metavar="NAME", help="Scenario of the plan to apply."),
    "no_waive": click.option("--no-waive", is_flag=True, help="Make every waived or replaced requirement an error."),
    "limit": click.option(
        "--limit",
        type=click.IntRange(min=1),
        metavar="N",
        help="Maximum number of combinations of unknowns to search.",
    ),
    "effort": click.option(
        "--effort",
        callback=_effort,
        metavar="Nx",
        help="Multiply the work spent on advice for an infeasible plan, as in 10x.",
    ),
    "language": click.option(
        "--lang",
        type=click.Choice(LANGUAGES),
        callback=_language,
        expose_value=False,
        help="Language of answers on the terminal; auto for that of the locale. Diagnostics stay English, a report is "
        "in the language of its `emit report { language = zh }`.  [default: en]",
    ),
    "templates": click.option(
        "--templates",
        type=click.Path(exists=True, file_okay=False),
        metavar="DIR",
        help="Directory of templates that override those shipped with llmplan.",
    ),
}
"""By the field of a request that each fills."""


def _asking(*names: str) -> Callable[[Command], Command]:
    """A decorator that gathers options into `ask`, the first argument of the command."""

    def decorate(function: Command) -> Command:
        @functools.wraps(function)
        def gathered(**arguments: Any) -> Any:
            given = {name: arguments.pop(name) for name in names if name in arguments}
            return function(ask=Ask(given), **arguments)

        found: Any = gathered
        for name in reversed(names):
            found = _OPTIONS[name](found)
        return cast(Command, found)

    return decorate


checking = _asking("statements", "settings", "scenario", "root", "no_waive", "templates")
"""`-e`, `--set`, `--scenario`, `--root`, `--no-waive` and `--templates`."""

solving = _asking("statements", "settings", "scenario", "root", "no_waive", "templates", "limit", "effort", "language")
"""The same, `--limit`, `--effort` and `--lang`."""

sweeping = _asking("statements", "settings", "scenario", "root", "no_waive", "templates", "limit", "language")
"""The same but `--effort`, as a sweep gives no advice."""

plain_settings = _OPTIONS["settings"]
"""`--set` alone, as pairs."""

compiling = _asking("settings", "scenario", "root", "no_waive", "templates", "limit", "effort", "language")
"""Options for plans in files: all of these but `-e`."""

comparing = _asking("settings", "scenario", "root", "templates", "limit", "language")
"""Options for two plans, which are solved without advice."""

starting: Callable[[Command], Command] = _OPTIONS["language"]
"""`--lang` alone."""
