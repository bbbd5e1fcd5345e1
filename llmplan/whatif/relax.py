"""Relaxations of an infeasible plan: the changes that a colleague would propose, each of which makes it feasible.

In this order: the bounds of the author's own requirements, the smallest change first, relatively; where several bounds
fail together, pairs of changes; the levers that the library declares, in the order of their declaration; what else is
given, the smallest change first; other entries of the catalog. Input: the plan lowered at its nearest point. Output: at
most five, as data and as hints with edits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from attrs import frozen

from llmplan.answer.schema.advice import Relaxation
from llmplan.check.ir import Ref
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.diagnostics import Hint
from llmplan.solve.effort import Budget, Effort, OverLimit, Progress
from llmplan.solve.outcome import Outcome
from llmplan.system.adjustable import Knob, domains, knobs
from llmplan.system.build import Built
from llmplan.system.levers import described, levers
from llmplan.system.lower import Lowering
from llmplan.units.measure import is_catalog, is_choice
from llmplan.whatif.cures import Cures
from llmplan.whatif.pairs import pairs
from llmplan.whatif.telling import Cure

EVALUATIONS = 2e9
"""What all changes together may cost, see `llmplan.solve.effort`: a few seconds; 0 for none to be tried."""

MOST = 5
"""So many are shown."""

T = TypeVar("T")

_LEAST = 1 / 256  # of the budget; with fewer left no change is tried

_LIMIT = 1e8


@frozen
class Relaxed:
    """Relaxations in the order in which to read them, also as hints.

    Attributes:
        untried: Changes not tried because the budget was spent.
        thinned: Unknowns of whose many values only some were tried while another value was changed.
    """

    found: tuple[Relaxation, ...] = ()
    hints: tuple[Hint, ...] = ()
    untried: tuple[str, ...] = ()
    thinned: tuple[str, ...] = ()


def relax(
    program: Program,
    built: Built,
    outcome: Outcome,
    point: Lowering,
    progress: Progress | None = None,
    effort: float = 1.0,
    plan: str = "",
) -> Relaxed:
    """Relaxations of an infeasible plan, lowered at its nearest point.

    Args:
        progress: Is told after each change.
        effort: What all together may cost, as a multiple of the usual.
        plan: The name of the plan's text, for edits that add a line.
    """
    return _Relaxer(Cures(program, built, outcome, point, plan), progress, effort * EVALUATIONS).run()


def changed(program: Program, built: Built, outcome: Outcome, knob: Knob) -> str:
    """The nearest value of one input that makes an infeasible plan feasible, as its author would write it; or empty."""
    assert built.system is not None
    point = built.lowering.again(fixed=built.system.by_path(outcome.point))
    cures = Cures(program, built, outcome, point)
    cures.effort = Effort(_LIMIT, Budget(EVALUATIONS).half())
    try:
        made = cures.knob(knob)
    except OverLimit:
        return ""
    return made[0].texts[0] if made is not None and made[0].texts else ""


class _Relaxer:
    def __init__(self, cures: Cures, progress: Progress | None, evaluations: float) -> None:
        self.cures = cures
        self.program = cures.program
        self.levers = tuple(levers(cures.program, cures.point))
        self.progress = progress
        self.evaluations = evaluations
        self.budget = Budget(evaluations)
        self.found: list[Cure] = []
        self.untried: list[str] = []
        self.thinned: set[str] = set()
        self.tried = 0

    def run(self) -> Relaxed:
        bounds = self.cures.bounds()
        # A let that a requirement is compared with is its bound.
        own = [rule for rule in self.program.rules if rule.origin != "library" and rule.sides is not None]
        named = {side.name for rule in own for side in (rule.sides.left, rule.sides.right) if isinstance(side, Ref)}  # type: ignore[union-attr]
        given = {knob.path: knob for knob in self._given()}
        limits = [knob for knob in given.values() if knob.role == "let" and knob.path in named]
        switches = [given.get(knob.path, knob) for knob in self.levers if knob.path in given or not knob.setting.open]
        first = [*switches, *(knob for knob in given.values() if knob not in limits)]
        entries = [knob for knob in dict.fromkeys(first) if is_catalog(knob.type)]
        rest = [knob for knob in given.values() if knob not in limits and knob not in switches and knob not in entries]
        self._all([*bounds, *limits], sort=True)
        if len(self.found) < MOST and len(bounds) > 1:
            self.found += self._once("pairs", lambda: list(self._pairs(bounds))) or []
        self._all([knob for knob in switches if knob not in entries])
        self._all(rest, sort=True)
        self._all([knob for knob in entries if not described(self.program, knob)])
        if not self.found and len(bounds) == 1:
            self.found += self._once("pairs", lambda: list(self._pairs(bounds))) or []
        shown = self.found[:MOST]
        hints = [Hint(one.text, edits) for one, edits in shown]
        untried = tuple(self.untried) if len(shown) < MOST else ()
        return Relaxed(tuple(one for one, _ in shown), tuple(hints), untried, tuple(sorted(self.thinned)))

    def _given(self) -> Iterator[Knob]:
        """What the plan gives and may give otherwise: no range and no assumption, which are nobody's to choose.

        Neither is what describes an entry of the catalog: other parameters are another model.
        """
        entries = self.program.scope.entries
        for knob in knobs(self.program, self.cures.constants):
            free = knob.setting.spread is None and knob.role != "assumption"
            if free and knob.written and knob.path.partition(".")[0] not in entries:
                yield knob
        # A member of a domain that the author left out is nearer to the plan than another model.
        yield from domains(self.program)

    def _all(self, changes: Sequence[Rule | Knob], sort: bool = False) -> None:
        """Tries changes until there are enough; with `sort` all of them, the smallest of what helps first."""
        hopeless: set[str] | None = None
        found: list[Cure] = []
        for change in changes:
            if len(self.found) + (0 if sort else len(found)) >= MOST:
                break
            name = change.name if isinstance(change, Rule) else change.path
            if isinstance(change, Knob) and is_choice(change.type):
                if hopeless is None and self._rich():
                    self.cures.effort = Effort(_LIMIT, self.budget.half())
                    hopeless = self.cures.hopeless([one for one in changes if isinstance(one, Knob)])
                if hopeless and name in hopeless:
                    continue
            made = self._once(name, lambda change=change: self._one(change))  # type: ignore[misc]
            if made is not None:
                found.append(made)
                self.thinned.update(() if isinstance(change, Rule) else self.cures.paths)
        self.found += sorted(found, key=lambda item: item[0].change) if sort else found

    def _one(self, change: Rule | Knob) -> Cure | None:
        return self.cures.bound(change) if isinstance(change, Rule) else self.cures.knob(change)

    def _pairs(self, bounds: list[Rule]) -> Iterator[Cure]:
        switches = [knob for knob in self.levers if not is_catalog(knob.type) and not knob.setting.open]
        return pairs(self.cures, bounds, switches)

    def _rich(self) -> bool:
        return self.budget.left > _LEAST * self.evaluations

    def _once(self, name: str, make: Callable[[], T]) -> T | None:
        """What a change brings; None, and noted, if the budget is spent."""
        self.tried += 1
        if self.progress is not None:
            self.progress(self.tried, self.tried + 1, "changes")
        # No change may take more than half of what is left, so that the others get their turn.
        self.cures.effort = Effort(_LIMIT, self.budget.half())
        try:
            if self._rich():
                return make()
        except OverLimit:
            pass
        self.untried.append(name)
        return None
