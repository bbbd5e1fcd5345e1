"""A solved plan as data, from which the report, the templates, the JSON and `explain` are made.

Numbers are in base units (byte, FLOP, s, token, parameter, USD, J, kg; counts as they are), each
with the text that a person reads. Nothing here computes: `report/` and `whatif/` fill it. It is one
schema, so it is one module, long as that is.
"""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen

from llmplan.check.program import EmitTarget
from llmplan.diagnostics import Diagnostic

Scalar = float | int | str | bool | None


@frozen
class Citation:
    """`@cite(source, place)`."""

    source: str
    place: str = ""


@frozen
class Origin:
    """Where a value came from, or would have: one layer that was won or lost against.

    Attributes:
        layer: `--set`, `scenario`, `sweep`, `plan`, `used`, `entry`, `default`, `formula`,
            `assumed`, `solved`.
        place: `plans/llama7b.plan:14`, or empty.
        text: What is written there.
    """

    layer: str
    place: str
    text: str


@frozen
class Value:
    """An input, let, assumption or quantity at the solution.

    Attributes:
        name: `time`, `memory.total`, `hardware.gpus`; an indexed quantity as `memory_at[first, forward]`.
        value: In base units; a member's or entry's name for enums and entries; None if it has none.
        unit: The base unit (`s`, `byte/s`, empty for a plain number), None for text, enum and Bool.
        text: For people: `29.9 days`, `80 GB`, `bf16`.
        role: What declared it.
        needs: The inputs that are missing, if it cannot be computed for want of them.
        reason: Why it has no value otherwise (`"A100-SXM4-80GB" has no peak_fp8`), or empty.
        low, high: The ends of its range if inputs are ranges, else None; `spread` for people.
        origin: Where the winning value stands; `others` what it won against, strongest first.
        formula: The formula as written, for a quantity or a default that is one; else empty.
        reads: Names that the formula read at this point, in order of appearance.
        doc, cites: Of its declaration.
    """

    name: str
    value: Scalar
    unit: str | None
    text: str
    role: Literal["input", "quantity", "let", "assumption"]
    needs: tuple[str, ...] = ()
    reason: str = ""
    low: float | None = None
    high: float | None = None
    spread: str = ""
    origin: Origin | None = None
    others: tuple[Origin, ...] = ()
    formula: str = ""
    reads: tuple[str, ...] = ()
    doc: str = ""
    cites: tuple[Citation, ...] = ()


@frozen
class SolvedUnknown:
    """The answer for one `?`.

    Attributes:
        how: How it was found.
        asked: True if the plan wrote the `?`, False where the library's default is one.
        domain: The domain as text (`1, 2, 4 … 65,536`), for the report.
        relation: A closed form with symbols (`hardware.gpus = 6 · … / (…)`), or empty.
        exact: The unrounded solution of the closed form in base units, or None; `exact_text` for people.
        below, above: The next feasible neighbours in the domain, as text with what they cost; empty if none.
        set_by: The binding constraints: the requirements that keep it from the next better value.
        beyond: What that value would violate, and by how much.
        works: For a continuous unknown, the values that meet every requirement with the others
            fixed, `64.9 GB .. 200 GB`; empty if it is its value alone.
        numbers: The right-hand side of the relation with values in the place of names.
    """

    path: str
    value: Value
    how: Literal["search", "closed form", "numeric"]
    asked: bool
    domain: str
    relation: str = ""
    exact: float | None = None
    exact_text: str = ""
    below: str = ""
    above: str = ""
    set_by: tuple[str, ...] = ()
    beyond: str = ""
    works: str = ""
    numbers: str = ""


@frozen
class RequirementResult:
    """One requirement or preference at the solution.

    Attributes:
        holds: None if it was not checked because inputs are missing (`needs`).
        certainty: `certain`, `expected` or `no`, as the JSON's `range`.
        slack: In base units: how far the smaller side is below the larger; negative if violated.
        text: The condition as written.
        values: The condition with its values: `29.9 days <= 30 days`.
        slack_text: The slack for people: `2.4 hours`; empty without one.
        because: Why it exists.
        otherwise: What its failure means (`else`), shown instead of the condition; empty where it holds or has no
            `else`.
        origin: `plan`, `used`, `library` or `type`.
        weight: None for a requirement, the weight of a preference.
    """

    name: str
    holds: bool | None
    certainty: Literal["certain", "expected", "no"]
    slack: float | None
    text: str
    values: str
    because: str
    origin: str
    place: str
    needs: tuple[str, ...] = ()
    weight: float | None = None
    slack_text: str = ""
    otherwise: str = ""

    @property
    def case(self) -> str:
        """What its failure means in the author's words, else the condition's values; empty where there are neither."""
        return self.otherwise or self.values


