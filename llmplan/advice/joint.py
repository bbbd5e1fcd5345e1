"""Several changes that together make an infeasible plan feasible, where no single one does.

Input: an infeasible plan, the bounds of its author that fail, and its levers. Output: sets of changes such as
`hardware.gpus = 1,048` and `cost <= 3.0 MUSD`, each found in steps: first what fails beside the bounds is cured, one
conflict after another; then a lever cures one bound, or none; then every bound that still fails is relaxed to the best
value that the rest allows. Each set is applied and solved before it is reported. A card and its number change together
too: the best card at the best of a few numbers, then the nearest number with it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Sequence

from attrs import evolve, frozen

from llmplan.advice.cure_bounds import bound, bounded_by
from llmplan.advice.cure_values import compared, members, named, value
from llmplan.advice.freed_values import Blocked, Freed
from llmplan.advice.ledger import SHARES, Account
from llmplan.advice.steps import in_steps
from llmplan.advice.together import together
from llmplan.advice.trial import Trial
from llmplan.advice.wording import Cure, of_input
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.solve.effort import Effort
from llmplan.system.adjustable import Knob, in_authors_unit
from llmplan.system.levers import beside, set_to, sort_of, worth
from llmplan.system.proposals import Proposal
from llmplan.units.measure import Measure, is_catalog

_MOST_STEPS = 3
"""The most conflicts beside the bounds that are cured one after another."""

_DOUBLED = 1.9
"""The least factor between the numbers that are tried with each card."""

Singles = Callable[[Trial, Effort], Cure | None]
"""The best single change of an infeasible plan, bounds left out."""


@frozen
class Joint:
    """The sets of changes of an infeasible plan.

    Attributes:
        bounds: The bounds of the author that fail.
        levers: Inputs worth changing, in the order in which to try them.
        single: Finds the best single change of an infeasible plan.
        cures: Pays for each member of a choice that is solved again.
        full: Pays for each plan that is solved in full.
    """

    blocked: Blocked
    bounds: tuple[Rule, ...]
    levers: tuple[Knob, ...]
    single: Singles
    cures: Account
    full: Account

    @property
    def _trial(self) -> Trial:
        return self.blocked.trial

    def tasks(self) -> Iterator[tuple[str, Callable[[Effort], list[Cure]]]]:
        """Searches by name, the likeliest first. Each raises OverLimit as each change does."""
        yield "bounds together", functools.partial(self._with, None, None)
        few, several = SHARES["joint"].tries, self.bounds if len(self.bounds) > 1 else ()
        counts = sorted(self.levers, key=lambda knob: sort_of(knob, self._trial.program) != "count")
        for knob in [one for one in counts if isinstance(one.type, Measure)][:few]:
            for kept in several:
                yield f"{knob.path} and a bound", functools.partial(self._with, knob, kept)
        for entry in (one for one in self.levers if is_catalog(one.type)):
            for knob in [one for one in counts if sort_of(one, self._trial.program) == "count"][:1]:
                for without in (None, *several):
                    yield f"{entry.path} and {knob.path}", functools.partial(self._cards, entry, knob, without)

    def switches(self, effort: Effort) -> list[Cure]:
        """Switches of the software, each at another value: two or three, or as many as it takes."""
        trial = self._trial
        made = []
        names = self.blocked.names
        for one in together(trial, names, self.levers) or in_steps(trial, names, self.levers):
            text = in_authors_unit(one.value, one.knob.type, one.knob.unit, trial.here)
            cure = of_input(trial, one.knob, worth(one.knob, trial.here), [Proposal(text, one.value)])
            if cure is None:
                return []
            made.append(cure)
        return self._joined(made, effort)

    # Bounds, with a lever and with what fails beside them

    def _with(self, knob: Knob | None, kept: Rule | None, effort: Effort) -> list[Cure]:
        """The bounds that must be relaxed, together with a lever that cures the bound that is kept."""
        made = self._beside_the_bounds(effort)
        if made is None:
            return []
        if knob is not None and kept is not None:
            others = {rule.name for rule in self.bounds if rule is not kept}
            alone = _infeasible(self.full, self._trial, _laid(self._trial, made, others))
            cure = None if alone is None else value(Blocked(alone), knob, effort, self.cures)
            if cure is None or any(cure.record.name == one.record.name for one in made):
                return []
            made = [*made, cure]
        return self._joined(self._relaxed(made, kept, effort), effort)

    def _beside_the_bounds(self, effort: Effort) -> list[Cure] | None:
        """Changes after which the plan is feasible but for its bounds; None if they are not found."""
        made: list[Cure] = []
        bounds = {rule.name for rule in self.bounds}
        for _ in range(_MOST_STEPS):
            rest = _infeasible(self.full, self._trial, _laid(self._trial, made, bounds))
            if rest is None:
                return made
            cure = self.single(_first_conflict(self.full, rest) or rest, effort)
            if cure is None or any(cure.record.name == one.record.name for one in made):
                return None
            made.append(cure)
        return None

    def _relaxed(self, made: list[Cure], kept: Rule | None, effort: Effort) -> list[Cure]:
        """The changes with those of the bounds that fail beside them, one after another; empty if one cannot be met."""
        names = [rule.name for rule in self.bounds if rule is not kept]
        changed_by = list(made)
        for number, name in enumerate(names):
            program = _laid(self._trial, changed_by, names[number + 1 :])
            failing = _infeasible(self.full, self._trial, program)
            if failing is None:
                continue
            rule = next(rule for rule in program.rules if rule.name == name)
            cure = bound(Blocked(failing), rule, effort)
            if cure is None:
                return []
            changed_by.append(cure)
        return changed_by

    def _joined(self, made: list[Cure], effort: Effort) -> list[Cure]:
        """One record of several changes, all of which can be written, after the whole plan is solved with them."""
        in_files = bool(self._trial.program.offered)  # where whoever asks makes the changes, not the plan's text
        if len(made) < 2 or not (in_files or all(cure.record.edits for cure in made)):
            return []
        if not self.blocked.cured(_laid(self._trial, made), effort):
            return []
        # Only the first value of each was solved together with the others.
        first, *rest = (
            evolve(cure.record, values=cure.record.values[:1], texts=cure.record.texts[:1]) for cure in made
        )
        return [evolve(made[0], record=evolve(first, beside=tuple(rest)), thinned=())]

    # Another card, and another number of them

    def _cards(self, entry: Knob, count: Knob, kept: Rule | None, effort: Effort) -> list[Cure]:
        """The best other entry with the nearest number of it, and all bounds but one relaxed if one is kept."""
        trial = self._trial
        now, chosen = worth(count, trial.here), worth(entry, trial.here)
        if entry.setting.open or count.setting.open or now is None or chosen is None:
            return []
        numbers = _doubling(now, *beside(count, now, trial.here))
        others = [one for one in members(trial, entry) if one != chosen]
        dropped = {rule.name for rule in self.bounds if kept is not None and rule is not kept}
        rules = [rule for rule in trial.program.rules if rule.name not in dropped]
        laid = trial.laid({entry.path: entry.opened(others), count.path: count.opened(numbers)}, rules=rules)
        posed = trial.posed(laid, reads=False)
        index = None if posed is None else posed.index(entry.path)
        if posed is None or index is None:
            return []
        freed = Freed(self.blocked.thinned(posed, index), index)
        aims, has = compared(freed, trial.program)
        asking = freed.posed.asking(preferences=(), front=(), objectives=(*posed.system.objectives, *aims))
        point = asking.requiring(has).best(effort)
        if point is None:
            return []
        card = of_input(trial, entry, chosen, [named(trial, entry, point[index])])
        if card is None:
            return []
        there = _infeasible(self.full, trial, _laid(trial, [card], dropped))
        number = None if there is None else value(Blocked(there), count, effort, self.cures)
        made = [card] if there is None else [card, number] if number is not None else []
        if made and kept is not None:
            made = self._relaxed(made, kept, effort)
        return self._joined(made, effort)


def _doubling(now: float, below: Sequence[float], above: Sequence[float]) -> list[float]:
    """The current number, with smaller and larger ones that are about twice as far apart each."""
    numbers = [now]
    for side in (below, above):
        last = now
        for number in side:
            if max(number / last, last / number) >= _DOUBLED:
                numbers.append(number)
                last = number
    return sorted(numbers)


def _laid(trial: Trial, made: Sequence[Cure], dropped: Collection[str] = ()) -> Program:
    """The plan with changes, without some of its requirements."""
    inputs = [(cure.change, cure.value) for cure in made if isinstance(cure.change, Knob)]
    program = trial.laid({knob.path: set_to(knob, number, trial.here) for knob, number in inputs})
    for cure in made:
        if isinstance(cure.change, Rule):
            rule = next(rule for rule in program.rules if rule.name == cure.change.name)
            program = bounded_by(program, rule, cure.value)
    return evolve(program, rules=[rule for rule in program.rules if rule.name not in dropped])


def _infeasible(full: Account, trial: Trial, program: Program) -> Trial | None:
    """A varied plan that is infeasible too; None if it is feasible or could not be solved."""
    return trial.infeasible(program, int(SHARES["joint"].points), full)


def _first_conflict(full: Account, trial: Trial) -> Trial | None:
    """The plan without the requirements of all conflicts but the smallest."""
    outcome = trial.outcome
    assert outcome.conflict is not None
    others = {outcome.requirements[number].name for numbers in outcome.conflict.further for number in numbers}
    return _infeasible(full, trial, _laid(trial, (), others)) if others else None
