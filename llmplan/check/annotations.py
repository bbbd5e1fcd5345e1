"""Checks decorators against their table: place, number of arguments, and the sort of each argument.

Input: statements, and a scope that knows all of their names. Output: diagnostics. Every mistake points at the argument
and comes with an edit if the correction is known, as for quotes around an argument that is not a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from llmplan.check.decorators import PLACES, TABLE, Decorator, Sort
from llmplan.check.expressions import Expressions
from llmplan.check.ir import Typed
from llmplan.check.labels import converts
from llmplan.check.patterns import is_pattern
from llmplan.check.program import Field, Quantity
from llmplan.check.scope import Scope
from llmplan.diagnostics import Diagnostic, Edit, decorators, names
from llmplan.source import Source, Span
from llmplan.syntax import nodes
from llmplan.syntax.decorators import Argument, number, unit, written
from llmplan.syntax.parse import parse_value
from llmplan.units.measure import BOOL, REAL, EnumType, KindType, Measure, TextType, Type
from llmplan.units.table import SI_PREFIXES, UnknownUnit

_NAMES = frozenset((Sort.FACTOR, Sort.TRUTH, Sort.WHOLE, Sort.QUANTITY, Sort.VALUE, Sort.FIELD, Sort.ENUM, Sort.MEMBER))
_FACTORS = {"half": "1/2", "third": "1/3", "quarter": "1/4", "double": "2", "twice": "2"}
_UNIT = re.compile(r"%|[A-Za-z_]\w*(\^-?[0-9]+)?([*/][A-Za-z_]\w*(\^-?[0-9]+)?)*\Z")


def annotated(scope: Scope, statement: nodes.Statement, report: Callable[[Diagnostic], None]) -> None:
    """Reports mistakes in the decorators of a statement, and of the fields of a kind."""
    _Annotations(scope, statement, "", report).check()
    if isinstance(statement, nodes.Kind):
        for field in statement.fields:
            _Annotations(scope, field, statement.name.text, report).check()


class _Annotations:
    """The decorators of one declaration; for a field, `kind` is the kind that it belongs to."""

    def __init__(self, scope: Scope, node: nodes.Statement, kind: str, report: Callable[[Diagnostic], None]) -> None:
        self.scope, self.node, self.kind, self.report = scope, node, kind, report

    def check(self) -> None:
        place = PLACES.get(type(self.node), "")
        for decorator in getattr(self.node, "decorators", ()):
            rule = TABLE.get(decorator.name.text)
            if rule is None:
                self.report(names.unknown_decorator(decorator.name.span, decorator.name.text, TABLE))
            elif place not in rule.on:
                self.report(decorators.misplaced(decorator.span, decorator.name.text, place, rule.on))
            else:
                self._arguments(decorator, rule)

    def _arguments(self, decorator: nodes.Decorator, rule: Decorator) -> None:
        name, given = decorator.name.text, decorator.arguments
        if len(given) < len(rule.takes):
            self.report(decorators.too_few(decorator.span, name, rule.wanted, len(given), rule.example))
        for place, argument in enumerate(given):
            sort = rule.sort(place)
            if sort is None:
                first = given[place - 1].span.end if place else decorator.name.span.end
                last = given[-1].span.end if place else decorator.span.end
                edit = Edit(Span(decorator.span.source, first, last), "")
                self.report(decorators.too_many(argument.span, name, rule.wanted, len(given), edit))
                return
            self._argument(name, sort, argument, given[:place])

    def _argument(self, name: str, sort: Sort, argument: Argument, before: tuple[Argument, ...]) -> None:
        wrong: Diagnostic | None = None
        if not _fits(sort, argument):
            meant = _meant(sort, argument)
            # A name in quotes may be that of nothing, too.
            wrong = self._wrong(name, sort, argument, before) if meant and sort in _NAMES else None
            wrong = wrong or decorators.wrong_argument(argument.span, name, sort.value, meant)
        else:
            wrong = self._wrong(name, sort, argument, before)
        if wrong is not None:
            self.report(wrong)

    def _wrong(self, name: str, sort: Sort, argument: Argument, before: tuple[Argument, ...]) -> Diagnostic | None:
        """The mistake in an argument of the right form, if any."""
        match sort:
            case Sort.TEXT:
                return None
            case Sort.PATTERN:
                fine = is_pattern(written(argument)) and self._is_text()
                return None if fine else decorators.wrong_argument(argument.span, name, sort.value)
            case Sort.SOFTWARE:
                return (
                    None if "." not in written(argument) else decorators.wrong_argument(argument.span, name, sort.value)
                )
            case Sort.RANK:
                value = number(argument)
                fine = value is not None and value.denominator == 1 and value >= 1
                return None if fine else decorators.wrong_argument(argument.span, name, sort.value)
            case Sort.WIDTH:
                value = number(argument)
                return (
                    None
                    if value is not None and value > 1
                    else decorators.wrong_argument(argument.span, name, sort.value)
                )
            case Sort.CHOICE:
                return self._choice(name, argument)
            case Sort.UNIT:
                return self._unit(name, argument, before)
            case Sort.EXPRESSION:
                self._shown(argument)
                return None
            case Sort.PREFIX:
                return self._named(name, sort, argument, SI_PREFIXES)
            case Sort.FACTOR:
                return self._quantity(name, sort, argument, lambda q: q.type == REAL and not q.indices)
            case Sort.TRUTH:
                return self._quantity(name, sort, argument, lambda q: q.type == BOOL and not q.indices)
            case Sort.WHOLE:
                return self._quantity(name, sort, argument, self._alike)
            case Sort.QUANTITY:
                return self._quantity(name, sort, argument, lambda q: True)
            case Sort.VALUE:
                return self._named(name, sort, argument, [*self.scope.quantities, *self.scope.fields])
            case Sort.FIELD:
                return self._named(name, sort, argument, self._others())
            case Sort.ENUM:
                return self._named(name, sort, argument, self.scope.enums)
            case Sort.MEMBER:
                enum = self.scope.enums.get(written(before[-1]))
                return self._named(name, sort, argument, enum.members) if enum is not None else None
            case Sort.CALL:
                return self._call(name, argument)
            case Sort.LABEL:
                return self._label(name, argument, before)
            case Sort.RESULT:
                return self._result(name, argument, before[-1])
            case _:
                return nodes.unhandled(sort)

    def _named(self, name: str, sort: Sort, argument: Argument, known: Collection[str]) -> Diagnostic | None:
        if written(argument) in known:
            return None
        return decorators.unknown_argument(argument.span, name, sort.value, known)

    def _others(self) -> list[str]:
        """The other fields of the field's kind."""
        own = self.node.name.text if isinstance(self.node, nodes.FieldDecl) else ""
        return [field for field in self.scope.kinds.get(self.kind, ()) if field != own]

    # Quantities

    def _quantity(
        self, name: str, sort: Sort, argument: Argument, right: Callable[[Quantity], bool]
    ) -> Diagnostic | None:
        found = self.scope.quantities.get(written(argument))
        if found is None:
            known = [known for known, quantity in self.scope.quantities.items() if right(quantity)]
            return decorators.unknown_argument(argument.span, name, sort.value, known)
        return None if right(found) else decorators.wrong_argument(argument.span, name, sort.value)

    def _shown(self, argument: Argument) -> Type | None:
        """The type of a figure that is shown for every entry; a quantity with one index has one for each member."""
        quantity = self.scope.quantities.get(written(argument))
        if quantity is not None and len(quantity.indices) == 1:
            return quantity.type
        return self._typed(argument).type

    def _alike(self, whole: Quantity) -> bool:
        part = self._own_quantity()
        return part is None or whole.type == part.type and not whole.indices and not part.indices

    def _own_quantity(self) -> Quantity | None:
        return self.scope.quantities.get(self.node.name.text) if isinstance(self.node, nodes.Quantity) else None

    def _unit(self, name: str, argument: Argument, before: tuple[Argument, ...]) -> Diagnostic | None:
        try:
            measure = self.scope.units.parse(unit(argument))[1]
        except UnknownUnit as unknown:
            near = self.scope.units.suggest(unknown.word)
            return decorators.unknown_argument(argument.span, name, Sort.UNIT.value, near)
        own = self._own_quantity()
        type = own.type if own is not None else self._shown(before[-1]) if before else None
        if type is None or isinstance(type, Measure) and type.dims == measure.dims:
            return None
        return decorators.wrong_argument(argument.span, name, Sort.UNIT.value)

    # Fields

    def _choice(self, name: str, argument: Argument) -> Diagnostic | None:
        """A factor of a number, a member of an enum or an entry of a choice; fields of other types take neither."""
        record = self._own_field()
        type: Type | None = record.type if record is not None else None
        if isinstance(type, EnumType):
            return self._member(name, argument, type.members)
        if isinstance(type, KindType) and type.choice:
            return self._member(name, argument, self.scope.entries.get(type.name, {}))
        if not isinstance(type, Measure):
            return decorators.wrong_argument(argument.span, name, "no argument at a field without factors or members")
        if _is_factor(argument):
            return None
        return decorators.wrong_argument(argument.span, name, "a factor above 0 other than 1", _factor(argument))

    def _member(self, name: str, argument: Argument, members: Collection[str]) -> Diagnostic | None:
        if isinstance(argument, nodes.Text) and written(argument) in members:
            return decorators.wrong_argument(argument.span, name, Sort.MEMBER.value, written(argument))
        return self._named(name, Sort.MEMBER, argument, members)

    def _label(self, name: str, argument: Argument, before: tuple[Argument, ...]) -> Diagnostic | None:
        """The label of the field's unit, then those that a field converts to it."""
        record = self._own_field()
        type = record.type if record is not None and len(record.types) == 1 else None
        labels = [label for label, _ in type.labels] if isinstance(type, Measure) else []
        if before and written(before[0]) in labels:
            first = written(before[0])
            fine = written(argument) not in map(written, before) and converts(self.scope, first, written(argument))
        else:
            fine = written(argument) in labels
        return None if fine else decorators.wrong_argument(argument.span, name, Sort.LABEL.value)

    def _is_text(self) -> bool:
        record = self._own_field()
        return record is not None and isinstance(record.type, TextType)

    def _own_field(self) -> Field | None:
        name = self.node.name.text if isinstance(self.node, nodes.FieldDecl) else ""
        return self.scope.fields.get(f"{self.kind}.{name}")

    # Examples

    def _call(self, name: str, argument: Argument) -> Diagnostic | None:
        assert isinstance(argument, nodes.Call)
        if argument.function.text not in self.scope.functions:
            return decorators.unknown_argument(argument.function.span, name, "a function", self.scope.functions)
        self._typed(argument)
        return None

    def _result(self, name: str, argument: Argument, call: Argument) -> Diagnostic | None:
        function = self.scope.functions.get(call.function.text) if isinstance(call, nodes.Call) else None
        if function is None or not isinstance(function.result, Measure):
            return None
        typed = self._typed(argument)
        counted = typed.bare and self.scope.units.is_count(function.result)
        if counted or not isinstance(typed.type, Measure) or typed.type.dims == function.result.dims:
            return None
        return decorators.wrong_argument(argument.span, name, Sort.RESULT.value)

    def _typed(self, node: Argument) -> Typed:
        """An expression of an example; naming something there does not count as a use."""
        assert not isinstance(node, nodes.Unit)
        read = set(self.scope.read)
        typed = Expressions(self.scope, self.report).check(node)
        self.scope.read.intersection_update(read)
        return typed


