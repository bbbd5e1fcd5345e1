"""From Lark's trees to nodes: each rule of the grammar becomes the node that the table names for it.

The children of a rule are the attributes of its node, in the order of the grammar; an absent option is None. Spans are
those of the rules, including the marks and words that the tree drops.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

from lark import Token, Tree

from llmplan.diagnostics import Diagnostic, syntax
from llmplan.source import Source, Span
from llmplan.syntax import nodes as n
from llmplan.syntax.limits import NESTING, TooDeep
from llmplan.syntax.literals import Interpolate, Literals

LANGUAGE = 1
MOST_UNITS = 20  # words of a compound unit

Children = list[Any]
Branch = Tree[Token]
Shape = tuple[type[n.Node], tuple[str, ...], str, tuple[str, ...], dict[str, object]]
"""The node, its attributes before, in and after the repeated children, and its fixed attributes."""

_NODES: dict[str, tuple[type[n.Node], str, dict[str, object]]] = {
    # Statements
    "use": (n.Use, "path", {}),
    "block": (n.Block, "kind entry fields", {"config": None}),
    "block_from": (n.Block, "kind config fields", {"entry": None}),
    "block_own": (n.Block, "kind fields", {"entry": None, "config": None}),
    "field": (n.Field, "name value", {}),
    "assign": (n.Assign, "target value", {}),
    "let": (n.Let, "name value", {}),
    "assume": (n.Assume, "target value", {}),
    "require": (n.Require, "decorators final certain name condition when because otherwise", {}),
    "prefer": (n.Prefer, "decorators name condition when because otherwise weight", {}),
    "waive": (n.Waive, "*names because", {}),
    "minimize": (n.Objective, "value", {"sense": "minimize"}),
    "maximize": (n.Objective, "value", {"sense": "maximize"}),
    "pareto": (n.Pareto, "*values", {}),
    "scenario": (n.Scenario, "name settings", {}),
    "measured": (n.Measured, "_ name settings", {}),
    "sweep": (n.Sweep, "*axes", {}),
    "axis": (n.Axis, "target domain", {}),
    "show": (n.Show, "value unit", {}),
    "emit": (n.Emit, "*targets into", {}),
    "target": (n.Target, "name options", {}),
    # Declarations
    "entry": (n.Entry, "decorators kind name like fields", {}),
    "amend": (n.Amend, "decorators kind name fields", {}),
    "amend_enum": (n.AmendEnum, "decorators name *members", {}),
    "quantity": (n.Quantity, "decorators replace name indices type domain when value", {}),
    "function": (n.Fn, "decorators replace name params result body", {}),
    "body": (n.Body, "*lets value", {}),
    "param": (n.Param, "name type domain", {}),
    "kind": (n.Kind, "decorators name *fields", {}),
    "field_decl": (n.FieldDecl, "decorators name *types domain default unknown", {}),
    "enum": (n.Enum, "decorators name *members", {}),
    "enum_member": (n.EnumMember, "name", {}),
    "dimension": (n.Dimension, "decorators name", {}),
    "unit": (n.UnitDecl, "decorators name type value", {}),
    # Expressions
    "interpolation": (n.Interpolation, "value unit", {}),
    "unknown": (n.Unknown, "domain", {}),
    "range": (n.Range, "low high _ step", {"expected": None}),
    "estimate": (n.Range, "low expected high", {"step": None}),
    "conditional": (n.If, "condition then otherwise", {}),
    "disjunction": (n.Or, "*items", {}),
    "conjunction": (n.And, "*items", {}),
    "inversion": (n.Not, "operand", {}),
    "member": (n.Member, "value domain", {}),
    "negative": (n.Negative, "_ operand", {}),
    "power": (n.Power, "base exponent", {}),
    "true": (n.Bool, "", {"value": True}),
    "false": (n.Bool, "", {"value": False}),
    "index": (n.Index, "name *indices", {}),
    "call": (n.Call, "function *arguments", {}),
    "fold": (n.Fold, "function body *binders", {}),
    "binder": (n.Binder, "name over", {}),
    "list": (n.List, "*items", {}),
    "paren": (n.Paren, "inner", {}),
    "match": (n.Match, "subject *arms", {}),
    "arm": (n.Arm, "pattern value", {}),
    "otherwise": (n.Arm, "value", {"pattern": None}),
}
"""By rule: the node, its attributes in the order of the children (`*` before one that takes all remaining children),
and the attributes that the rule itself determines. `_` stands for a word without further meaning.
"""


def _shape(node: type[n.Node], names: str, said: dict[str, object]) -> Shape:
    before, _, more = names.partition("*")
    rest, *after = more.split() or [""]
    return node, tuple(before.split()), rest, tuple(after), said


_SHAPES = {rule: _shape(*written) for rule, written in _NODES.items()}

_CHAINS: dict[str, Callable[..., n.Node]] = {"comparison": n.Compare, "sum": n.Sum, "product": n.Product}
_TUPLES = frozenset({"decorators", "fields", "settings", "params"})
_ABSENT: Mapping[str, object] = {
    "certain": False, "final": False, "replace": False, "decorators": (), "fields": (), "params": (), "indices": (),
    "options": (),
}  # fmt: skip
_FLAGS = frozenset({"certain", "final", "replace"})
_INTERPOLATED = frozenset({"because", "otherwise"})
_NESTING = frozenset({
    "conditional", "disjunction", "conjunction", "inversion", "comparison", "member", "range", "estimate",
    "sum", "product", "negative", "power", "index", "call", "fold", "list", "paren", "match",
})  # fmt: skip
_WORD = re.compile(r"[A-Za-z_]\w*")


class Builder:
    """Builds the nodes of one source.

    `docs` maps a position to the text of the `##` lines above it, `reserved` lists the words that a unit cannot
    contain; `interpolate` parses the text between two offsets, inside braces in a text.
    """

    def __init__(
        self, source: Source, docs: Mapping[int, str], reserved: frozenset[str],
        report: Callable[[Diagnostic], object], interpolate: Interpolate,
    ) -> None:  # fmt: skip
        self._source, self._docs, self._reserved, self._report = source, docs, reserved, report
        self._literals = Literals(source, report, interpolate)
        self._outermost = 0  # the start of the expression whose nesting is counted

    def file(self, tree: Branch) -> n.File:
        """The statements of a file, without those that nest too deep."""
        statements: list[n.Statement] = []
        for child in tree.children:
            assert isinstance(child, Tree)
            statement = self.node(child)
            if isinstance(statement, n.Language) and statements:
                self._report(syntax.late_version(statement.span))
            if statement is not None:
                statements.append(statement)
        span = Span(self._source, 0, len(self._source.text))
        return n.File(span=span, statements=tuple(statements), comments=())

    def node(self, tree: Branch) -> Any:
        """The node of a rule; None if it nests too deep, which is reported."""
        try:
            return self._node(tree, 0)
        except TooDeep as deep:
            self._report(syntax.too_deep(Span(self._source, deep.place, deep.place + 1), NESTING))
            return None

    def _node(self, tree: Branch, depth: int) -> Any:
        rule = tree.data
        if rule in _NESTING:
            if not depth:
                self._outermost = tree.meta.start_pos
            depth += 1
            if depth > NESTING:
                raise TooDeep(self._outermost)
        if rule == "decorator":
            return self._decorator(tree)
        children: Children = [self._node(c, depth) if isinstance(c, Tree) else c for c in tree.children]
        if rule in _TUPLES:
            return tuple(children)
        span = Span(self._source, tree.meta.start_pos, tree.meta.end_pos)
        if rule in _SHAPES:
            return self._plain(rule, children, span)
        if rule in _CHAINS:
            rest = tuple((children[i].value, children[i + 1]) for i in range(1, len(children), 2))
            return _CHAINS[rule](span=span, first=children[0], rest=rest)
        return getattr(self, f"_{rule}")(children, span)

    def _plain(self, rule: str, children: Children, span: Span) -> n.Node:
        node, before, rest, after, said = _SHAPES[rule]
        values = dict(said)
        if issubclass(node, n.Statement):
            values["doc"] = self._docs.get(span.start, "")
        end = len(children) - len(after)
        for name, child in chain(zip(before, children), zip(after, children[end:])):
            values[name] = self._attribute(name, child)
        if rest:
            values[rest] = tuple([self._attribute(rest, c) for c in children[len(before) : end] if c is not None])
        values.pop("_", None)
        return node(span=span, **values)

    def _attribute(self, name: str, child: Any) -> Any:
        if child is None:
            return _ABSENT.get(name)
        if not isinstance(child, Token):
            return child
        if name in _FLAGS:
            return True
        if child.type == "TEXT":
            return self._literals.text(child, name in _INTERPOLATED)
        return self._literals.word(child)

    # Rules whose node is not made of their children alone

    def _decorator(self, tree: Branch) -> n.Decorator:
        """A decorator: texts among its arguments have no interpolation, so braces are ordinary characters."""
        name, *arguments = tree.children
        assert isinstance(name, Token)
        built: list[n.Expr | n.Unit] = []
        for argument in arguments:
            if not isinstance(argument, Tree):
                continue  # absent
            if argument.data == "text":
                built += [self._literals.text(token, False) for token in argument.children if isinstance(token, Token)]
            else:
                built.append(self._node(argument, 0))
        span = Span(self._source, tree.meta.start_pos, tree.meta.end_pos)
        return n.Decorator(span=span, name=self._literals.word(name), arguments=tuple(built))

    def _alone(self, children: Children, span: Span) -> Any:
        return children[0]

    def _language(self, children: Children, span: Span) -> n.Language:
        number = self._literals.number(children[1])
        if number.value != LANGUAGE:
            self._report(syntax.bad_version(number.span, LANGUAGE))
        return n.Language(span=span, doc=self._docs.get(span.start, ""), version=int(number.value))

    def _fn(self, children: Children, span: Span) -> n.Node:
        if not isinstance(children[-1], n.Body):
            children[-1] = n.Body(span=children[-1].span, lets=(), value=children[-1])
        return self._plain("function", children, span)

    def _type(self, children: Children, span: Span) -> n.Type:
        return n.Type(span=span, text=self._unit_text(children[0]))

    def _list_type(self, children: Children, span: Span) -> n.Type:
        return n.Type(span=span, text=self._unit_text(children[0]), is_list=True)

    def _measure(self, children: Children, span: Span) -> n.Unit:
        return n.Unit(span=span, text=self._unit_text(children[0]))

    _unit_alone = _measure

    def _unit_text(self, token: Token) -> str:
        start = token.start_pos or 0
        for number, part in enumerate(_WORD.finditer(token.value), 1):
            if number > MOST_UNITS:
                self._report(syntax.unit_too_long(Span(self._source, start, start + len(token.value)), MOST_UNITS))
                return str(token.value[: part.start() - 1])
            if part.group() in self._reserved:
                span = Span(self._source, start + part.start(), start + part.end())
                self._report(syntax.reserved_word(span, unit=True))
        return str(token.value)

    def _number(self, children: Children, span: Span) -> n.Number:
        return self._literals.number(children[0], children[1])

    def _text(self, children: Children, span: Span) -> n.Text:
        return self._literals.text(children[0])

    def _name(self, children: Children, span: Span) -> n.Name:
        return n.Name(span=span, parts=tuple([token.value for token in children]))
