"""`match`: its patterns, the cases that they cover, and its values."""

from __future__ import annotations

from attrs import evolve

from llmplan.check import ir
from llmplan.check.context import Context
from llmplan.check.ir import Expr, Typed
from llmplan.diagnostics import units
from llmplan.syntax import nodes
from llmplan.units.measure import BOOL, EnumType, Type


def check_match(check: Context, node: nodes.Match, want: Type | None) -> Typed:
    """A `match`: patterns of the subject's type that cover every case, and values of one type."""
    subject = check.check(node.subject)
    patterns: list[Expr | None] = []
    seen: set[object] = set()
    for arm in node.arms:
        if arm.pattern is None:
            patterns.append(None)
            seen.add("_")
            continue
        typed = check.check(arm.pattern, subject.type)
        if typed.type is not None and subject.type is not None:
            check.unify(evolve(subject, bare=False), typed, "matched")
        if not isinstance(typed.expr, (ir.Num, ir.Member, ir.Entry)) and typed.type is not None:
            check.report(units.not_here(arm.pattern.span, "an expression", "a literal, a member or `_`"))
        patterns.append(typed.expr)
        seen.add(_case(typed.expr))
    _cover(check, node, subject, seen)
    values = check.alike([arm.value for arm in node.arms], want, "used as alternatives")
    arms = tuple((pattern, value.expr) for pattern, value in zip(patterns, values))
    return check.joined(node, ir.Match(subject.expr, arms), values)


def _cover(check: Context, node: nodes.Match, subject: Typed, seen: set[object]) -> None:
    if "_" in seen or subject.type is None:
        return
    if isinstance(subject.type, EnumType):
        missing = [m for index, m in enumerate(subject.type.members) if index not in seen]
    elif subject.type == BOOL:
        missing = [text for text, value in (("true", 1.0), ("false", 0.0)) if value not in seen]
    else:
        ends = _int_bounds(check, subject.expr)
        missing = [str(n) for n in range(ends[0], ends[1] + 1) if float(n) not in seen] if ends else ["_"]
    if missing:
        check.report(units.uncovered(node.span, missing))


def _case(pattern: Expr) -> float | int | str | None:
    """The key that distinguishes one case from another."""
    match pattern:
        case ir.Num(value):
            return value
        case ir.Member(_, index):
            return index
        case ir.Entry(_, name):
            return name
    return None


def _int_bounds(check: Context, expr: Expr) -> tuple[int, int] | None:
    """The declared range of an Int field or parameter, if its ends are literals."""
    if isinstance(expr, ir.Local):
        return check.bounds.get(expr.name)
    if not isinstance(expr, ir.Ref):
        return None
    record = check.scope.fields.get(expr.name) or check.scope.quantities.get(expr.name)
    domain = record.domain if record is not None else None
    match domain.items if domain is not None else ():
        case (ir.Range(ir.Num(low), ir.Num(high)),) if high - low <= 64:
            return int(low), int(high)
    return None