def _fits(sort: Sort, argument: Argument) -> bool:
    """Whether an argument is written in the form of its sort."""
    if sort in (Sort.TEXT, Sort.PATTERN):
        return isinstance(argument, nodes.Text)
    if sort is Sort.CHOICE:
        return True  # the type of the field decides
    if sort in (Sort.RANK, Sort.WIDTH):
        return number(argument) is not None
    if sort is Sort.UNIT:
        return not isinstance(argument, nodes.Text) and _UNIT.match(unit(argument)) is not None
    if sort is Sort.EXPRESSION:
        return not isinstance(argument, (nodes.Text, nodes.Unit))
    if sort is Sort.CALL:
        return isinstance(argument, nodes.Call)
    if sort is Sort.RESULT:
        return isinstance(argument.operand if isinstance(argument, nodes.Negative) else argument, nodes.Number)
    return isinstance(argument, nodes.Name)


def _is_factor(argument: Argument) -> bool:
    value = number(argument)
    return value is not None and value > 0 and value != 1


def _factor(argument: Argument) -> str:
    """The factor that is meant by a word or by a number in quotes, as `1/2` by `"half"`; empty if not known."""
    text = written(argument).strip().lower()
    text = _FACTORS.get(text, text.removesuffix("x"))
    value = parse_value(Source("", text))[0]
    return text if value is not None and _is_factor(value) else ""


def _meant(sort: Sort, argument: Argument) -> str:
    """The corrected text of an argument: with quotes for a text, without for anything else; empty if not known."""
    if sort is Sort.TEXT:
        text = argument.span.text
        return f'"{text}"' if '"' not in text and "\n" not in text else ""
    if not isinstance(argument, nodes.Text):
        return ""
    words = written(argument).split() if sort is Sort.PREFIX else [written(argument)]
    if sort is Sort.UNIT:
        return words[0] if _UNIT.match(words[0]) else ""
    values = [parse_value(Source("", word))[0] for word in words]
    return ", ".join(words) if words and all(v is not None and _fits(sort, v) for v in values) else ""
