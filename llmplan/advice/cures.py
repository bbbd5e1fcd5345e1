"""The conflicts of an infeasible plan, and the changes that a colleague would propose, each of which makes it feasible.

Input: a trial of the plan at its nearest point. Output: at most five changes or sets of changes in the order of
`llmplan.advice.order`, each of which makes everything hold, and those that could not be tried. They are tried in that
order, so that a search that ends early has the best of them.

If conflicts are disjoint, each also has cures of its own, for the plan without the requirements of the others: those
help this one alone.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence

from attrs import evolve, frozen

from llmplan.advice import cure_bounds, cure_values
from llmplan.advice.freed_values import Blocked
from llmplan.advice.joint import Joint
from llmplan.advice.ledger import Account, Spent, account
from llmplan.advice.offered import offered
from llmplan.advice.order import first
from llmplan.advice.trial import Trial
from llmplan.advice.wording import Cure
from llmplan.answer.schema.advice import Relaxation
from llmplan.answer.schema.requirements import Clash
from llmplan.answer.schema.solution import Solution
from llmplan.check.ir import Chance, Ref
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.solve.effort import Effort
from llmplan.system.adjustable import Knob, domains, knobs
from llmplan.system.levers import described, levers, of_the_question, sort_of
from llmplan.units.measure import is_catalog, is_choice

MOST = 5
"""The most changes shown."""

_FAR = math.log(2.5)
"""The size of a change of a number that a planner takes for another layout: more than twice."""

LEAST_CHANCE = 0.1
"""The smallest chance that is proposed as a requirement: less asks for nothing."""

Cures = tuple[tuple[Relaxation, ...], tuple[str, ...], tuple[str, ...]]
"""Changes; those not tried because the share was spent; and unknowns tried at only some of their values with a change.
"""


def cures(trial: Trial, answer: Solution) -> Cures:
    """Changes, and sets of them, each of which makes the plan feasible."""
    return search(trial)


def search(trial: Trial, share: float = 1.0, full: Account | None = None) -> Cures:
    """The cures of a plan within a share of their cost limit; `full` pays for each plan that is solved in full."""
    return _Search(trial, share, full or account("joint")).run()


@frozen
class _Groups:
    """Inputs by their rank in `llmplan.advice.order`."""

    switches: list[Knob]
    limits: list[Knob]
    numbers: list[Knob]
    entries: list[Knob]
    question: list[Knob]


class _Search:
    def __init__(self, trial: Trial, share: float, full: Account) -> None:
        self.trial, self.blocked = trial, Blocked(trial)
        self.levers = tuple(levers(trial.program, trial.here))
        self.account, self.full = account("cures", share * trial.times), full
        self.shares = frozenset(_shares(trial.program))
        self.helpful: list[Cure] = []
        self.untried: list[str] = []
        self.tried = 0

    def run(self) -> Cures:
        bounds = cure_bounds.bounds(self.blocked)
        groups = self._groups()
        self._all(groups.switches)
        self._offered()
        self._all([*bounds, *groups.limits, *groups.numbers])
        self._all(groups.entries)
        if not bounds and not any(map(_slight, self.helpful)):
            self._switches()
        if len(self.helpful) < MOST and (len(bounds) > 1 or all(cure.record.beside for cure in self.helpful)):
            self._joint(bounds)
        if len(self.helpful) < MOST:
            self._all(groups.question)
        self.helpful.sort(key=lambda cure: first(cure.record))
        shown = tuple(cure.record for cure in self.helpful[:MOST])
        thinned = {path for cure in self.helpful for path in cure.thinned}
        return shown, tuple(self.untried) if len(shown) < MOST else (), tuple(sorted(thinned))

    def _groups(self) -> _Groups:
        """The inputs to change, by what a change of them costs their author."""
        program = self.trial.program
        # A let that a requirement is compared with is its bound.
        stated = [rule for rule in program.rules if rule.origin != "library"]
        own = [one.sides for rule in stated for one in (rule, cure_bounds.event_of(rule)) if one.sides is not None]
        named = {side.name for sides in own for side in (sides.left, sides.right) if isinstance(side, Ref)}
        given = {knob.path: knob for knob in self._given()}
        limits = [knob for knob in given.values() if knob.role == "let" and knob.path in named]
        tried = [given.get(knob.path, knob) for knob in self.levers if knob.path in given or not knob.setting.open]
        rest = [knob for knob in dict.fromkeys([*tried, *given.values()]) if knob not in limits]
        question = [knob for knob in rest if of_the_question(knob.path, program)]
        entries = [knob for knob in rest if is_catalog(knob.type) and knob not in question]
        other = [knob for knob in rest if knob not in question and knob not in entries]
        switches = [knob for knob in other if sort_of(knob, program) == "switch"]
        return _Groups(
            switches,
            limits,
            [knob for knob in other if knob not in switches],
            [knob for knob in entries if not described(program, knob)],
            question,
        )

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

    def _all(self, changes: Sequence[Rule | Knob]) -> None:
        """Tries changes of one rank; none where those before are enough."""
        hopeless: set[str] | None = None
        for change in changes if len(self.helpful) < MOST else ():
            if isinstance(change, Knob) and is_choice(change.type):
                if hopeless is None and self.account.rich:
                    inputs = [one for one in changes if isinstance(one, Knob)]
                    hopeless = cure_values.hopeless(self.blocked, inputs, self.account.half())
                if hopeless and change.path in hopeless:
                    continue
            name = change.name if isinstance(change, Rule) else change.path
            self.helpful += self._once(name, self._change(change))

    def _change(self, change: Rule | Knob) -> Callable[[Effort], list[Cure]]:
        def cure(effort: Effort) -> list[Cure]:
            if isinstance(change, Rule):
                changed = cure_bounds.bound(self.blocked, change, effort)
            else:
                changed = cure_values.value(self.blocked, change, effort, self.account)
            return [] if changed is None else [changed]

        return cure

    def _offered(self) -> None:
        """The sets of changes that whoever asks can make as one."""
        for changes in self.trial.program.offered:
            self.helpful += self._once("changes of files", functools.partial(offered, self.blocked, changes))

    def _switches(self) -> None:
        """Switches of the software together, where a planner would not move a single one so far."""
        inputs = tuple(knob for knob in self.levers if not knob.setting.open)
        sets = Joint(self.blocked, (), inputs, self._single, self.account, self.full)
        self.helpful += self._once("switches together", sets.switches)

    def _joint(self, bounds: Sequence[Rule]) -> None:
        """Sets of changes, where there is none yet that is alike."""
        inputs = [knob for knob in self.levers if not knob.setting.open]
        sets = Joint(self.blocked, tuple(bounds), tuple(inputs), self._single, self.account, self.full)
        known = set[frozenset[str]]()
        for name, task in sets.tasks():
            for cure in self._once(name, task):
                together = frozenset(one.statement for one in (cure.record, *cure.record.beside))
                self.helpful += [] if together in known else [cure]
                known.add(together)

    def _single(self, trial: Trial, effort: Effort) -> Cure | None:
        """The best single change of a plan whose bounds are left out, which makes all else hold."""
        inner = _Search(trial, 1.0, self.full)
        inner.account = self.account
        groups = inner._groups()
        for group in (groups.switches, groups.numbers, groups.entries, groups.question):
            inner._all(group)
            if inner.helpful:
                return min(inner.helpful, key=lambda cure: first(cure.record))
        return None

    def _once(self, name: str, task: Callable[[Effort], list[Cure]]) -> list[Cure]:
        """The changes that a task proposes; none, with a note, if the share is spent."""
        self.tried += 1
        if self.trial.progress is not None:
            self.trial.progress(self.tried, self.tried + 1, "changes")
        brought = self.account.afford(task)
        if isinstance(brought, Spent):
            self.untried.append(name)
            return []
        return [cure for cure in brought if not self._hollow(cure)]

    def _hollow(self, cure: Cure) -> bool:
        """Whether a change would ask for a chance so small that the requirement asks for nothing."""
        changes = (cure.record, *cure.record.beside)
        return any(one.name in self.shares and value.number < LEAST_CHANCE for one in changes for value in one.values)


def _slight(cure: Cure) -> bool:
    """Whether a change is one that a planner would make first: a switch, and no number that moves far."""
    record = cure.record
    return record.sort == "switch" and not record.question and (record.change <= _FAR or math.isinf(record.change))


def _shares(program: Program) -> Iterator[str]:
    """The requirements whose own number is a chance, and the inputs that a chance is compared with."""
    for rule in program.rules:
        sides = () if rule.sides is None else (rule.sides.left, rule.sides.right)
        if any(isinstance(side, Chance) for side in sides):
            yield from (side.name for side in sides if isinstance(side, Ref))
            yield from () if cure_bounds.event_of(rule) is not rule else (rule.name,)


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
    clashes, shared = [], account("conflicts")
    for names in every:
        others = {name for other in every if other is not names for name in other}
        alone = evolve(program, rules=[rule for rule in program.rules if rule.name not in others])
        infeasible = trial.infeasible(alone, trial.points, shared)
        changes = () if infeasible is None else search(infeasible, 1 / len(every), shared)[0]
        clashes.append(Clash(names, _chosen_first(alone, changes)))
    return tuple(clashes)


def _chosen_first(program: Program, cures: Sequence[Relaxation]) -> tuple[Relaxation, ...]:
    """Fields that the planner chooses first, then the rest, each by distance."""
    fields = program.scope.fields
    return tuple(sorted(cures, key=lambda one: (one.question, not (one.name in fields and fields[one.name].decision))))
