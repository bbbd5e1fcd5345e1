"""The treatment of ranges as inputs: one point of them, or a variable of the graph for each."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field


@define
class Spreads:
    """The treatment of ranges as inputs.

    Attributes:
        corner: By name where between its ends each is taken: 0 the low end, which is also that of a name
            that is not listed, 1 the high one. None: each is an unknown of the graph, numbered as in `found`.
        found: The ends of each, in the order in which they were met.
        inside: True at a point over which a probability takes the mean; unknowns are numbered from `Graph.ranged` then.
    """

    corner: Mapping[str, float] | None
    found: dict[str, tuple[float, float]] = field(factory=dict)
    inside: bool = False

    def value(self, name: str, corner: Mapping[str, float]) -> float:
        """What a range that was found comes to at a corner."""
        (low, high), share = self.found[name], corner.get(name, 0.0)
        return high if share == 1.0 else low + share * (high - low)
