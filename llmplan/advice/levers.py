"""The effect of single changes to a solved plan: each lever at another value, and the plan solved again with it.

Input: a trial of the plan at its answer. Output: rows with every result before and after the change, in classes: free
switches of the software, other settings, counts, another entry; within a class by the verdict and the objective. A
change that gains nothing in what plans are compared by, or only room where there is enough, has no row. Values are
chosen by a look at the plan with all else as in the answer, which costs next to nothing; the chosen ones are solved.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence

from attrs import evolve, frozen

from llmplan.advice.chance_search import asked_number, following, rounded, sure_value
from llmplan.advice.decided import decided, differs, judged, moved, worse
from llmplan.advice.ledger import SHARES, Spent, account
from llmplan.advice.order import in_order
from llmplan.advice.trial import Changes, Figures, Trial, Tried
from llmplan.answer.schema.advice import Lever, Moved, Verdicted
from llmplan.answer.schema.solution import Solution
from llmplan.check.ir import Text
from llmplan.check.program import Setting
from llmplan.system.adjustable import Knob, knob_of
from llmplan.system.display import amount, one_line, show
from llmplan.system.levers import beside, described, looked_at, set_to, sort_of, values, worth
from llmplan.system.levers import levers as declared
from llmplan.system.proposals import proposals, written
from llmplan.uncertainty.bands import MEETS, SAFE
from llmplan.units.measure import KindType, Measure, is_catalog

_SLIGHTLY = 0.01
"""The share by which a run may become dearer for being faster, where the plan has no question that decides."""

_BEST = 4
"""The number of rows that a screen shows."""


def levers(trial: Trial, answer: Solution) -> tuple[Lever, ...]:
    """The effect of each lever, the nearest value at which all requirements are safe, and the best other entry."""
    stated = [one for one in answer.requirements if one.origin in ("plan", "used") and one.holds]
    uncertain = {one.name: one.chance for one in stated if one.chance is not None and one.verdict != "safe"}
    knobs = [(knob, now) for knob in declared(trial.program) for now in [worth(knob, trial.here)] if now is not None]
    table = _Levers(trial, judged(answer), _roomy(answer))
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
    def __init__(self, trial: Trial, own: Mapping[str, Verdicted], roomy: Collection[str]) -> None:
        self.trial, self.program, self.here, self.judged = trial, trial.program, trial.here, own
        self.roomy = roomy
        self.least = min((one.chance for one in own.values() if one.chance is not None), default=None)
        self.figures = trial.figures
        places = self.program.scope.compared
        self.compared = [name for name in sorted(places, key=lambda name: places[name][1]) if name in self.figures]
        self.account = account("levers")
        graph, unknowns = trial.system.graph, trial.system.unknowns
        aim = next(iter(trial.system.objectives), None)
        asked = (i for i, unknown in enumerate(unknowns) if unknown.asked)
        self.aim = next((i for i in asked if aim is not None and graph.unknown(i) == aim.node), None)
        self.aimed = "" if self.aim is None else unknowns[self.aim].path
        named = aim is not None and aim.author and one_line(aim.text)
        self.goal = (named, aim.sense) if aim is not None and named and named in self.figures else None
        self.own = {u.path: u.values for u in unknowns if u.used and u.asked and u.values is not None}

    def rows(self, knobs: Sequence[tuple[Knob, float]], uncertain: Mapping[str, float]) -> tuple[Lever, ...]:
        closed = [(knob, now) for knob, now in knobs if not knob.setting.open]
        rows = [row for knob, now in closed if is_catalog(knob.type) for row in self._entry(knob, now)][:1]
        rows += self._single([(knob, now) for knob, now in closed if not is_catalog(knob.type)])
        before = self._key(self.figures)
        rows = [row for row in rows if self._after(row.results) < before and not worse(self.judged, row.judged)]
        rows = [row for row in rows if self._gains(row)]
        shown = {row.text for row in rows}
        rows += [row for row in self._safe(knobs, uncertain) if row.text not in shown]
        rows = [evolve(row, chance_before=None if row.chance is None else self.least) for row in rows]
        marked = self._marked(in_order(rows, lambda row: self._after(row.results)))
        # A screen has fewer rows then: the next in order is not worth more for it.
        return tuple(row for row in marked if row.purpose != "change" or not self._spares_alone(row))

    def _single(self, knobs: Sequence[tuple[Knob, float]]) -> list[Lever]:
        """Of each lever the best value by a quick look, solved again; the most promising ones are solved."""
        best: list[_Change] = []
        for knob, now in knobs:
            changes = [self._change(knob, now, value) for value in looked_at(knob, now, self.here)]
            kept = [change for change in changes if change is not None and change.tried.same_work]
            better = [change for change in kept if self._better(change)]
            ranked = sorted(better, key=lambda one: self._key(one.tried.figures))
            holding = [change for change in ranked if not change.tried.fails]
            # What fails as it stands promises more than solving again keeps, the most extreme value the most.
            best += holding[:1] or ranked[len(ranked) // 2 :][:1]
        best.sort(key=lambda one: self._key(one.tried.figures))
        free: list[_Change] = []
        others: list[_Change] = []
        for change in best:
            (free if sort_of(change.knob, self.program) == "switch" else others).append(change)
        others.sort(key=lambda one: bool(one.tried.fails))
        chosen = _in_turn(free)[: self.account.tries // 2] + others
        rows = [self._again(change, self._row(change)) for change in chosen[: self.account.tries]]
        return [row for row in rows if row is not None]

    # A change with everything else as in the answer

    def _change(self, knob: Knob, now: float, value: float, computed: Changes | None = None) -> _Change | None:
        """A lever at another value; None if that has no text, is not legal, lacks a result or changes none.

        Args:
            computed: The settings of what follows from it.
        """
        text, value = self._text(knob, value)
        if not text:
            return None
        tried = self.trial.at({knob.path: set_to(knob, value, self.here), **(computed or {})})
        if any(name not in tried.figures for name in self.figures):
            return None
        if not any(differs(before, tried.figures[name][1]) for name, (_, before) in self.figures.items()):
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
            near = near or (proposed if not differs(proposed.value, value) else None)
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
            results=tuple(moved(self.trial, change.tried)),
            sort=sort_of(knob, self.program),
            changes=scope.fields[knob.path].changes,
            source=self._priced(knob, change.text),
        )

    # Ranking

    def _better(self, change: _Change) -> bool:
        """Whether a change improves any result that plans are compared by."""
        pairs = ((self.figures[name][1], change.tried.figures[name][1]) for name in self.compared)
        return any(after < before and differs(before, after) for before, after in pairs)

    def _gains(self, row: Lever) -> bool:
        """Whether a change makes a run neither slower nor dearer, where the plan has no question that decides."""
        if self.goal is not None or self.judged:
            return True
        calendar = self.program.scope.calendar
        moved = [one for one in row.results if one.name in calendar]
        return all(one.after.number <= (1.0 + _SLIGHTLY) * one.before.number for one in moved)

    def _spares_alone(self, row: Lever) -> bool:
        """Whether a change only leaves more of what there is enough of, such as the memory of a GPU."""
        scarce = [result for result in row.results if result.name in self.compared and result.name not in self.roomy]
        return all(result.same for result in scarce)

    def _marked(self, rows: Sequence[Lever]) -> list[Lever]:
        """The rows, in order, with those marked that a screen shows: what is sure and another entry are among them."""
        kept = [row for row in rows if row.purpose != "change"][:_BEST]
        kept += [row for row in rows if row.purpose == "change"][: _BEST - len(kept)]
        return [evolve(row, best=any(row is best for best in kept)) for row in rows]

    def _after(self, moved: Sequence[Moved]) -> tuple[float, ...]:
        return self._order({result.name: result.after.number for result in moved})

    def _key(self, figures: Figures) -> tuple[float, ...]:
        return self._order({name: value for name, (_, value) in figures.items()})

    def _order(self, after: dict[str, float]) -> tuple[float, ...]:
        """The sort key of a change, to as many digits as are shown: the author's objective, then the results that plans
        are compared by.
        """
        aimed = [after.get(self.goal[0], math.inf) * self.goal[1]] if self.goal is not None else []
        numbers = [*aimed, *(after.get(name, math.inf) for name in self.compared)]
        return tuple(float(f"{number:.4g}") for number in numbers)

    # The whole plan solved again

    def _again(self, change: _Change, row: Lever) -> Lever | None:
        """The row with the plan solved again; None if it has no solution. Without one for the effort as looked at."""
        if any(rule.certain for rule in self.program.rules):
            return self._as_looked_at(change, row)
        changes = {change.knob.path: set_to(change.knob, change.value, self.here)}
        again = self.account.afford(lambda effort: self.trial.again(changes, effort))
        if isinstance(again, Spent):
            return self._as_looked_at(change, row)
        if again is None or any(name not in again.figures for name in self.figures):
            return None
        row = evolve(row, results=tuple(moved(self.trial, again, doubtful=row.purpose == "entry")))
        row = evolve(self._likely(row, again), decided=decided(self.trial, again.solved, change.knob.path))
        if self.aim is None or self.aimed == change.knob.path or self.aimed not in again.solved:
            return row
        unknown, scope = self.trial.system.unknowns[self.aim], self.here.scope
        pair = self.trial.outcome.point[self.aim], again.solved[unknown.path]
        before, after = (unknown.amount(value, scope) for value in pair)
        return evolve(row, unknown=unknown.path, solved_before=before, solved=after)

    def _as_looked_at(self, change: _Change, row: Lever) -> Lever | None:
        """The row without solving again; None if the plan fails so."""
        kept = any(unknown.used for unknown in self.trial.system.unknowns)
        return None if change.tried.fails else evolve(self._likely(row, change.tried), kept=kept)

    def _likely(self, row: Lever, tried: Tried) -> Lever:
        """The row with the author's requirements after the change, where anything is uncertain."""
        return evolve(row, chance=tried.chance, judged=tried.judged) if self.here.scope.banded else row

    # Other entries, and safe values

    def _entry(self, knob: Knob, now: float) -> list[Lever]:
        """The best other entry by the compared results, among those for which all results have a value."""
        if knob.setting.open or described(self.program, knob):
            return []
        for value in self._best_entries(knob, values(knob, now, self.here))[: SHARES["entries"].tries]:
            change = self._change(knob, now, value)
            row = None if change is None else self._again(change, evolve(self._row(change), purpose="entry"))
            if row is not None:
                return [row]
        return []

    def _priced(self, knob: Knob, entry: str) -> str:
        """The source of an entry's price, or of what else its entries are compared by, with its date."""
        scope = self.here.scope
        kind = knob.type.name if isinstance(knob.type, KindType) else ""
        sources = [f"{path}_source" for path in scope.comparable if path.partition(".")[0] == kind]
        record = scope.entries[kind].get(entry) if sources else None
        settings = dict(record.settings) if record is not None else {}
        given = [settings[name.partition(".")[2]].value for name in sources if name.partition(".")[2] in settings]
        return next(("".join(map(str, one.pieces)) for one in given if isinstance(one, Text)), "")

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

    def _safe(self, knobs: Sequence[tuple[Knob, float]], uncertain: Mapping[str, float]) -> list[Lever]:
        """The nearest value of a lever at which every requirement of the author is safe; before it, where one is less
        likely than not, the nearest at which all are met."""
        numbers = [(knob, now) for knob, now in knobs if isinstance(knob.type, Measure) and knob.choices is not None]
        # The requested input first, then machines, then the inputs declared last, which change least in how the plan is
        # carried out.
        numbers.reverse()
        numbers += asked_number(self.trial, self.aimed, {knob.path for knob, _ in knobs})
        numbers.sort(
            key=lambda pair: (
                self.aimed not in (pair[0].path, *following(self.trial, pair[0])),
                sort_of(pair[0], self.program) != "count",
            )
        )
        met: list[Lever] = []
        for knob, now in numbers[: SHARES["safe value"].tries] if uncertain else ():
            names = list(uncertain)
            meets = self._sure(knob, now, names, MEETS) if min(uncertain.values()) < MEETS else None
            safe = self._sure(knob, now, names, SAFE)
            rows = [evolve(meets, purpose="meets")] if meets is not None else []
            if safe is not None:
                return [*(row for row in rows if row.text != safe.text), evolve(safe, purpose="safe")]
            met = met or rows
        return met

    def _sure(self, knob: Knob, now: float, uncertain: Sequence[str], share: float) -> Lever | None:
        """The nearest value of a lever at which requirements are so likely, if nothing else fails there."""
        computed = following(self.trial, knob)
        sides = beside(knob, now, self.here, self.own.get(knob.path))
        if not any(sides) and knob.path == self.aimed and self.aim is not None:
            sides = rounded(self.trial.system.unknowns[self.aim], now)
        fixed = {**self._fixed(knob.path), **computed}
        sure = sure_value(self.trial, fixed, knob, now, sides, uncertain, share)
        change = None if sure is None else self._change(knob, now, sure[0], computed)
        if sure is None or change is None or change.tried.fails:
            return None
        return evolve(self._row(change), chance=sure[1])


def _roomy(answer: Solution) -> frozenset[str]:
    """What the library limits, where every requirement on it is safe and the plan asks for no less of it."""
    limits = [rule for rule in answer.requirements if rule.compared is not None]
    tight = {rule.compared.subject for rule in limits if rule.compared is not None and rule.verdict != "safe"}
    library = {rule.compared.subject for rule in limits if rule.compared is not None and rule.origin == "library"}
    return frozenset(library - tight - {aim.text for aim in answer.objectives})


def _in_turn(changes: Sequence[_Change]) -> list[_Change]:
    """Changes that hold with all else as in the answer and those that do not, each in its order, by turns: where a
    smaller degree gains most it often needs a smaller micro-batch too, which only solving again finds.
    """
    holding = [change for change in changes if not change.tried.fails]
    failing = [change for change in changes if change.tried.fails]
    turns = itertools.zip_longest(holding, failing)
    return [change for turn in turns for change in turn if change is not None]
