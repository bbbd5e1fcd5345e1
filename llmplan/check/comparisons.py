"""Comparisons and membership: both sides have the same type, and a bare word is read as the other side's type."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from llmplan.check.context import Context
from llmplan.check.ir import FALSE, Chain, Expr, Num, Op, Ref, Sides, Typed
from llmplan.check.labels import Labelled, compared
from llmplan.check.scope import words
from llmplan.diagnostics import Edit, Hint, units
from llmplan.operations import OPERATIONS
from llmplan.syntax import nodes
from llmplan.units.measure import BOOL, ListType, Measure, TextType, Type

_WHOLE = 100  # per cent

COMPARISONS = {"<": "lt", "<=": "le", "==": "eq", "!=": "ne", ">=": "ge", ">": "gt"}


def check_compare(check: Context, node: nodes.Compare, want: Type | None) -> Typed:
    """`8 <= hardware.gpus <= 1024`: sides of one type, a single truth value."""
    parts: list[Expr] = []
    left_node = node.first
    for operator, right_node in node.rest:
        left, right = _pair(check, left_node, right_node)
        check.unify(left, right, "compared")
        _no_text(check, left)
        _share(check, left, right)
        _share(check, right, left)
        if operator not in ("==", "!=") and left.type is not None and not isinstance(left.type, Measure):
            check.report(units.not_here(left.span, words(left.type), "a number"))
        parts.append(comparison(COMPARISONS[operator], left.expr, right.expr))
        left_node = right_node
    return Typed(chain("and", parts), BOOL, node.span)


def _share(check: Context, share: Typed, number: Typed) -> None:
    """E0305 for `mfu > 40`: a share of 0 to 1 is compared with a number that it never reaches."""
    name = share.expr.name if isinstance(share.expr, Ref) else ""
    record = check.scope.fields.get(name) or check.scope.quantities.get(name)
    legal = record.domain if record is not None else None
    if legal is not None and legal.text == "0..1" and number.bare and number.number is not None and number.number > 1:
        text = number.span.text
        hint = Hint(f"write `{text}%`", (Edit(number.span, f"{text}%"),)) if number.number <= _WHOLE else None
        check.report(units.outside(number.span, name, text, legal.text, *filter(None, [hint])))


def _no_text(check: Context, typed: Typed) -> None:
    """Texts are for files and people: the value of a formula never depends on one."""
    if isinstance(typed.type, (TextType, ListType)):
        check.report(
            units.not_here(typed.span, words(typed.type), "what can be compared: a number, a member or an entry")
        )


def _pair(check: Context, left_node: nodes.Expr, right_node: nodes.Expr) -> tuple[Typed, Typed]:
    """Two sides of a comparison: a bare word or a text is read as the other side's type."""
    if isinstance(left_node, (nodes.Name, nodes.Text)) and not _has_meaning(check, left_node):
        right = check.check(right_node)
        return check.check(left_node, right.type), right
    left = check.check(left_node)
    right = check.check(right_node, compared(check.scope, left))
    beside = compared(check.scope, right)
    # A literal on the left says which label it is for, too.
    return (check.check(left_node, beside) if isinstance(beside, Labelled) and left.type is not None else left), right


def _has_meaning(check: Context, node: nodes.Name | nodes.Text) -> bool:
    if isinstance(node, nodes.Text):
        return False
    return (
        node.text in check.locals
        or check.scope.lookup(node.text) is not None
        or (check.kind is not None and f"{check.kind}.{node.text}" in check.scope.fields)
    )


def sides(check: Context, node: nodes.Expr) -> tuple[Sides, Typed] | None:
    """The sides of a single comparison of numbers, with a typed value that represents both; else None."""
    while isinstance(node, nodes.Paren):
        node = node.inner
    if not isinstance(node, nodes.Compare) or len(node.rest) != 1:
        return None
    quiet = check.quiet()
    left, right = _pair(quiet, node.first, node.rest[0][1])
    common = quiet.unify(left, right, "compared")
    if not isinstance(common.type, Measure):
        return None
    operator = COMPARISONS[node.rest[0][0]]
    unit = right.unit if right.number is not None and right.unit else common.unit
    return Sides(operator, left.expr, right.expr), evolve(common, unit=unit)


