"""Why a name or an expression has no value: the reason for a value that it depends on, or the path to a missing input.

Input: a lowering that has met it. Output: text, and names in order from the one asked for to the cause.
"""

from __future__ import annotations

from llmplan.check.ir import Expr, Ref, walk
from llmplan.check.program import SourceRef
from llmplan.system.lower import Lowering
from llmplan.system.missing import NO_REASON, Missing


def why(lowering: Lowering, expr: Expr) -> str:
    """The reason why an expression has no value: the first one on the way to its inputs."""
    pending = [found.name for found in walk(expr) if isinstance(found, Ref)]
    seen: set[str] = set()
    while pending:
        name = pending.pop(0)
        if name in seen:
            continue
        seen.add(name)
        if name in lowering.names.reasons:
            return lowering.names.reasons[name]
        trace = lowering.names.traces.get(name)
        if trace is not None and is_undefined(lowering, name):
            pending += trace.reads
    return NO_REASON


def is_undefined(lowering: Lowering, name: str) -> bool:
    """True for a name that has been lowered and has no value here, for a reason other than a missing input."""
    node = lowering.names.values.get(name)
    if node is None or isinstance(node, Missing):
        return False
    value = lowering.graph.constant(node)
    return value is not None and value != value


def path_to(lowering: Lowering, place: SourceRef, needed: str) -> list[str]:
    """Names from an expression of the plan down to an input that it lacks."""
    name, start, end = place
    text = lowering.scope.sources[name].text[start:end]
    roots = [n for n in lowering.names.values if n in text and needed in _needs(lowering, n)]
    chain: list[str] = []
    while roots and roots[0] not in chain:
        chain.append(roots[0])
        if roots[0] == needed:
            return chain
        trace = lowering.names.traces.get(roots[0])
        roots = [n for n in (trace.reads if trace else ()) if needed in _needs(lowering, n)]
    return [*chain, needed]


def _needs(lowering: Lowering, name: str) -> tuple[str, ...]:
    value = lowering.names.values.get(name)
    return value.needs if isinstance(value, Missing) else ()
