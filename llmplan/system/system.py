"""The solver's input: unknowns with their domains, conditions and objectives over one graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from attrs import field, frozen

from llmplan.check.scope import Scope
from llmplan.source import Span
from llmplan.system.display import amount, show
from llmplan.system.graph import Graph
from llmplan.units.amount import Amount
from llmplan.units.measure import Type


@frozen
class Unknown:
    """A value that is left open.

    Attributes:
        path: `hardware.gpus`, or the name of a let or an assumption.
        type: Its measure, enum or kind.
        values: The candidates in base units, in the order of the domain; members of an enum and entries as indices.
            None for a continuous unknown.
        low, high: The ends of a continuous domain in base units.
        names: The printed form of each index for an enum, Bool or entry; else empty.
        unit: The unit that the author used in the domain, for showing values; may be empty.
        allowed: A node that is 1 if the value is in the domain, for a domain that depends on other unknowns (`values`
            is then the union); else None.
        asked: True if the plan says `?`, False if a default of the library does.
        used: False if the plan does not ask for it, and nothing that it asks for depends on it: it then has a single
            value without meaning.
        span: Where the `?` is written.
    """

    path: str
    type: Type
    values: tuple[float, ...] | None
    low: float
    high: float
    names: tuple[str, ...]
    unit: str
    allowed: int | None
    asked: bool
    span: Span = field(eq=False)
    used: bool = True

    def text(self, value: float, scope: Scope) -> str:
        """The text of one of its values."""
        return show(value, self.type, scope, self.unit)

    def amount(self, value: float, scope: Scope) -> Amount:
        """One of its values as an amount."""
        return amount(value, self.type, scope, self.unit)


@frozen
class Condition:
    """A requirement or a preference.

    Attributes:
        name: `deadline`, `fits`; for a quantity that must be whole, the quantity's name.
        node: 1 where it holds; NaN and 0 mean that it does not.
        origin: `plan`, `used`, `library`, or `type` for a quantity that must be whole or in its
            domain, `domain` for an unknown whose domain depends on others.
        left, right: The sides of a single comparison, for the slack; None for anything else.
        op: `le`, `lt`, `ge`, `gt`, `eq` or `ne` with two sides.
        weight: None for a requirement, the weight of a preference.
        span: Where it is written.
    """

    name: str
    node: int
    origin: Literal["plan", "used", "library", "type", "domain"]
    left: int | None
    right: int | None
    op: str
    weight: float | None
    span: Span


@frozen
class Objective:
    """An objective: `node` as small as possible (`sense` +1) or as large as possible (-1)."""

    node: int
    sense: int
    text: str
    span: Span
    author: bool


@frozen
class System:
    """The problem: find the values of `unknowns` at which all `conditions` hold and `objectives` are best, in order.

    `front` is empty or the two objectives of a Pareto front.
    """

    graph: Graph
    unknowns: tuple[Unknown, ...]
    conditions: tuple[Condition, ...]
    preferences: tuple[Condition, ...]
    objectives: tuple[Objective, ...]
    front: tuple[Objective, ...] = ()

    def by_path(self, point: Mapping[int, float]) -> dict[str, float]:
        """The values at a point by path, without unknowns that nothing depends on."""
        return {self.unknowns[i].path: value for i, value in point.items() if self.unknowns[i].used}