def chain_of(check: Context, node: nodes.Expr) -> tuple[Sides, ...] | None:
    """The sides of each comparison in a chain of numbers; empty for anything else, None if their types differ."""
    if not isinstance(node, nodes.Compare):
        return ()
    quiet = check.quiet()
    found: list[Sides] = []
    left_node = node.first
    for operator, right_node in node.rest:
        left, right = _pair(quiet, left_node, right_node)
        common = quiet.unify(left, right, "compared").type
        if not isinstance(common, Measure):
            return None if common is None else ()
        found.append(Sides(COMPARISONS[operator], left.expr, right.expr))
        left_node = right_node
    return tuple(found)


def check_member(check: Context, node: nodes.Member, want: Type | None) -> Typed:
    """`x in [1, 2]`, `x in 1..8`."""
    value = check.check(node.value)
    _no_text(check, value)
    want = compared(check.scope, value)
    items = node.domain.items if isinstance(node.domain, nodes.List) else (node.domain,)
    parts: list[Expr] = []
    for item in items:
        if isinstance(item, nodes.Range):
            low, high = check.check(item.low, want), check.check(item.high, want)
            value = _like(check, _like(check, value, low), high)
            ends = comparison("le", low.expr, value.expr), comparison("le", value.expr, high.expr)
            parts.append(chain("and", ends))
        else:
            typed = check.check(item, want)
            value = _like(check, value, typed)
            parts.append(comparison("eq", value.expr, typed.expr))
    return Typed(chain("or", parts) if parts else FALSE, BOOL, node.span)


def _like(check: Context, value: Typed, other: Typed) -> Typed:
    """A value that is compared with several others; without a type once one of them has a different type."""
    common = check.unify(evolve(value, bare=False), other, "compared")
    return evolve(value, type=None) if common.type is None else value


def chain(operation: str, parts: Sequence[Expr]) -> Expr:
    """The parts joined by one operation."""
    return parts[0] if len(parts) == 1 else Chain(parts[0], tuple((operation, part) for part in parts[1:]))


def comparison(operation: str, left: Expr, right: Expr) -> Expr:
    """A comparison in terms of `lt`, `le`, `eq` and `ne` only; one with 0 compares the parts of the other side."""
    if operation in ("gt", "ge"):
        operation, left, right = "lt" if operation == "gt" else "le", right, left
    if right == FALSE:
        return _with_zero(operation, left, False) or Op(operation, (left, right))
    if left == FALSE:
        return _with_zero(operation, right, True) or Op(operation, (left, right))
    return Op(operation, (left, right))


def _with_zero(operation: str, expr: Expr, swapped: bool) -> Expr | None:
    """A comparison with 0 as one between parts, as only 0 itself is relatively close to 0; None without parts.

    The last part of a sum is compared with the rest; a product is 0 if one of its factors is.
    """
    inner, parts = (expr.operation, expr.args) if isinstance(expr, Op) else ("", ())
    if isinstance(expr, Chain):
        if not expr.rest:  # `min(x)`
            return _with_zero(operation, expr.first, swapped)
        inner, last = expr.rest[-1]
        parts = (Chain(expr.first, expr.rest[:-1]) if expr.rest[1:] else expr.first, last)
    if inner in ("add", "sub"):
        left, right = parts[0], parts[1] if inner == "sub" else Op("neg", (parts[1],))
        return Op(operation, (right, left) if swapped else (left, right))
    if operation != "eq":
        return None
    if inner in ("mul", "div") or (inner == "pow" and isinstance(parts[1], Num) and parts[1].value > 0.0):
        factors = parts if inner == "mul" else parts[:1]
        zeros = chain("or", [comparison("eq", factor, FALSE) for factor in factors])
        return chain("and", [Op("finite", (expr,)), zeros])
    return comparison("eq", parts[0], FALSE) if inner and OPERATIONS[inner].zero_at_zero else None
