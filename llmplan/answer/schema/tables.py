"""A plan under several values: the points of a sweep, or scenarios."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen

from llmplan.answer.schema.requirements import Departure, Sides
from llmplan.units.amount import Amount, Range


@frozen
class Blocked:
    """A requirement of an infeasible point's conflict: its sides at the nearest plan, or why it has no value there."""

    name: str
    sides: Sides | None = None
    reason: str = ""


@frozen
class Row:
    """The plan at one point of a sweep, or under one scenario."""

    at: tuple[Amount, ...]  # the point; the name of a scenario, None for the plan itself
    status: Literal["solved", "infeasible", "error"]
    # The asked unknowns; `results` what is compared. For an infeasible point, those of the nearest plan
    unknowns: dict[str, Amount] = field(factory=dict)
    results: dict[str, Amount] = field(factory=dict)
    conflict: tuple[Blocked, ...] = ()  # of an infeasible point
    partly: bool = False  # whether not every jump of a continuous unknown was tried
    errors: tuple[str, ...] = ()  # messages, of a point that is wrong
    spreads: dict[str, Range] = field(factory=dict)  # of a result that is a range, its ends
    best: bool = False  # True if no other row is better by the objectives, or on the front of `pareto`


@frozen
class Column:
    """A result of variations: its name and base unit, and the unit that the author asked for with its factor."""

    name: str
    unit: str
    asked: str = ""
    factor: float = 1.0


@frozen
class Table:
    """Variations of a plan: what varies, what is asked for, and the results."""

    axes: tuple[str, ...]
    unknowns: tuple[str, ...]
    results: tuple[Column, ...]
    rows: tuple[Row, ...]
    departures: tuple[Departure, ...] = ()  # of a table that stands alone: what the plan waives or replaces
