"""Entries that stand for the members of an enum: each must set every field that is read from it.

`kernels: Kernels = stack.kernels[parallelism.framework]` takes the kernels that a plan's own stack leaves open from the
usual entry of the framework. Input: a checked scope and the statements in it. Output: one diagnostic for each member
without an entry and for each entry that lacks fields, however many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from llmplan.check import ir
from llmplan.check.scope import Scope
from llmplan.diagnostics import Diagnostic
from llmplan.diagnostics.names import unsaid
from llmplan.source import Span
from llmplan.syntax.statements import Statements


def report_unsaid(scope: Scope, of: Statements, report: Callable[[Diagnostic], None]) -> None:
    """E0212 for fields that defaults and formulas in some statements read from entries that do not set them."""
    declared = [(s.name.text, s.members) for s in of.enums] + [(s.name.text, s.members) for s in of.further_members]
    spans = {(enum, member.name.text): member.span for enum, members in declared for member in members}
    reads: dict[tuple[str, str], dict[str, tuple[ir.FieldAt, Span]]] = {}
    for expr, span in _expressions(scope, of):
        for read in ir.walk(expr):
            if isinstance(read, ir.FieldAt) and read.enum:
                reads.setdefault((read.kind, read.enum), {}).setdefault(read.field, (read, span))
    for (kind, enum), fields in reads.items():
        for index, member in enumerate(scope.enums[enum].members):
            entries = {field: read.entries[index] for field, (read, _) in fields.items()}
            lacking = [field for field, entry in entries.items() if not _sets(scope, kind, entry, field)]
            if lacking:
                entry, (_, span) = entries[lacking[0]], fields[lacking[0]]
                at = scope.span(scope.entries[kind][entry].place) if entry else spans.get((enum, member), span)
                report(unsaid(at, kind, member, entry, lacking))


def _expressions(scope: Scope, of: Statements) -> Iterator[tuple[ir.Expr, Span]]:
    """The defaults of the kinds and the formulas of the quantities that some statements declare."""
    for kind in of.kinds:
        for node in kind.fields:
            default = scope.fields[f"{kind.name.text}.{node.name.text}"].default
            if default is not None and default.value is not None:
                yield default.value, node.span
    for quantity in (quantity for quantity in of.quantities if quantity.name.text in scope.quantities):
        alternatives = scope.quantities[quantity.name.text].alternatives
        yield from ((alternative.value, quantity.span) for alternative in alternatives)


def _sets(scope: Scope, kind: str, entry: str, field: str) -> bool:
    """Whether an entry, or one that it inherits from, sets a field."""
    passed: set[str] = set()
    while entry and entry not in passed:
        passed.add(entry)
        record = scope.entries[kind][entry]
        if field in dict(record.settings):
            return True
        entry = record.like
    return False
