"""Entries that stand for the members of an enum: each must set every field that is read from it.

`kernels: Kernels = stack.kernels[parallelism.framework]` takes the kernels that a plan's own stack leaves open from the
usual entry of the framework. Input: a checked scope and the statements in it. Output: one diagnostic for each member
without an entry, for each entry that lacks fields, however many, and for each name in `@usual` that has no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from llmplan.check import ir
from llmplan.check.entry_names import normal
from llmplan.check.scope import Scope
from llmplan.diagnostics import Diagnostic
from llmplan.diagnostics.decorators import unmeant
from llmplan.diagnostics.entries import unsaid
from llmplan.source import Span
from llmplan.syntax.decorators import arguments, written
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


def report_unmeant(scope: Scope, of: Statements, report: Callable[[Diagnostic], None]) -> None:
    """E0310 for a name in `@usual` that is no member by which fields are read, and fits no other entry."""
    members_of: dict[str, list[str]] = {}
    for entry in of.entries:
        kind, name = entry.kind.text, entry.name.plain or ""
        for argument in arguments(entry.decorators, "usual") if name in scope.entries.get(kind, {}) else ():
            if kind not in members_of:
                members_of[kind] = _members(scope, kind)
            alias, members = written(argument), members_of[kind]
            if alias not in members and not _fits_others(scope, kind, name, normal(alias)):
                report(unmeant(argument.span, alias, kind, members))


def _members(scope: Scope, kind: str) -> list[str]:
    """The members of the enums by which defaults and formulas read the fields of a kind's entries."""
    paths = [f"{kind}.{field}" for field in scope.kinds[kind]]
    defaults = [scope.fields[path].default for path in paths if path in scope.fields]
    quantities = [one.value for quantity in scope.quantities.values() for one in quantity.alternatives]
    exprs = [*(one.value for one in defaults if one is not None and one.value is not None), *quantities]
    reads = [read for expr in exprs for read in ir.walk(expr) if isinstance(read, ir.FieldAt)]
    enums = dict.fromkeys(read.enum for read in reads if read.kind == kind and read.enum)
    return [member for enum in enums for member in scope.enums[enum].members]


def _fits_others(scope: Scope, kind: str, entry: str, alias: str) -> bool:
    """Whether another entry has the name, or begins with it."""
    table = scope.entries[kind]
    further = ((name, further) for name in table if name != entry for further in (name, *table[name].names))
    return any(f"{normal(text)}-".startswith(f"{alias}-") for _, text in further)


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
