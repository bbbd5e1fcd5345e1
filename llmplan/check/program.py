"""The checked plan: records of declarations and settings, with their expressions.

Every record consists of plain data and types, so that `pack` and `unpack` can cache it.
"""

from __future__ import annotations

from attrs import field, frozen

from llmplan.cache.records import Packing
from llmplan.check.ir import FORMS, DomainItem, Expr, Member, Num, Sides
from llmplan.source import Span
from llmplan.units import measure
from llmplan.units.measure import Exponents, Type

SourceRef = tuple[str, int, int]
"""The name of a source, a start and an end offset."""


@frozen
class Domain:
    """The domain of an unknown, or the legal values of a field; `unit` and `text` as the author wrote them."""

    items: tuple[DomainItem, ...]
    unit: str
    text: str


@frozen
class Setting:
    """A right-hand side: a value, or an unknown with its domain (None for a bare `?`).

    For a field with two units, `unit` is the one of this value, else the one that the author wrote, for showing.
    `spread` has the two ends of a range; `value` is then the expected value.
    """

    value: Expr | None
    domain: Domain | None
    place: SourceRef
    unit: str = ""
    spread: tuple[Expr, Expr] | None = None

    @property
    def open(self) -> bool:
        return self.value is None


@frozen
class Field:
    """A field of a kind, with two types if it is `token or sequence`; `binary` if declared `@binary`.

    `assumed_with` lists quantities whose assumed values hold only for the field's current value; a `decision` is a
    field the planner chooses; a `lever` is worth trying: a number at these `factors` of its value, a choice at its
    `members`, or at neighbouring values if neither is given. A lever with a `cure` is tried only if that quantity
    holds, to make a plan feasible. `changes` names what another value changes beside speed and memory. `per` lists
    the labels that its numbers may have, the first being its type's. The default of a `derived` field does not count as
    given.
    """

    path: str
    types: tuple[Type, ...]
    units: tuple[str, ...]
    domain: Domain | None
    default: Setting | None
    unknown: Domain | None
    doc: str
    cites: tuple[tuple[str, str], ...]
    place: SourceRef
    binary: bool = False
    assumed_with: tuple[str, ...] = ()
    decision: bool = False
    lever: bool = False
    factors: tuple[float, ...] = ()
    members: tuple[str, ...] = ()
    cure: str = ""
    changes: str = ""
    per: tuple[str, ...] = ()
    derived: bool = False

    @property
    def type(self) -> Type:
        return self.types[0]


@frozen
class Alternative:
    """One formula of a quantity, valid where `when` holds.

    `within` are the two factors of its band, if it has one; `assumed` gives the reason for using it if the author does
    not say otherwise, and the answer lists it. A target's formula is `first`: it takes precedence over the library's,
    and among those of several targets the first in their order wins.
    """

    when: Expr | None
    value: Expr
    doc: str
    cites: tuple[tuple[str, str], ...]
    place: SourceRef
    formula: SourceRef
    replaces: bool
    within: tuple[str, str] | None = None
    assumed: str = ""
    first: bool = False


@frozen
class Quantity:
    name: str
    indices: tuple[tuple[str, str], ...]  # variable and enum
    type: Type
    unit: str
    domain: Domain | None
    alternatives: tuple[Alternative, ...]

    @property
    def fixed(self) -> bool:
        """Whether it is a literal, as the least chance that memory is enough: what assumes it replaces no estimate."""
        return bool(self.alternatives) and all(isinstance(one.value, (Num, Member)) for one in self.alternatives)


@frozen
class Alike:
    """Plans that are like a measured run: some inputs have its values.

    Attributes:
        inputs: Names, each with the run's value; None where it has none.
        weight: How much of what the run says holds for such plans.
    """

    inputs: tuple[tuple[str, float | None], ...]
    weight: float = 1.0


Near = tuple[Alike, ...]
"""How near a plan is to a run: the sum of the weights of those that it is like."""


@frozen
class MeasuredRun:
    """An earlier run: what was different from the plan, and what was read of it.

    Attributes:
        settings: Inputs by path, over those of the plan.
        readings: Quantities by name.
        near: The plans that it moves.
        compared: Of each reading that moves something its name, what was read, and what the library says of it without
            and with all runs, in base units.
    """

    name: str
    settings: dict[str, Setting]
    readings: dict[str, Setting]
    place: SourceRef
    near: Near = ()
    compared: tuple[tuple[str, float, float, float], ...] = ()


@frozen
class Shifted:
    """A constant that measured runs move.

    Attributes:
        runs: Of each run how near a plan is, and what it adds to the logarithm of the constant for one that is alike.
        place: The statement of the run that says most.
    """

    runs: tuple[tuple[Near, float], ...]
    place: SourceRef


