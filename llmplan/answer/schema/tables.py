"""A plan under several values: the points of a sweep, or scenarios."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen

from llmplan.answer.schema.requirements import Departure, RequirementResult
from llmplan.diagnostics import Diagnostic
from llmplan.units.amount import Amount, Range

STATED = ("plan", "used")
"""Origins of what an author requires."""


@frozen
class Blocked:
    """A requirement of an infeasible point's conflict at the nearest plan, or why it has no value there."""

    name: str
    result: RequirementResult | None = None
    reason: str = ""

    @property
    def fails(self) -> bool:
        """Whether it is not met at the nearest plan; what is met there cannot be together with the others."""
        return self.result is None or self.result.holds is not True


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
    bands: dict[str, Range] = field(factory=dict)  # the ends between which eight of ten measured results lie
    # The author's requirements, the gravest verdict first, and others that are not safe
    judged: tuple[RequirementResult, ...] = ()
    best: bool = False  # True if no other row is better by the objectives, or on the front of `pareto`

    @property
    def gravest(self) -> RequirementResult | None:
        """The author's requirement with the gravest verdict, of several with the least chance; None without any."""
        return next((rule for rule in self.judged if rule.origin in STATED and rule.verdict is not None), None)

    def ends(self, name: str) -> Range | None:
        """The ends of a result: over the author's ranges, else those of its band."""
        return self.spreads.get(name) or self.bands.get(name)


@frozen
class Column:
    """A result of variations: its name and base unit, and the unit in which the plan has it with its factor.

    Attributes:
        asked: The unit of `show`, else of a requirement on it; empty if neither says one.
        calendar: The name of its counterpart on the calendar, which is another column; empty without one.
    """

    name: str
    unit: str
    asked: str = ""
    factor: float = 1.0
    calendar: str = ""


@frozen
class Table:
    """Variations of a plan: what varies, what is asked for, and the results.

    Attributes:
        notes: What is to be said of its rows, each once for all rows.
    """

    axes: tuple[str, ...]
    unknowns: tuple[str, ...]
    results: tuple[Column, ...]
    rows: tuple[Row, ...]
    departures: tuple[Departure, ...] = ()  # of a table that stands alone: what the plan waives or replaces
    notes: tuple[Diagnostic, ...] = field(default=(), eq=False, repr=False)
