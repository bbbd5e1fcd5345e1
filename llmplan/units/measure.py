"""Types of expressions: measures (dimension and label), truth values, texts, enums and kinds.

A dimension (Time, Information, Token …) is checked everywhere. A label says what is counted (GPU, node, sequence …); it
is dimensionless, is kept by `+ - min max if match` and dropped by `* / ^`; different labels are incompatible, and an
empty one fits any.
"""

from __future__ import annotations

from attrs import field, frozen

Scalar = float | int | str | bool | None
"""A value in base units, the name of a member or entry, a truth value, or None."""

SYMBOLS = {"le": "<=", "lt": "<", "ge": ">=", "gt": ">", "eq": "==", "ne": "!="}
OPPOSITES = {"le": "gt", "lt": "ge", "ge": "lt", "gt": "le", "eq": "ne", "ne": "eq"}
"""The signs of the comparisons."""

Exponents = tuple[tuple[str, int], ...]
"""Names with non-zero exponents, sorted by name: `(("Information", 1), ("Time", -1))`."""


def combine(left: Exponents, right: Exponents, sign: int) -> Exponents:
    """The exponents of a product (`sign` 1) or a quotient (-1)."""
    sums = dict(left)
    for name, exponent in right:
        sums[name] = sums.get(name, 0) + sign * exponent
    return tuple(sorted((name, exponent) for name, exponent in sums.items() if exponent))


@frozen
class Measure:
    """A number with a dimension; `whole` if only whole numbers make sense (Int, GPU, step …)."""

    dims: Exponents = ()
    labels: Exponents = ()
    whole: bool = False

    def times(self, other: Measure, sign: int = 1) -> Measure:
        return Measure(combine(self.dims, other.dims, sign))

    def power(self, exponent: int) -> Measure:
        return Measure(tuple((name, e * exponent) for name, e in self.dims) if exponent else ())

    @property
    def plain(self) -> bool:
        """True for a number without a dimension and a label."""
        return not self.dims and not self.labels


@frozen
class BoolType:
    pass


@frozen
class TextType:
    pass


@frozen
class EnumType:
    name: str
    members: tuple[str, ...]


@frozen
class KindType:
    """An entry of a kind, chosen by name: the type of `hardware.gpu`.

    It is a `choice` if its field has a default, such as `training.optimizer`: one of a few settings, like a member of
    an enum. Otherwise the entry is the subject of the plan, such as an accelerator or a model, and another entry makes
    another plan.
    """

    name: str
    choice: bool = field(default=False, eq=False)


@frozen
class ListType:
    """A list of instances of a kind."""

    kind: str


Type = Measure | BoolType | TextType | EnumType | KindType | ListType

REAL = Measure()
INT = Measure(whole=True)
BOOL = BoolType()
TEXT = TextType()


def is_choice(type: Type) -> bool:
    """Whether a type has a few settings: true or false, members of an enum, entries for a field with a default."""
    return isinstance(type, (EnumType, BoolType)) or (isinstance(type, KindType) and type.choice)


def is_catalog(type: Type) -> bool:
    """Whether a value is an entry that a plan is about, such as an accelerator."""
    return isinstance(type, KindType) and not type.choice
