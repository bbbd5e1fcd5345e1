"""The syntax tree: one frozen class per rule of `grammar/plan.lark`.

Nodes are equal if they say the same, wherever they are: spans, docs and the spelling of a number do not count. The
nodes of statements are here, those of expressions in `expressions`.
"""

# ruff: noqa: I001, PLC0414 -- the aliases say that the nodes of expressions are found here too.

from __future__ import annotations

from attrs import field, frozen

from llmplan.syntax.expressions import (
    And as And, Arm as Arm, Binder as Binder, Bool as Bool, Call as Call, Compare as Compare, Expr as Expr,
    Fold as Fold, If as If, Index as Index, Interpolation as Interpolation, List as List, Match as Match,
    Member as Member, Name as Name, Negative as Negative, Node as Node, Not as Not, Number as Number,
    Or as Or, Paren as Paren, Power as Power, Product as Product, Range as Range, Sum as Sum, Text as Text,
    Unit as Unit, Unknown as Unknown, Word as Word, unhandled as unhandled, walk as walk,
)  # fmt: skip

LATER = {"later": True}
"""Marks an attribute that was added later: as long as it is empty, the hash of a plan stays the same."""

# Statements of a plan


@frozen(kw_only=True, eq=False, repr=False)
class Decorator(Node):  # `@cite("arXiv:1910.02054", "figure 1")`, `@lever(1/2, 2)`, `@unit(%)`
    name: Word
    arguments: tuple[Expr | Unit, ...]


@frozen(kw_only=True, eq=False, repr=False)
class Statement(Node):
    doc: str = field(default="", eq=False)  # the `##` lines above, without the marks


@frozen(kw_only=True, eq=False, repr=False)
class Language(Statement):
    version: int


@frozen(kw_only=True, eq=False, repr=False)
class Field(Statement):  # `tokens = 1T` inside a block
    name: Name
    value: Expr


@frozen(kw_only=True, eq=False, repr=False)
class Block(Statement):  # `dataset { … }`, `model "llama-7b" { … }`, `model from "config.json" { … }`
    kind: Word
    entry: Text | None
    config: Text | None
    fields: tuple[Field, ...]


@frozen(kw_only=True, eq=False, repr=False)
class Assign(Statement):  # `hardware.gpus = 64`; also a line of a scenario
    target: Name
    value: Expr


@frozen(kw_only=True, eq=False, repr=False)
class Let(Statement):
    name: Word
    value: Expr


@frozen(kw_only=True, eq=False, repr=False)
class Assume(Statement):
    target: Name
    value: Expr


@frozen(kw_only=True, eq=False, repr=False)
class Require(Statement):
    certain: bool
    name: Word | None
    condition: Expr
    when: Expr | None
    because: Text | None
    decorators: tuple[Decorator, ...] = ()
    otherwise: Text | None = field(default=None, metadata=LATER)
    final: bool = field(default=False, metadata=LATER)


@frozen(kw_only=True, eq=False, repr=False)
class Prefer(Statement):
    name: Word | None
    condition: Expr
    when: Expr | None
    because: Text | None
    weight: Number | None
    decorators: tuple[Decorator, ...] = ()
    otherwise: Text | None = field(default=None, metadata=LATER)


@frozen(kw_only=True, eq=False, repr=False)
class Waive(Statement):
    names: tuple[Word, ...]
    because: Text | None = field(default=None, metadata=LATER)


@frozen(kw_only=True, eq=False, repr=False)
class Objective(Statement):  # `minimize expr` or `maximize expr`
    sense: str
    value: Expr


@frozen(kw_only=True, eq=False, repr=False)
class Pareto(Statement):
    values: tuple[Expr, ...]


@frozen(kw_only=True, eq=False, repr=False)
class Scenario(Statement):
    name: Text
    settings: tuple[Assign, ...]


@frozen(kw_only=True, eq=False, repr=False)
class Measured(Statement):  # an earlier run: what was different, and what was read
    name: Text
    settings: tuple[Assign, ...]


@frozen(kw_only=True, eq=False, repr=False)
class Axis(Node):
    target: Name
    domain: Expr


@frozen(kw_only=True, eq=False, repr=False)
class Sweep(Statement):
    axes: tuple[Axis, ...]