@frozen
class Relaxation:
    """A single change that makes an infeasible plan feasible, found by solving again.

    Attributes:
        name: The input, let or assumption, or the requirement whose bound would move.
        kind: `input` for anything that has a value, `requirement` for a bound.
        before: What it is now, for people.
        values: What it would have to be: the nearest value above, below or both, or of a choice
            every one that works; in base units or by name.
        unit: The base unit, None for a choice.
        texts: The values in the author's unit.
        change: The smallest relative change, infinite for a choice.
        condition: The requirement with the relaxed bound, as one would write it; empty for an input.
    """

    name: str
    kind: Literal["input", "requirement"]
    before: str
    values: tuple[Scalar, ...]
    unit: str | None
    texts: tuple[str, ...]
    change: float
    condition: str = ""

    @property
    def text(self) -> str:
        """`relax deadline to time <= 35 days`, `change hardware.gpus from 64 GPUs to 96 GPUs`."""
        if self.condition:
            return f"relax `{self.name}` to `{self.condition}`"
        more = len(self.texts) - 4
        values = f"{', '.join(self.texts[:4])} or {more} more" if more > 0 else " or ".join(self.texts)
        verb = "change" if self.kind == "input" else "relax"
        return f"{verb} `{self.name}` from {self.before} to {values}" if self.before else f"set `{self.name}` to {values}"


@frozen
class Sensitivity:
    """The percentage change of a result per one per cent increase of each input, ignoring rounding.

    Attributes:
        result: A quantity, or an objective or shown row as written.
        by: Inputs, lets, assumptions and solved numbers with the elasticity, the strongest first.
    """

    result: str
    by: tuple[tuple[str, float], ...]


@frozen
class Gain:
    """The effect of one more percentage point of an assumption.

    Attributes:
        changes: For each result that changes its name, what it is, what it would be, the difference.
    """

    name: str
    before: str
    after: str
    changes: tuple[tuple[str, str, str, str], ...]


@frozen
class Alternative:
    """A feasible layout: its unknowns and results, for people.

    Attributes:
        settings: Unknowns with their values.
        results: Main results, objectives and shown rows with their values.
        loss: What it is worse in than the answer: a preference or an objective; empty for none.
    """

    settings: tuple[tuple[str, str], ...]
    results: tuple[tuple[str, str], ...]
    loss: str


@frozen
class Row:
    """The plan at one point of a sweep, or under one scenario.

    Attributes:
        at: The point for people; `values` in base units, entries and members by name.
        unknowns: The asked unknowns, as value and text; `results` in base units and as text. For an
            infeasible point, those of the nearest plan.
        reason: Why it is infeasible, or wrong.
        best: True if no other row is better by the objectives, or on the front of `pareto`.
    """

    at: tuple[str, ...]
    values: tuple[Scalar, ...]
    status: Literal["solved", "infeasible", "error"]
    unknowns: dict[str, tuple[Scalar, str]] = field(factory=dict)
    results: dict[str, tuple[float, str]] = field(factory=dict)
    reason: str = ""
    best: bool = False


@frozen
class Table:
    """Variations of a plan: what varies, what is asked for, and results by name with their base unit."""

    axes: tuple[str, ...]
    unknowns: tuple[str, ...]
    results: tuple[tuple[str, str], ...]
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
    """Everything that is known about a plan after solving.

    Attributes:
        plan: The plan's path as given on the command line, with `/`.
        title: The `##` lines at the head of the plan, or empty.
        status: `solved`, `infeasible` (values are then those of the nearest plan) or `error`.
        values: By name: every let, chosen entry (`model`), input of every kind, assumption and
            quantity, in the order of declaration.
        conflict: Of an infeasible plan the names of a smallest set of requirements that conflict.
        relaxations: For an infeasible plan, the single changes that make it feasible, the smallest first.
        sensitivities, gains: Of a solved plan.
        alternatives: The best layouts, the answer first, if there are several; `front` the best
            trade-offs between the two objectives of `pareto`, the Pareto front.
        sweep, scenarios: The plan at the points of its sweeps and under its scenarios; what
            `compile` alone computes.
        considered: How many points of the domains' product there are; `feasible` how many meet
            every requirement, None where the search could end early.
        assumptions, waived, replaced, notes: What the report must list.
        plan_hash: Of the normalised plan with its used files; a comment does not change it.
        library_hash: Of the library that computed it.
        sources: What the plan's texts are called in the places above, and their paths from the project root.
    """

    plan: str
    title: str
    status: Literal["solved", "infeasible", "error"]
    unknowns: tuple[SolvedUnknown, ...] = ()
    values: dict[str, Value] = field(factory=dict)
    requirements: tuple[RequirementResult, ...] = ()
    preferences: tuple[RequirementResult, ...] = ()
    objectives: tuple[ObjectiveResult, ...] = ()
    shown: tuple[Shown, ...] = ()
    conflict: tuple[str, ...] = ()
    relaxations: tuple[Relaxation, ...] = ()
    sensitivities: tuple[Sensitivity, ...] = ()
    gains: tuple[Gain, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    front: tuple[Alternative, ...] = ()
    sweep: Table | None = None
    scenarios: Table | None = None
    considered: int = 0
    feasible: int | None = None
    assumptions: tuple[str, ...] = ()
    waived: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    emits: tuple[EmitTarget, ...] = ()
    into: str = ""
    plan_hash: str = ""
    library_hash: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    sources: dict[str, str] = field(factory=dict)
