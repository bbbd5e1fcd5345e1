"""`match`: its patterns, which cases they cover, and its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from llmplan.check.core import Core
from llmplan.check.typed import Typed
from llmplan.diagnostics import units
from llmplan.syntax import nodes
from llmplan.units.measure import BOOL, EnumType, Type

if TYPE_CHECKING:
    from llmplan.check.expressions import Expressions


def check_match(check: Expressions, node: nodes.Match, want: Type | None) -> Typed:
    """A `match`: patterns of the subject's type that cover every case, and values that are alike."""
    subject = check.check(node.subject)
    patterns: list[Core | None] = []
    seen: set[object] = set()
    for arm in node.arms:
        if arm.pattern is None:
            patterns.append(None)
            seen.add("_")
            continue
        typed = check.check(arm.pattern, subject.type)
        if typed.type is not None and subject.type is not None:
            check.unify(evolve(subject, bare=False), typed, "matched")
        if typed.core[0] not in ("num", "member", "entry") and typed.type is not None:
            check.report(units.not_here(arm.pattern.span, "an expression", "a literal, a member or `_`"))
        patterns.append(typed.core)
        seen.add(typed.core[-1])
    _cover(check, node, subject, seen)
    values = check.alike([arm.value for arm in node.arms], want, "used as alternatives")
    arms = tuple((pattern, value.core) for pattern, value in zip(patterns, values))
    return check.joined(node, ("cases", subject.core, arms), values)


def _cover(check: Expressions, node: nodes.Match, subject: Typed, seen: set[object]) -> None:
    if "_" in seen or subject.type is None:
        return
    missing: list[str]
    if isinstance(subject.type, EnumType):
        missing = [m for index, m in enumerate(subject.type.members) if index not in seen]
    elif subject.type == BOOL:
        missing = [text for text, value in (("true", 1.0), ("false", 0.0)) if value not in seen]
    else:
        bounds = _int_bounds(check, subject.core)
        if bounds is None:
            missing = ["_"]
        else:
            missing = [str(n) for n in range(bounds[0], bounds[1] + 1) if float(n) not in seen]
    if missing:
        check.report(units.uncovered(node.span, missing))


def _int_bounds(check: Expressions, core: Core) -> tuple[int, int] | None:
    """The declared range of an Int field or parameter, when its ends are literals."""
    if core[0] == "local":
        return check.bounds.get(core[1])
    if core[0] != "ref":
        return None
    record = check.scope.fields.get(core[1]) or check.scope.quantities.get(core[1])
    domain = record.domain if record is not None else None
    if domain is None or len(domain.items) != 1 or domain.items[0][0] != "range":
        return None
    low, high = domain.items[0][1], domain.items[0][2]
    if low[0] == high[0] == "num" and high[1] - low[1] <= 64:
        return int(low[1]), int(high[1])
    return None
