"""The formulas of `log.plan`, made ready to be computed for millions of lines.

A formula reads keys of one or more forms of lines; its value is a number in base units, a truth value, a text, or a
word of the plan language. Where a key that it needs was not printed it has none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from llmplan.syntax import nodes

Value = float | bool | str
Printed = Mapping[str, Mapping[str, Value]]
"""What lines hold: by form, by key."""

Formula = Callable[[Printed], Value]


class Unsaid(Exception):
    """The formula needs a key that was not printed."""


class Word(str):
    """A word of the plan language, which is written without quotes."""


FUNCTIONS = frozenset({"first", "given", "max", "min", "present", "sum"})


def compiled(node: nodes.Expr, forms: Collection[str], factor: Callable[[str], float]) -> Formula:
    """A formula as a function of what was printed.

    Args:
        forms: The names of forms; the first part of any other dotted name is a mistake that `mistakes` tells.
        factor: The base units in a unit.
    """
    return _Compiler(forms, factor).of(node)


def reads(node: object, forms: Collection[str]) -> frozenset[str]:
    """The forms whose keys a formula reads."""
    from llmplan.syntax.expressions import walk

    names = [one.text.partition(".")[0] for one in walk(node) if isinstance(one, nodes.Name)]  # type: ignore[arg-type]
    return frozenset(name for name in names if name in forms)


class _Compiler:
    def __init__(self, forms: Collection[str], factor: Callable[[str], float]) -> None:
        self.forms = forms
        self.factor = factor

    def of(self, node: nodes.Expr) -> Formula:
        match node:
            case nodes.Number():
                number = float(node.value) * (self.factor(node.unit.text) if node.unit is not None else 1.0)
                return lambda _: number
            case nodes.Bool():
                truth = node.value
                return lambda _: truth
            case nodes.Text():
                text = node.plain or ""
                return lambda _: text
            case nodes.Name():
                return self._name(node)
            case nodes.Paren():
                return self.of(node.inner)
            case nodes.Negative():
                operand = self.of(node.operand)
                return lambda printed: -_number(operand(printed))
            case nodes.Product() | nodes.Sum():
                return self._joined(node)
            case nodes.Compare():
                return self._compared(node)
            case nodes.And() | nodes.Or() | nodes.Not():
                return self._logic(node)
            case nodes.If():
                condition, then, otherwise = self.of(node.condition), self.of(node.then), self.of(node.otherwise)
                return lambda printed: then(printed) if condition(printed) else otherwise(printed)
            case nodes.Match():
                return self._match(node)
            case nodes.Call():
                return self._call(node)
        raise ValueError(node.span.text)

    def _name(self, node: nodes.Name) -> Formula:
        form, *rest = node.parts
        if form in self.forms and rest:
            key = rest[0]

            def value(printed: Printed) -> Value:
                values = printed.get(form)
                if values is None or key not in values:
                    raise Unsaid(key)
                return values[key]

            return value
        word = Word(node.text)
        if word == "unsaid":
            return _unsaid
        return lambda _: word

    def _joined(self, node: nodes.Product | nodes.Sum) -> Formula:
        first = self.of(node.first)
        rest = [(sign, self.of(part)) for sign, part in node.rest]

        def value(printed: Printed) -> Value:
            total = _number(first(printed))
            for sign, part in rest:
                right = _number(part(printed))
                if sign == "/":
                    if not right:
                        raise Unsaid("a division by 0")
                    total /= right
                else:
                    total = total * right if sign == "*" else total + right if sign == "+" else total - right
            return total

        return value

    def _compared(self, node: nodes.Compare) -> Formula:
        first = self.of(node.first)
        rest = [(sign, self.of(part)) for sign, part in node.rest]

        def value(printed: Printed) -> Value:
            left = first(printed)
            for sign, part in rest:
                right = part(printed)
                if not _holds(sign, left, right):
                    return False
                left = right
            return True

        return value

    def _logic(self, node: nodes.And | nodes.Or | nodes.Not) -> Formula:
        if isinstance(node, nodes.Not):
            operand = self.of(node.operand)
            return lambda printed: not operand(printed)
        items = [self.of(item) for item in node.items]
        join = any if isinstance(node, nodes.Or) else all
        return lambda printed: join(item(printed) for item in items)

    def _match(self, node: nodes.Match) -> Formula:
        subject = self.of(node.subject)
        arms = [(None if arm.pattern is None else self.of(arm.pattern), self.of(arm.value)) for arm in node.arms]

        def value(printed: Printed) -> Value:
            found = subject(printed)
            for pattern, result in arms:
                if pattern is None or pattern(printed) == found:
                    return result(printed)
            raise Unsaid(str(found))

        return value

    def _call(self, node: nodes.Call) -> Formula:
        name = node.function.text
        if name == "present":
            forms = [argument.text for argument in node.arguments if isinstance(argument, nodes.Name)]
            return lambda printed: _there(printed, forms)
        arguments = [self.of(argument) for argument in node.arguments]
        if name == "given":
            return lambda printed: bool(_said(arguments, printed))
        if name == "first":
            return lambda printed: _first(arguments, printed)
        picks: dict[str, Callable[[list[float]], float]] = {"max": max, "min": min, "sum": sum}
        pick = picks[name]

        def value(printed: Printed) -> Value:
            values = [_number(one) for one in _said(arguments, printed)]
            if not values:
                raise Unsaid(name)
            return pick(values)

        return value


def _unsaid(_: Printed) -> Value:
    raise Unsaid("unsaid")


def _there(printed: Printed, forms: Collection[str]) -> Value:
    if not any(form in printed for form in forms):
        raise Unsaid("a line")
    return True


def _said(arguments: Collection[Formula], printed: Printed) -> list[Value]:
    found = []
    for argument in arguments:
        try:
            found.append(argument(printed))
        except Unsaid:
            continue
    return found


def _first(arguments: Collection[Formula], printed: Printed) -> Value:
    for argument in arguments:
        try:
            return argument(printed)
        except Unsaid:
            continue
    raise Unsaid("first()")


def _holds(sign: str, left: Value, right: Value) -> bool:
    if sign in ("==", "!="):
        return (left == right) is (sign == "==")
    one, other = _number(left), _number(right)
    return {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[sign]


def _number(value: Value) -> float:
    if isinstance(value, str):
        raise Unsaid("no number")
    return float(value)
