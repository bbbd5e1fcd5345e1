"""The values of an input that are worth trying, for the levers that the library declares.

Input: a program, and a lowering at a point where every unknown has a value. Output: for each lever in force its knob,
its current value and the candidates: other members of a choice, the next smaller and larger value in the domain of a
bare `?`, the declared factors, other entries. Nothing is solved here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal

from attrs import evolve

from llmplan.check.ir import Ref
from llmplan.check.plan import Program
from llmplan.check.program import Setting
from llmplan.system.adjustable import Knob, as_expression, decided, knob_of
from llmplan.system.domains import candidates
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.units.measure import BoolType, EnumType, KindType, Measure, is_catalog

_MOST_OF_ONE = 6
"""The most values of one lever on either side of its own that are looked at."""


def levers(program: Program, infeasible: Lowering | None = None) -> Iterator[Knob]:
    """The levers that a plan may move, in the order of declaration; at an infeasible point also those that only cure.

    Ranges, inputs that a final requirement protects, and inputs that an assumption of the plan depends on are left out.

    Args:
        infeasible: A lowering at the nearest point of an infeasible plan.
    """
    scope = program.scope
    for kind, fields in scope.kinds.items():
        for field in fields:
            path = f"{kind}.{field}"
            declared = scope.fields.get(path)
            if declared is None or not declared.lever or path in program.protected or decided(program, path):
                continue
            if declared.cure and (infeasible is None or not _holds(declared.cure, infeasible)):
                continue
            knob = knob_of(program, path)
            if knob is not None and knob.setting.spread is None:
                yield evolve(knob, written=program.winner(path) is not None)


def _holds(name: str, point: Lowering) -> bool:
    return worth_of(name, point) == 1.0


def worth(knob: Knob, point: Lowering) -> float | None:
    """The value of an input at a point, in base units; None if it has none."""
    return worth_of(knob.path, point)


def worth_of(name: str, point: Lowering) -> float | None:
    """The value of a name at a point, in base units; None unless it is a finite number."""
    found = point.unknowns.settled(point.name(name))
    value = None if isinstance(found, Missing) else point.graph.constant(found)
    return value if value is not None and math.isfinite(value) else None


Sort = Literal["switch", "setting", "count", "entry"]
"""The classes of changes, in the order in which they are worth trying."""

SORTS: tuple[Sort, ...] = ("switch", "setting", "count", "entry")


def sort_of(knob: Knob, program: Program) -> Sort:
    """The class of a change: a switch of the software that changes nothing but speed and memory, another setting, a
    count of machines, or another entry.
    """
    field = program.scope.fields.get(knob.path)
    if is_catalog(knob.type):
        return "entry"
    if knob.path.partition(".")[0] in program.scope.software:
        return "setting" if field is None or field.changes else "switch"
    counted = isinstance(knob.type, Measure) and knob.type.labels and not knob.type.dims
    return "count" if counted and field is not None and field.decision else "setting"


def of_the_question(path: str, program: Program) -> bool:
    """Whether an input belongs to the question, or is a price: no planner chooses it."""
    field = program.scope.fields.get(path)
    if field is None:
        return path in program.scope.kinds  # another model
    if field.lever or field.decision:
        return False
    return bool(field.changes) or path.partition(".")[0] not in program.scope.software


def values(knob: Knob, now: float, point: Lowering, own: Sequence[float] | None = None) -> list[float]:
    """The candidates beside the current value of a lever, in the order in which to try them.

    Args:
        own: The plan's own candidates for the input, if it leaves it open.
    """
    field = point.scope.fields[knob.path]
    if own is not None and not isinstance(knob.type, Measure):
        return [value for value in own if value != now]
    if isinstance(knob.type, BoolType):
        return [1.0 - now]
    if isinstance(knob.type, (EnumType, KindType)):
        members = point.expressions.members(knob.type)
        named = field.members or members
        return [float(index) for index, name in enumerate(members) if name in named and index != now]
    if not isinstance(knob.type, Measure):
        return []
    if field.factors and own is None:
        found = [now * factor for factor in field.factors]
        return [value for value in found if value != now and not (knob.type.whole and value != math.floor(value))]
    below, above = beside(knob, now, point, own)
    return [*below[:1], *above[:1]]


def looked_at(knob: Knob, now: float, point: Lowering) -> list[float]:
    """The values of a lever that are worth a look: of a switch that counts, such as a degree, all near ones."""
    field = point.scope.fields[knob.path]
    if isinstance(knob.type, Measure) and not field.factors and sort_of(knob, point.program) == "switch":
        below, above = beside(knob, now, point)
        return [*below[:_MOST_OF_ONE], *above[:_MOST_OF_ONE]]
    return values(knob, now, point)


def beside(
    knob: Knob, now: float, point: Lowering, own: Sequence[float] | None = None
) -> tuple[list[float], list[float]]:
    """The smaller and the larger values in the domain of a bare `?`, nearest first."""
    known = own
    if known is None and knob.choices is not None:
        known = candidates(point.expressions, knob.type, knob.choices)
    below = sorted((value for value in known or () if value < now), reverse=True)
    return below, sorted(value for value in known or () if value > now)


def set_to(knob: Knob, value: float, point: Lowering) -> Setting:
    """The setting that gives an input a value, as `--set` would."""
    return Setting(as_expression(value, knob.type, point), None, knob.setting.place, knob.setting.unit)


def described(program: Program, knob: Knob) -> bool:
    """Whether a plan overrides a field of its entry, such as a price, that would not hold for another entry."""
    kind = f"{knob.type.name}." if isinstance(knob.type, KindType) and not knob.type.choice else ""
    for path in program.settings if kind else ():
        field = program.scope.fields.get(path)
        default = field.default.value if field is not None and field.default is not None else None
        if path != knob.path and (path.startswith(kind) or isinstance(default, Ref) and default.name.startswith(kind)):
            return True
    return False
