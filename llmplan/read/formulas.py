"""The formulas of `read.plan` over the keys of documents.

A formula has a value with the keys that it comes from, or none where a key that it needs says nothing. What the
language's formulas can do with plain numbers and words is done here; units are names that a value carries.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, cast

from attrs import evolve, mutable

from llmplan.read.keys import Keys
from llmplan.read.values import FILE, Data, Member, Unknown, Unsaid, Value, Written, is_path, same
from llmplan.syntax import nodes
from llmplan.units import amount

_DEPTH = 100


@mutable
class Formulas:
    """Evaluates formulas of one reader.

    Attributes:
        path: Gives the value of an input by its path, or raises `Unsaid`.
        lets: The reader's own names.
    """

    keys: Keys
    path: Callable[[str], Value]
    lets: Mapping[str, nodes.Expr]
    depth: int = 0

    def value(self, node: nodes.Expr) -> Value:
        """The value of a formula.

        Raises:
            Unsaid: It needs something that no file says.
        """
        self.depth += 1
        try:
            if self.depth > _DEPTH:
                raise Unsaid("a formula that reads itself")
            return self._of(node)
        finally:
            self.depth -= 1

    def _of(self, node: nodes.Expr) -> Value:
        match node:
            case nodes.Number():
                return Value(node.value, node.unit.text if node.unit is not None else None)
            case nodes.Bool():
                return Value(node.value)
            case nodes.Text():
                return Value(node.plain or "")
            case nodes.Name():
                return self._name(node)
            case nodes.Paren():
                return self.value(node.inner)
            case nodes.Negative():
                inner = self.value(node.operand)
                return evolve(inner, data=-_number(inner))
            case nodes.Not():
                inner = self.value(node.operand)
                return evolve(inner, data=not inner.data)
            case nodes.Product() | nodes.Sum():
                return self._joined(node)
            case nodes.Compare():
                return self._compared(node)
            case nodes.Member():
                return self._member(node)
            case nodes.And() | nodes.Or():
                return self._logic(node)
            case nodes.If():
                condition = self.value(node.condition)
                return self.value(node.then if condition.data else node.otherwise).beside(condition)
            case nodes.Match():
                return self._match(node)
            case nodes.Call():
                return self._call(node)
            case nodes.List():
                return self._list(node)
        raise Unsaid(node.span.text)

    def _list(self, node: nodes.List) -> Value:
        """The items that are said."""
        items = []
        for item in node.items:
            try:
                items.append(self.value(item))
            except Unknown:
                raise
            except Unsaid:
                continue
        return Value(tuple(str(item.data) for item in items)).beside(*items)

    def _name(self, node: nodes.Name) -> Value:
        parts = node.parts
        if len(parts) == 1:
            if parts[0] == "unsaid":
                raise Unsaid("unsaid")
            if parts[0] == "unknown":
                raise Unknown("unknown")
            if parts[0] in self.lets:
                return self.value(self.lets[parts[0]])
            return Value(Member(parts[0]))
        if parts[0] in self.keys.documents:
            format, _ = self.keys.documents[parts[0]]
            if parts[1] in format.keys:
                return self.keys.value(parts[0], parts[1])
        return self.path(node.text)

    def _joined(self, node: nodes.Product | nodes.Sum) -> Value:
        total = self.value(node.first)
        for sign, part in node.rest:
            other = self.value(part)
            left, right = _number(total), _number(other)
            if sign == "/" and not right:
                raise Unsaid("a division by 0")
            data = {
                "*": lambda a, b: a * b, "/": lambda a, b: a / b, "+": lambda a, b: a + b, "-": lambda a, b: a - b
            }[sign](left, right)  # fmt: skip
            unit = total.unit if total.unit is not None else other.unit
            if sign == "/" and total.unit == other.unit:
                unit = None
            total = evolve(total, data=data, unit=unit).beside(other)
            total = evolve(total, default=total.default if total.default is not None else other.default)
        return total

    def _compared(self, node: nodes.Compare) -> Value:
        left = self.value(node.first)
        holds = True
        values = [left]
        for sign, part in node.rest:
            right = self.value(part)
            values.append(right)
            if sign in ("==", "!="):
                holds = holds and (same(left.data, right.data) is (sign == "=="))
            else:
                one, other = _number(left), _number(right)
                holds = holds and {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[sign]
            left = right
        return Value(holds).beside(*values)

    def _member(self, node: nodes.Member) -> Value:
        value = self.value(node.value)
        if isinstance(node.domain, nodes.List):
            items = [self.value(item) for item in node.domain.items]
            return Value(any(same(value.data, item.data) for item in items)).beside(value)
        raise Unsaid(node.span.text)

    def _logic(self, node: nodes.And | nodes.Or) -> Value:
        """Known as soon as one side decides it, whatever the others say."""
        decides = isinstance(node, nodes.Or)
        found = []
        unsaid: Unsaid | None = None
        for item in node.items:
            try:
                value = self.value(item)
            except Unsaid as why:
                unsaid = why
                continue
            if bool(value.data) is decides:
                return value
            found.append(value)
        if unsaid is not None:
            raise unsaid
        return Value(not decides).beside(*found)

    def _match(self, node: nodes.Match) -> Value:
        subject = self.value(node.subject)
        for arm in node.arms:
            if arm.pattern is None or same(self.value(arm.pattern).data, subject.data):
                return self.value(arm.value).beside(subject)
        raise Unsaid(node.span.text)

    def _call(self, node: nodes.Call) -> Value:
        name = node.function.text
        if name == "given":
            try:
                return Value(True).beside(self.value(node.arguments[0]))
            except Unsaid:
                return Value(False)
        if name == "present" and isinstance(node.arguments[0], nodes.Name):
            return self.keys.present(node.arguments[0].text)
        if name == "has" and not self._said(node.arguments[0]):
            return Value(False)
        if name == "first":
            return self._first(node.arguments)
        if name == "file":
            return self._file(node.arguments[0])
        if name == "usual":
            whose = str(self.value(node.arguments[1]).data) if len(node.arguments) > 1 else ""
            return evolve(self.value(node.arguments[0]), default=whose)
        arguments = [self.value(argument) for argument in node.arguments]
        function = _OF_VALUES.get(name)
        if function is None:
            raise Unsaid(f"{name}()")
        data, unit = function(*arguments)
        default = next((one.default for one in arguments if one.default is not None), None)
        return Value(data, unit, default=default).beside(*arguments)

    def _said(self, argument: nodes.Expr) -> bool:
        """Whether something says it, be it known to a run alone."""
        try:
            self.value(argument)
        except Unknown:
            return True
        except Unsaid:
            return False
        return True

    def _file(self, argument: nodes.Expr) -> Value:
        """The file that a key stands in."""
        found = self.value(argument)
        if not found.items:
            raise Unsaid("a file")
        return Value(found.items[0].file, FILE, found.items, found.kinds)

    def _first(self, arguments: tuple[nodes.Expr, ...]) -> Value:
        """The first that says something; no default where one of them is known to a run alone."""
        unknown: Unknown | None = None
        for argument in arguments:
            try:
                value = self.value(argument)
            except Unknown as why:
                unknown = why
                continue
            except Unsaid:
                continue
            if unknown is not None and (value.default is not None or not value.items):
                raise unknown
            return value
        raise unknown or Unsaid("first()")


def _number(value: Value) -> Fraction:
    if isinstance(value.data, bool) or not isinstance(value.data, (Fraction, str)):
        raise Unsaid("no number")
    found = value.data if isinstance(value.data, Fraction) else amount.of_text(value.data)
    if found is None:
        raise Unsaid("no number")
    return found


def _part(value: Value, pattern: Value) -> tuple[Data, str | None]:
    """The first group of a pattern in a text, as a number if it is one."""
    text = (
        value.data
        if isinstance(value.data, str)
        else " ".join(cast(Any, value.data))
        if isinstance(value.data, tuple)
        else ""
    )
    found = re.search(str(pattern.data), text)
    if found is None or found[1] is None:
        raise Unsaid("no such part")
    return amount.of_text(found[1]) if amount.of_text(found[1]) is not None else found[1], None  # type: ignore[return-value]


def _has(value: Value, *words: Value) -> tuple[Data, str | None]:
    data = value.data
    text = " ".join(data) if isinstance(data, tuple) else str(data)
    return any(str(word.data) in text for word in words), None


def _extreme(pick: Callable[..., Any]) -> Callable[..., tuple[Data, str | None]]:
    return lambda *values: (pick(_number(value) for value in values), next((v.unit for v in values if v.unit), None))


_OF_VALUES: dict[str, Callable[..., tuple[Data, str | None]]] = {
    "min": _extreme(min),
    "max": _extreme(max),
    "floor": lambda value: (Fraction(math.floor(_number(value))), value.unit),
    "ceil": lambda value: (Fraction(math.ceil(_number(value))), value.unit),
    "count": lambda value: (
        Fraction(len(value.data) if isinstance(value.data, tuple) else len(str(value.data).split(","))),
        None,
    ),
    "sum": lambda value: (
        sum((amount.of_text(one) or Fraction(0) for one in cast(Any, value.data)), Fraction(0)),
        None,
    ),
    "spaced": lambda value: (" ".join(value.data) if isinstance(value.data, tuple) else str(value.data), None),
    "part": _part,
    "formula": lambda text, *values: (
        Written(str(text.data).replace("?", amount.in_plan(_number(values[0]))) if values else str(text.data)),
        None,
    ),
    "joined": lambda *values: (tuple(one for value in values for one in cast(Any, value.data)), None),
    "has": _has,
    "path": lambda value: (is_path(str(value.data)), None),
}

FUNCTIONS = frozenset({*_OF_VALUES, "file", "first", "given", "present", "usual"})
"""What formulas may call."""
