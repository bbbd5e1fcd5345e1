"""What single changes of a solved plan would bring: each lever at another value, everything else as in the answer.

Input: a solved plan, lowered at its solution. Output: rows with every result before and after, and with the
    requirements that
fail then, sorted as the library says that plans are compared. Where the answer is itself an unknown, the plan with the
change is solved again too. What that may cost is counted in changes and in evaluations, never in seconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import evolve

from llmplan.answer.schema.advice import Lever, Moved
from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.check.program import Setting
from llmplan.solve.effort import Budget, Effort, OverLimit
from llmplan.solve.engines import best_point
from llmplan.solve.outcome import Outcome
from llmplan.solve.passes import requirements_of
from llmplan.system.adjustable import Knob, knob_of
from llmplan.system.build import Built, build
from llmplan.system.display import amount, show
from llmplan.system.evaluate import evaluate
from llmplan.system.levers import beside, described, set_to, values, worth
from llmplan.system.levers import levers as declared
from llmplan.system.lower import Lowering
from llmplan.units.measure import Measure, is_catalog
from llmplan.whatif.changes import Changes, Tried, alike, case
from llmplan.whatif.doubts import doubted
from llmplan.whatif.results import results
from llmplan.whatif.rounding import written
from llmplan.whatif.safe import safest

MOST = 12
"""Rows of the table."""

_BEST = 3
"""So many of them are shown first."""

_OF_ONE = 2
"""Rows of one lever."""

_ENTRIES = 3
"""So many other entries are tried, the best as the layout is first."""

_AGAIN = 2
"""So many other changes are solved again, in the order in which the library declares the levers."""

_EVALUATIONS = 5e8
"""What all that are solved again may cost together, see `llmplan.solve.effort`."""

_LIMIT = 1e8

_SAFE = 2
"""At so many numbers a value is sought at which everything is safe."""


def levers(
    program: Program, built: Built, outcome: Outcome, point: Lowering, uncertain: Sequence[str]
) -> tuple[Lever, ...]:
    """The rows of the levers of a solved plan.

    Args:
        point: A lowering of it at the answer.
        uncertain: The author's requirements that are not safe.
    """
    knobs = [(knob, now) for knob in declared(program) for now in [worth(knob, point)] if now is not None]
    table = _Levers(built, outcome, Changes(program, point))
    return table.rows(knobs, uncertain) if table.changes.compared else ()


class _Levers:
    def __init__(self, built: Built, outcome: Outcome, changes: Changes) -> None:
        assert built.system is not None
        self.built, self.outcome, self.system, self.changes = built, outcome, built.system, changes
        self.program, self.point = changes.program, changes.point
        self.budget = Budget(_EVALUATIONS)
        aim = next(iter(self.system.objectives), None)
        asked = (i for i, u in enumerate(self.system.unknowns) if u.asked)
        self.aim = next((i for i in asked if aim is not None and self.system.graph.unknown(i) == aim.node), None)
        self.own = {u.path: u.values for u in self.system.unknowns if u.used and u.asked and u.values is not None}

    def rows(self, knobs: Sequence[tuple[Knob, float]], uncertain: Sequence[str]) -> tuple[Lever, ...]:
        gains: list[Tried] = []
        others: list[Tried] = []
        rows: list[Lever] = []
        for knob, now in knobs:
            if is_catalog(knob.type):
                rows += self._entry(knob, now)
                continue
            tried = [
                self.changes.tried(knob, now, value) for value in values(knob, now, self.point, self.own.get(knob.path))
            ]
            for one in tried:
                if one is not None:
                    (gains if self.changes.better(one) else others).append(one)
        rows += self._safe(knobs, uncertain)
        rows += self._single(rows, gains, others, [knob.path for knob, _ in knobs])
        return tuple(sorted(self._marked(rows), key=lambda row: self._after(row.results)))

    def _single(self, rows: Sequence[Lever], gains: list[Tried], others: list[Tried], order: list[str]) -> list[Lever]:
        """The rows beside others: what gains something first, even by breaking a requirement, then what is legal."""
        found: list[tuple[Tried, Lever]] = []
        broken: list[Tried] = []
        for ones, legal in ((gains, True), (broken, False), (others, True)):
            for one in sorted(ones, key=self.changes.order):
                if len(rows) + len(found) >= MOST:
                    break
                if legal and self.changes.fails(one):
                    broken += [one] if ones is gains else []
                    continue
                row = self._row(one)
                mine = [other for other in (*rows, *(row for _, row in found)) if other.name == row.name]
                if len(mine) < _OF_ONE and not any(other.text == row.text or alike(row, other) for other in mine):
                    found.append((one, row))
        found.sort(key=lambda pair: order.index(pair[1].name))
        left = _AGAIN
        made = []
        for one, row in found:
            made.append(self._again(one, row) if left > 0 and row.legal else row)
            left -= made[-1] is not row
        return made

    def _row(self, one: Tried) -> Lever:
        knob, scope = one.knob, self.point.scope
        number = isinstance(knob.type, Measure)
        before = self.changes.text(knob, one.now)[0] if number else show(one.now, knob.type, scope, "")
        return Lever(
            name=knob.path,
            before=amount(one.now, knob.type, scope, knob.unit),
            amount=amount(one.value, knob.type, scope, knob.unit),
            before_text=before,
            unit=scope.units.base(knob.type) if isinstance(knob.type, Measure) else None,
            text=one.text,
            statement=f"{knob.path} = {written(one.text, knob.type)}",
            results=self.changes.moved(one.figures, one.point),
            breaks=tuple(case(one.point, name) for name in self.changes.fails(one)),
        )

    # Which are the best

    def _marked(self, rows: Sequence[Lever]) -> list[Lever]:
        """The rows with the best of them marked: what brings most by itself, what is safe, the best other entry."""
        now = self.changes.key({name: value for name, (_, value) in self.changes.figures.items()})
        gain = [row for row in rows if row.purpose == "change" and row.legal and self._final(row) < now]
        gain.sort(key=self._final)
        entry = [row for row in rows if row.purpose == "entry" and self._final(row) < now]
        ordered = [*gain[:1], *(row for row in rows if row.purpose == "safe"), *entry, *gain[1:]]
        return [evolve(row, best=any(row is one for one in ordered[:_BEST])) for row in rows]

    def _final(self, row: Lever) -> tuple[float, ...]:
        """What plans are compared by after a change, with everything solved again where that is known."""
        return self._after(row.solved_results or row.results)

    def _after(self, found: Sequence[Moved]) -> tuple[float, ...]:
        return self.changes.key({moved.name: moved.after.number for moved in found})

    # The whole plan solved again

    def _again(self, one: Tried, row: Lever) -> Lever:
        """The row with what the objective becomes, where that is an unknown other than this lever."""
        if self.aim is None or self.system.unknowns[self.aim].path == one.knob.path:
            return row
        unknown, scope = self.system.unknowns[self.aim], self.point.scope
        row = evolve(row, unknown=unknown.path, solved_before=unknown.amount(self.outcome.point[self.aim], scope))
        if any(rule.certain for rule in self.program.rules):
            return row
        program = self.changes.with_value(one.knob, one.value)
        made = build(self.built.lowering, program, self.built.reads)
        if made.system is None or any(problem.severity == "error" for problem in made.diagnostics):
            return row
        try:
            point = best_point(made.system, requirements_of(made.system), Effort(_LIMIT, self.budget.half()))
        except OverLimit:
            return row
        index = next((i for i, u in enumerate(made.system.unknowns) if u.path == unknown.path), None)
        if index is None or point is None:
            return row
        lines = results(program, made.lowering)
        at = evaluate(made.lowering.graph, point, [line.node for line in lines])
        after = {line.name: (line, at[line.node]) for line in lines}
        if any(name not in after or not math.isfinite(after[name][1]) for name in self.changes.figures):
            return row
        row = evolve(
            row,
            solved=unknown.amount(point[index], scope),
            solved_results=self.changes.moved(after, made.lowering),
        )
        return doubted(row, made.lowering.again(fixed=made.system.by_path(point))) if row.purpose == "entry" else row

    # Other entries, and what is safe

    def _entry(self, knob: Knob, now: float) -> list[Lever]:
        """The best other entry, by what plans are compared by, among those for which all results have a value."""
        if knob.setting.open or described(self.program, knob):
            return []
        others = values(knob, now, self.point)
        program = varied(self._fixed(knob.path), "--set", {knob.path: knob.opened(others)}, over=True)
        there = self.built.lowering.again(program)
        lines = [line for line in results(program, there) if line.name in self.changes.figures]
        index = next((i for i, unknown in enumerate(there.unknowns.met) if unknown.path == knob.path), None)
        if index is None or len(there.unknowns.met) > 1 or len(lines) < len(self.changes.figures):
            return []
        found = []
        for value in others:
            at = evaluate(there.graph, {index: value}, [line.node for line in lines])
            if all(math.isfinite(at[line.node]) for line in lines):
                found.append((self.changes.key({line.name: at[line.node] for line in lines}), value))
        for _, value in sorted(found)[:_ENTRIES]:
            one = self.changes.tried(knob, now, value)
            row = None if one is None else self._again(one, evolve(self._row(one), purpose="entry"))
            if one is not None and row is not None and (row.legal or row.solved):
                return [row if row.solved else doubted(row, one.point)]
        return []

    def _fixed(self, but: str) -> Program:
        """The plan with every unknown at its answer, but one."""
        point = {path: value for path, value in (self.point.unknowns.fixed or {}).items() if path != but}
        knobs = [(knob_of(self.program, path), value) for path, value in point.items()]
        settings: dict[str, Setting] = {k.path: set_to(k, value, self.point) for k, value in knobs if k is not None}
        return varied(self.program, "--set", settings, over=True)

    def _safe(self, knobs: Sequence[tuple[Knob, float]], uncertain: Sequence[str]) -> list[Lever]:
        """The nearest value of a lever at which every requirement of the author is safe."""
        aim = "" if self.aim is None else self.system.unknowns[self.aim].path
        numbers = [(knob, now) for knob, now in knobs if isinstance(knob.type, Measure) and knob.choices is not None]
        # What is asked for first, then what is declared last, which changes least of how it is done.
        numbers.reverse()
        numbers.sort(key=lambda pair: pair[0].path != aim)
        for knob, now in numbers[:_SAFE] if uncertain else ():
            sides = beside(knob, now, self.point, self.own.get(knob.path))
            found = safest(self._fixed(knob.path), self.built.lowering, knob, now, sides, uncertain)
            one = self.changes.tried(knob, now, found[0]) if found is not None else None
            if found is not None and one is not None and not self.changes.fails(one):
                return [evolve(self._row(one), purpose="safe", chance=found[1])]
        return []
