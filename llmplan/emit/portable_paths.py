"""Files that are kept name the plan from its project root, wherever the compiler was started.

So the same plan gives the same bytes in every working folder, and the machine's paths stay private.
"""

from __future__ import annotations

import re

from attrs import evolve

from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import Origin, Value
from llmplan.diagnostics import Diagnostic
from llmplan.source import Source, Span


def from_root(solution: Solution) -> Solution:
    """The solution with every text of the plan called by its path from the project root."""
    changed = {name: path for name, path in solution.sources.items() if name != path}
    if not changed:
        return solution
    renaming = _Renaming(changed)
    values = {name: renaming.value(value) for name, value in solution.values.items()}
    return evolve(
        solution,
        plan=changed.get(solution.plan, solution.plan),
        values=values,
        unknowns=tuple(evolve(unknown, value=values.get(unknown.path, unknown.value)) for unknown in solution.unknowns),
        requirements=tuple(evolve(one, place=renaming.text(one.place)) for one in solution.requirements),
        preferences=tuple(evolve(one, place=renaming.text(one.place)) for one in solution.preferences),
        departures=tuple(evolve(one, place=renaming.text(one.place)) for one in solution.departures),
        replaced=tuple(evolve(one, place=renaming.text(one.place)) for one in solution.replaced),
        diagnostics=tuple(renaming.diagnostic(one) for one in solution.diagnostics),
    )


class _Renaming:
    def __init__(self, paths: dict[str, str]) -> None:
        self._paths = paths
        names = "|".join(re.escape(name) for name in sorted(paths, key=len, reverse=True))
        self._name = re.compile(rf"(?<![\w./-])(?:{names})(?=:\d|[^\w./-]|$)")
        self._sources: dict[int, Source] = {}

    def text(self, text: str) -> str:
        return self._name.sub(lambda match: self._paths[match[0]], text)

    def texts(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(self.text, texts))

    def value(self, value: Value) -> Value:
        origin = self._origin(value.origin) if value.origin else None
        return evolve(value, origin=origin, others=tuple(map(self._origin, value.others)))

    def diagnostic(self, diagnostic: Diagnostic) -> Diagnostic:
        others = tuple(evolve(one, span=self._span(one.span)) for one in diagnostic.others)
        span = self._span(diagnostic.span) if diagnostic.span else None
        return evolve(diagnostic, span=span, others=others, notes=self.texts(diagnostic.notes))

    def _origin(self, origin: Origin) -> Origin:
        return evolve(origin, place=self.text(origin.place))

    def _span(self, span: Span) -> Span:
        source = span.source
        if source.name not in self._paths:
            return span
        renamed = self._sources.setdefault(id(source), Source(self._paths[source.name], source.text, source.library))
        return evolve(span, source=renamed)
