"""The counterpart of a requirement on the calendar, and the event whose chance a requirement has.

Input: a requirement. Output: the same requirement with the counterparts (`@calendar`) in place of the quantities that
have one, also behind a `let`, a quantity or a function of the plan; None if it reads none, or reads a counterpart
itself: it is then meant as written, and has a counterpart as planned instead. The event of a comparison by size is that
comparison; that of a requirement on a chance or a quantile is the comparison whose probability it limits; that of any
other condition is its truth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from attrs import evolve

from llmplan.check.comparisons import comparison
from llmplan.check.ir import UNDEFINED, Body, Call, Chance, Expr, FieldOf, If, Local, Num, Quantile, Ref, Sides, walk
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.check.rebuild import rebuilt, sides_rebuilt
from llmplan.system.display import TURNED

_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*')

_MOST = 1000
"""The largest number of names in what a plan's own name stands for; a longer one is judged as it is written."""


def on_the_calendar(program: Program, rule: Rule) -> Rule | None:
    """The counterpart of a requirement, with a condition and sides of its own."""
    return None if reads_the_calendar(program, rule) else _instead(program, rule, program.scope.calendar)


def as_planned(program: Program, rule: Rule) -> Rule | None:
    """A requirement on the calendar with the planned quantities in place; None if it reads no calendar, or both."""
    calendar = program.scope.calendar
    if not reads_the_calendar(program, rule):
        return None
    if any(isinstance(part, Ref) and part.name in calendar for part in _spelled_out(program, rule.condition)):
        return None
    return _instead(program, rule, {counterpart: name for name, counterpart in calendar.items()})


def _instead(program: Program, rule: Rule, names: Mapping[str, str]) -> Rule | None:
    """A requirement with other names in place of some; None if it reads none of them."""
    spelled = _Spelled(program, names)
    if rule.sides is None:
        instead = evolve(rule, condition=rebuilt(rule.condition, spelled.counterpart))
    else:
        sides = sides_rebuilt(rule.sides, spelled.counterpart)
        condition = rule.condition if sides == rule.sides else comparison(sides.operation, sides.left, sides.right)
        instead = evolve(rule, sides=sides, condition=condition)
    return None if instead == rule or spelled.too_long else instead


def reads_the_calendar(program: Program, rule: Rule) -> bool:
    """Whether a requirement reads a counterpart as it is written."""
    counterparts = set(program.scope.calendar.values())
    read = _spelled_out(program, rule.condition) if counterparts else ()
    return any(isinstance(part, Ref) and part.name in counterparts for part in read)


def nests(program: Program, rule: Rule) -> bool:
    """Whether a requirement uses a chance or a quantile other than as a side that it limits."""
    read = () if asked(program, rule) else _spelled_out(program, rule.condition)
    return any(isinstance(part, (Chance, Quantile)) for part in read)


def written(calendar: Mapping[str, str], text: str) -> str:
    """A text of the plan with the counterparts in place of the quantities that have one."""
    return _WORD.sub(lambda found: calendar.get(found[0], found[0]), text)


def event(program: Program, rule: Rule) -> tuple[Sides, ...]:
    """The comparisons by size whose chance is that of a requirement: each of them holds."""
    sides = rule.sides
    by_size = sides is not None and sides.operation in TURNED
    return asked(program, rule) or (sides if sides is not None and by_size else Sides("ge", rule.condition, Num(0.5)),)


def asked(program: Program, rule: Rule) -> tuple[Sides, ...]:
    """The comparisons whose probability a requirement on a chance or a quantile limits; empty for any other."""
    sides = rule.sides
    if sides is None:
        return ()
    left, right = (_meant(program, side) for side in (sides.left, sides.right))
    for side in (left, right):
        if isinstance(side, Chance):
            return side.of
    if sides.operation in TURNED and isinstance(left, Quantile):
        return (evolve(sides, left=left.of),)
    return (evolve(sides, right=right.of),) if sides.operation in TURNED and isinstance(right, Quantile) else ()


def _meant(program: Program, side: Expr) -> Expr:
    """The chance or quantile that a plan's own name stands for; any other side is itself."""
    meant, names = side, set()
    while isinstance(meant, Ref) and meant.name not in names:
        names.add(meant.name)
        meant = _own(program, meant.name) or side
    return meant if isinstance(meant, (Chance, Quantile)) else side


class _Spelled:
    """The expressions behind the plan's own names, with replacements in place; each is spelled out once.

    Attributes:
        too_long: Whether one of them stands for too many names.
    """

    def __init__(self, program: Program, names: Mapping[str, str]) -> None:
        self._program = program
        self._names = names
        self._known: dict[str, tuple[Expr | None, int]] = {}
        self._planned: dict[str, bool] = {}
        self._count = 0
        self.too_long = False

    def counterpart(self, part: Expr) -> Expr | None:
        """The replacement of a name or a call; None for one that stays, and for any other part."""
        if isinstance(part, Call):
            return self._called(part)
        if not isinstance(part, Ref):
            return None
        self._count += 1
        self.too_long = self.too_long or self._count > _MOST
        instead = self._names.get(part.name)
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

    def _called(self, call: Call) -> Expr | None:
        """The body of a call of a plan's own function, if the function reads a quantity with a counterpart."""
        body = _body(self._program, call.function)
        if body is None or self.too_long:
            return None
        if call.function not in self._planned:
            read = _spelled_out(self._program, body)
            self._planned[call.function] = any(isinstance(part, Ref) and part.name in self._names for part in read)
        names = [name for name, _ in self._program.scope.functions[call.function].params]
        meant = [set(_locals(arg)).isdisjoint(names[:place]) for place, arg in enumerate(call.args)]
        if not self._planned[call.function] or not all(meant):
            return None
        return rebuilt(Body(tuple(zip(names, call.args)), body), self.counterpart)


def _body(program: Program, function: str) -> Expr | None:
    """The body of a function of the plan; None for one of the library."""
    declared = program.scope.functions[function]
    return None if program.scope.sources[declared.place[0]].library else declared.body


def _locals(expr: Expr) -> Iterator[str]:
    for part in walk(expr):
        if isinstance(part, Local):
            yield part.name
        elif isinstance(part, FieldOf):
            yield part.local


def _own(program: Program, name: str) -> Expr | None:
    """The plan's definition of a name of its own: a `let`, or a quantity without an index."""
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


def _spelled_out(program: Program, expr: Expr) -> Iterator[Expr]:
    """All parts of an expression, and of the definitions of the plan's own names and functions in it."""
    names: set[tuple[type, str]] = set()
    pending = [expr]
    while pending:
        for part in walk(pending.pop()):
            yield part
            if not isinstance(part, (Ref, Call)):
                continue
            name = part.name if isinstance(part, Ref) else part.function
            if (type(part), name) not in names:
                names.add((type(part), name))
                own = _own(program, name) if isinstance(part, Ref) else _body(program, name)
                pending += [] if own is None else [own]
