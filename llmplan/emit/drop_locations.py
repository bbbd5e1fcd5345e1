"""Files that are kept hold no line or column: a comment or a moved line of a plan changes none of their bytes.

Input: a solution that names its files from the project root. Output: the same with the file alone wherever a place
stands, in texts too. Diagnostics lose their places where they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import evolve

from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import Origin, Value

_LINE = re.compile(r":\d+\Z")


def without_lines(solution: Solution) -> Solution:
    """The solution with every `plans/a.plan:14` as `plans/a.plan`."""
    strip = _Strip(solution)
    values = {name: strip.value(value) for name, value in solution.values.items()}
    return evolve(
        solution,
        values=values,
        unknowns=tuple(evolve(one, value=values.get(one.path, one.value)) for one in solution.unknowns),
        requirements=tuple(evolve(one, place=_file(one.place)) for one in solution.requirements),
        preferences=tuple(evolve(one, place=_file(one.place)) for one in solution.preferences),
        departures=tuple(evolve(one, place=_file(one.place)) for one in solution.departures),
        replaced=tuple(evolve(one, place=_file(one.place), instead=_file(one.instead)) for one in solution.replaced),
        diagnostics=tuple(evolve(one, notes=strip.texts(one.notes)) for one in solution.diagnostics),
    )


def _file(place: str) -> str:
    return _LINE.sub("", place)


class _Strip:
    """Removes the lines after the names of the files that a solution came from."""

    def __init__(self, solution: Solution) -> None:
        names = {_file(place) for place in _places(solution)} | {
            *solution.sources,
            *solution.sources.values(),
            solution.plan,
        }
        longest = sorted((name for name in names if name), key=lambda name: (-len(name), name))
        self._place = re.compile(rf"(?<![\w./-])((?:{'|'.join(map(re.escape, longest))})):\d+(?::\d+)?(?!\w)")

    def texts(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self._place.sub(r"\1", text) for text in texts)

    def value(self, value: Value) -> Value:
        origin = _origin(value.origin) if value.origin else None
        return evolve(value, origin=origin, others=tuple(map(_origin, value.others)))


def _origin(origin: Origin) -> Origin:
    return evolve(origin, place=_file(origin.place))


def _places(solution: Solution) -> Iterator[str]:
    for value in solution.values.values():
        for origin in (value.origin, *value.others):
            if origin is not None:
                yield origin.place
    yield from (one.place for one in (*solution.requirements, *solution.preferences))
    yield from (one.place for one in solution.departures)
    yield from (one.place for one in solution.replaced)
    yield from (one.span.source.name for one in solution.diagnostics if one.span is not None)
