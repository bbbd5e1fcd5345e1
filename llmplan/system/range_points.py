"""The treatment of ranges as inputs: one point of them, or a variable of the graph for each."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from attrs import define, field


@define
class Spreads:
    """The treatment of ranges as inputs.

    Attributes:
        corner: By name, where between its ends each range is taken: 0 at the low end (also for names that are not
            listed), 1 at the high one; a `Fraction` gives a point exactly. If None, each is an unknown of the graph,
            numbered as in `found`.
        found: The ends of each range, in the order in which they were met.
    """

    corner: Mapping[str, float | Fraction] | None
    found: dict[str, tuple[float, float]] = field(factory=dict)

    def value(self, name: str, corner: Mapping[str, float | Fraction]) -> float:
        """The value of a range that has been met, at a corner."""
        (low, high), share = self.found[name], corner.get(name, 0.0)
        if isinstance(share, Fraction):
            return float(Fraction(low) + share * (Fraction(high) - Fraction(low)))
        return high if share == 1.0 else low + share * (high - low)
