"""Everything that is known about a plan after solving, in one record."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen

from llmplan.answer.schema.advice import (
    Alternative,
    Assumed,
    Cliff,
    Default,
    Lever,
    Price,
    Relaxation,
    Risk,
    Rival,
    Skipped,
)
from llmplan.answer.schema.charts import Curve, Neighbour, Swings
from llmplan.answer.schema.requirements import Clash, Departure, RequirementResult
from llmplan.answer.schema.tables import Table
from llmplan.answer.schema.values import Gain, Read, Sensitivity, SolvedUnknown, Value
from llmplan.check.program import EmitTarget
from llmplan.diagnostics import Diagnostic
from llmplan.source import Span
from llmplan.units.amount import Amount, Range


@frozen
class ObjectiveResult:
    sense: Literal["minimize", "maximize"]
    text: str  # as written
    amount: Amount | None  # None if it has no value


@frozen
class Shown:
    """A row that `show` adds: the expression as written and its value."""

    text: str
    amount: Amount  # its value is None where it has none
    needs: tuple[str, ...] = ()  # inputs that are missing
    reason: str = ""  # why else it has no value
    given: bool = True  # whether a text is given
    spread: Range | None = None  # the ends of its range, if inputs are ranges
    band: Range | None = None  # the ends between which eight of ten measured values lie
    bounded: bool = True  # False if it has no value at some points of the ranges


@frozen
class Replaced:
    """A formula or function that the plan replaces."""

    name: str
    text: str  # the new formula as written
    place: str
    instead: str  # where the library has its own; empty if a file of the plan declares what is replaced


@frozen
class BestPoint:
    """That a plan which has no value but those of its sweep is shown at one point of it."""

    names: tuple[str, ...]  # what has no other value
    best: bool  # whether the point is the best of the sweep, else its first
    of: int  # how many points there are


@frozen
class Solution:
    """Everything that is known about a plan after solving."""

    plan: str  # the plan's path as given on the command line, with `/`
    title: str  # the `##` lines at the head of the plan, or empty
    # `solved`, `infeasible` (values are then those of the nearest plan) or `error`
    status: Literal["solved", "infeasible", "error"]
    unknowns: tuple[SolvedUnknown, ...] = ()
    # By name: every let, chosen entry (`model`), input of every kind, assumption and quantity, in the order
    # of declaration
    values: dict[str, Value] = field(factory=dict)
    compared: tuple[str, ...] = ()  # the names of the quantities that the library compares plans by
    calendar: dict[str, str] = field(factory=dict)  # the counterparts of quantities on the calendar
    # Of a quantity that is made of parts their names, each with what people call it, in the order of declaration
    parts: dict[str, tuple[tuple[str, str], ...]] = field(factory=dict)
    requirements: tuple[RequirementResult, ...] = ()
    preferences: tuple[RequirementResult, ...] = ()
    objectives: tuple[ObjectiveResult, ...] = ()
    shown: tuple[Shown, ...] = ()
    # Of an infeasible plan the names of a smallest set of requirements that conflict
    conflict: tuple[str, ...] = ()
    clashes: tuple[Clash, ...] = ()  # the conflicts that have no requirement in common, `conflict` first
    # Whether a continuous unknown has more jumps than were tried, so that an infeasible plan may be feasible between
    # them
    partly: bool = False
    # For an infeasible plan, the changes that make it feasible, each alone or with others beside it, the best first
    relaxations: tuple[Relaxation, ...] = ()
    untried: tuple[str, ...] = ()  # changes for which the effort was not enough
    thinned: tuple[str, ...] = ()  # unknowns of whose many values only some were tried with each change
    levers: tuple[Lever, ...] = ()  # of a solved plan: what single changes would bring, sorted
    prices: tuple[Price, ...] = ()  # of a solved plan: preferences of the library that cost much of its objective
    sensitivities: tuple[Sensitivity, ...] = ()  # `sensitivities`, `gains`: of a solved plan
    gains: tuple[Gain, ...] = ()
    # The best layouts, the answer first, if there are several; `front` the best trade-offs between the two
    # objectives of `pareto`, the Pareto front
    alternatives: tuple[Alternative, ...] = ()
    front: tuple[Alternative, ...] = ()
    rivals: tuple[Rival, ...] = ()  # the other cards or models that it could have chosen
    # `sweep`, `scenarios`: the plan at the points of its sweeps and under its scenarios; what `compile` alone
    # computes
    sweep: Table | None = None
    scenarios: Table | None = None
    # `curve`, `neighbours`: what pictures are drawn from, of a solved plan; what `compile` alone computes too
    curve: Curve | None = None
    neighbours: tuple[Neighbour, ...] = ()  # the answer first
    swings: Swings | None = None  # what makes the result that is asked for first uncertain; pictures alone have it
    # How many points of the domains' product there are; `feasible` how many meet every requirement, None
    # where the search could end early
    considered: int = 0
    feasible: int | None = None
    measured: tuple[Read, ...] = ()  # the readings of runs that were measured, which move its values
    risks: tuple[Risk, ...] = ()  # what the plan leaves to others and may be off, the largest first
    # `assumptions`, `defaults`, `departures`, `replaced`, `cliffs`, `skipped`: what the report must list
    assumptions: tuple[Assumed, ...] = ()
    defaults: tuple[Default, ...] = ()  # of a solved plan: closed choices of the library that decide its results
    departures: tuple[Departure, ...] = ()
    replaced: tuple[Replaced, ...] = ()
    cliffs: tuple[Cliff, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    point: BestPoint | None = None  # of a plan that is solved at one point of its sweep
    emits: tuple[EmitTarget, ...] = ()
    told: tuple[str, ...] = ()  # inputs that the plan chooses and that the training software must be told of
    into: str = ""  # `into_at`: where the plan says so
    into_at: Span | None = field(default=None, eq=False, repr=False)
    plan_hash: str = ""  # of the normalised plan with its used files; a comment does not change it
    library_hash: str = ""  # of the library that computed it
    diagnostics: tuple[Diagnostic, ...] = ()
    # What the plan's texts are called in the places above, and their paths from the project root
    sources: dict[str, str] = field(factory=dict)
