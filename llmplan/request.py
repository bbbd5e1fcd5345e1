"""A request: the one record that every command and every stage-joining function takes.

It is plain data and reads nothing by itself, except that `reading` gives it the text of its file.
"""

from __future__ import annotations

from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve, field, frozen
from attrs.converters import optional

from llmplan.load.files import project_root, read_plan

if TYPE_CHECKING:
    from llmplan.solve.effort import Progress

DEFAULT_LIMIT = 10**8
"""The default limit on the number of combinations searched."""

MOST_EFFORT = 1000.0
"""How many times the usual work may go into advice at most."""

_LARGEST = 1e100
"""A number above it is not a value of any input."""


def _limit(limit: int | None) -> int:
    return limit or DEFAULT_LIMIT


def _effort(effort: float | None) -> float:
    return effort or 1.0


@frozen
class Request:
    """A plan and how to look at it.

    Attributes:
        path: The plan's file, or `-` for standard input.
        text: What the plan says, if it has been read already.
        statements: Further statements, `-e` on the command line: a text that uses the plan and wins over it. Without
            a plan they are its text, and `-e` its path.
        root: The folder that used files must lie in; None for the project's.
        settings: Pairs of a path and a value as written, which win over the plan.
        scenario: The scenario of the plan to apply.
        kept: Inputs that no advice changes, as whoever asks cannot set them.
        offered: Sets of changes, each of paths and their values, that the files' software comes with.
        places: Where the files of other software that the plan was read from say its inputs, by path.
        has_files: Whether the run is judged by the files that it has, whatever a target could write.
        no_waive: Every departure from a requirement is an error.
        limit: The largest number of combinations to look at.
        effort: How many times the usual work may go into advice on an infeasible plan.
        templates: A folder laid over the templates that ship with llmplan.
        progress: Is told how many of how many are done, and of what, where that takes long.
    """

    path: str
    text: str | None = None
    statements: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    root: str | None = None
    settings: tuple[tuple[str, str], ...] = field(default=(), converter=tuple[tuple[str, str], ...])
    scenario: str | None = None
    kept: tuple[str, ...] = ()
    offered: tuple[tuple[tuple[str, bool | float | str], ...], ...] = ()
    has_files: bool = False
    places: tuple[tuple[str, str], ...] = ()
    no_waive: bool = False
    limit: int = field(default=DEFAULT_LIMIT, converter=_limit)
    effort: float = field(default=1.0, converter=_effort)
    templates: Path | None = field(default=None, converter=optional(Path))
    progress: Progress | None = None

    @property
    def name(self) -> str:
        """The plan's path as people know it."""
        return "<stdin>" if self.path == "-" else Path(self.path).as_posix()

    @property
    def base(self) -> Path:
        """The folder that used files must lie in."""
        return Path(self.root).resolve() if self.root else project_root(Path(self.path))


def request(plan: str | Request, **options: Any) -> Request:
    """A request with its text: that of a path, or one with some of its fields replaced.

    Raises:
        llmplan.load.files.Unreadable: if the plan itself cannot be read.
    """
    asked = Request(plan, **options) if isinstance(plan, str) else evolve(plan, **options)
    return asked if asked.text is not None else evolve(asked, text=read_plan(Path(asked.path)))


def written(value: object) -> str | None:
    """A value of Python or JSON as the text that `--set` takes; None if it is not a text, a truth value or a number."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, Real) or not abs(value) <= _LARGEST:  # type: ignore[operator]  # false of NaN
        return None
    return str(int(value)) if isinstance(value, Integral) else repr(float(value))
