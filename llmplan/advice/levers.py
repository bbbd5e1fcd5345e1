"""The effect of single changes to a solved plan: each lever at another value, all else as in the answer.

Input: a trial of the plan at its answer. Output: rows with every result before and after the change, and with the
requirements that fail after it, in the library's order for comparing plans. If the answer is itself an unknown, the
plan is also solved again with the change.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from attrs import evolve, frozen

from llmplan.advice.chance_search import safest
from llmplan.advice.ledger import SHARES, Spent, account
from llmplan.advice.trial import Figures, Trial, Tried
from llmplan.answer.schema.advice import Broken, Lever, Moved
from llmplan.answer.schema.solution import Solution
from llmplan.check.program import Setting
from llmplan.system.adjustable import Knob, knob_of
from llmplan.system.comparison import case
from llmplan.system.display import amount, show
from llmplan.system.levers import beside, described, set_to, values, worth
from llmplan.system.levers import levers as declared
from llmplan.system.proposals import proposals, written
from llmplan.units.amount import Range
from llmplan.units.measure import Measure, is_catalog

MOST = 12
"""The most rows in the table."""

_BEST = 3
"""The number of best rows, shown first."""

_OF_ONE = 2
"""The most rows for one lever."""

_SLIGHT = 5e-4
"""Relative differences below this look the same to a reader."""


def levers(trial: Trial, answer: Solution) -> tuple[Lever, ...]:
    """The effect of each lever, the nearest value at which all requirements are safe, and the best other entry."""
    stated = [one for one in answer.requirements if one.origin in ("plan", "used") and one.holds]
    uncertain = [one.name for one in stated if one.verdict not in (None, "safe")]
    knobs = [(knob, now) for knob in declared(trial.program) for now in [worth(knob, trial.here)] if now is not None]
    table = _Levers(trial)
    return table.rows(knobs, uncertain) if table.compared else ()


@frozen
class _Change:
    """A lever at another value: `text` as its author would write it, and the plan with it."""

    knob: Knob
    now: float
    value: float
    text: str
    tried: Tried


class _Levers:
    def __init__(self, trial: Trial) -> None:
        self.trial, self.program, self.here = trial, trial.program, trial.here
        self.figures = trial.figures
        places = self.program.scope.compared
        self.compared = [name for name in sorted(places, key=lambda name: places[name][1]) if name in self.figures]
        self.account = account("levers")
        graph, unknowns = trial.system.graph, trial.system.unknowns
        aim = next(iter(trial.system.objectives), None)
        asked = (i for i, unknown in enumerate(unknowns) if unknown.asked)
        self.aim = next((i for i in asked if aim is not None and graph.unknown(i) == aim.node), None)
        self.aimed = "" if self.aim is None else unknowns[self.aim].path
        self.own = {u.path: u.values for u in unknowns if u.used and u.asked and u.values is not None}

    def rows(self, knobs: Sequence[tuple[Knob, float]], uncertain: Sequence[str]) -> tuple[Lever, ...]:
        gains: list[_Change] = []
        others: list[_Change] = []
        rows: list[Lever] = []
        for knob, now in knobs:
            if is_catalog(knob.type):
                rows += self._entry(knob, now)
                continue
            for value in values(knob, now, self.here, self.own.get(knob.path)):
                change = self._change(knob, now, value)
                if change is not None:
                    (gains if self._better(change) else others).append(change)
        rows += self._safe(knobs, uncertain)
        rows += self._single(rows, gains, others, [knob.path for knob, _ in knobs])
        return tuple(sorted(self._marked(rows), key=lambda row: self._after(row.results)))

    def _single(self, rows: list[Lever], gains: list[_Change], others: list[_Change], order: list[str]) -> list[Lever]:
        """The rows for single changes: first improvements, even if they break a requirement, then other legal ones."""
        shown: list[tuple[_Change, Lever]] = []
        broken: list[_Change] = []
        for changes, legal in ((gains, True), (broken, False), (others, True)):
            for change in sorted(changes, key=lambda change: self._key(change.tried.figures)):
                if len(rows) + len(shown) >= MOST:
                    break
                if legal and change.tried.fails:
                    broken += [change] if changes is gains else []
                    continue
                row = self._row(change)
                mine = [other for other in (*rows, *(row for _, row in shown)) if other.name == row.name]
                if len(mine) < _OF_ONE and not any(other.text == row.text or _alike(row, other) for other in mine):
                    shown.append((change, row))
        shown.sort(key=lambda pair: order.index(pair[1].name))
        left, single = self.account.tries, []
        for change, row in shown:
            single.append(self._again(change, row) if left > 0 and row.legal else row)
            left -= single[-1] is not row
        return single

    # A change with everything else as in the answer

    def _change(self, knob: Knob, now: float, value: float) -> _Change | None:
        """A lever at another value; None if that has no text, is not legal, lacks a result or changes none."""
        text, value = self._text(knob, value)
        if not text:
            return None
        tried = self.trial.at({knob.path: set_to(knob, value, self.here)})
        if any(name not in tried.figures for name in self.figures):
            return None
        if not any(_differs(before, tried.figures[name][1]) for name, (_, before) in self.figures.items()):
            return None
        legal = not any(problem.severity == "error" for problem in tried.lowering.names.diagnostics)
        return _Change(knob, now, value, text, tried) if legal else None

    def _text(self, knob: Knob, value: float) -> tuple[str, float]:
        """A value as its author would write it, and the number that this stands for; empty if there is no such text."""
        if not isinstance(knob.type, Measure):
            return show(value, knob.type, self.here.scope, ""), value
        near = None
        for proposed in proposals(value, knob.type, knob.unit, None, self.here):
            if proposed.value == value:
                return proposed.text, proposed.value
            near = near or (proposed if not _differs(proposed.value, value) else None)
        return (near.text, near.value) if near is not None else ("", value)

    def _row(self, change: _Change) -> Lever:
        knob, scope = change.knob, self.here.scope
        return Lever(
            name=knob.path,
            before=amount(change.now, knob.type, scope, knob.unit),
            amount=amount(change.value, knob.type, scope, knob.unit),
            unit=scope.units.base(knob.type) if isinstance(knob.type, Measure) else None,
            before_text=self._text(knob, change.now)[0],
            text=change.text,
            statement=f"{knob.path} = {written(change.text, knob.type)}",
            results=tuple(self._moved(change.tried)),
            breaks=tuple(Broken(name, *case(change.tried.lowering, name)) for name in change.tried.fails),
        )

    def _moved(self, tried: Tried, doubtful: bool = False) -> Iterator[Moved]:
        """The results of the answer and those after a change.

        Args:
            doubtful: Whether to add their bands: measurements of the chosen entry may not apply to another one.
        """
        scope = self.here.scope
        for name, (result, before) in self.figures.items():
            value = tried.figures[name][1]
            ends = tried.bands.ends(name) if doubtful and name in scope.quantities else None
            yield Moved(
                name=name,
                before=result.amount(before, self.here),
                after=result.amount(value, self.here),
                same=not _differs(before, value),
                base=scope.units.base(result.type),
                band=Range(*(result.amount(end, self.here) for end in ends)) if ends else None,
            )

    # Ranking

    def _better(self, change: _Change) -> bool:
        """Whether a change improves any result that plans are compared by."""
        pairs = ((self.figures[name][1], change.tried.figures[name][1]) for name in self.compared)
        return any(after < before and _differs(before, after) for before, after in pairs)

    def _marked(self, rows: Sequence[Lever]) -> list[Lever]:
        """The rows with the best marked: the largest improvement, what is safe, the best other entry."""
        now = self._key(self.figures)
        gain = [row for row in rows if row.purpose == "change" and row.legal and self._final(row) < now]
        gain.sort(key=self._final)
        entry = [row for row in rows if row.purpose == "entry" and self._final(row) < now]
        ordered = [*gain[:1], *(row for row in rows if row.purpose == "safe"), *entry, *gain[1:]]
        return [evolve(row, best=any(row is best for best in ordered[:_BEST])) for row in rows]

    def _final(self, row: Lever) -> tuple[float, ...]:
        """The compared results after a change, with everything solved again if that was done."""
        return self._after(row.solved_results or row.results)

    def _after(self, moved: Sequence[Moved]) -> tuple[float, ...]:
        return self._order({result.name: result.after.number for result in moved})

    def _key(self, figures: Figures) -> tuple[float, ...]:
        return self._order({name: value for name, (_, value) in figures.items()})

    def _order(self, after: dict[str, float]) -> tuple[float, ...]:
        """The sort key of a change: the results that plans are compared by, to as many digits as are shown."""
        return tuple(float(f"{after[name]:.4g}") if name in after else math.inf for name in self.compared)

    # The whole plan solved again

    def _again(self, change: _Change, row: Lever) -> Lever:
        """The row with the new value of the objective's unknown, if that is not this lever."""
        if self.aim is None or self.aimed == change.knob.path:
            return row
        unknown, scope = self.trial.system.unknowns[self.aim], self.here.scope
        row = evolve(row, unknown=unknown.path, solved_before=unknown.amount(self.trial.outcome.point[self.aim], scope))
        if any(rule.certain for rule in self.program.rules):
            return row
        changes = {change.knob.path: set_to(change.knob, change.value, self.here)}
        again = self.account.afford(lambda effort: self.trial.again(changes, effort))
        if again is None or isinstance(again, Spent) or any(name not in again.figures for name in self.figures):
            return row
        value = again.solved(unknown.path)
        if value is None:
            return row
        row = evolve(row, solved=unknown.amount(value, scope))
        if row.purpose != "entry":
            return evolve(row, solved_results=tuple(self._moved(again)))
        return evolve(self._doubted(row, again), solved_results=tuple(self._moved(again, doubtful=True)))

    def _doubted(self, row: Lever, tried: Tried) -> Lever:
        """The row with the least chance of the author's requirements, if any is uncertain."""
        chance = tried.chance if self.here.scope.banded else None
        return row if chance is None else evolve(row, chance=chance)

    # Other entries, and safe values

    def _entry(self, knob: Knob, now: float) -> list[Lever]:
        """The best other entry by the compared results, among those for which all results have a value."""
        if knob.setting.open or described(self.program, knob):
            return []
        for value in self._best_entries(knob, values(knob, now, self.here))[: SHARES["entries"].tries]:
            change = self._change(knob, now, value)
            row = None if change is None else self._again(change, evolve(self._row(change), purpose="entry"))
            if change is not None and row is not None and (row.legal or row.solved):
                if row.solved:
                    return [row]
                return [evolve(self._doubted(row, change.tried), results=tuple(self._moved(change.tried, True)))]
        return []

    def _best_entries(self, knob: Knob, others: list[float]) -> list[float]:
        """The entries for which all results have a value with everything else as in the answer, best first."""
        changes = {**self._fixed(knob.path), knob.path: knob.opened(others)}
        each = self.trial.each(changes, knob.path, others)
        ranked = [(self._key(there), value) for value, there in each if all(name in there for name in self.figures)]
        return [value for _, value in sorted(ranked)]

    def _fixed(self, but: str) -> dict[str, Setting]:
        """Every unknown at its value in the answer, except one."""
        point = {path: value for path, value in (self.here.unknowns.fixed or {}).items() if path != but}
        knobs = [(knob_of(self.program, path), value) for path, value in point.items()]
        return {knob.path: set_to(knob, value, self.here) for knob, value in knobs if knob is not None}

    def _safe(self, knobs: Sequence[tuple[Knob, float]], uncertain: Sequence[str]) -> list[Lever]:
        """The nearest value of a lever at which every requirement of the author is safe."""
        numbers = [(knob, now) for knob, now in knobs if isinstance(knob.type, Measure) and knob.choices is not None]
        # The requested input first, then the inputs declared last, which change least in how the plan is carried out.
        numbers.reverse()
        numbers.sort(key=lambda pair: pair[0].path != self.aimed)
        for knob, now in numbers[: SHARES["safe value"].tries] if uncertain else ():
            sides = beside(knob, now, self.here, self.own.get(knob.path))
            safe = safest(self.trial, self._fixed(knob.path), knob, now, sides, uncertain)
            change = None if safe is None else self._change(knob, now, safe[0])
            if safe is not None and change is not None and not change.tried.fails:
                return [evolve(self._row(change), purpose="safe", chance=safe[1])]
        return []


def _alike(one: Lever, other: Lever) -> bool:
    """Whether two changes have the same effect."""
    pairs = zip(one.results, other.results)
    return one.breaks == other.breaks and all(
        not _differs(first.after.number, second.after.number) for first, second in pairs
    )


def _differs(before: float, after: float) -> bool:
    return abs(after - before) > _SLIGHT * max(abs(before), abs(after))