@frozen(kw_only=True, eq=False, repr=False)
class Show(Statement):
    value: Expr
    unit: Unit | None


@frozen(kw_only=True, eq=False, repr=False)
class Use(Statement):
    path: Text


@frozen(kw_only=True, eq=False, repr=False)
class Target(Node):
    name: Word
    options: tuple[Field, ...]


@frozen(kw_only=True, eq=False, repr=False)
class Emit(Statement):
    targets: tuple[Target, ...]
    into: Text | None


# Statements of the library


@frozen(kw_only=True, eq=False, repr=False)
class Type(Node):  # A type as written: `byte`, `FLOP/token`, `Int`, `Precision`, `gpu`, `[layer_group]`
    text: str
    is_list: bool = False


@frozen(kw_only=True, eq=False, repr=False)
class Entry(Statement):
    kind: Word
    name: Text
    like: Text | None
    fields: tuple[Field, ...]
    decorators: tuple[Decorator, ...] = ()


@frozen(kw_only=True, eq=False, repr=False)
class Amend(Statement):
    kind: Word
    name: Text
    fields: tuple[Field, ...]
    decorators: tuple[Decorator, ...] = ()


@frozen(kw_only=True, eq=False, repr=False)
class Param(Node):  # A parameter of a `fn` (`stage: Int in 0..3`) or an index of a quantity (`s: Stage`)
    name: Word
    type: Type
    domain: Expr | None


@frozen(kw_only=True, eq=False, repr=False)
class Body(Node):  # The body of a `fn`: local lets, then the value
    lets: tuple[Let, ...]
    value: Expr


@frozen(kw_only=True, eq=False, repr=False)
class Fn(Statement):
    name: Word
    params: tuple[Param, ...]
    result: Type
    body: Body
    replace: bool = False
    decorators: tuple[Decorator, ...] = ()


@frozen(kw_only=True, eq=False, repr=False)
class Quantity(Statement):
    name: Name
    indices: tuple[Param, ...]
    type: Type
    domain: Expr | None
    when: Expr | None
    value: Expr
    replace: bool = False
    decorators: tuple[Decorator, ...] = ()


@frozen(kw_only=True, eq=False, repr=False)
class FieldDecl(Statement):
    # `tensor: Int in 1..65_536 = 1 ? in powers(2, 1..8)`
    name: Word
    types: tuple[Type, ...]  # two for `token or sequence`
    domain: Expr | None  # its legal values
    default: Expr | None  # possibly an `Unknown`
    unknown: Unknown | None  # what a bare `?` ranges over
    decorators: tuple[Decorator, ...] = ()


@frozen(kw_only=True, eq=False, repr=False)
class Kind(Statement):
    name: Word
    fields: tuple[FieldDecl, ...]
    decorators: tuple[Decorator, ...] = ()


@frozen(kw_only=True, eq=False, repr=False)
class EnumMember(Statement):
    name: Word


@frozen(kw_only=True, eq=False, repr=False)
class Enum(Statement):
    name: Word
    members: tuple[EnumMember, ...]
    decorators: tuple[Decorator, ...] = ()


@frozen(kw_only=True, eq=False, repr=False)
class AmendEnum(Statement):  # `amend enum Framework { nanotron }`, in the file of a target
    name: Word
    members: tuple[EnumMember, ...]
    decorators: tuple[Decorator, ...] = ()


@frozen(kw_only=True, eq=False, repr=False)
class Dimension(Statement):  # `dimension Information`; `@count` above it means that its things are counted
    name: Word
    decorators: tuple[Decorator, ...] = ()


@frozen(kw_only=True, eq=False, repr=False)
class UnitDecl(Statement):
    # `unit kB: byte = 1000 bytes`; a base unit has no value, a label (`unit GPU`) also has no type. `@names("bytes")`
    # gives further names, `@prefixes(k, M, G, T, P)` SI prefixes.
    name: Word
    type: Type | None
    value: Expr | None
    decorators: tuple[Decorator, ...] = ()


@frozen(kw_only=True, eq=False, repr=False)
class Comment(Node):  # A comment with its `#`; `own_line` if it is the first on its line
    text: str
    own_line: bool


@frozen(kw_only=True, eq=False, repr=False)
class File(Node):
    statements: tuple[Statement, ...]
    comments: tuple[Comment, ...] = field(eq=False)
