"""Values of a plan at its solution, with where each came from, and the answers for its unknowns."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from llmplan.units.amount import Amount, Range
from llmplan.units.measure import Scalar

AUTHORED = ("--set", "scenario", "sweep", "plan", "used", "solved")
"""Layers of a value that the plan itself, or what is laid over it, gives."""

Role = Literal["input", "quantity", "let", "assumption"]


@frozen
class Citation:
    """`@cite(source, place)`."""

    source: str
    place: str = ""


@frozen
class Origin:
    """Where a value came from, or would have: one layer that was won or lost against."""

    # `--set`, `scenario`, `sweep`, `plan`, `used`, `entry`, `default`, `formula`, `replaced` (a formula of the plan in
    # place of the library's), `assumed`, `solved`; of a requirement also `library`, `type`, `waived`
    layer: str
    place: str  # `plans/llama7b.plan:14`, or empty
    text: str  # what is written there


@frozen
class Read:
    """What was read of a measured run, beside what the library says of it without and with what was measured."""

    run: str
    place: str
    name: str
    seen: Amount
    before: Amount
    after: Amount

    @property
    def moves(self) -> bool:
        """Whether what was measured moves what the library says of that run: memory it does not."""
        return self.before.value != self.after.value


@frozen
class Value:
    """An input, let, assumption or quantity at the solution."""

    name: str  # `time`, `memory.total`, `hardware.gpus`; an indexed quantity as `memory_at[first, forward]`
    amount: Amount  # its value is None where it has none
    unit: str | None  # the base unit (`s`, `byte/s`, empty for a plain number), None for text, enum and Bool
    role: Role  # what declared it
    needs: tuple[str, ...] = ()  # the inputs that are missing, if it cannot be computed for want of them
    # Why it has no value otherwise (`"A100-SXM4-80GB" has no peak_fp8`), or empty; `given`: whether anything gives it
    reason: str = ""
    given: bool = True
    spread: Range | None = None  # the ends of its range, if inputs are ranges
    # The ends between which eight of ten measured values lie, where it depends on a quantity with a band
    band: Range | None = None
    # Where measured runs move it: what it is without them, and the names of those that are near
    prior: Amount | None = None
    measured: tuple[str, ...] = ()
    # Where the winning value stands; `others` what it won against, strongest first
    origin: Origin | None = None
    others: tuple[Origin, ...] = ()
    formula: str = ""  # the formula as written, for a quantity or a default that is one; else empty
    indices: tuple[tuple[str, str], ...] = ()  # of an indexed quantity what each index is here: `s` is `first`
    reads: tuple[str, ...] = ()  # names that the formula read at this point, in order of appearance
    doc: str = ""  # `doc`, `cites`: of its declaration
    cites: tuple[Citation, ...] = ()

    @property
    def value(self) -> Scalar:
        """In base units; a member's or entry's name for enums and entries; None if it has none."""
        return self.amount.value

    @property
    def authored(self) -> bool:
        """Whether the plan itself, or what is laid over it, gives it."""
        return self.origin is not None and self.origin.layer in AUTHORED

    @property
    def low(self) -> float | None:
        """The lower end of its range in base units."""
        return None if self.spread is None else self.spread.low.number

    @property
    def high(self) -> float | None:
        """The upper end of its range in base units."""
        return None if self.spread is None else self.spread.high.number

    @property
    def model_low(self) -> float | None:
        """The lower end of its band in base units."""
        return None if self.band is None else self.band.low.number

    @property
    def model_high(self) -> float | None:
        """The upper end of its band in base units."""
        return None if self.band is None else self.band.high.number

    @property
    def text(self) -> str:
        """As written with four digits: `29.92 days`, `80 GB`, `bf16`, for the templates of targets."""
        return self.amount.exact()


@frozen
class Case:
    """One requirement that a value would violate: its computed side there and how far that is from the limit.

    Attributes:
        off: On which side it is, or what else is the case; `not met` goes with `text` or `sides` where these are known.
        text: What its failure means in the author's words.
        sides: The sides of its comparison.
    """

    name: str
    off: Literal["over", "short", "off", "violated", "no value", "not met"]
    computed: Amount | None = None
    gap: Amount | None = None
    text: str = ""
    sides: tuple[Amount, str, Amount] | None = None


@frozen
class Beyond:
    """What the next better value of an unknown would violate.

    Attributes:
        value: That value.
        cases: One for each requirement.
    """

    value: Amount
    cases: tuple[Case, ...]


@frozen
class SolvedUnknown:
    """The answer for one `?`."""

    path: str
    value: Value
    # By `search` over values, by a `closed form`, or `numeric` over a continuous range
    how: Literal["search", "closed form", "numeric"]
    asked: bool  # True if the plan wrote the `?`, False where the library's default is one
    whole: bool = False  # whether a range that the author wrote was searched in whole numbers
    # Of a continuous one: at the `edge` of a jump, or the best of many jumps of which not all were `tried`
    jump: Literal["edge", "tried"] | None = None
    # The domain: all its values, or the first ones and the last (`of` says how many there are); or its two ends
    values: tuple[Amount, ...] = ()
    of: int = 0
    ends: Range | None = None
    relation: str = ""  # a closed form with symbols (`hardware.gpus = 6 · … / (…)`), or empty
    numbers: str = ""  # the right-hand side of the relation with values in the place of names
    exact: Amount | None = None  # the unrounded solution of the closed form
    # `below`, `above`: the next feasible neighbours in the domain
    below: Amount | None = None
    above: Amount | None = None
    # The binding constraints: the requirements that keep it from the next better value
    set_by: tuple[str, ...] = ()
    beyond: Beyond | None = None
    # For a continuous unknown, the values that meet every requirement with the others fixed; empty if it is its value
    # alone
    works: tuple[Range, ...] = ()


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
    before: float
    after: float
    # For each result that changes its name, what it is and what it would be
    changes: tuple[tuple[str, Amount, Amount], ...]