@frozen
class Narrowed:
    """An end of a band, which comes nearer to 1 as constants become known.

    Attributes:
        runs: Of each run the standard deviation that it shares with a plan, by how near that is.
        inverse: The inverse of the covariance of the runs' readings.
        least: The standard deviation that readings themselves have.
        place: The statement of the first run.
    """

    runs: tuple[Near, ...]
    inverse: tuple[tuple[float, ...], ...]
    least: float
    place: SourceRef


@frozen
class Holding:
    """A truth value that holds for plans that are like a measured run."""

    runs: tuple[Near, ...]
    place: SourceRef


@frozen
class Opened:
    """A constant whose logarithm's change is a variable of the graph, to see what it moves in a measured run."""

    index: int
    place: SourceRef


Moved = Shifted | Narrowed | Holding | Opened
"""What measured runs do to a quantity."""


@frozen
class Function:
    """A `fn`; `ranges` has the declared range of each parameter as `low..high`, or None."""

    name: str
    params: tuple[tuple[str, Type], ...]
    ranges: tuple[tuple[float, float] | None, ...]
    result: Type
    body: Expr
    doc: str
    cites: tuple[tuple[str, str], ...]
    examples: tuple[tuple[str, str], ...]
    place: SourceRef
    replaces: bool


@frozen
class Rule:
    """A requirement, or a preference if it has a weight, of the `plan`, of a file that it `used`, or of the `library`.

    `because` is the reason for it, `otherwise` describes the case in which it does not hold; only a single comparison
    has `sides`, for slack and values. A `cliff` can make an answer jump; one that is `written` is a limit of
    what a target writes, and not of its software.
    """

    name: str
    condition: Expr
    sides: Sides | None
    when: Expr | None
    because: Expr | None
    otherwise: Expr | None
    certain: bool
    weight: float | None
    origin: str
    doc: str
    cites: tuple[tuple[str, str], ...]
    place: SourceRef
    type: Type | None = None  # of the sides
    unit: str = ""
    final: bool = False
    cliff: bool = False
    written: bool = False

    @property
    def stated(self) -> bool:
        """Whether it is one of the author's requirements."""
        return self.origin != "library" and self.weight is None


@frozen
class Departure:
    """A requirement or preference of the library or of a used file that a plan waives or replaces.

    Attributes:
        rule: The rule that is no longer in force.
        by: The rule in its place, None if it is waived.
        because: The reason given, a text, if any.
        place: Where the plan waives or replaces it.
    """

    rule: Rule
    by: Rule | None
    because: Expr | None
    place: SourceRef


@frozen
class Replacement:
    """A formula or function that a plan replaces.

    Attributes:
        quantity: Whether it is a quantity's formula, not a function.
        place: Where the plan says so; `formula` is the new right-hand side.
        instead: The library's formulas that it replaces, or the name of the library's function; empty if a file of the
            plan declares it.
    """

    name: str
    quantity: bool
    place: SourceRef
    formula: SourceRef
    instead: tuple[SourceRef, ...]


@frozen
class EntryRecord:
    """A catalog entry: its own settings, and the entry that it inherits from."""

    kind: str
    name: str
    names: tuple[str, ...]
    like: str
    settings: tuple[tuple[str, Setting], ...]
    doc: str
    cites: tuple[tuple[str, str], ...]
    place: SourceRef


@frozen
class Goal:
    """`minimize` (sense 1) or `maximize` (-1)."""

    sense: int
    value: Expr
    place: SourceRef
    type: Type
    author: bool


@frozen
class Let:
    """A named value; `type` is None if a mistake hides it. `labels` are those of its type, or of its factors."""

    name: str
    type: Type | None
    unit: str
    doc: str
    place: SourceRef
    labels: Exponents = ()


@frozen
class ShowRow:
    """A row of the report; `exact` if its author chose the unit."""

    value: Expr
    type: Type
    unit: str
    place: SourceRef
    exact: bool


@frozen
class EmitTarget:
    """`emit deepspeed`: its place, and the further folders that are always written for it."""

    name: str
    span: Span | None = field(default=None, eq=False, repr=False)
    brings: tuple[str, ...] = ()


_PACKING = Packing(
    (
        *FORMS, Domain, Setting, Field, Alternative, Quantity, Function, Rule, EntryRecord, Goal, Let, ShowRow,
        measure.Measure, measure.BoolType, measure.TextType, measure.EnumType, measure.KindType, measure.ListType,
    )
)  # fmt: skip
"""The packing of the library's records."""

pack = _PACKING.pack
unpack = _PACKING.unpack
