"""Lowering of quantities: picks the formula whose guard holds, and lowers each member of an indexed quantity once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from llmplan.check.program import Alternative, Moved, Near, Quantity
from llmplan.diagnostics import names
from llmplan.system.as_measured import as_measured
from llmplan.system.domain_checks import DomainChecks
from llmplan.system.draws import Draws
from llmplan.system.expressions import Expressions
from llmplan.system.meaning import Env
from llmplan.system.missing import NONE_APPLIES, Missing, Result, missing
from llmplan.system.names import Trace

BandEnd = tuple[str, int]
"""A quantity and an end of its band: low (0) or high (1)."""


class Quantities:
    """The quantities of one lowering.

    Args:
        end: One to be taken at an end of its band.
        draws: If given, those with a band are uncertain values.
        moved: What measured runs do to them.
    """

    def __init__(
        self,
        expressions: Expressions,
        checks: DomainChecks,
        end: BandEnd | None = None,
        draws: Draws | None = None,
        moved: Mapping[str, Moved] | None = None,
    ) -> None:
        self.scope = expressions.scope
        self.graph = expressions.graph
        self.names = expressions.names
        self._expressions = expressions
        self._legal = checks.legal
        self._end = end
        self._draws = draws
        self._moved = moved or {}
        self._shown: dict[tuple[str, tuple[float, ...]], str] = {}  # names of members

    def value(self, quantity: Quantity) -> Result:
        """The value of a quantity without indices; of one with indices only the members have a value."""
        if quantity.indices or not quantity.alternatives:
            return missing()
        value = self._alternatives(quantity, {})
        first = quantity.alternatives[0]
        self.names.traces.setdefault(quantity.name, Trace("formula", first.formula))
        if quantity.name in self._moved and not isinstance(value, Missing):
            value = self._as_measured(quantity.name, value, self._moved[quantity.name])
        legal = self._legal(quantity.name, value, quantity.type, quantity.domain, written=None)
        return legal if self._draws is None else self._drawn(quantity, {}, legal, self._draws)

    def _as_measured(self, name: str, value: int, moved: Moved) -> int:
        """The value of a quantity as measured runs move it."""
        found = as_measured(self.graph, self.near, value, moved)
        if found != value:
            self.names.traces[name] = Trace("measured", moved.place)
        return found

    def near(self, near: Near) -> int:
        """How near the plan is to a run."""
        found = self.graph.const(0.0)
        for alike in near:
            same = self.graph.const(1.0)
            for path, value in alike.inputs:
                with self.names.conditionally():
                    node = self._expressions.meaning.name(path)
                equal = (
                    self.graph.const(float(value is None))
                    if isinstance(node, Missing) or value is None
                    else self.graph.add("eq", node, self.graph.const(value))
                )
                same = self.graph.add("and", same, equal)
            weight = self.graph.const(alike.weight)
            found = self.graph.add("add", found, self.graph.add("select", same, weight, self.graph.const(0.0)))
        return found

    def _alternatives(self, quantity: Quantity, env: Env) -> Result:
        """The first target's formula whose guard holds, else that of the library."""
        result: Result | None = None
        open_guards: list[tuple[int, Result]] = []
        for alternative in quantity.alternatives:
            if not alternative.first:
                continue
            guard = self._guard(alternative, env)
            if isinstance(guard, Missing):
                return guard
            constant = self.graph.constant(guard)
            if constant == 1.0:
                self.names.traces[quantity.name] = Trace("formula", alternative.formula)
                result = self._expressions.lower(alternative.value, env, base=alternative.formula[0])
                break
            if constant is None:
                value = self._expressions.conditional(alternative.value, env, alternative.formula[0])
                open_guards.append((guard, value))
        if result is None:
            result = self._exclusive(quantity, [a for a in quantity.alternatives if not a.first], env)
        for guard, value in reversed(open_guards):
            if isinstance(value, Missing) or isinstance(result, Missing):
                return missing(value, result)
            result = self.graph.add("select", guard, value, result)
        return result

    def _guard(self, alternative: Alternative, env: Env) -> Result:
        if alternative.when is None:
            return self.graph.const(1.0)
        return self._expressions.lower(alternative.when, env, base=alternative.formula[0])

    def _exclusive(self, quantity: Quantity, alternatives: Sequence[Alternative], env: Env) -> Result:
        """The formula whose guard holds; NaN if none does."""
        chosen: Result | None = None
        open_guards: list[tuple[int, Result]] = []
        for alternative in alternatives:
            base = alternative.formula[0]
            guard = self._guard(alternative, env)
            if isinstance(guard, Missing):
                return guard
            constant = self.graph.constant(guard)
            if constant is not None and constant != 1.0:
                continue
            if constant == 1.0:
                if chosen is not None:
                    self._overlap(quantity)
                    continue
                self.names.traces[quantity.name] = Trace("formula", alternative.formula)
                value = self._expressions.lower(alternative.value, env, base=base)
                chosen = self._at_end(quantity, alternative, value)
            else:
                value = self._expressions.conditional(alternative.value, env, base)
                open_guards.append((guard, self._at_end(quantity, alternative, value)))
        if chosen is not None and not open_guards:
            return chosen
        result: Result = chosen if chosen is not None else self.graph.const(math.nan)
        if chosen is None and not open_guards:
            self.names.reasons.setdefault(quantity.name, NONE_APPLIES)
        taken = self.graph.const(float(chosen is not None))
        for guard, value in reversed(open_guards):
            if isinstance(value, Missing) or isinstance(result, Missing):
                return missing(value, result)
            # Where another formula holds too, neither is used.
            alone = self.graph.add("select", taken, self.graph.const(math.nan), value)
            result = self.graph.add("select", guard, alone, result)
            taken = self.graph.add("or", taken, guard)
        return result

    def _at_end(self, quantity: Quantity, alternative: Alternative, value: Result) -> Result:
        if self._end is None or self._end[0] != quantity.name or alternative.within is None:
            return value
        factor = self._expressions.meaning.name(alternative.within[self._end[1]])
        if isinstance(value, Missing) or isinstance(factor, Missing):
            return missing(value, factor)
        return self.graph.add("mul", value, factor)

    def _drawn(self, quantity: Quantity, env: Env, value: Result, draws: Draws) -> Result:
        """A quantity with the factor between a computed and a measured value, if the formula that holds has a band."""
        if isinstance(value, Missing) or quantity.name not in self.scope.banded:
            return value
        for alternative in quantity.alternatives:
            if alternative.within is None:
                continue
            guard = self._guard(alternative, env)
            if isinstance(guard, Missing) or self.graph.constant(guard) == 0.0:
                continue
            low, high = (self._expressions.meaning.name(end) for end in alternative.within)
            if isinstance(low, Missing) or isinstance(high, Missing):
                return missing(low, high)
            factor = draws.factor(self.graph, quantity.name, low, high)
            value = self.graph.add("select", guard, self.graph.add("mul", value, factor), value)
        return value

    def members(self, name: str) -> list[str]:
        """The names of a quantity's members; its own if it has no indices."""
        quantity = self.scope.quantities[name]
        if not quantity.indices:
            return [name]
        each = itertools.product(*(self.scope.enums[enum].members for _, enum in quantity.indices))
        return [f"{name}[{', '.join(members)}]" for members in each]

    def at(self, quantity: Quantity, members: tuple[float, ...]) -> Result:
        """An indexed quantity at members given by their indices."""
        name = self._shown.get((quantity.name, members))
        if name is None:
            enums = [self.scope.enums[enum] for _, enum in quantity.indices]
            shown = ", ".join(enum.members[int(m)] for enum, m in zip(enums, members))
            name = self._shown[quantity.name, members] = f"{quantity.name}[{shown}]"
        known = self.names.read(name)  # most are known: no closure is created for these
        return self.names.fresh(name, lambda name: self._lower_at(quantity, members, name)) if known is None else known

    def _lower_at(self, quantity: Quantity, members: tuple[float, ...], name: str) -> Result:
        env: Env = {variable: self.graph.const(m) for (variable, _), m in zip(quantity.indices, members)}
        value = self._alternatives(quantity, env)
        value = value if self._draws is None else self._drawn(quantity, env, value, self._draws)
        trace = self.names.traces.pop(quantity.name, None)
        if trace is not None:
            self.names.traces[name] = Trace("formula", trace.place)
        return value

    def _overlap(self, quantity: Quantity) -> None:
        spans = [self.scope.span(a.place) for a in quantity.alternatives[:2]]
        if not any(d.span == spans[1] for d in self.names.diagnostics):
            self.names.report(names.both_hold(spans[1], quantity.name, spans[0]))
