"""Lowering: from the checked plan to the graph of equations.

A name is lowered when something first needs it, so a plan that asks only about memory needs no dataset. Anything that
does not depend on an unknown folds to a number, which makes the same code the evaluator: with every unknown fixed, the
whole plan folds to constants.

The pieces: `Expressions` turns expressions into nodes; `Inputs`, `Quantities` and `Unknowns` resolve the names in
them; `DomainChecks` tests that values are legal; `Probabilities` computes the chances of comparisons; `Names` keeps
the results. Each is given what it needs when a `Lowering` puts them together.

A value is a node of the graph, or `Missing` if inputs were never given. A number that exists in principle but not here
(fp8 peak of an A100, a count that is not whole) is NaN.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext

from llmplan.check.ir import Chance, Quantile, Sides
from llmplan.check.plan import Program
from llmplan.check.program import SourceRef
from llmplan.diagnostics import names
from llmplan.source import Span
from llmplan.system.domain_checks import DomainChecks
from llmplan.system.draws import Draws
from llmplan.system.expressions import Expressions
from llmplan.system.graph import Graph
from llmplan.system.incremental import Earlier, differing
from llmplan.system.inputs import Inputs
from llmplan.system.missing import Result
from llmplan.system.names import OPEN, SPREAD, Known, Names, Trace
from llmplan.system.probabilities import Probabilities
from llmplan.system.quantities import BandEnd, Quantities
from llmplan.system.range_points import Spreads
from llmplan.system.unknowns import UNSOLVED, Unknowns
from llmplan.units.measure import REAL


class Lowering:
    """Lowers names and expressions of one program into one graph.

    Args:
        program: The checked plan.
        fixed: A solution: values of unknowns by path, in base units. An unknown that is not among them has no value. If
            None, every unknown becomes a node of the graph.
        spreads: The treatment of ranges; None takes their expected values.
        graph: Receives the nodes; a new one if None.
        names: Names that are known already, see `again`.
        beside: The unknowns of another lowering into the same graph, to be used here too.
        unsolved: See `Unknowns`.
        earlier: The lowering of an earlier text, from which unchanged names are taken over.
        end: A quantity to be taken at an end of its band.
        draws: If given, ranges and quantities with a band are uncertain values, see `Draws`.
    """

    def __init__(
        self,
        program: Program,
        fixed: Mapping[str, float] | None = None,
        spreads: Spreads | None = None,
        graph: Graph | None = None,
        names: Names | None = None,
        beside: Unknowns | None = None,
        unsolved: Sequence[str] = (),
        earlier: Earlier | None = None,
        end: BandEnd | None = None,
        draws: Draws | None = None,
    ) -> None:
        self.program = program
        self.scope = program.scope
        self.earlier = earlier
        if graph is None:
            graph = Graph() if earlier is None else earlier.graph.copy()
        # No path is an unknown twice, and each is an input, or something that a plan gives a value.
        paths = UNSOLVED + len(program.scope.fields) + len(program.settings) + len(program.assumptions)
        graph.ranged = max(graph.ranged, paths)
        self.graph = graph
        self.names = Names() if names is None else names
        self.names.still = None if earlier is None else self._still
        self.names.circle = self._circle
        self.expressions = Expressions(self.scope, self.graph, self.names, self)
        self.unknowns = Unknowns(self.expressions, fixed, beside, unsolved)
        checks = DomainChecks(self.expressions, self.unknowns)
        self.inputs = Inputs(program, self.expressions, self.unknowns, checks, spreads, draws)
        self.quantities = Quantities(self.expressions, checks, end, draws, program.moved)
        self._ends: dict[BandEnd, Lowering] = {}
        self._kept: dict[frozenset[str], dict[str, Known]] = {}  # by what has changed
        self.probabilities = Probabilities(self)
        self.at = self.quantities.at
        self.instances = self.inputs.instances
        self.of_instance = self.inputs.of_instance
        self.field_at = self.inputs.field_at
        self.lower = self.expressions.lower
        self.worth = self.expressions.worth
        self.legal = checks.legal

    def again(
        self,
        program: Program | None = None,
        fixed: Mapping[str, float] | None = None,
        spreads: Spreads | None = None,
        beside: bool = False,
    ) -> Lowering:
        """The lowering of the same plan with some other values; only names that depend on these are lowered.

        Args:
            program: This one's, with other settings.
            fixed, spreads: As in a new lowering.
            beside: True to use this one's unknowns.
        """
        program = program or self.program
        changed = differing(self.program, program, lambda first, second: first is second)
        if spreads is not self.inputs.spreads:
            changed.add(SPREAD)
        if not beside and (fixed is None or fixed != self.unknowns.fixed):
            changed.add(OPEN)
        # A system gets a graph of its own, so that many of them do not make one that is too large.
        graph = self.graph if beside or fixed is not None else self.graph.copy()
        known = Names(self.names.without(changed))
        unsolved = () if beside or OPEN in changed else self.unknowns.unsolved
        earlier = self.earlier if program is self.program and not beside and fixed is None and spreads is None else None
        if program is not self.program and not beside and fixed is None:
            # A name that reads a changed name is unchanged if that comes to the same node again.
            earlier = Earlier(self.names.all(), self.unknowns.met, graph, self.program, program)
        return Lowering(program, fixed, spreads, graph, known, self.unknowns if beside else None, unsolved, earlier)

    def at_end(self, end: BandEnd) -> Lowering:
        """The same lowering with a quantity at an end of its band; unknowns and ranges are this one's."""
        if end not in self._ends:
            self._ends[end] = self._beside(frozenset((end[0],)), self.inputs.spreads, end)
        return self._ends[end]

    def expected(self) -> Lowering:
        """The same lowering with ranges at their expected values."""
        return self._beside(frozenset((SPREAD,)), None)

    def drawn(self, draws: Draws) -> Lowering:
        """The same lowering with uncertain values as variables."""
        banded = [name for quantity in self.scope.banded for name in self.quantities.members(quantity)]
        return self._beside(frozenset((SPREAD, *banded)), None, draws=draws)

    def _beside(
        self, changed: frozenset[str], spreads: Spreads | None, end: BandEnd | None = None, draws: Draws | None = None
    ) -> Lowering:
        """A lowering with the same unknowns in the same graph, and something else changed."""
        unknowns = self.unknowns
        beside = None if unknowns.fixed is not None else unknowns.meant
        if changed not in self._kept:
            self._kept[changed] = self.names.without(changed)
        kept = Names(self._kept[changed])
        return Lowering(
            self.program, unknowns.fixed, spreads, self.graph, kept, beside, unknowns.unsolved, end=end, draws=draws
        )

    # Names

    def name(self, name: str, at: SourceRef | None = None) -> Result:
        """The value of an input, let or quantity; `at` is where it is named."""
        sibling = self.inputs.sibling(name) if self.inputs.instance else None
        return self.names.once(name, self._lower_name, at) if sibling is None else sibling

    def _still(self, name: str) -> Known | None:
        """The earlier lowering's result for a name, if everything that it read has the same values again."""
        assert self.earlier is not None
        known = self.earlier.record(name)
        for read, conditional in known.reads if known is not None else ():
            value = self.names.seen(read, conditional)
            if value is None:
                value = self._reread(read, conditional)
            if value is None or not self.earlier.same(read, value, self.unknowns.met):
                return None
        return known

    def _reread(self, name: str, conditional: bool) -> Result | None:
        """The value of a name by which others know it; None if the name alone does not give it."""
        if '"' in name:
            return None  # a field of an entry in a list: lowered with the list
        quantity, _, indices = name.partition("[")
        with self.names.conditionally() if conditional else nullcontext():
            if not indices:
                return self.name(name)
            record = self.scope.quantities[quantity]
            enums = [self.scope.enums[enum].members for _, enum in record.indices]
            members = indices.removesuffix("]").split(", ")
            return self.at(record, tuple(float(of.index(member)) for of, member in zip(enums, members)))

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
            value = self.inputs.setting(name, setting, quantity.type, None, quantity.unit)
            return self.legal(name, value, quantity.type, quantity.domain, written=setting)
        if name in self.scope.quantities:
            return self.quantities.value(self.scope.quantities[name])
        if name in self.scope.fields:
            return self.inputs.input(self.scope.fields[name])
        if name in self.program.settings and name in self.scope.lets:
            layer, setting = self.program.settings[name][0]
            let = self.scope.lets[name]
            self.names.traces[name] = Trace(layer, setting.place)
            return self.inputs.setting(name, setting, let.type or REAL, None, let.unit)
        if name in self.scope.kinds:
            return self.inputs.selector(name)
        owner, _, unit = name.rpartition(".")
        return self.inputs.of_two(owner, unit)

    # The rest of a `Meaning`

    def chance(self, event: Chance, base: str) -> Result:
        return self.probabilities.chance(event.of, base)

    def quantile(self, quantile: Quantile, base: str) -> Result:
        return self.probabilities.quantile(quantile, base)

    def probability(self, sides: Sides, base: str) -> Result:
        """The probability of a comparison by size, from the bands and ranges that its sides depend on."""
        return self.probabilities.chance((sides,), base)

    def given(self, path: str) -> Result:
        with self.names.conditionally():
            return self.inputs.given(path)

    def assumed(self, name: str) -> Result:
        self.names.touch(name)
        return self.graph.const(float(name in self.program.assumptions))

    def emits(self, target: str) -> Result:
        return self.graph.const(float(any(target in (emitted.name, *emitted.brings) for emitted in self.program.emits)))
