"""The open values of a plan: a graph node for each unknown, or its solved number.

There are three ways to meet an unknown: a lowering that builds a system numbers it and gives it its candidates; one
beside it uses the same numbers; one at a solution has the values, and unknowns that were not solved have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llmplan.check.program import Domain, Field, Setting
from llmplan.diagnostics import Diagnostic
from llmplan.system import domains
from llmplan.system.expressions import Expressions
from llmplan.system.missing import Missing, Result, missing
from llmplan.system.names import OPEN
from llmplan.system.system import Unknown
from llmplan.units.measure import Measure, Type

UNSOLVED = 1000
"""Unknowns that were not solved are numbered from here, separately from the variables of ranges."""


class Unknowns:
    """The unknowns of one lowering.

    Args:
        fixed: Values of unknowns by path, None if each is a node of the graph.
        beside: The unknowns of another lowering, if that one numbers them.
        unsolved: Unknowns that an earlier lowering met without a value.

    Attributes:
        met: The unknowns in the order in which they were met, with their candidates.
        closed: True if no further unknown may be added: a value that would need one is missing.
    """

    def __init__(
        self,
        expressions: Expressions,
        fixed: Mapping[str, float] | None,
        beside: Unknowns | None,
        unsolved: Sequence[str] = (),
    ) -> None:
        self._expressions = expressions
        self._beside = beside
        self.fixed = fixed
        self.unsolved = list(unsolved)
        self.met: list[Unknown] = []
        self.closed = False

    @property
    def meant(self) -> Unknowns:
        """The unknowns that the graph's numbers refer to."""
        return self if self._beside is None else self._beside

    @property
    def numbered_here(self) -> bool:
        """True if the graph's unknowns are those met here, with all their candidates."""
        return self.fixed is None and self._beside is None

    def of(self, path: str) -> Unknown | None:
        """The unknown with a path, if it has been met."""
        met = self.met if self._beside is None else self._beside.met
        return next((unknown for unknown in met if unknown.path == path), None)

    def value(self, path: str, setting: Setting, type: Type, field: Field | None, unit: str) -> Result:
        """The node of a `?`."""
        graph = self._expressions.graph
        self._expressions.names.touch(OPEN)
        if self.fixed is not None:
            if path in self.fixed:
                return graph.const(self.fixed[path])
            # Not solved, since nothing asked for it; values that do not really depend on it still fold.
            self.unsolved.append(path)
            return graph.unknown(UNSOLVED + len(self.unsolved) - 1)
        if self._beside is not None:
            there = [unknown.path for unknown in self._beside.met]
            return graph.unknown(there.index(path)) if path in there else missing(path)
        if self.closed:
            return missing(path)
        domain = setting.domain or (open_domain(field) if field else None)
        if domain is None and field is not None and isinstance(type, Measure) and type.whole:
            domain = field.domain
        asked = field is None or setting is not field.default
        span = self._expressions.scope.span(setting.place)
        wanted = Unknown(path, type, None, 0.0, 0.0, (), unit, None, asked, span)
        built = domains.build(self._expressions, self.met, wanted, domain)
        if isinstance(built, Diagnostic):
            self._expressions.names.report(built)
            return missing()
        if isinstance(built, Missing):
            return built
        self.met.append(built)
        return graph.unknown(len(self.met) - 1)

    def settled(self, value: Result) -> Result:
        """The value, or Missing if it depends on unknowns that were not solved."""
        if isinstance(value, Missing) or not self.unsolved:
            return value
        reach = self._expressions.graph.reach(value) >> UNSOLVED
        return missing(*(path for i, path in enumerate(self.unsolved) if reach >> i & 1)) if reach else value


def open_domain(field: Field) -> Domain | None:
    """The domain of a bare `?`: the field's own, or that of a default which is a `?`."""
    if field.unknown is not None:
        return field.unknown
    return field.default.domain if field.default is not None else None
