"""The grid of points that a plan's `sweep` spans."""

from __future__ import annotations

import itertools

from attrs import frozen

from llmplan.check.ir import Num
from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.check.program import Setting
from llmplan.system.adjustable import knob_of
from llmplan.system.display import amount
from llmplan.system.domains import candidates
from llmplan.system.lower import Lowering
from llmplan.units.amount import Amount
from llmplan.units.measure import REAL, Type

MOST_POINTS = 10_000
"""A sweep with more points is refused."""


@frozen
class At:
    """The value of one axis at a point: the setting, and the value itself."""

    setting: Setting
    amount: Amount


def points(lowering: Lowering) -> list[dict[str, At]] | None:
    """Every point in the product of a plan's sweeps, by path, the last axis fastest; None if there are too many."""
    axes: list[list[tuple[str, At]]] = []
    grid = _axes(lowering)
    if grid is None:
        return None
    for path, setting, type, unit, values in grid:
        axis = []
        for x in values:
            at = At(Setting(Num(x), None, setting.place, setting.unit), amount(x, type, lowering.scope, unit))
            axis.append((path, at))
        axes.append(axis)
    return [dict(point) for point in itertools.product(*axes)]


def too_many(lowering: Lowering) -> bool:
    """Whether a plan's sweeps have more points than can be solved."""
    return _axes(lowering) is None


def _axes(lowering: Lowering) -> list[tuple[str, Setting, Type, str, tuple[float, ...]]] | None:
    """Each sweep's path, setting, type, unit and values; None if there are too many points."""
    program = lowering.program
    axes = []
    count = 1
    for path, setting in program.sweeps.items():
        knob = knob_of(program, path, setting)
        type = knob.type if knob is not None else REAL
        domain = setting.domain or (knob.choices if knob is not None else None)
        values = candidates(lowering.expressions, type, domain)
        count *= len(values or ())
        if values is None or count > MOST_POINTS:
            return None
        axes.append((path, setting, type, (domain.unit if domain is not None else "") or setting.unit, values))
    return axes


def at_point(lowering: Lowering, number: int) -> Program:
    """A program at one point of its sweeps; a swept input may have no value of its own."""
    grid = points(lowering)
    values = {path: point.setting for path, point in grid[number].items()} if grid else {}
    return varied(lowering.program, "sweep", values)


def without_value(program: Program) -> list[str]:
    """The swept inputs of a program that have no other value."""
    fields = program.scope.fields
    return [
        path
        for path in program.sweeps
        if program.winner(path) is None and (path not in fields or fields[path].default is None)
    ]
