"""A solved plan as data, from which the report, the templates, the JSON and `explain` are made.

Numbers are in base units (byte, FLOP, s, token, parameter, USD, J, kg; counts as they are), each
with the text that a person reads. Nothing here computes: `report/` and `whatif/` fill it. It is one
schema, so it is one module.
"""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen

from llmplan.advice import Lever, Moved, Relaxation, Risk
from llmplan.beside import Axis, Curve, CurvePoint, Neighbour
from llmplan.check.program import EmitTarget
from llmplan.diagnostics import Diagnostic
from llmplan.source import Span
from llmplan.units.measure import Scalar
from llmplan.verdicts import Clash, Compared

__all__ = [  # what of the schema stands elsewhere
    "Axis", "Clash", "Compared", "Curve", "CurvePoint", "Lever", "Moved", "Neighbour", "Relaxation", "Risk", "Scalar",
]  # fmt: skip


AUTHORED = ("--set", "scenario", "sweep", "plan", "used", "solved")
"""Layers of a value that the plan itself, or what is laid over it, gives."""


@frozen
class Citation:
    """`@cite(source, place)`."""

    source: str
    place: str = ""


@frozen
class Origin:
    """Where a value came from, or would have: one layer that was won or lost against."""

    # `--set`, `scenario`, `sweep`, `plan`, `used`, `entry`, `default`, `formula`, `assumed`, `solved`
    layer: str
    place: str  # `plans/llama7b.plan:14`, or empty
    text: str  # what is written there


@frozen
class Value:
    """An input, let, assumption or quantity at the solution."""

    name: str  # `time`, `memory.total`, `hardware.gpus`; an indexed quantity as `memory_at[first, forward]`
    value: Scalar  # in base units; a member's or entry's name for enums and entries; None if it has none
    unit: str | None  # the base unit (`s`, `byte/s`, empty for a plain number), None for text, enum and Bool
    text: str  # for people: `29.9 days`, `80 GB`, `bf16`
    role: Literal["input", "quantity", "let", "assumption"]  # what declared it
    needs: tuple[str, ...] = ()  # the inputs that are missing, if it cannot be computed for want of them
    reason: str = ""  # why it has no value otherwise (`"A100-SXM4-80GB" has no peak_fp8`), or empty
    # `low`, `high`: the ends of its range if inputs are ranges, else None; `spread` for people
    low: float | None = None
    high: float | None = None
    spread: str = ""
    # The ends between which eight of ten measured values lie, where it depends on a quantity with a band, else
    # None; `band` for people
    model_low: float | None = None
    model_high: float | None = None
    band: str = ""
    # Where the winning value stands; `others` what it won against, strongest first
    origin: Origin | None = None
    others: tuple[Origin, ...] = ()
    formula: str = ""  # the formula as written, for a quantity or a default that is one; else empty
    indices: tuple[tuple[str, str], ...] = ()  # of an indexed quantity what each index is here: `s` is `first`
    reads: tuple[str, ...] = ()  # names that the formula read at this point, in order of appearance
    doc: str = ""  # `doc`, `cites`: of its declaration
    cites: tuple[Citation, ...] = ()


@frozen
class SolvedUnknown:
    """The answer for one `?`."""

    path: str
    value: Value
    # How it was found: `search`, `search over whole numbers`, `closed form`; of a continuous one `numeric over a
    # continuous range`, and what is to be said of jumps there
    how: str
    asked: bool  # True if the plan wrote the `?`, False where the library's default is one
    domain: str  # the domain as text (`1, 2, 4 … 65,536`), for the report
    relation: str = ""  # a closed form with symbols (`hardware.gpus = 6 · … / (…)`), or empty
    # The unrounded solution of the closed form in base units, or None; `exact_text` for people
    exact: float | None = None
    exact_text: str = ""
    # `below`, `above`: the next feasible neighbours in the domain, as text with what they cost; empty if none
    below: str = ""
    above: str = ""
    # The binding constraints: the requirements that keep it from the next better value
    set_by: tuple[str, ...] = ()
    beyond: str = ""  # what that value would violate, and by how much
    # For a continuous unknown, the values that meet every requirement with the others fixed, `64.9 GB .. 200
    # GB`; empty if it is its value alone
    works: str = ""
    numbers: str = ""  # the right-hand side of the relation with values in the place of names


@frozen
class RequirementResult:
    """One requirement or preference at the solution."""

    name: str
    holds: bool | None  # None if it was not checked because inputs are missing (`needs`)
    certainty: Literal["certain", "expected", "no"]  # `certain`, `expected` or `no`, as the JSON's `range`
    slack: float | None  # in base units: how far the smaller side is below the larger; negative if violated
    text: str  # the condition as written
    values: str  # the condition with its values: `29.9 days <= 30 days`
    because: str  # why it exists
    origin: str  # `plan`, `used`, `library` or `type`
    place: str
    needs: tuple[str, ...] = ()
    weight: float | None = None  # None for a requirement, the weight of a preference
    slack_text: str = ""  # the slack for people: `2.4 hours`; empty without one
    # What its failure means (`else`), shown instead of the condition; empty where it holds or has no `else`
    otherwise: str = ""
    chance: float | None = None  # the probability that it holds, None where nothing makes it uncertain
    chance_text: str = ""  # for people: `65%`, `over 99%`; empty without one
    verdict: Literal["safe", "likely", "tight", "no"] | None = None  # None if it was not checked
    compared: Compared | None = None  # of a comparison of two numbers by size

    @property
    def case(self) -> str:
        """What its failure means in the author's words, else the condition's values; empty where there are neither."""
        return self.otherwise or self.values


