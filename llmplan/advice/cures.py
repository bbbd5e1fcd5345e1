"""The conflicts of an infeasible plan, and the changes that a colleague would propose, each of which makes it feasible.

The order is: the bounds of the author's own requirements, the smallest relative change first; pairs of changes, if
several bounds fail together; the levers that the library declares, in order of declaration; the other inputs of the
plan, the smallest change first; other catalog entries. Input: a trial of the plan at its nearest point. Output: at most
five changes, and those that could not be tried.

If conflicts are disjoint, each has cures of its own, for the plan without the requirements of the others: no single
change may help the whole plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import evolve

from llmplan.advice import cure_bounds, cure_values
from llmplan.advice.freed_values import Blocked
from llmplan.advice.ledger import Spent, account
from llmplan.advice.pairs import pairs
from llmplan.advice.trial import Trial
from llmplan.advice.wording import Cure
from llmplan.answer.schema.advice import Relaxation
from llmplan.answer.schema.requirements import Clash
from llmplan.answer.schema.solution import Solution
from llmplan.check.ir import Ref
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.solve.effort import Effort
from llmplan.system.adjustable import Knob, domains, knobs
from llmplan.system.levers import described, levers
from llmplan.units.measure import is_catalog, is_choice

MOST = 5
"""The most changes shown."""

Cures = tuple[tuple[Relaxation, ...], tuple[str, ...], tuple[str, ...]]
"""Changes; those not tried because the share was spent; and unknowns tried at only some of their values with a change.
"""


def cures(trial: Trial, answer: Solution) -> Cures:
    """Single changes, and pairs of them, each of which makes the plan feasible."""
    return search(trial)


def search(trial: Trial, share: float = 1.0) -> Cures:
    """The cures of a plan within a share of their cost limit."""
    return _Search(trial, share).run()


class _Search:
    def __init__(self, trial: Trial, share: float) -> None:
        self.trial, self.blocked = trial, Blocked(trial)
        self.levers = tuple(levers(trial.program, trial.here))
        self.account = account("cures", share * trial.times)
        self.helpful: list[Cure] = []
        self.untried: list[str] = []
        self.tried = 0

    def run(self) -> Cures:
        bounds = cure_bounds.bounds(self.blocked)
        # A let that a requirement is compared with is its bound.
        own = [rule.sides for rule in self.trial.program.rules if rule.origin != "library" and rule.sides is not None]
        named = {side.name for sides in own for side in (sides.left, sides.right) if isinstance(side, Ref)}
        given = {knob.path: knob for knob in self._given()}
        limits = [knob for knob in given.values() if knob.role == "let" and knob.path in named]
        switches = [given.get(knob.path, knob) for knob in self.levers if knob.path in given or not knob.setting.open]
        first = [*switches, *(knob for knob in given.values() if knob not in limits)]
        entries = [knob for knob in dict.fromkeys(first) if is_catalog(knob.type)]
        rest = [knob for knob in given.values() if knob not in limits and knob not in switches and knob not in entries]
        self._all([*bounds, *limits], sort=True)
        if len(self.helpful) < MOST and len(bounds) > 1:
            self._pairs(bounds)
        self._all([knob for knob in switches if knob not in entries])
        self._all(rest, sort=True)
        self._all([knob for knob in entries if not described(self.trial.program, knob)])
        if not self.helpful and len(bounds) == 1:
            self._pairs(bounds)
        shown = tuple(cure.record for cure in self.helpful[:MOST])
        thinned = {path for cure in self.helpful for path in cure.thinned}
        return shown, tuple(self.untried) if len(shown) < MOST else (), tuple(sorted(thinned))

    def _given(self) -> Iterator[Knob]:
        """The inputs that the plan sets and could set differently: not ranges and assumptions, which nobody chooses.

        Fields of a catalog entry are left out too: other parameters would be another model.
        """
        entries = self.trial.program.scope.entries
        for knob in knobs(self.trial.program, self.trial.built.lowering):
            free = knob.setting.spread is None and knob.role != "assumption"
            if free and knob.written and knob.path.partition(".")[0] not in entries:
                yield knob
        # A member that the author left out of a domain is closer to the plan than another model.
        yield from domains(self.trial.program)

    def _all(self, changes: Sequence[Rule | Knob], sort: bool = False) -> None:
        """Tries changes until there are enough; with `sort` tries all, and takes those that help by size."""
        hopeless: set[str] | None = None
        helpful: list[Cure] = []
        for change in changes:
            if len(self.helpful) + (0 if sort else len(helpful)) >= MOST:
                break
            if isinstance(change, Knob) and is_choice(change.type):
                if hopeless is None and self.account.rich:
                    inputs = [one for one in changes if isinstance(one, Knob)]
                    hopeless = cure_values.hopeless(self.blocked, inputs, self.account.half())
                if hopeless and change.path in hopeless:
                    continue
            helpful += self._once(change.name if isinstance(change, Rule) else change.path, self._change(change))
        self.helpful += sorted(helpful, key=lambda cure: cure.record.change) if sort else helpful

    def _change(self, change: Rule | Knob) -> Callable[[Effort], list[Cure]]:
        def cure(effort: Effort) -> list[Cure]:
            if isinstance(change, Rule):
                changed = cure_bounds.bound(self.blocked, change, effort)
            else:
                changed = cure_values.value(self.blocked, change, effort, self.account)
            return [] if changed is None else [changed]

        return cure

    def _pairs(self, bounds: list[Rule]) -> None:
        switches = [knob for knob in self.levers if not is_catalog(knob.type) and not knob.setting.open]
        self.helpful += self._once("pairs", lambda effort: pairs(self.blocked, bounds, switches, effort, self.account))

    def _once(self, name: str, task: Callable[[Effort], list[Cure]]) -> list[Cure]:
        """The changes that a task proposes; none, with a note, if the share is spent."""
        self.tried += 1
        if self.trial.progress is not None:
            self.trial.progress(self.tried, self.tried + 1, "changes")
        brought = self.account.afford(task)
        if isinstance(brought, Spent):
            self.untried.append(name)
            return []
        return brought


def conflicts(trial: Trial, answer: Solution) -> tuple[Clash, ...]:
    """The conflicts, the smallest first; values that are never legal are left to the message."""
    outcome, program = trial.outcome, trial.program
    assert outcome.conflict is not None
    rules = {rule.name for rule in program.rules}
    sets = [outcome.conflict.smallest, *outcome.conflict.further]
    every = [tuple(outcome.requirements[number].name for number in numbers) for numbers in sets]
    every = [names for names in every if rules.issuperset(names)]
    if len(every) < 2:
        return tuple(Clash(names, _chosen_first(program, answer.relaxations)) for names in every)
    clashes = []
    for names in every:
        others = {name for other in every if other is not names for name in other}
        alone = evolve(program, rules=[rule for rule in program.rules if rule.name not in others])
        infeasible = trial.infeasible(alone, trial.points)
        clashes.append(
            Clash(names, () if infeasible is None else _chosen_first(alone, search(infeasible, 1 / len(every))[0]))
        )
    return tuple(clashes)


def _chosen_first(program: Program, cures: Sequence[Relaxation]) -> tuple[Relaxation, ...]:
    """Fields that the planner chooses first, then the rest, each by distance."""
    fields = program.scope.fields
    return tuple(sorted(cures, key=lambda one: not (one.name in fields and fields[one.name].decision)))
