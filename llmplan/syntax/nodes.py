"""The syntax tree: one frozen class per rule of `grammar/plan.lark`.

Nodes compare equal when they say the same, wherever it stands: spans, docs and the way a number
is spelt do not count. The nodes of statements stand here, those of expressions beside. Over 300 lines
since each statement is a class of some lines, and this is the one list of them.
"""

# ruff: noqa: PLC0414 -- the aliases say that the nodes of expressions are found here too.

from __future__ import annotations

from attrs import field, frozen

from llmplan.syntax.expressions import And as And
from llmplan.syntax.expressions import Arm as Arm
from llmplan.syntax.expressions import Binder as Binder
from llmplan.syntax.expressions import Bool as Bool
from llmplan.syntax.expressions import Call as Call
from llmplan.syntax.expressions import Compare as Compare
from llmplan.syntax.expressions import Expr as Expr
from llmplan.syntax.expressions import Fold as Fold
from llmplan.syntax.expressions import If as If
from llmplan.syntax.expressions import Index as Index
from llmplan.syntax.expressions import Interpolation as Interpolation
from llmplan.syntax.expressions import List as List
from llmplan.syntax.expressions import Match as Match
from llmplan.syntax.expressions import Member as Member
from llmplan.syntax.expressions import Name as Name
from llmplan.syntax.expressions import Negative as Negative
from llmplan.syntax.expressions import Node as Node
from llmplan.syntax.expressions import Not as Not
from llmplan.syntax.expressions import Number as Number
from llmplan.syntax.expressions import Or as Or
from llmplan.syntax.expressions import Paren as Paren
from llmplan.syntax.expressions import Power as Power
from llmplan.syntax.expressions import Product as Product
from llmplan.syntax.expressions import Range as Range
from llmplan.syntax.expressions import Sum as Sum
from llmplan.syntax.expressions import Text as Text
from llmplan.syntax.expressions import Unit as Unit
from llmplan.syntax.expressions import Unknown as Unknown
from llmplan.syntax.expressions import Word as Word
from llmplan.syntax.expressions import walk as walk

LATER = {"later": True}
"""Of an attribute that came later: where it says nothing, a plan keeps the hash that it had."""

# Statements of a plan


@frozen(kw_only=True, eq=False, repr=False)
class Decorator(Node):
    """`@cite("arXiv:1910.02054", "figure 1")`."""

    name: Word
    arguments: tuple[Text, ...]


@frozen(kw_only=True, eq=False, repr=False)
class Statement(Node):
    doc: str = field(default="", eq=False)  # the `##` lines above, without the marks


@frozen(kw_only=True, eq=False, repr=False)
class Language(Statement):
    version: int


@frozen(kw_only=True, eq=False, repr=False)
class Field(Statement):
    """`tokens = 1T` inside a block."""

    name: Name
    value: Expr


@frozen(kw_only=True, eq=False, repr=False)
class Block(Statement):
    """`dataset { … }`, `model "llama-7b" { … }`, `model from "config.json" { … }`."""

    kind: Word
    entry: Text | None
    config: Text | None
    fields: tuple[Field, ...]


@frozen(kw_only=True, eq=False, repr=False)
class Assign(Statement):
    """`hardware.gpus = 64`; also a line of a scenario."""

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


@frozen(kw_only=True, eq=False, repr=False)
class Objective(Statement):
    """`minimize expr` or `maximize expr`."""

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
class Phase(Statement):
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
class Type(Node):
    """A type as written: `byte`, `FLOP/token`, `Int`, `Precision`, `gpu`, `[layer_group]`."""

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
class Param(Node):
    """A parameter of a `fn` (`stage: Int in 0..3`) or an index of a quantity (`s: Stage`)."""

    name: Word
    type: Type
    domain: Expr | None


@frozen(kw_only=True, eq=False, repr=False)
class Body(Node):
    """The body of a `fn`: local lets, then the value."""

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
    """A field of a kind.

    `tensor: Int in 1..65_536 = 1 ? in powers(2, 1..8)` has a domain of legal values, a default
    and, after the default, what a bare `?` ranges over. The default may itself be an `Unknown`.
    """

    name: Word
    types: tuple[Type, ...]  # two for `token or sequence`
    domain: Expr | None
    default: Expr | None
    unknown: Unknown | None
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
class Dimension(Statement):
    """`dimension Information`; `@count` above it says that its things are counted."""

    name: Word
    decorators: tuple[Decorator, ...] = ()


@frozen(kw_only=True, eq=False, repr=False)
class UnitDecl(Statement):
    """`unit kB: byte = 1000 bytes`; a base unit has no value, a label (`unit GPU`) no type either.

    `@names("bytes")` gives further names, `@prefixes("k M G T P")` SI prefixes.
    """

    name: Word
    type: Type | None
    value: Expr | None
    decorators: tuple[Decorator, ...] = ()


@frozen(kw_only=True, eq=False, repr=False)
class Comment(Node):
    """A comment with its `#`; `own_line` if nothing stands before it on its line."""

    text: str
    own_line: bool


@frozen(kw_only=True, eq=False, repr=False)
class File(Node):
    statements: tuple[Statement, ...]
    comments: tuple[Comment, ...] = field(eq=False)
