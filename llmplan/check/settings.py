"""Right-hand sides: a value that must fit its place, or an unknown with its domain."""

from __future__ import annotations

from attrs import evolve

from llmplan.check import ir, spoken
from llmplan.check.expressions import Expressions
from llmplan.check.ir import UNDEFINED, Typed
from llmplan.check.labels import wanted
from llmplan.check.program import Domain, Field, Setting, SourceRef
from llmplan.check.scope import words
from llmplan.diagnostics import Diagnostic, names, units
from llmplan.source import Span
from llmplan.syntax import nodes
from llmplan.units.measure import BOOL, TEXT, EnumType, KindType, ListType, Measure, Type

Types = tuple[Type, ...]
Units = tuple[str, ...]
"""The units of the expected type or types of a value, as their author wrote them."""


def place(span: Span) -> SourceRef:
    return span.source.name, span.start, span.end


def domain(check: Expressions, node: nodes.Expr, want: Type, name: str) -> Domain:
    """The domain after `in`: a list, a range, `powers(…)`, `divisors(…)`, or a list of these."""
    items = node.items if isinstance(node, nodes.List) else (node,)
    built: list[ir.DomainItem] = []
    unit = ""
    for item in items:
        found, item_unit = _item(check, item, want, name)
        built.append(found)
        unit = unit or item_unit
    return Domain(tuple(built), unit, " ".join(node.span.text.split()))


def _item(check: Expressions, node: nodes.Expr, want: Type, name: str) -> tuple[ir.DomainItem, str]:
    if isinstance(node, nodes.Range):
        if node.expected is not None:
            check.report(units.not_here(node.span, "a range with an expected value", "a range with two ends"))
        low, high = (_value(check, end, want, name) for end in (node.low, node.high))
        step = _value(check, node.step, want, name).expr if node.step is not None else None
        if not isinstance(want, Measure):
            check.report(units.not_here(node.span, "a range", "a list"))
        return ir.Range(low.expr, high.expr, step), low.unit or high.unit
    if isinstance(node, nodes.Call) and node.function.text == "powers" and len(node.arguments) == 2:
        span = node.arguments[1]
        if isinstance(span, nodes.Range) and span.step is None and span.expected is None:
            base = check.check(node.arguments[0])
            check.measured(base)
            low, high = (_value(check, end, want, name) for end in (span.low, span.high))
            return ir.Powers(base.expr, low.expr, high.expr), low.unit or high.unit
        check.report(units.not_here(span.span, "this", "a range `low..high`"))
        return ir.Value(UNDEFINED), ""
    if isinstance(node, nodes.Call) and node.function.text == "divisors" and len(node.arguments) == 1:
        of = check.check(node.arguments[0])
        if check.measured(of) and not isinstance(want, Measure):
            of = check.fit(evolve(of, span=node.span), want, name)
        return ir.Divisors(_known(of).expr), ""
    typed = _value(check, node, want, name)
    return ir.Value(typed.expr), typed.unit


def _value(check: Expressions, node: nodes.Expr, want: Type, name: str) -> Typed:
    return _known(check.fit(check.check(node, wanted(check.scope, want, name, check.entry)), want, name))


def stray(value: ir.Expr | None, type: Type, legal: Domain | None) -> str | None:
    """The text of a value or enum member that is not in a list of legal ones; None if it is legal or not yet known."""
    if legal is None or not all(isinstance(item, ir.Value) for item in legal.items):
        return None
    words = [_word(item.value, type) for item in legal.items if isinstance(item, ir.Value)]
    word = _word(value, type)
    return None if word is None or None in words or word in words else word


def _word(value: ir.Expr | None, type: Type) -> str | None:
    match value:
        case ir.Member(_, index) if isinstance(type, EnumType):
            return type.members[index]
        case ir.Text(pieces) if all(isinstance(piece, str) for piece in pieces):
            return '"' + "".join(map(str, pieces)) + '"'
    return None


def _known(typed: Typed) -> Typed:
    """A value, or UNDEFINED if a mistake in it was reported, so that nothing more is reported about it."""
    return typed if typed.type is not None else evolve(typed, expr=UNDEFINED)


def setting(
    check: Expressions, node: nodes.Expr, types: Types, type_units: Units, name: str,
    declared: Span | None = None,
) -> Setting:  # fmt: skip
    """A value or an unknown for a field, let or assumption of one type, or of one of two."""
    if isinstance(node, nodes.Unknown):
        return _open(check, node, types, type_units, name)
    if isinstance(node, nodes.Range):
        return _spread(check, node, types, type_units, name)
    where = place(node.span)
    slip = spoken.slip(check.scope, node, types[0], name)
    if slip is not None:
        check.report(slip)
        return Setting(UNDEFINED, None, where)
    if isinstance(types[0], ListType):
        return Setting(_list(check, node, types[0], name), None, where)
    if len(types) > 1:
        value = check.check(node)
        at = _which(check, value, types, type_units, name)
        return Setting(value.expr if at is not None else UNDEFINED, None, where, type_units[at or 0])
    typed = check.check(node, wanted(check.scope, types[0], name, check.entry))
    itself = isinstance(typed.expr, ir.Ref) and typed.expr.name == name
    if itself and isinstance(node, nodes.Name) and not _numeric(types[0]):
        # The text that is meant lacks its quotes, or the word stands where a member or an entry should.
        check.report(_named_itself(check, node, types[0]))
        return Setting(UNDEFINED, None, where)
    typed = _known(check.fit(typed, types[0], name, declared))
    return Setting(typed.expr, None, where, typed.unit)


