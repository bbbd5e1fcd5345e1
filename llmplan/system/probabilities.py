"""The probabilities in one lowering: how likely a comparison is, given the bands and ranges that its sides depend on.

Input: the sides of a comparison. Output: a node. With ranges it is the mean over points in them. The comparison is
lowered once, with each range as a variable of the graph, and the points are substituted afterwards; if a range decides
something that must be known when the graph is built, such as an end of another range, the comparison is lowered again
at each point instead.
"""

from __future__ import annotations

from typing import Protocol

from llmplan.check.ir import Chance, Sides
from llmplan.check.plan import Program
from llmplan.check.scope import Scope
from llmplan.system.average import OverPoints
from llmplan.system.chance import Pair, likelihood, mean, points_of
from llmplan.system.expressions import Expressions
from llmplan.system.graph import Graph
from llmplan.system.inputs import Inputs
from llmplan.system.missing import Missing, Result, missing
from llmplan.system.names import SPREAD, Names
from llmplan.system.quantities import BandEnd
from llmplan.system.range_points import Spreads


class Lowering(Protocol):
    """The parts of a lowering that probabilities read, and the ways to create another one beside it."""

    program: Program
    scope: Scope
    graph: Graph
    names: Names
    expressions: Expressions
    inputs: Inputs
    probabilities: Probabilities

    @property
    def tied(self) -> bool:
        """Whether a range that is a variable decided something that had to be known."""

    def name(self, name: str) -> Result:
        """The value of an input, let or quantity."""

    def probability(self, sides: Sides, base: str) -> Result:
        """The probability of a comparison by size."""

    def beside(self, changed: str, spreads: Spreads | None) -> Lowering:
        """A lowering with the same unknowns in the same graph, and something else changed."""

    def at_end(self, end: BandEnd) -> Lowering:
        """The same lowering with a quantity at an end of its band."""


class Probabilities:
    """The probabilities of one lowering.

    Attributes:
        lowered: The number of comparisons lowered here, each with the ends of its bands.
    """

    def __init__(self, lowering: Lowering) -> None:
        self.lowering = lowering
        self.lowered = 0
        self._known: dict[tuple[Sides, str], Result] = {}
        self._expected: Lowering | None = None  # with ranges as expected, for a lowering that treats them otherwise
        self._varied: Lowering | None = None  # with ranges as variables
        self._points: dict[tuple[object, ...], OverPoints] = {}  # by the ranges and their expected values

    def chance(self, event: Chance, base: str) -> Result:
        """The probability of `event`: that of a comparison, or a lower bound for several."""
        graph = self.lowering.graph
        total: Result = graph.const(1.0 - len(event.of))
        for sides in event.of:
            one = self.probability(sides, base)
            if isinstance(one, Missing) or isinstance(total, Missing):
                total = missing(total, one)
            else:
                total = graph.add("add", total, one)
        if isinstance(total, Missing) or len(event.of) == 1:
            return total
        return graph.add("max", graph.const(0.0), total)

    def probability(self, sides: Sides, base: str) -> Result:
        """The probability of a comparison by size."""
        if not self.lowering.names.outside:
            return self._probability(sides, base)
        if (sides, base) not in self._known:  # several rules ask for the same one
            self._known[sides, base] = self._probability(sides, base)
        return self._known[sides, base]

    def _probability(self, sides: Sides, base: str) -> Result:
        spreads = self.lowering.inputs.spreads
        if spreads is not None and spreads.inside:
            return self.by_bands(sides, base)
        if spreads is not None:  # one end of a range, or a variable for it: a probability covers the whole range
            if self._expected is None:
                self._expected = self.lowering.beside(SPREAD, None)
            return self._expected.probability(sides, base)
        expected = self.by_bands(sides, base)
        if isinstance(expected, Missing) or not any(
            setting.spread is not None for _, setting in self.lowering.program.strongest()
        ):
            return expected
        ends = Spreads({}, inside=True)
        self.lowering.beside(SPREAD, ends).probabilities.both(sides, base)
        return self._mean(sides, base, ends) if ends.found else expected

    def _mean(self, sides: Sides, base: str, ends: Spreads) -> Result:
        """The mean over points of some ranges."""
        named = [self.lowering.name(name) for name in ends.found]
        middles = [None if isinstance(node, Missing) else self.lowering.graph.constant(node) for node in named]
        found = self._at_once(sides, base, ends, middles)
        return self.point_by_point(sides, base, points_of(ends.found, middles)) if found is None else found

    def _at_once(self, sides: Sides, base: str, ends: Spreads, middles: list[float | None]) -> int | None:
        """The mean with ranges as variables; None if they cannot be variables."""
        if self._varied is None:
            self._varied = self.lowering.beside(SPREAD, Spreads(None, inside=True))
        node = self._varied.probabilities.by_bands(sides, base)
        if isinstance(node, Missing) or self._varied.tied:
            return None
        variables = self._varied.inputs.spreads
        assert variables is not None
        # A range that occurs only at some points is not among those that are sampled: it stays at its low end.
        key = (*ends.found.items(), *middles, len(variables.found))
        if key not in self._points:
            points = points_of(ends.found, middles)
            columns = {
                self.lowering.graph.ranged + index: [variables.value(name, point) for point in points]
                for index, name in enumerate(variables.found)
            }
            self._points[key] = OverPoints(self.lowering.graph, columns, len(points))
        return self._points[key].mean(node)

    def point_by_point(self, sides: Sides, base: str, points: list[dict[str, float]]) -> Result:
        """The mean of the results of lowering at each point."""
        there = [self.lowering.beside(SPREAD, Spreads(point, inside=True)) for point in points]
        found = [lowering.probabilities.by_bands(sides, base) for lowering in there]
        nodes = [one for one in found if not isinstance(one, Missing)]
        return mean(self.lowering.graph, nodes) if len(nodes) == len(found) else missing(*found)

    def both(self, sides: Sides, base: str) -> tuple[Result, Result]:
        """The side that must be the smaller one, and the other."""
        left, right = (self.lowering.expressions.lower(side, {}, base=base) for side in (sides.left, sides.right))
        return (left, right) if sides.operation in ("lt", "le") else (right, left)

    def by_bands(self, sides: Sides, base: str) -> Result:
        """The probability with ranges treated as in this lowering."""
        self.lowered += 1
        lowering = self.lowering
        (smaller, larger), reached = lowering.names.reaching(lambda: self.both(sides, base), lowering.scope.banded)
        if isinstance(smaller, Missing) or isinstance(larger, Missing):
            return missing(smaller, larger)
        bands: list[tuple[Pair, Pair]] = []
        for name in reached:
            self._factors(name)
            ends = [lowering.at_end((name, at)).probabilities.both(sides, base) for at in (0, 1)]
            known = [(a, b) for a, b in ends if not isinstance(a, Missing) and not isinstance(b, Missing)]
            if len(known) == 2:
                bands.append((known[0], known[1]))
        return likelihood(lowering.graph, "lt" if sides.operation in ("lt", "gt") else "le", (smaller, larger), bands)

    def _factors(self, name: str) -> None:
        """Reads the ends of a band: a probability depends on their inputs."""
        for alternative in self.lowering.scope.quantities[name].alternatives:
            for factor in alternative.within or ():
                with self.lowering.names.conditionally():
                    self.lowering.name(factor)
