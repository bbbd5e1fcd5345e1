"""The values of a plan that its author could change one at a time, with their alternatives."""

from __future__ import annotations

import math
from collections.abc import Iterator

from attrs import frozen

from llmplan.check import ir
from llmplan.check.labels import is_converted
from llmplan.check.plan import Program
from llmplan.check.program import Domain, Setting
from llmplan.system.display import show
from llmplan.system.lower import Lowering
from llmplan.system.missing import open_domain
from llmplan.units.measure import BoolType, EnumType, KindType, Measure, TextType, Type, is_catalog, is_choice

_STEPS = 64
_FACTOR = 1e4


@frozen
class Knob:
    """An input, let or assumption that has a value.

    Attributes:
        type: Its type; if the field has two units, that of the unit in which it is given.
        unit: The author's.
        setting: Its current setting.
        legal: The domain of its legal values, None if any value is.
        choices: The domain of a bare `?`, None if none is declared.
        written: False for a default of the library.
        role: The kind of declaration: `input`, `let` or `assume`.
    """

    path: str
    type: Type
    unit: str
    setting: Setting
    legal: Domain | None
    choices: Domain | None
    written: bool
    role: str

    def opened(self, values: list[float]) -> Setting:
        """The setting that makes it an unknown: over `values`, or over the library's choices if `values` is empty."""
        where = self.setting.place
        if not values and self.choices is not None:
            return Setting(None, self.choices, where, self.setting.unit)
        items = tuple(ir.Value(ir.Num(value)) for value in values)
        return Setting(None, Domain(items, self.setting.unit, ""), where, self.setting.unit)


def in_authors_unit(value: float, type: Type, unit: str, lowering: Lowering) -> str:
    """A value as its author would write it: a time or a size in his unit, a count scaled."""
    exact = isinstance(type, Measure) and type.dims in ((("Time", 1),), (("Information", 1),))
    return show(value, type, lowering.scope, unit, exact_unit=exact)


def knobs(program: Program, lowering: Lowering) -> Iterator[Knob]:
    """Everything that the plan gives a value, then the defaults that a lowering has read.

    Texts, lists, values computed from others, and values that an assumption depends on are left out.
    """
    for path, setting in program.strongest():
        found = knob_of(program, path, setting)
        if found is None or path in program.protected or decided(program, path):
            continue
        # Another entry makes another plan, unless the library declares it a lever.
        if is_catalog(found.type) and not (path in program.scope.fields and program.scope.fields[path].lever):
            continue
        if setting.value is not None and _constant(setting.value):
            yield found
    for path, trace in list(lowering.names.traces.items()):
        # A field that describes a catalog entry is not a decision.
        described = path.partition(".")[0] in program.scope.entries
        if trace.layer != "default" or path not in program.scope.fields or described or decided(program, path):
            continue
        field = program.scope.fields[path]
        default = field.default
        if default is None or default.value is None:
            continue
        # Another choice or another degree; a computed value follows from the values that it is computed from.
        if is_choice(field.type) or field.unknown is not None and _constant(default.value):
            yield Knob(path, field.type, field.units[0], default, field.domain, field.unknown, False, "input")


def decided(program: Program, path: str) -> bool:
    """Whether the plan assumes a quantity that holds only for the value that an input has."""
    fields = program.scope.fields
    return path in fields and any(name in program.assumptions for name in fields[path].assumed_with)


def domains(program: Program) -> Iterator[Knob]:
    """The unknowns for which the author listed candidates although the library knows more."""
    for path, layers in program.settings.items():
        setting = layers[0][1]
        found = knob_of(program, path, setting)
        if found is not None and setting.open and setting.domain is not None and found.choices is not None:
            yield found


def knob_of(program: Program, path: str, setting: Setting | None = None) -> Knob | None:
    """An input, entry, let or assumption with the value that the plan gives it, or else its default."""
    scope = program.scope
    if setting is None:
        won = program.winner(path)
        default = scope.fields[path].default if path in scope.fields else None
        setting = won[1] if won is not None else default
        if setting is None:
            return None
    if path in scope.fields:
        field = scope.fields[path]
        at = field.units.index(setting.unit) if len(field.types) > 1 and setting.unit in field.units else 0
        if not isinstance(field.types[at], (Measure, EnumType, BoolType, KindType)):
            return None
        unit = setting.unit or field.units[at]
        return Knob(path, field.types[at], unit, setting, field.domain, open_domain(field), True, "input")
    if path in program.assumptions:
        quantity = scope.quantities[path]
        unit = setting.unit or quantity.unit
        return Knob(path, quantity.type, unit, setting, quantity.domain, None, True, "assumption")
    if path in scope.lets:
        let = scope.lets[path]
        if let.type is None or isinstance(let.type, TextType):
            return None
        return Knob(path, let.type, setting.unit or let.unit, setting, None, None, True, "let")
    if path in scope.kinds:
        return Knob(path, KindType(path), "", setting, None, None, True, "entry")
    return None


def _constant(expr: ir.Expr) -> bool:
    """Whether a value is a number of the plan's own, perhaps for each node or for the whole run."""
    parts = list(ir.walk(expr))
    converting = {id(part.args[1]) for part in parts if is_converted(part)}
    read = (ir.Ref, ir.Index, ir.Given, ir.Assumed, ir.Emits, ir.List, ir.Text)
    return not any(isinstance(part, read) and id(part) not in converting for part in parts)


def value_of(knob: Knob, lowering: Lowering) -> float | None:
    """The value of a knob in base units; None if it depends on an unknown."""
    setting = knob.setting
    return None if setting.value is None else lowering.worth(setting.value, setting.place[0])


def ladder(knob: Knob, start: float, lowering: Lowering) -> tuple[list[float], list[float]]:
    """Values above and values below the current one, nearest first."""
    assert isinstance(knob.type, Measure)
    ends = _ends(knob.legal, lowering)
    if not math.isfinite(start):
        return [], []
    if start > 0.0:
        far = 0.0, start * _FACTOR
    elif start < 0.0:
        far = start * _FACTOR, 0.0
    else:
        far = -1.0, 1.0
    low, high = max(ends[0], far[0]), min(ends[1], far[1])
    up, down = _rungs(start, high), _rungs(start, low)
    if knob.type.whole:
        up, down = [float(math.ceil(x)) for x in up], [float(math.floor(x)) for x in down]
    return ([value for value in dict.fromkeys(up) if value > start and value <= high],
            [value for value in dict.fromkeys(down) if value < start and value >= low])  # fmt: skip


def _rungs(start: float, end: float) -> list[float]:
    if start * end > 0.0:
        return [start * (end / start) ** (i / _STEPS) for i in range(1, _STEPS)] + [end]
    return [start + (end - start) * i / _STEPS for i in range(1, _STEPS)] + [end]


def _ends(domain: Domain | None, lowering: Lowering) -> tuple[float, float]:
    """The least and the largest legal value, as far as they are known."""
    item = domain.items[0] if domain is not None and len(domain.items) == 1 else None
    ends = (item.low, item.high) if isinstance(item, ir.Range) else ()
    low, high = [lowering.worth(end) for end in ends] or (None, None)
    return -math.inf if low is None else low, math.inf if high is None else high


def as_expression(value: float, type: Type, lowering: Lowering) -> ir.Expr:
    """A value of the graph as the expression that stands for it in a plan."""
    if isinstance(type, EnumType):
        return ir.Member(type.name, int(value))
    if isinstance(type, KindType):
        return ir.Entry(type.name, lowering.expressions.members(type)[int(value)])
    return ir.Num(value)
