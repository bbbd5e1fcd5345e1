"""The counterpart of a requirement on the calendar.

Input: a requirement that compares two numbers by size, or asks for the chance of such a comparison. Output: the same
requirement with the counterparts (`@calendar`) in place of the quantities that have one, also where a `let` or a
quantity of the plan stands between; None if it reads none, or reads a counterpart itself: it is then meant as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from attrs import evolve

from llmplan.check.comparisons import comparison
from llmplan.check.ir import UNDEFINED, Chance, Expr, If, Ref, walk
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.check.rebuild import rebuilt, sides_rebuilt
from llmplan.system.display import TURNED

_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*')

_MOST = 1000
"""The largest number of names in what a plan's own name stands for; a longer one is judged as it is written."""


def on_the_calendar(program: Program, rule: Rule) -> Rule | None:
    """The counterpart of a requirement, with a condition and sides of its own."""
    sides = rule.sides
    if sides is None or sides.operation not in TURNED or reads_the_calendar(program, rule):
        return None
    spelled = _Spelled(program)
    instead = sides_rebuilt(sides, spelled.counterpart)
    if instead == sides or spelled.too_long:
        return None
    return evolve(rule, sides=instead, condition=comparison(instead.operation, instead.left, instead.right))


def reads_the_calendar(program: Program, rule: Rule) -> bool:
    """Whether a requirement reads a counterpart as it is written."""
    counterparts = set(program.scope.calendar.values())
    found: set[str] = set()
    pending = list(_refs(rule.condition)) if counterparts else []
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            own = _own(program, name)
            pending += [] if own is None else _refs(own)
    return not found.isdisjoint(counterparts)


def written(calendar: Mapping[str, str], text: str) -> str:
    """A text of the plan with the counterparts in place of the quantities that have one."""
    return _WORD.sub(lambda found: calendar.get(found[0], found[0]), text)


def event(rule: Rule) -> Rule:
    """The comparison whose chance a requirement asks for, as a requirement; any other is itself."""
    both = () if rule.sides is None else (rule.sides.left, rule.sides.right)
    asked = next((side for side in both if isinstance(side, Chance) and len(side.of) == 1), None)
    if asked is None:
        return rule
    sides = asked.of[0]
    return evolve(rule, sides=sides, condition=comparison(sides.operation, sides.left, sides.right))


class _Spelled:
    """What the plan's own names stand for, with counterparts in place; each is spelled out once.

    Attributes:
        too_long: Whether one of them stands for too many names.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[str, tuple[Expr | None, int]] = {}
        self._count = 0
        self.too_long = False

    def counterpart(self, part: Expr) -> Expr | None:
        """What stands in place of a name; None for one that stays, and for what is no name."""
        if not isinstance(part, Ref):
            return None
        self._count += 1
        instead = self._program.scope.calendar.get(part.name)
        if instead is not None:
            return evolve(part, name=instead)
        if part.name not in self._known:
            before, self._count, self._known[part.name] = self._count, 0, (None, 0)
            own = _own(self._program, part.name)
            found = None if own is None else rebuilt(own, self.counterpart)
            self._known[part.name] = None if found is own else found, self._count
            self._count = before
        found, count = self._known[part.name]
        self._count += count
        self.too_long = self.too_long or self._count > _MOST
        return None if self.too_long else found


def _own(program: Program, name: str) -> Expr | None:
    """What the plan says that a name of its own is: a `let`, or a quantity without an index."""
    scope = program.scope
    if name in program.assumptions:
        return None
    if name in scope.lets and (won := program.winner(name)) is not None:
        return won[1].value if won[1].spread is None else None
    quantity = scope.quantities.get(name)
    if quantity is None or quantity.indices or not quantity.alternatives:
        return None
    if any(scope.sources[one.place[0]].library for one in quantity.alternatives):
        return None
    found: Expr = UNDEFINED
    for one in reversed(quantity.alternatives):
        found = one.value if one.when is None else If(one.when, one.value, found)
    return found


def _refs(expr: Expr) -> Iterator[str]:
    for part in walk(expr):
        if isinstance(part, Ref):
            yield part.name
