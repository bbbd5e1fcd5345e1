"""The solver's answer. Indices of unknowns and conditions are positions in the `System`."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen

from llmplan.diagnostics import Diagnostic
from llmplan.system.system import Condition

Status = Literal["solved", "infeasible", "error"]
How = Literal["search", "closed form", "numeric"]
Jump = Literal["edge", "tried"]


@frozen
class Neighbour:
    """The next feasible value of an unknown beside the chosen one, in base units, and the whole plan there."""

    value: float
    point: dict[int, float]


@frozen
class Neighbours:
    """The next smaller and larger feasible value, None if there is none."""

    below: Neighbour | None = None
    above: Neighbour | None = None


@frozen
class Conflict:
    """Why no point is feasible. Indices are those of `Outcome.requirements`.

    Attributes:
        impossible: Indices of requirements that no candidate meets.
        smallest: Indices of a smallest set that no candidate meets as a whole; if any one is dropped, some candidate
            meets the rest.
        nearest: The point with the fewest violated conditions, then the smallest sum of relative
            violations, then the best objectives.
        violated: Indices of the requirements that the nearest point violates.
        partly: Whether a continuous unknown has more jumps than were sampled, so that a feasible point may lie between
            samples.
        further: More such sets, sharing no requirement with `smallest` or with one another.
    """

    impossible: tuple[int, ...]
    smallest: tuple[int, ...]
    nearest: dict[int, float]
    violated: tuple[int, ...]
    partly: bool = False
    further: tuple[tuple[int, ...], ...] = ()


@frozen
class Outcome:
    """The solution of a `System`.

    Attributes:
        status: `error` if it could not be solved for a reason given in `diagnostics`.
        point: The value of every unknown in base units; if infeasible, at the nearest point.
        how: How each unknown was found.
        exact: The unrounded solution of an unknown that a closed form gives.
        jumps: For a continuous unknown, `edge` if it is at a jump of the model, `tried` if the model has more jumps
            along it than were sampled.
        intervals: The feasible intervals of a continuous unknown, at the chosen values of the others.
        considered: The number of points in the product of the domains, without continuous unknowns.
        feasible: The number of them that meet every condition, None if the search ended early.
        neighbours: The neighbours of each unknown that the plan asks for and whose values have an order.
        flat: Indices of objectives that are the same for all feasible points.
        binding: The binding constraint of each unknown that the plan asks for, if it has one: the requirement that its
            next better value would violate, as an index in `requirements`.
        requirements: All requirements, in this order: the conditions of the system, the domains that depend on other
            unknowns, and values for the author's objectives.
        conflict: Set when infeasible.
        top: The best points, the answer first, if they were asked for; `front` the best trade-offs between the two
            objectives of `System.front`, ascending in the first. With a continuous unknown, the best points differ in
            another unknown.
    """

    status: Status
    point: dict[int, float] = field(factory=dict)
    how: dict[int, How] = field(factory=dict)
    exact: dict[int, float] = field(factory=dict)
    jumps: dict[int, Jump] = field(factory=dict)
    intervals: dict[int, tuple[tuple[float, float], ...]] = field(factory=dict)
    considered: int = 0
    feasible: int | None = None
    neighbours: dict[int, Neighbours] = field(factory=dict)
    flat: tuple[int, ...] = ()
    binding: dict[int, int] = field(factory=dict)
    requirements: tuple[Condition, ...] = ()
    conflict: Conflict | None = None
    top: tuple[dict[int, float], ...] = ()
    front: tuple[dict[int, float], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
