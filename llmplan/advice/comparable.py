"""Catalog entries that cannot be compared: those that a search skips, and those whose figures have different bases.

Input: a trial of a plan and its answer, or a table. Output: the entries for which the objective has no value, with the
reason for the first, such as an unknown price; and W0618 for each field declared `@comparable`, such as a price, whose
basis differs between the entries shown together, if a result that people compare depends on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

from llmplan.advice.trial import Trial, evaluated
from llmplan.answer.schema.advice import Lever, Skipped
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.tables import Table
from llmplan.check.ir import Entry, Ref, walk
from llmplan.check.plan import Program
from llmplan.check.program import Setting
from llmplan.diagnostics import Diagnostic, solving
from llmplan.system.display import one_line, scalar, show
from llmplan.system.levers import worth_of
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.system.reasons import why
from llmplan.units.amount import Amount
from llmplan.units.measure import is_catalog

_NAMED = 5
"""The most entries that are named."""


def skipped_entries(trial: Trial, answer: Solution) -> tuple[Skipped, ...]:
    """The skipped entries, such as `RTX-4090`, where `cost` needs `hardware.price`: a record for each unknown entry."""
    goal = next((goal for goal in trial.program.goals if goal.author), None)
    if goal is None or not trial.system.objectives:
        return ()
    records = []
    aim, scope, here = trial.system.objectives[0].node, trial.program.scope, trial.outcome.point
    for index, unknown in enumerate(trial.system.unknowns):
        if not unknown.asked or unknown.values is None or not is_catalog(unknown.type):
            continue
        points = {value: {**here, index: value} for value in unknown.values if value != here.get(index)}
        lost = [value for value, point in points.items() if math.isnan(trial.own.values((aim,), point)[aim])]
        if lost:
            lowering = trial.own.at(points[lost[0]])
            lowering.lower(goal.value, {}, base=goal.place[0])
            names = [show(value, unknown.type, scope, "") for value in lost]
            text = one_line(scope.span(goal.place).text)
            records.append(Skipped(tuple(names[:_NAMED]), len(names), text, why(lowering, goal.value)))
    return tuple(records)


def unlike_entries(trial: Trial, answer: Solution) -> tuple[Diagnostic, ...]:
    """W0618 for the entries in the layouts of an answer and in the changes that it proposes."""
    best = [one for one in answer.levers if one.best] or answer.relaxations

    def named(chosen: str) -> Iterator[Amount]:
        """The entries that the answer names for a selector, and the chosen one."""
        others = [
            value for one in (*answer.alternatives, *answer.front) for name, value in one.settings if name == chosen
        ]
        for change in best:
            if change.name == chosen:
                others += [change.amount] if isinstance(change, Lever) else change.values
        yield from others
        now = worth_of(chosen, trial.here) if others else None
        if now is not None:
            yield Amount(scalar(now, trial.program.scope.fields[chosen].type, trial.program.scope))

    return (*answer.diagnostics, *_unlike(trial.here, named))


def unlike_in_table(lowering: Lowering, table: Table | None) -> tuple[Diagnostic, ...]:
    """W0618 for the entries in the solved rows of a table.

    Args:
        lowering: That of the plan, or of one of its points.
    """

    def named(chosen: str) -> Iterator[Amount]:
        for row in table.rows if table is not None else ():
            if row.status == "solved":
                point = dict(zip(table.axes, row.at)) if table is not None else {}
                yield from (values[chosen] for values in (point, row.unknowns) if chosen in values)

    return tuple(_unlike(lowering, named))


def _unlike(lowering: Lowering, named: Callable[[str], Iterable[Amount]]) -> Iterator[Diagnostic]:
    """W0618 for entries that are compared although their bases differ."""
    scope = lowering.scope
    for path, basis in scope.comparable.items():
        kind = path.partition(".")[0]
        chosen = scope.selector(kind)
        entries = sorted({str(one.value) for one in named(chosen)} & scope.entries[kind].keys())
        sorts: dict[str, list[str]] = {}
        results: list[str] = []
        for entry in entries if len(entries) > 1 else ():
            setting = Setting(Entry(kind, entry), None, scope.entries[kind][entry].place)
            changed = evaluated(lowering, {chosen: setting})
            node, known = (changed.unknowns.settled(changed.name(name)) for name in (basis, path))
            value = None if isinstance(node, Missing) else changed.graph.constant(node)
            made_of = results or list(_made_of(lowering.program, changed, path))
            if value is not None and not isinstance(known, Missing) and made_of:
                results = made_of
                sorts.setdefault(show(value, scope.fields[basis].type, scope, ""), []).append(entry)
        if len(sorts) > 1:
            yield solving.not_alike(results, path, basis, sorts)


def _made_of(program: Program, lowering: Lowering, path: str) -> Iterator[str]:
    """The compared results that depend on a field of an entry."""
    scope = program.scope
    asked = [goal.value for goal in program.goals if goal.author] + [row.value for row in program.shows]
    named = [part.name for value in asked for part in walk(value) if isinstance(part, Ref)]
    for name in dict.fromkeys([*sorted(scope.compared, key=lambda one: scope.compared[one]), *named]):
        if name in scope.quantities:
            lowering.name(name)
            if path in _reads(lowering, name):
                yield name


def _reads(lowering: Lowering, name: str) -> set[str]:
    """All names that a name depends on, directly or indirectly."""
    reads: set[str] = set()
    pending = [name]
    while pending:
        trace = lowering.names.traces.get(pending.pop())
        further = [read for read in (trace.reads if trace is not None else ()) if read not in reads]
        reads.update(further)
        pending += further
    return reads
