"""What is uncertain as variables of the graph: ranges, and how far measured values are from computed ones.

Each is numbered from `Graph.ranged`, in the order in which a lowering meets it. The variable of a range is the share of
its mass below the value, that of a band a deviate of Student's t; how both become values is part of the graph.
"""

from __future__ import annotations

from attrs import define, field

from llmplan.operations.chances import TENTH
from llmplan.system.graph import Graph


@define
class Draws:
    """The uncertain values that a lowering has met.

    Attributes:
        found: Their names, and whether each is a band, in the order of their variables.
        factors: By the node of the factor of a band: its name, and the nodes of how far the logarithm of its 90 % and
            its 10 % point are from the median.
    """

    found: dict[tuple[str, bool], int] = field(factory=dict)
    factors: dict[int, tuple[str, int, int]] = field(factory=dict)

    def _variable(self, graph: Graph, name: str, band: bool) -> int:
        return graph.unknown(graph.ranged + self.found.setdefault((name, band), len(self.found)))

    def of_range(self, graph: Graph, name: str, low: int, middle: int, high: int) -> int:
        """A value in a range: half of its mass lies evenly below the expected value, half above."""
        share = self._variable(graph, name, band=False)
        lowest, highest = graph.add("min", low, high), graph.add("max", low, high)
        half, two = graph.const(0.5), graph.const(2.0)
        under = graph.add("mul", graph.add("mul", two, share), graph.add("sub", middle, lowest))
        over = graph.add("mul", graph.add("mul", two, graph.add("sub", share, half)), graph.add("sub", highest, middle))
        below = graph.add("add", lowest, under)
        return graph.add("select", graph.add("lt", share, half), below, graph.add("add", middle, over))

    def factor(self, graph: Graph, name: str, low: int, high: int) -> int:
        """The factor between a computed and a measured value."""
        zero = graph.const(0.0)
        ends = [graph.add("ln", end) for end in (low, high)]
        up = graph.add("max", zero, graph.add("max", *ends))
        down = graph.add("neg", graph.add("min", zero, graph.add("min", *ends)))
        if graph.constant(up) == 0.0 and graph.constant(down) == 0.0:
            return graph.const(1.0)
        deviate = self._variable(graph, name, band=True)
        scale = graph.add("select", graph.add("lt", zero, deviate), up, down)
        made = graph.add("exp", graph.add("div", graph.add("mul", deviate, scale), graph.const(TENTH)))
        self.factors[made] = name, up, down
        return made

    def bands(self, graph: Graph) -> int:
        """The variables of bands, as bits."""
        return sum(1 << graph.ranged + index for (_, band), index in self.found.items() if band)
