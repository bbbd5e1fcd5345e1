"""Lowering: from the checked plan to the graph of equations.

A name is lowered when something first needs it, so a plan that asks only about memory needs no
dataset. What no unknown reaches folds to a number, which makes the same code the evaluator: with
every unknown fixed, the whole plan comes out as constants.

A value is a node of the graph, or `Missing` where inputs were never given. A number that exists in
principle but not here (no fp8 peak on an A100, a count that is not whole) is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from llmplan.check.ir import Expr, Ref, walk
from llmplan.check.plan import Program
from llmplan.check.program import Quantity, SourceRef
from llmplan.diagnostics import names
from llmplan.source import Span
from llmplan.system.graph import Graph
from llmplan.system.inputs import InputLowering, Spreads
from llmplan.system.missing import NO_REASON, Missing, Result, missing
from llmplan.system.names import OPEN, SPREAD, Known, Trace
from llmplan.units.measure import REAL, ListType, TextType


class Lowering(InputLowering):
    """Lowers names and expressions of one program into one graph.

    Args:
        program: The checked plan.
        fixed: Values of unknowns by path, in base units: a solution. An unknown that is not among
            them has no value. None: every unknown becomes a node of the graph.
        graph: Receives the nodes; a new one if None.
        spreads: What to do with ranges; None takes what is expected.
        beside: Another lowering into the same graph, whose unknowns are meant.
        kept: Names that need not be lowered, see `again`.
    """

    def __init__(
        self,
        program: Program,
        fixed: Mapping[str, float] | None = None,
        graph: Graph | None = None,
        spreads: Spreads | None = None,
        beside: Lowering | None = None,
        kept: Mapping[str, Known] | None = None,
    ) -> None:
        super().__init__(program, fixed, graph, spreads, beside, kept or {})
        self._indexed: dict[tuple[str, tuple[float, ...]], str] = {}  # names of indexed quantities
        self.emitted = {target.name for target in program.emits}

    def again(
        self,
        program: Program | None = None,
        fixed: Mapping[str, float] | None = None,
        spreads: Spreads | None = None,
        beside: bool = False,
    ) -> Lowering:
        """The same with some other values, of which only what these reach is lowered.

        Args:
            program: This one's, with other settings.
            fixed, spreads: As of a new lowering.
            beside: True to mean this one's unknowns.
        """
        program = program or self.program
        changed = _differing(self.program, program)
        if spreads is not self.spreads:
            changed.add(SPREAD)
        if not beside and (fixed is None or fixed != self.fixed):
            changed.add(OPEN)
        # A system has a graph of its own, so that many of them do not make one that is too large.
        graph = self.graph if beside or fixed is not None else self.graph.copy()
        made = Lowering(program, fixed, graph, spreads, self if beside else None, self.names.without(changed))
        made.unsolved += self.unsolved if OPEN not in changed and fixed is not None else ()
        return made

    # Names

    def name(self, name: str, at: SourceRef | None = None) -> Result:
        """The value of an input, let or quantity; `at` is where it is named."""
        if self._instance:
            kind, _, field = name.partition(".")
            if kind in self._instance and name in self.scope.fields:
                return self.of_instance(kind, self._instance[kind], field)
        return self.names.once(name, lambda: self._lower_name(name), at, self._circle)

    def _circle(self, name: str, steps: list[tuple[str, SourceRef | None]]) -> None:
        placed = [(needs, place) for needs, place in steps if place is not None and place[0] in self.scope.sources]
        chain = [(needs, self.scope.span(place)) for needs, place in placed]
        first = self.place_of(name) or self.place_of(name.partition("[")[0])
        first = first or (chain[-1][1] if chain else None)
        if first is not None and not any(d.code == "E0206" for d in self.names.diagnostics):
            self.names.report(names.circle(first, name, chain))

    def place_of(self, name: str) -> Span | None:
        """Where a name gets its value, or is declared."""
        won = self.program.winner(name)
        if won is not None:
            return self.scope.span(won[1].place)
        if name in self.scope.quantities and self.scope.quantities[name].alternatives:
            return self.scope.span(self.scope.quantities[name].alternatives[0].place)
        return self.scope.span(self.scope.fields[name].place) if name in self.scope.fields else None

    def _lower_name(self, name: str) -> Result:
        if name in self.program.assumptions:
            layer, setting = self.program.assumptions[name][0]
            quantity = self.scope.quantities[name]
            self.names.traces[name] = Trace("assumed" if layer in ("plan", "used") else layer, setting.place)
            value = self._setting(name, setting, quantity.type, None, quantity.unit)
            return self.legal(name, value, quantity.type, quantity.domain, written=setting)
        if name in self.scope.quantities:
            return self._quantity(self.scope.quantities[name])
        if name in self.scope.fields:
            return self.input(self.scope.fields[name])
        if name in self.program.settings and name in self.scope.lets:
            layer, setting = self.program.settings[name][0]
            let = self.scope.lets[name]
            self.names.traces[name] = Trace(layer, setting.place)
            return self._setting(name, setting, let.type or REAL, None, let.unit)
        if name in self.scope.kinds:
            return self._selector(name)
        owner, _, unit = name.rpartition(".")
        return self._of_two(owner, unit)

    def _quantity(self, quantity: Quantity) -> Result:
        if quantity.indices or not quantity.alternatives:
            return missing()
        value = self.alternatives(quantity, {})
        first = quantity.alternatives[0]
        self.names.traces.setdefault(quantity.name, Trace("formula", first.formula))
        return self.legal(quantity.name, value, quantity.type, quantity.domain, written=None)

    def alternatives(self, quantity: Quantity, env: dict[str, Result]) -> Result:
        """The formula whose guard holds; NaN where none does."""
        chosen: Result | None = None
        open_guards: list[tuple[int, Result]] = []
        for alternative in quantity.alternatives:
            base = alternative.formula[0]
            guard = self.graph.const(1.0)
            if alternative.when is not None:
                lowered = self.lower(alternative.when, env, base=base)
                if isinstance(lowered, Missing):
                    return lowered
                guard = lowered
            constant = self.graph.constant(guard)
            if constant is not None and constant != 1.0:
                continue
            if constant == 1.0:
                if chosen is not None:
                    self._overlap(quantity)
                    continue
                self.names.traces[quantity.name] = Trace("formula", alternative.formula)
                chosen = self.lower(alternative.value, env, base=base)
            else:
                open_guards.append((guard, self.conditional(alternative.value, env, base)))
        result: Result = chosen if chosen is not None else self.graph.const(math.nan)
        if chosen is None and not open_guards:
            self.names.reasons.setdefault(quantity.name, "none of its formulas applies")
        taken = self.graph.const(float(chosen is not None))
        for guard, value in reversed(open_guards):
            if isinstance(value, Missing) or isinstance(result, Missing):
                return missing(value, result)
            # Where another formula holds too, neither counts.
            alone = self.graph.add("select", taken, self.graph.const(math.nan), value)
            result = self.graph.add("select", guard, alone, result)
            taken = self.graph.add("or", taken, guard)
        return result

    def at(self, quantity: Quantity, members: tuple[float, ...]) -> Result:
        name = self._indexed.get((quantity.name, members))
        if name is None:
            enums = [self.scope.enums[enum] for _, enum in quantity.indices]
            shown = ", ".join(enum.members[int(m)] for enum, m in zip(enums, members))
            name = self._indexed[quantity.name, members] = f"{quantity.name}[{shown}]"
        return self.names.once(name, lambda: self._lower_at(quantity, members, name), circle=self._circle)

    def _lower_at(self, quantity: Quantity, members: tuple[float, ...], name: str) -> Result:
        value = super().at(quantity, members)
        trace = self.names.traces.pop(quantity.name, None)
        if trace is not None:
            self.names.traces[name] = Trace("formula", trace.place)
        return value

    def _overlap(self, quantity: Quantity) -> None:
        spans = [self.scope.span(a.place) for a in quantity.alternatives[:2]]
        if not any(d.span == spans[1] for d in self.names.diagnostics):
            self.names.report(names.both_hold(spans[1], quantity.name, spans[0]))

    def why(self, expr: Expr) -> str:
        """Why an expression has no value: the first reason on the way to its inputs."""
        pending = [found.name for found in walk(expr) if isinstance(found, Ref)]
        seen: set[str] = set()
        while pending:
            name = pending.pop(0)
            if name in seen:
                continue
            seen.add(name)
            if name in self.names.reasons:
                return self.names.reasons[name]
            trace = self.names.traces.get(name)
            if trace is not None and self.is_undefined(name):
                pending += trace.reads
        return NO_REASON

    def is_undefined(self, name: str) -> bool:
        """True for a name that has been lowered and has no value here, for a reason other than a missing input."""
        node = self.names.values.get(name)
        if node is None or isinstance(node, Missing):
            return False
        value = self.graph.constant(node)
        return value is not None and value != value

    def path_to(self, place: SourceRef, needed: str) -> list[str]:
        """Names from an expression of the plan down to an input that it lacks."""
        name, start, end = place
        text = self.scope.sources[name].text[start:end]
        roots = [n for n in self.names.values if n in text and needed in self._needs(n)]
        chain: list[str] = []
        while roots:
            step = roots[0]
            if step in chain:
                break
            chain.append(step)
            if step == needed:
                break
            trace = self.names.traces.get(step)
            roots = [n for n in (trace.reads if trace else ()) if needed in self._needs(n)]
        return [*chain, *([] if chain and chain[-1] == needed else [needed])]

    def _needs(self, name: str) -> tuple[str, ...]:
        value = self.names.values.get(name)
        return value.needs if isinstance(value, Missing) else ()

    # What the plan's text decides

    def given(self, path: str) -> Result:
        """1 if some layer or default gives the input a value or a `?`, and what that needs is given too."""
        with self.names.conditionally():
            return self._given_value(path)

    def _given_value(self, path: str) -> Result:
        owner, _, unit = path.rpartition(".")
        self.names.touch(path, owner)
        if owner in self.scope.fields and len(self.scope.fields[owner].types) > 1:
            won = self.program.winner(owner)
            return self.graph.const(float(won is not None and won[1].unit == unit))
        if path in self.scope.fields and len(self.scope.fields[path].types) > 1:
            return self.graph.const(float(self.program.winner(path) is not None))
        if path in self.scope.fields and isinstance(self.scope.fields[path].type, (TextType, ListType)):
            return self.graph.const(float(self.setting_of(path) is not None))
        won = self.program.winner(path)
        if won is not None and won[1].open:
            return self.graph.const(1.0)
        if path in self.scope.fields and won is None:
            default = self.scope.fields[path].default
            kind = path.partition(".")[0]
            if default is not None and default.open and kind not in self.scope.entries:
                return self.graph.const(1.0)
        value = self.name(path)
        if isinstance(value, Missing):
            return self.graph.const(0.0)
        return self.graph.add("finite", value)

    def assumed(self, name: str) -> Result:
        self.names.touch(name)
        return self.graph.const(float(name in self.program.assumptions))

    def emits(self, target: str) -> Result:
        return self.graph.const(float(target in self.emitted))


def _differing(old: Program, new: Program) -> set[str]:
    """The paths whose strongest setting differs, and of those that have one in one program only their kinds, as `gpu.`."""
    found: set[str] = set()
    for before, after in ((old.settings, new.settings), (old.assumptions, new.assumptions)):
        for path in before.keys() | after.keys():
            first, second = before.get(path), after.get(path)
            if first is second:
                continue
            if not first or not second:
                found |= {path, path.partition(".")[0] + "."}
            elif first[0] is not second[0]:
                found.add(path)
    return found
