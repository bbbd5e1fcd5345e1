"""A solution as files have it: every place names the plan's file from the project root, without line and column.

So the same plan gives the same bytes in every working folder, a comment or a moved line changes none of them, and the
machine's paths stay private. Input: a solution. Output: the same with its places and notes so written. The lines of
diagnostics are left out where these are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

from attrs import evolve

from llmplan.answer.schema.requirements import Departure, RequirementResult
from llmplan.answer.schema.solution import Replaced, Solution
from llmplan.answer.schema.values import Origin, Value
from llmplan.diagnostics import Diagnostic
from llmplan.source import Source, Span

_LINE = re.compile(r":\d+\Z")
_Placed = TypeVar("_Placed", RequirementResult, Departure, Replaced)


def portable(solution: Solution) -> Solution:
    """The solution with `plans/a.plan` in the place of `../work/plans/a.plan:14`."""
    places = _Places(solution)
    values = {name: places.value(value) for name, value in solution.values.items()}
    return evolve(
        solution,
        plan=solution.sources.get(solution.plan, solution.plan),
        values=values,
        unknowns=tuple(evolve(one, value=values.get(one.path, one.value)) for one in solution.unknowns),
        requirements=places.all(solution.requirements),
        preferences=places.all(solution.preferences),
        departures=places.all(solution.departures),
        replaced=tuple(evolve(one, instead=places.place(one.instead)) for one in places.all(solution.replaced)),
        diagnostics=tuple(map(places.diagnostic, solution.diagnostics)),
    )


def file_of(place: str) -> str:
    """The file of a place, with or without its line."""
    return _LINE.sub("", place)


class _Places:
    """Renames the files that a solution came from, and removes the lines after their names."""

    def __init__(self, solution: Solution) -> None:
        self._paths = {name: path for name, path in solution.sources.items() if name != path}
        self._name = re.compile(rf"(?<![\w./-])(?:{_any(self._paths)})(?=:\d|[^\w./-]|$)")
        names = {solution.plan, *map(self.place, _places(solution)), *solution.sources, *solution.sources.values()}
        self._line = re.compile(rf"(?<![\w./-])({_any(names)}):\d+(?::\d+)?(?!\w)")
        self._sources: dict[int, Source] = {}

    def all(self, rows: Iterable[_Placed]) -> tuple[_Placed, ...]:
        return tuple(evolve(row, place=self.place(row.place)) for row in rows)

    def value(self, value: Value) -> Value:
        origin = self._origin(value.origin) if value.origin else None
        return evolve(value, origin=origin, others=tuple(map(self._origin, value.others)))

    def diagnostic(self, diagnostic: Diagnostic) -> Diagnostic:
        others = tuple(evolve(one, span=self._span(one.span)) for one in diagnostic.others)
        span = self._span(diagnostic.span) if diagnostic.span else None
        notes = tuple(self._line.sub(r"\1", self._renamed(note)) for note in diagnostic.notes)
        return evolve(diagnostic, span=span, others=others, notes=notes)

    def _renamed(self, text: str) -> str:
        return self._name.sub(lambda match: self._paths[match[0]], text) if self._paths else text

    def place(self, place: str) -> str:
        return file_of(self._renamed(place))

    def _origin(self, origin: Origin) -> Origin:
        return evolve(origin, place=self.place(origin.place))

    def _span(self, span: Span) -> Span:
        source = span.source
        if source.name not in self._paths:
            return span
        renamed = self._sources.setdefault(id(source), Source(self._paths[source.name], source.text, source.library))
        return evolve(span, source=renamed)


def _any(names: Iterable[str]) -> str:
    """An expression for any of these names, longer ones first."""
    return "|".join(map(re.escape, sorted(filter(None, names), key=lambda name: (-len(name), name))))


def _places(solution: Solution) -> Iterator[str]:
    for value in solution.values.values():
        yield from (origin.place for origin in (value.origin, *value.others) if origin is not None)
    yield from (one.place for one in (*solution.requirements, *solution.preferences))
    yield from (one.place for one in solution.departures)
    yield from (one.place for one in solution.replaced)
    yield from (one.span.source.name for one in solution.diagnostics if one.span is not None)
