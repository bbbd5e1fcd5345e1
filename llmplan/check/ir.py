"""The intermediate representation: expressions in base units, with every name resolved.

Output of `check.expressions`, input of lowering. Each form is a frozen record; `Expr` is their union, so that the type
checker reports code that forgets a form. Numbers are in base units, truth values 1.0 and 0.0. Offsets refer to the
source of the declaration that holds the expression. Every form has its record here, so this module is longer than
others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from attrs import frozen

from llmplan.source import Span
from llmplan.units.measure import Exponents, Measure, Type


@frozen
class Num:
    value: float


@frozen
class Member:
    """A member of an enum, by its index."""

    enum: str
    index: int


@frozen
class Entry:
    """A catalog entry by its canonical name, and the published name by which it was chosen, if any."""

    kind: str
    name: str
    published: str = ""


@frozen
class Ref:
    """An input, let or quantity, and where it is written."""

    name: str
    start: int = 0
    end: int = 0


@frozen
class Local:
    """A parameter, a local let or the variable of a fold."""

    name: str


@frozen
class FieldOf:
    """A field of the entry that a local stands for."""

    local: str
    kind: str
    field: str


@frozen
class FieldOfEntry:
    """A field of one entry, its default included, whichever entry the plan has chosen."""

    kind: str
    entry: str
    field: str


@frozen
class FieldAt:
    """The value of a field in the chosen one of `entries`, whose index `of` computes.

    The entries stand for the members of `enum`; an empty string means that a member has none. Without an enum there is
    one entry.
    """

    kind: str
    field: str
    entries: tuple[str, ...]
    of: Expr
    enum: str = ""


@frozen
class Given:
    name: str


@frozen
class Assumed:
    name: str


@frozen
class Emits:
    target: str


@frozen
class Chance:
    """The probability that each of some comparisons holds."""

    of: tuple[Sides, ...]


@frozen
class Quantile:
    """The value below which a share of the measured values of an expression lies."""

    of: Expr
    share: Expr


@frozen
class Shown:
    """`{time in days}` in a text: the unit may be empty; `declared` is that of the expression."""

    value: Expr
    unit: str
    type: Type | None
    declared: str


@frozen
class Text:
    pieces: tuple[str | Shown, ...]


@frozen
class List:
    """Entries or texts; only used as the value of an input."""

    items: tuple[Expr, ...]


@frozen
class Index:
    """An indexed quantity."""

    name: str
    indices: tuple[Expr, ...]


@frozen
class Op:
    """An operation on its arguments, by its name in `llmplan.operations`."""

    operation: str
    args: tuple[Expr, ...]


@frozen
class Chain:
    """Operations from left to right: `a + b - c`, of any length."""

    first: Expr
    rest: tuple[tuple[str, Expr], ...]


@frozen
class If:
    condition: Expr
    then: Expr
    otherwise: Expr


@frozen
class Match:
    """Arms, each a pattern (None for `_`) and a value."""

    subject: Expr
    arms: tuple[tuple[Expr | None, Expr], ...]


@frozen
class Call:
    """A `fn` of the library or the plan."""

    function: str
    args: tuple[Expr, ...]


@frozen
class Body:
    """The body of a `fn`: its lets in order, then its value."""

    lets: tuple[tuple[str, Expr], ...]
    value: Expr


@frozen
class Fold:
    """A fold by its name; each variable with the enum, or the path of the list, that it ranges over."""

    function: str
    variables: tuple[tuple[str, str], ...]
    body: Expr


@frozen
class Interpolate:
    x: Expr
    xs: tuple[float, ...]
    ys: tuple[float, ...]


Expr = (
    Num | Member | Entry | Ref | Local | FieldOf | FieldOfEntry | FieldAt | Given | Assumed | Emits | Chance
    | Quantile | Text | List | Index | Op | Chain | If | Match | Call | Body | Fold | Interpolate
)  # fmt: skip


@frozen
class Sides:
    """The two sides of a single comparison: `lt`, `le`, `eq`, `ne`, `ge` or `gt`."""

    operation: str
    left: Expr
    right: Expr


@frozen
class Value:
    """One value of a domain."""

    value: Expr

    def parts(self) -> tuple[Expr, ...]:
        return (self.value,)


@frozen
class Range:
    low: Expr
    high: Expr
    step: Expr | None = None

    def parts(self) -> tuple[Expr, ...]:
        return (self.low, self.high) if self.step is None else (self.low, self.high, self.step)


@frozen
class Powers:
    base: Expr
    low: Expr
    high: Expr

    def parts(self) -> tuple[Expr, ...]:
        return self.base, self.low, self.high


@frozen
class Divisors:
    of: Expr

    def parts(self) -> tuple[Expr, ...]:
        return (self.of,)


DomainItem = Value | Range | Powers | Divisors

FORMS: tuple[type, ...] = (*get_args(Expr), Shown, Sides, *get_args(DomainItem))
"""All classes that occur in an expression or a domain."""

FALSE = Num(0.0)
UNDEFINED = Num(float("nan"))


def parts(expr: Expr) -> Iterator[Expr]:
    """The direct subexpressions of an expression."""
    match expr:
        case Text():
            yield from (piece.value for piece in expr.pieces if isinstance(piece, Shown))
        case List():
            yield from expr.items
        case Chance():
            yield from (side for one in expr.of for side in (one.left, one.right))
        case Quantile():
            yield from (expr.of, expr.share)
        case Index():
            yield from expr.indices
        case FieldAt():
            yield expr.of
        case Op() | Call():
            yield from expr.args
        case Chain():
            yield from (expr.first, *(part for _, part in expr.rest))
        case If():
            yield from (expr.condition, expr.then, expr.otherwise)
        case Match():
            yield expr.subject
            yield from (part for arm in expr.arms for part in arm if part is not None)
        case Body():
            yield from (*(value for _, value in expr.lets), expr.value)
        case Fold():
            yield expr.body
        case Interpolate():
            yield expr.x


def walk(expr: Expr) -> Iterator[Expr]:
    """An expression and all of its subexpressions."""
    stack = [expr]
    while stack:
        found = stack.pop()
        yield found
        stack.extend(reversed(list(parts(found))))


def is_static(expr: Expr) -> bool:
    """True if the plan's text alone decides it: it contains only `given`, `assumed` and `emits`."""
    found = {type(part) for part in walk(expr)}
    said = {Given, Assumed, Emits}
    return bool(found & said) and found <= said | {Op, Chain, If, Num}


@frozen
class Typed:
    """A checked expression; its type is None if a mistake has been reported.

    It is `bare` if it consists of number literals without a unit, so that a count can give it a unit; `unit` is the one
    that the author wrote, for showing. A product, whose type has no labels, has those of its factors in `said`.
    """

    expr: Expr
    type: Type | None
    span: Span
    bare: bool = False
    unit: str = ""
    said: Exponents = ()

    @property
    def labels(self) -> Exponents:
        """The labels that the value says: those of its type, or of the factors of a product, whose type has none."""
        return self.said or (self.type.labels if isinstance(self.type, Measure) else ())

    @property
    def number(self) -> float | None:
        """The value of a literal, else None."""
        return self.expr.value if isinstance(self.expr, Num) else None

    @property
    def zero(self) -> bool:
        return self.number == 0.0