@frozen
class Departure:
    """A requirement or preference that the plan waives, or replaces by another of the same name."""

    name: str
    origin: str  # of what is no longer required: `plan`, `used` or `library`
    text: str  # its condition as written
    by: str  # the condition in its place; empty if it is waived
    because: str  # empty if no reason is given
    place: str

    @property
    def what(self) -> str:
        return "replaced" if self.by else "waived"

    @property
    def reason(self) -> str:
        return self.because or "no reason given"


@frozen
class Sensitivity:
    """The percentage change of a result per one per cent increase of each input, ignoring rounding."""

    result: str  # a quantity, or an objective or shown row as written
    # Inputs, lets, assumptions and solved numbers with the elasticity, the strongest first
    by: tuple[tuple[str, float], ...]


@frozen
class Gain:
    """The effect of one more percentage point of an assumption."""

    name: str
    before: str
    after: str
    # For each result that changes its name, what it is, what it would be, the difference
    changes: tuple[tuple[str, str, str, str], ...]


@frozen
class Alternative:
    """A feasible layout: its unknowns and results, for people."""

    settings: tuple[tuple[str, str], ...]  # unknowns with their values
    results: tuple[tuple[str, str], ...]  # main results, objectives and shown rows with their values
    loss: str  # what it is worse in than the answer: a preference or an objective; empty for none


@frozen
class Row:
    """The plan at one point of a sweep, or under one scenario."""

    at: tuple[str, ...]  # the point for people; `values` in base units, entries and members by name
    values: tuple[Scalar, ...]
    status: Literal["solved", "infeasible", "error"]
    # The asked unknowns, as value and text; `results` in base units and as text. For an infeasible point,
    # those of the nearest plan
    unknowns: dict[str, tuple[Scalar, str]] = field(factory=dict)
    results: dict[str, tuple[float, str]] = field(factory=dict)
    reason: str = ""  # why it is infeasible, or wrong
    spreads: dict[str, str] = field(factory=dict)  # of a result that is a range, its ends for people
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


@frozen
class ObjectiveResult:
    sense: Literal["minimize", "maximize"]
    text: str
    value: str


@frozen
class Shown:
    """A row that `show` adds: the expression as written and its value."""

    text: str
    value: str


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
    # For an infeasible plan, the single changes that make it feasible, the smallest first
    relaxations: tuple[Relaxation, ...] = ()
    levers: tuple[Lever, ...] = ()  # of a solved plan: what single changes would bring, sorted
    sensitivities: tuple[Sensitivity, ...] = ()  # `sensitivities`, `gains`: of a solved plan
    gains: tuple[Gain, ...] = ()
    # The best layouts, the answer first, if there are several; `front` the best trade-offs between the two
    # objectives of `pareto`, the Pareto front
    alternatives: tuple[Alternative, ...] = ()
    front: tuple[Alternative, ...] = ()
    # `sweep`, `scenarios`: the plan at the points of its sweeps and under its scenarios; what `compile` alone
    # computes
    sweep: Table | None = None
    scenarios: Table | None = None
    # `curve`, `neighbours`: what pictures are drawn from, of a solved plan; what `compile` alone computes too
    curve: Curve | None = None
    neighbours: tuple[Neighbour, ...] = ()  # the answer first
    # How many points of the domains' product there are; `feasible` how many meet every requirement, None
    # where the search could end early
    considered: int = 0
    feasible: int | None = None
    risks: tuple[Risk, ...] = ()  # what the plan leaves to others and may be off, the largest first
    assumptions: tuple[str, ...] = ()  # `assumptions`, `departures`, `replaced`, `notes`: what the report must list
    departures: tuple[Departure, ...] = ()
    replaced: tuple[str, ...] = ()  # formulas and functions
    notes: tuple[str, ...] = ()
    emits: tuple[EmitTarget, ...] = ()
    told: tuple[str, ...] = ()  # inputs that the plan chooses and that the training software must be told of
    into: str = ""  # `into_at`: where the plan says so
    into_at: Span | None = field(default=None, eq=False, repr=False)
    plan_hash: str = ""  # of the normalised plan with its used files; a comment does not change it
    library_hash: str = ""  # of the library that computed it
    diagnostics: tuple[Diagnostic, ...] = ()
    # What the plan's texts are called in the places above, and their paths from the project root
    sources: dict[str, str] = field(factory=dict)
