"""Entries that stand side by side in an answer though figures of theirs are not alike, as a list price and a median.

Input: a lowering of a plan, and the entries that its tables, front, levers or relaxations name. Output: W0618 for each
    field
declared `@comparable` of which they have different sorts, where a result that people compare is made of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from llmplan.answer.schema.advice import Alternative, Lever, Relaxation
from llmplan.answer.schema.tables import Table
from llmplan.check.ir import Entry, Ref, walk
from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.check.program import Setting
from llmplan.diagnostics import Diagnostic, solving
from llmplan.system.display import show
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing


def side_by_side(
    program: Program,
    point: Lowering,
    layouts: Iterable[Alternative] = (),
    changes: Iterable[Lever | Relaxation] = (),
    table: Table | None = None,
) -> tuple[Diagnostic, ...]:
    """W0618 for what is compared and not alike."""
    found: list[Diagnostic] = []
    for path, basis in program.scope.comparable.items():
        kind = path.partition(".")[0]
        chosen = program.scope.selector(kind)
        texts = [str(value.value) for one in layouts for name, value in one.settings if name == chosen]
        for change in changes:
            if change.name == chosen:
                texts += (
                    [str(change.amount.value)]
                    if isinstance(change, Lever)
                    else [str(one.value) for one in change.values]
                )
        texts += list(_rows(table, chosen))
        now = point.unknowns.settled(point.name(chosen)) if texts and table is None else None
        if now is not None and not isinstance(now, Missing):
            value = point.graph.constant(now)
            texts += [] if value is None else [show(value, program.scope.fields[chosen].type, point.scope, "")]
        entries = sorted(
            {entry for text in texts for entry in [text.strip('"')] if entry in program.scope.entries[kind]}
        )
        if len(entries) > 1:
            found += _unlike(program, point, chosen, path, basis, entries)
    return tuple(found)


def _rows(table: Table | None, chosen: str) -> Iterator[str]:
    """The entries that the solved rows of a table have."""
    for row in table.rows if table is not None else ():
        if row.status == "solved":
            at = dict(zip(table.axes, row.at)) if table is not None else {}
            yield from [str(at[chosen].value)] if chosen in at else []
            yield from [str(row.unknowns[chosen].value)] if chosen in row.unknowns else []


def _unlike(
    program: Program, point: Lowering, chosen: str, path: str, basis: str, entries: Sequence[str]
) -> Iterator[Diagnostic]:
    sorts: dict[str, list[str]] = {}
    made: list[str] = []
    type = program.scope.fields[basis].type
    fixed = {name: value for name, value in (point.unknowns.fixed or {}).items() if name != chosen}
    for entry in entries:
        kind = path.partition(".")[0]
        setting = Setting(Entry(kind, entry), None, program.scope.entries[kind][entry].place)
        there = point.again(varied(program, "--set", {chosen: setting}, over=True), fixed=fixed)
        node, known = (there.unknowns.settled(there.name(name)) for name in (basis, path))
        value = None if isinstance(node, Missing) else there.graph.constant(node)
        results = made or list(_made_of(program, there, path))
        if value is None or isinstance(known, Missing) or not results:
            continue
        made = results
        sorts.setdefault(show(value, type, there.scope, ""), []).append(entry)
    if len(sorts) > 1:
        yield solving.not_alike(made, path, basis, sorts)


def _made_of(program: Program, lowering: Lowering, path: str) -> Iterator[str]:
    """The results that are compared and made of an entry's field."""
    scope = program.scope
    asked = [goal.value for goal in program.goals if goal.author] + [row.value for row in program.shows]
    named = [part.name for value in asked for part in walk(value) if isinstance(part, Ref)]
    for name in dict.fromkeys([*sorted(scope.compared, key=lambda one: scope.compared[one]), *named]):
        if name in scope.quantities:
            lowering.name(name)
            if path in _reads(lowering, name):
                yield name


def _reads(lowering: Lowering, name: str) -> set[str]:
    """What a name is made of, however far."""
    found: set[str] = set()
    pending = [name]
    while pending:
        trace = lowering.names.traces.get(pending.pop())
        further = [read for read in (trace.reads if trace is not None else ()) if read not in found]
        found.update(further)
        pending += further
    return found
