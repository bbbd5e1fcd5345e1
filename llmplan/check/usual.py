"""Entries that stand for the members of an enum: each says every field that is read of it by default.

`kernels: Kernels = stack.kernels[parallelism.framework]` takes what a plan's own stack leaves open from the entry that
is usual for the framework. Input are a checked scope and the statements that went into it; output are diagnostics, one
for each member without an entry and for each entry that lacks fields, however many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llmplan.check import ir
from llmplan.check.scope import Scope
from llmplan.diagnostics import Diagnostic
from llmplan.diagnostics.names import unsaid
from llmplan.syntax import nodes


def report_unsaid(scope: Scope, statements: Sequence[nodes.Statement], report: Callable[[Diagnostic], None]) -> None:
    """E0212 for what the defaults of the kinds among some statements read of entries that do not say it."""
    enums = [s for s in statements if isinstance(s, (nodes.Enum, nodes.AmendEnum))]
    spans = {(s.name.text, member.name.text): member.span for s in enums for member in s.members}
    for kind in (s for s in statements if isinstance(s, nodes.Kind)):
        fallbacks: dict[str, list[ir.FieldAt]] = {}
        for node in kind.fields:
            default = scope.fields[f"{kind.name.text}.{node.name.text}"].default
            expr = default.value if default is not None else None
            if isinstance(expr, ir.FieldAt) and expr.enum:
                fallbacks.setdefault(expr.enum, []).append(expr)
        for enum, reads in fallbacks.items():
            for index, member in enumerate(scope.enums[enum].members):
                lacking = [read.field for read in reads if not _says(scope, read.kind, read.entries[index], read.field)]
                if lacking:
                    entry = reads[0].entries[index]
                    span = spans.get((enum, member), kind.name.span)
                    at = scope.span(scope.entries[reads[0].kind][entry].place) if entry else span
                    report(unsaid(at, reads[0].kind, member, entry, lacking))


def _says(scope: Scope, kind: str, entry: str, field: str) -> bool:
    """Whether an entry, or one that it is like, sets a field."""
    passed: set[str] = set()
    while entry and entry not in passed:
        passed.add(entry)
        record = scope.entries[kind][entry]
        if field in dict(record.settings):
            return True
        entry = record.like
    return False
