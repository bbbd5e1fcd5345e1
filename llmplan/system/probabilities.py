"""The probabilities in one lowering: how likely a comparison is, given the bands and ranges that its sides depend on.

Input: the sides of one or several comparisons. Output: a node. They are lowered once more with each range and each
band as an uncertain variable of the graph. Where both sides are products of the factors of bands, the probability is a
formula (`llmplan.system.chance`), averaged over the other uncertain values; otherwise the truth of the
comparisons is integrated over all (`llmplan.system.integral`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Protocol, TypeVar

from attrs import frozen

from llmplan.check.ir import Quantile, Sides
from llmplan.check.plan import Program
from llmplan.check.scope import Scope
from llmplan.system.chance import likelihood
from llmplan.system.draws import Draws
from llmplan.system.equalities import equates
from llmplan.system.expressions import Expressions
from llmplan.system.graph import Graph
from llmplan.system.inputs import Inputs
from llmplan.system.integral import Kind, integral
from llmplan.system.missing import Missing, Result, missing
from llmplan.system.names import Names
from llmplan.system.powers import Product, product

T = TypeVar("T")


class Lowering(Protocol):
    """The parts of a lowering that probabilities read, and the ways to create another one beside it."""

    program: Program
    scope: Scope
    graph: Graph
    names: Names
    expressions: Expressions
    inputs: Inputs
    probabilities: Probabilities

    def name(self, name: str) -> Result:
        """The value of an input, let or quantity."""

    def expected(self) -> Lowering:
        """The same lowering with ranges at their expected values."""

    def drawn(self, draws: Draws) -> Lowering:
        """The same lowering with uncertain values as variables."""


class Probabilities:
    """The probabilities of one lowering.

    Attributes:
        lowered: The number of events lowered here.
        origin: For a lowering whose values are uncertain, the probabilities of that without; a probability is a number
            there.
    """

    def __init__(self, lowering: Lowering) -> None:
        self.lowering = lowering
        self.lowered = 0
        self.origin: Probabilities | None = None
        self._known: dict[tuple[tuple[Sides, ...], str], tuple[Result, float]] = {}
        self._draws = Draws()
        self._drawn: Lowering | None = None
        self._products: dict[int, Product | None] = {}

    def chance(self, of: tuple[Sides, ...], base: str) -> Result:
        """The probability that each of some comparisons by size holds."""
        return self._event(of, base)[0]

    def error(self, of: tuple[Sides, ...], base: str) -> float:
        """A bound on the error of a probability that is a number."""
        return self._event(of, base)[1]

    def banded(self, of: tuple[Sides, ...], base: str) -> bool:
        """Whether comparisons depend on any band."""
        graph, nodes, bands = self._sides_drawn(of, base)
        return graph.reached(nodes) & bands != 0

    def equated(self, of: tuple[Sides, ...], base: str) -> bool:
        """Whether comparisons depend on an equality with an uncertain, continuous side."""
        graph, nodes, _ = self._sides_drawn(of, base)
        return any(equates(graph, node) for node in nodes)

    def _sides_drawn(self, of: tuple[Sides, ...], base: str) -> tuple[Graph, list[int], int]:
        """The sides of comparisons with uncertain values, and the variables of bands as bits."""
        there = self._meant()
        drawn = there._with_draws()
        events = _events(drawn, of, base)
        nodes = [] if isinstance(events, Missing) else [side for one in events for side in (one.smaller, one.larger)]
        return drawn.graph, nodes, there._draws.bands(drawn.graph)

    def quantile(self, quantile: Quantile, base: str) -> Result:
        """The value of an expression below which a share of its measured values lies."""
        there = self._meant()
        if there is not self:
            return there.quantile(quantile, base)
        lower, parts = self.lowering.expressions.lower, (quantile.of, quantile.share)
        here = self._computed(lambda: [lower(part, {}, base=base) for part in parts])
        value, share = here
        if isinstance(value, Missing) or isinstance(share, Missing):
            return missing(*here)
        uncertain = self._uncertain(lambda at: at.expressions.lower(quantile.of, {}, base=base))
        if isinstance(uncertain, Missing):
            return uncertain
        if not self.lowering.graph.varies(uncertain):
            return value
        return integral(self.lowering.graph, "quantile", uncertain, self._draws, share)[0]

    def _meant(self) -> Probabilities:
        """Those of the lowering whose ranges have their expected values: a probability covers the whole range."""
        if self.origin is None and self.lowering.inputs.spreads is not None:
            self.origin = self.lowering.expected().probabilities
        return self if self.origin is None else self.origin._meant()

    def _with_draws(self) -> Lowering:
        if self._drawn is None:
            self._drawn = self.lowering.drawn(self._draws)
            self._drawn.probabilities.origin = self
        return self._drawn

    def _computed(self, lower: Callable[[], T]) -> T:
        """An expression lowered at its computed value, with the ends of the bands that it depends on."""
        found, names = self.lowering.names.reading(lower)
        for name in [name for name in self.lowering.scope.banded if name in names]:
            for alternative in self.lowering.scope.quantities[name].alternatives:
                for factor in alternative.within or ():
                    with self.lowering.names.conditionally():
                        self.lowering.name(factor)
        return found

    def _uncertain(self, lower: Callable[[Lowering], T]) -> T:
        """An expression lowered with uncertain values; the name being lowered depends on every name that it reads."""
        drawn = self._with_draws()
        if self.lowering.names.outside:
            return lower(drawn)
        found, names = drawn.names.reading(lambda: lower(drawn))
        self.lowering.names.touch(*names)
        return found

    def _event(self, of: tuple[Sides, ...], base: str) -> tuple[Result, float]:
        there = self._meant()
        if there is not self:
            return there._event(of, base)
        if not self.lowering.names.outside:
            return self._probability(of, base)
        if (of, base) not in self._known:  # several rules ask for the same one
            self._known[of, base] = self._probability(of, base)
        return self._known[of, base]

    def _probability(self, of: tuple[Sides, ...], base: str) -> tuple[Result, float]:
        """The probability, and a bound on its error if it is a number."""
        self.lowered += 1
        graph = self.lowering.graph
        here = self._computed(lambda: _events(self.lowering, of, base))
        events = here if isinstance(here, Missing) else self._uncertain(lambda drawn: _events(drawn, of, base))
        if isinstance(events, Missing):
            return events, 0.0
        if len(events) == 1:
            kind, node = self._one(events[0])
        else:
            kind, node = "truth", reduce(lambda a, b: graph.add("and", a, b), [one.truth(graph) for one in events])
        return integral(graph, kind, node, self._draws) if graph.varies(node) else (node, 0.0)

    def _one(self, event: _Event) -> tuple[Kind, int]:
        """The integrand for one comparison."""
        graph = self.lowering.graph
        if not graph.varies(event.smaller) and not graph.varies(event.larger):
            return "truth", event.truth(graph)
        factors = self._draws.factors
        sides = [product(graph, side, factors, self._products) for side in event.apart(graph)]
        products = [side for side in sides if side is not None]
        if len(products) == 2 and dict(products[0][1]) != dict(products[1][1]):
            return "mean", likelihood(graph, event.operation, (products[0], products[1]), factors)
        return "truth", event.truth(graph)


@frozen
class _Event:
    """A comparison: `lt` or `le`, and the nodes of the sides."""

    operation: str
    smaller: int
    larger: int

    def truth(self, graph: Graph) -> int:
        return graph.add(self.operation, self.smaller, self.larger)

    def apart(self, graph: Graph) -> tuple[int, int]:
        """The sides with terms that are not uncertain on one side: of `a + 3 <= 5`, `a` and `5 - 3`."""
        smaller, larger = self.smaller, self.larger
        while True:
            turned = graph.varies(larger)
            side, other = (larger, smaller) if turned else (smaller, larger)
            if graph.varies(other) or graph[side].op not in ("add", "sub"):
                return smaller, larger
            first, second = graph[side].args
            added = graph[side].op == "add"
            if not graph.varies(second):
                side, other = first, graph.add("sub" if added else "add", other, second)
            elif not graph.varies(first):
                side, other = second, graph.add("sub", other, first) if added else graph.add("sub", first, other)
                turned ^= not added
            elif graph.constant(other) == 0.0 and not added:
                side, other = first, second
            else:
                return smaller, larger
            smaller, larger = (other, side) if turned else (side, other)


def _events(lowering: Lowering, of: tuple[Sides, ...], base: str) -> list[_Event] | Missing:
    """Comparisons as they are lowered."""
    found = []
    for sides in of:
        left, right = (lowering.expressions.lower(side, {}, base=base) for side in (sides.left, sides.right))
        if isinstance(left, Missing) or isinstance(right, Missing):
            return missing(left, right)
        strict = "lt" if sides.operation in ("lt", "gt") else "le"
        found.append(_Event(strict, *((left, right) if sides.operation in ("lt", "le") else (right, left))))
    return found
