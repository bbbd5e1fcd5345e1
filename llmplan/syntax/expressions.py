"""The nodes of expressions, and what all nodes share.

Sums, products and chains are flat (a sum of ten thousand terms is one node), so recursion is bounded
by the nesting of brackets and operators.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NoReturn

from attrs import field, fields, frozen

from llmplan.source import Span


@frozen(kw_only=True, eq=False, repr=False)
class Node:
    span: Span = field(eq=False)

    # Written once for all nodes: attrs would compile them for each of the fifty classes, which slows down every start.

    def _said(self) -> tuple[object, ...]:
        return tuple(getattr(self, f.name) for f in fields(type(self)) if f.eq)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        assert isinstance(other, Node)
        return self._said() == other._said()

    def __hash__(self) -> int:
        return hash((type(self), self._said()))

    def __repr__(self) -> str:
        said = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(type(self)) if f.eq)
        return f"{type(self).__name__}({', '.join(said)})"


def unhandled(case: NoReturn) -> NoReturn:
    """The last branch where every case must be handled: mypy reports any case that can reach it."""
    raise AssertionError(f"{case!r} is not handled")


def walk(node: Node) -> Iterator[Node]:
    """A node and all nodes below it, in the order of their attributes."""
    yield node
    for attribute in fields(type(node)):
        yield from _within(getattr(node, attribute.name))


def _within(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield from walk(value)
    elif isinstance(value, tuple):
        for part in value:
            yield from _within(part)


@frozen(kw_only=True, eq=False, repr=False)
class Word(Node):  # A single name in its declaration: a field, a parameter, a member of an enum
    text: str


@frozen(kw_only=True, eq=False, repr=False)
class Unit(Node):  # A unit as written: `GB`, `TFLOP/s`, `USD/GPU/hour`, `%`
    text: str


@frozen(kw_only=True, eq=False, repr=False)
class Number(Node):
    value: Fraction  # exact, including the magnitude (`7B` is 7·10⁹) but not the unit
    unit: Unit | None
    text: str = field(eq=False)  # the digits and magnitude as written: `1_000`, `7.5B`


@frozen(kw_only=True, eq=False, repr=False)
class Bool(Node):
    value: bool


@frozen(kw_only=True, eq=False, repr=False)
class Interpolation(Node):  # `{sum}` or `{sum in unit}` inside a text
    value: Expr
    unit: Unit | None


@frozen(kw_only=True, eq=False, repr=False)
class Text(Node):  # A quoted text; escapes are resolved. A text without interpolation has at most one part.
    parts: tuple[str | Interpolation, ...]

    @property
    def plain(self) -> str | None:
        """The text if it has no interpolation, else None."""
        shown = [part for part in self.parts if isinstance(part, str)]
        return "".join(shown) if len(shown) == len(self.parts) else None


@frozen(kw_only=True, eq=False, repr=False)
class Name(Node):  # `time`, `hardware.gpus`, `training.global_batch.token`; also a member of an enum
    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        return ".".join(self.parts)


@frozen(kw_only=True, eq=False, repr=False)
class Index(Node):  # `memory_at[s, p]`
    name: Name
    indices: tuple[Expr, ...]


@frozen(kw_only=True, eq=False, repr=False)
class Call(Node):  # `min(a, b)`, `zero_bytes(7.5B params, 1, 64)`, `interpolate(x, [[1, 2]])`
    function: Word
    arguments: tuple[Expr, ...]


@frozen(kw_only=True, eq=False, repr=False)
class Binder(Node):  # `s in Stage` of a fold; `g in model.groups`
    name: Word
    over: Name


@frozen(kw_only=True, eq=False, repr=False)
class Fold(Node):  # `max(memory_at[s, p] for s in Stage, p in Phase)`
    function: Word
    body: Expr
    binders: tuple[Binder, ...]


@frozen(kw_only=True, eq=False, repr=False)
class Paren(Node):
    inner: Expr


@frozen(kw_only=True, eq=False, repr=False)
class Negative(Node):
    operand: Expr


@frozen(kw_only=True, eq=False, repr=False)
class Not(Node):
    operand: Expr


@frozen(kw_only=True, eq=False, repr=False)
class Power(Node):
    base: Expr
    exponent: Expr


@frozen(kw_only=True, eq=False, repr=False)
class Product(Node):  # `first`, then `*` or `/` with each further factor, from left to right
    first: Expr
    rest: tuple[tuple[str, Expr], ...]


@frozen(kw_only=True, eq=False, repr=False)
class Sum(Node):  # `first`, then `+` or `-` with each further term, from left to right
    first: Expr
    rest: tuple[tuple[str, Expr], ...]


@frozen(kw_only=True, eq=False, repr=False)
class Compare(Node):  # `8 <= hardware.gpus <= 1024`: every neighbouring pair must hold
    first: Expr
    rest: tuple[tuple[str, Expr], ...]


@frozen(kw_only=True, eq=False, repr=False)
class Member(Node):  # `x in [1, 2]`, `x in 1..8`
    value: Expr
    domain: Expr


@frozen(kw_only=True, eq=False, repr=False)
class And(Node):
    items: tuple[Expr, ...]


@frozen(kw_only=True, eq=False, repr=False)
class Or(Node):
    items: tuple[Expr, ...]


@frozen(kw_only=True, eq=False, repr=False)
class If(Node):
    condition: Expr
    then: Expr
    otherwise: Expr


@frozen(kw_only=True, eq=False, repr=False)
class Arm(Node):  # `0 => value`; the pattern is None for `_`
    pattern: Expr | None
    value: Expr


@frozen(kw_only=True, eq=False, repr=False)
class Match(Node):
    subject: Expr
    arms: tuple[Arm, ...]


@frozen(kw_only=True, eq=False, repr=False)
class List(Node):  # `[1, 2, 8..64 step 8]`: a domain, or the table of `interpolate`
    items: tuple[Expr, ...]


@frozen(kw_only=True, eq=False, repr=False)
class Range(Node):  # `low..high`, `low..expected..high`, and in a domain `low..high step n`
    low: Expr
    expected: Expr | None
    high: Expr
    step: Expr | None


@frozen(kw_only=True, eq=False, repr=False)
class Unknown(Node):  # `?` or `? in domain`, always a whole right-hand side
    domain: Expr | None


Expr = (
    Number | Bool | Text | Name | Index | Call | Fold | Paren | Negative | Not | Power | Product | Sum
    | Compare | Member | And | Or | If | Match | List | Range | Unknown
)  # fmt: skip


def written_out(call: Call) -> Expr:
    """`first(a, b, c)` written out: `if given(a) then a else if given(b) then b else c`."""
    *known, value = call.arguments
    for argument in reversed(known):
        there = Call(span=argument.span, function=Word(span=call.function.span, text="given"), arguments=(argument,))
        value = If(span=call.span, condition=there, then=argument, otherwise=value)
    return value


NODES = tuple(value for value in vars().copy().values() if isinstance(value, type) and issubclass(value, Node))
"""Every class of this module."""