def _named_itself(check: Expressions, node: nodes.Name, type: Type) -> Diagnostic:
    if isinstance(type, EnumType):
        return names.no_member_but_itself(node.span, type.name, type.members)
    return check.unknown_name(node, type)


def _numeric(type: Type) -> bool:
    """Whether a value of the type can be computed from others, a number or a truth value."""
    return type == BOOL or isinstance(type, Measure)


def undecided(node: nodes.Expr, field: Field) -> Diagnostic | None:
    """E0309 for a range as the value of a field the planner chooses."""
    if not field.decision or not isinstance(node, nodes.Range):
        return None
    low, high = (end.span.text for end in (node.low, node.high))
    # From 8 to 64, people mean whole nodes of 8.
    values = [end.value for end in (node.low, node.high) if isinstance(end, nodes.Number)]
    step = low if len(values) == 2 and values[0] > 1 and (values[1] / values[0]).denominator == 1 else ""
    return units.decided(node.span, field.path, low, high, step)


def _spread(check: Expressions, node: nodes.Range, types: Types, type_units: Units, name: str) -> Setting:
    """`low..high` or `low..expected..high` as a value; without an expected value the midpoint is expected."""
    where = place(node.span)
    at = 0
    low = check.check(node.low, wanted(check.scope, types[0], name, check.entry) if len(types) == 1 else None)
    if len(types) > 1:
        found = _which(check, low, types, type_units, name)
        if found is None:
            return Setting(UNDEFINED, None, where, type_units[0])
        at = found
    want = types[at]
    if not isinstance(want, Measure):
        check.report(units.not_here(node.span, "a range", words(want)))
        return Setting(UNDEFINED, None, where)
    low = _known(check.fit(low, want, name))
    high = _value(check, node.high, want, name)
    if node.expected is not None:
        expected = _value(check, node.expected, want, name).expr
    else:
        expected = ir.Op("div", (ir.Op("add", (low.expr, high.expr)), ir.Num(2.0)))
    unit = type_units[at] if len(types) > 1 else low.unit or high.unit
    return Setting(expected, None, where, unit, (low.expr, high.expr))


def _list(check: Expressions, node: nodes.Expr, want: ListType, name: str) -> ir.List:
    """`["dense", "sparse"]`: entries of a kind, or texts."""
    if not isinstance(node, nodes.List):
        check.report(units.no_list(node.span))
        return ir.List(())
    item_type: Type = TEXT if want.kind == "Text" else KindType(want.kind)
    items = [check.fit(check.check(item, item_type), item_type, name) for item in node.items]
    return ir.List(tuple(item.expr for item in items if item.type is not None))


def _open(check: Expressions, node: nodes.Unknown, types: Types, type_units: Units, name: str) -> Setting:
    where = place(node.span)
    if types[0] == TEXT or isinstance(types[0], ListType):
        check.report(units.not_here(node.span, "an unknown", "text" if types[0] == TEXT else "a list"))
        return Setting(UNDEFINED, None, where)
    if len(types) == 1:
        found = domain(check, node.domain, types[0], name) if node.domain is not None else None
        return Setting(None, found, where)
    if node.domain is None:
        check.report(units.missing_unit(node.span, f"`{name}`", "? in …", list(type_units)))
        return Setting(None, None, where, type_units[0])
    first = node.domain.items[0] if isinstance(node.domain, nodes.List) and node.domain.items else node.domain
    if isinstance(first, nodes.Range):
        first = first.low
    if isinstance(first, nodes.Call) and first.function.text == "powers" and len(first.arguments) == 2:
        bounds = first.arguments[1]
        first = bounds.low if isinstance(bounds, nodes.Range) else bounds
    at = _which(check, check.check(first), types, type_units, name)
    if at is None:
        return Setting(None, None, where, type_units[0])
    return Setting(None, domain(check, node.domain, types[at], name), where, type_units[at])


def _which(check: Expressions, typed: Typed, types: Types, type_units: Units, name: str) -> int | None:
    """Which of two units a value has, or None if a mistake was reported."""
    if typed.type is None:
        return None
    if typed.bare:
        check.report(units.missing_unit(typed.span, f"`{name}`", typed.span.text, [u + "s" for u in type_units]))
        return None
    found = typed.type
    measures = [type if isinstance(type, Measure) else Measure() for type in types]
    for at, type in enumerate(measures):
        if isinstance(found, Measure) and (type.dims, type.labels) == (found.dims, found.labels):
            return at
    for at, type in enumerate(measures):
        if isinstance(found, Measure) and type.dims == found.dims and not found.labels:
            return at
    wanted = " or ".join(words(type) for type in types)
    check.report(units.wrong_field(typed.span, name, wanted, words(typed.type), None))
    return None
