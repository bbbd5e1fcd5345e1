"""The open values of a plan: a graph node for each unknown, or its solved number.

There are three ways to meet an unknown: a lowering that builds a system numbers it and gives it its candidates; one
beside it uses the same numbers; one at a solution has the values, and unknowns that were not solved have none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from llmplan.check import ir
from llmplan.check.program import Field, Setting
from llmplan.diagnostics import Diagnostic, system
from llmplan.operations import TOLERANCE
from llmplan.system import domains
from llmplan.system.display import show
from llmplan.system.expressions import Expressions
from llmplan.system.missing import Missing, Result, missing, opens
from llmplan.system.names import OPEN
from llmplan.system.system import Unknown
from llmplan.units.measure import Measure, Type

_FAR = 100.0
"""Legal values that lie this factor apart say enough of what is usual."""

_FEW = 10.0
"""So many repetitions of something are few."""

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
        domain = setting.domain or (opens(field) if field else None)
        asked = field is None or setting is not field.default
        span = self._expressions.scope.span(setting.place)
        wanted = Unknown(path, type, None, 0.0, 0.0, (), unit, None, asked, span)
        example = self._example(field, type, unit) if domain is None and field is not None else ""
        built = domains.build(self._expressions, self.met, wanted, domain, example)
        if isinstance(built, Diagnostic):
            self._expressions.names.report(built)
            return missing()
        if isinstance(built, Missing):
            return built
        self._told_apart(built)
        self.met.append(built)
        return graph.unknown(len(self.met) - 1)

    def _told_apart(self, unknown: Unknown) -> None:
        """Warns of candidates that no comparison tells apart."""
        value = domains.indistinct(unknown.values or ()) if unknown.asked and not unknown.names else None
        if value is not None:
            scope = self._expressions.scope
            texts = [unknown.text(number, scope) for number in (value, abs(value) * TOLERANCE)]
            self._expressions.names.report(system.indistinct(unknown.span, unknown.path, *texts))

    def _example(self, field: Field, type: Type, unit: str) -> str:
        """A domain around the default of a field, or else that of its legal values if they are not too far apart."""
        scope, worth = self._expressions.scope, self._expressions.worth
        if not isinstance(type, Measure):
            return ""
        usual = worth(field.default.value) if field.default is not None and field.default.value is not None else None
        item = field.domain.items[0] if field.domain is not None else None
        low, high = (worth(item.low), worth(item.high)) if isinstance(item, ir.Range) else (None, None)
        low, high = -math.inf if low is None else low, math.inf if high is None else high
        if usual is not None and type.plain and usual >= 1.0 and usual == int(usual):
            # Repetitions, as epochs: half of one is seldom meant.
            few = max(low, 1.0), min(high, max(_FEW, usual * 2))
            return "? in " + "..".join(show(end, type, scope, unit).replace(",", "_") for end in few)
        if usual is not None and 0.0 < usual < math.inf:
            low, high = max(low, usual / 2), min(high, usual * 2)
        elif not 0.0 < low <= high <= _FAR * low:
            return ""
        return "? in " + " .. ".join(show(end, type, scope, unit).replace(",", "_") for end in (low, high))

    def settled(self, value: Result) -> Result:
        """The value, or Missing if it depends on unknowns that were not solved."""
        if isinstance(value, Missing) or not self.unsolved:
            return value
        reach = self._expressions.graph.reach(value) >> UNSOLVED
        paths = [path for i, path in enumerate(self.unsolved) if reach >> i & 1]
        return missing(*paths) if paths else value
