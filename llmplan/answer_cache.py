"""Answers kept between runs: the diagnostics of a sound plan, the solution of a solved one, the files that it emits.

An answer counts as long as everything that it was made from is unchanged: the question, the plan, every file that the
plan reads, and llmplan itself with its library and templates. The plan's files are compared by content, what is
installed by size and time of change. Nothing is kept of a plan with errors or without a solution, which is there to be
changed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import has

from llmplan.cache import store
from llmplan.cache.key import Key, key, stamps
from llmplan.cache.records import Placed
from llmplan.resources import LIBRARY, folder
from llmplan.source import MAX_BYTES, Source, Span

if TYPE_CHECKING:
    from llmplan.answer.schema.solution import Solution
    from llmplan.diagnostics import Diagnostic
    from llmplan.load.modules import Module
    from llmplan.request import Request

    Answer = tuple[Diagnostic, ...] | Solution | tuple[dict[str, str], tuple[Diagnostic, ...]]

KEPT = 32
"""How many answers of a sort are kept; with 0 none is recalled either."""

_TEXTS = (*(("plans", part) for part in LIBRARY), ("templates", ""))


class Question:
    """What is asked of a plan.

    Args:
        sort: `check`, `solve` or `files`: answers of different sorts never meet.
        asked: The request, with the plan's text.
        details: What else the answer depends on, as plain data.

    Nothing is kept or recalled of a plan with templates of the user's own.
    """

    def __init__(self, sort: str, asked: Request, *details: object) -> None:
        self._sort = sort
        whole = (
            asked.path,
            asked.text,
            asked.statements,
            str(asked.base),
            asked.settings,
            asked.scenario,
            asked.kept,
            asked.has_files,
        )
        self._key: Key | None = None  # of one that is neither kept nor recalled
        texts = _texts() if KEPT and not asked.templates else None
        if texts is not None:
            self._key = key(*whole, asked.no_waive, asked.limit, asked.effort, os.getcwd(), *details, texts)

    def keep(self, answer: Answer, modules: Sequence[Module]) -> None:
        """Keeps an answer that was made from these files, the plan first; without files, from `details` alone."""
        if self._key is None:
            return
        names = [source.name for module in modules for source in (module.source, *_configurations(module))]
        files = tuple((name, _content(name)) for name in names[1:])
        if all(content for _, content in files):
            packing = Placed(self._classes())
            packed = packing.pack(answer)
            store.keep(self._sort, self._key, (files, packing.met, packed), most=KEPT)

    def recall(self) -> Any:
        """The answer that was kept, None if there is none.

        Of `check` the diagnostics, of `solve` the solution, of `files` the texts by name and the diagnostics.
        """
        kept: Any = store.load(self._sort, self._key) if self._key is not None else None
        if kept is None:
            return None
        try:
            files, sources, packed = kept
            if any(_content(name) != content for name, content in files):
                return None
            return Placed(self._classes(), sources).unpack(packed)
        except (LookupError, TypeError, ValueError, AttributeError):
            return None  # it is not an answer

    def _classes(self) -> tuple[type, ...]:
        return _solutions() if self._sort == "solve" else _diagnostics()


def _diagnostics() -> tuple[type, ...]:
    from llmplan.diagnostics import Diagnostic, Edit, Hint, Label

    return Diagnostic, Edit, Hint, Label, Span


def _solutions() -> tuple[type, ...]:
    from llmplan.answer.schema import advice, charts, requirements, solution, tables, values
    from llmplan.check.program import EmitTarget
    from llmplan.units.amount import Amount, Range, Unit
    from llmplan.units.measure import Measure

    modules = (advice, charts, requirements, solution, tables, values)
    names = (value for module in modules for value in vars(module).values())
    records = (value for value in names if isinstance(value, type) and has(value))
    return tuple(dict.fromkeys((*records, *_diagnostics(), EmitTarget, Amount, Range, Unit, Measure)))


def _configurations(module: Module) -> list[Source]:
    """The files that a plan takes a model from, without the tables of the library that say how."""
    return [source for file in module.configured for source in file.sources if not source.library]


def _content(name: str) -> str:
    """A hash of what a file holds, empty if it cannot be read."""
    try:
        with open(name, "rb") as file:
            return hashlib.sha256(file.read(MAX_BYTES + 1)).hexdigest()
    except OSError:
        return ""


def _texts() -> tuple[str, ...] | None:
    """What tells the installed texts from others; None for those that lie in an archive."""
    try:
        return tuple(stamp for top, part in _TEXTS for stamp in stamps(Path(str(folder(top))) / part))
    except OSError:
        return None
