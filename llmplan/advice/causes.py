"""Which changed input moved a result most, from one plan to another.

Input: the lowerings of two plans, each at its solution, and the names of the inputs and decisions that differ. Each is
set alone to its value in the newer plan, with all else as in the older one, and back again in the newer one; nothing is
solved. Output: for each result the mean of both as a share of its whole change. Shares need not add up to one, as
inputs act together and a formula cannot be set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve

from llmplan.advice.trial import evaluated
from llmplan.answer.schema.difference import Share
from llmplan.answer.schema.solution import Solution
from llmplan.check.plan import Program
from llmplan.check.program import Setting, SourceRef
from llmplan.system.adjustable import as_expression, knob_of
from llmplan.system.display import scalar
from llmplan.system.lower import Lowering
from llmplan.uncertainty.apart import number
from llmplan.units.measure import BoolType, EnumType, KindType, ListType, Scalar, TextType, Type

_MOST = 32
"""The most inputs that are tried: each costs two evaluations."""

_LEAST = 0.005
"""The least share that is told."""


def at_its_answer(lowering: Lowering, solution: Solution) -> Lowering:
    """The plan at its solution."""
    values = {unknown.path: unknown.value.value for unknown in solution.unknowns}
    types = {path: _declared(lowering.program, path)[0] for path in values}
    numbers = {path: _number(value, types[path], lowering) for path, value in values.items()}
    return lowering.again(fixed={path: value for path, value in numbers.items() if value is not None})


def causes(
    before: Lowering, after: Lowering, inputs: Iterable[str], results: Sequence[str]
) -> tuple[tuple[str, tuple[Share, ...]], ...]:
    """By result, the inputs that moved it, the largest share first.

    Args:
        before, after: The two plans, each at its solution.
        inputs: The names of the inputs and decisions that differ.
        results: The names of the results that differ.
    """
    old = {name: number(before, name) for name in results}
    new = {name: number(after, name) for name in results}
    shares: dict[str, list[Share]] = {name: [] for name in results}
    for path in list(dict.fromkeys(inputs))[:_MOST]:
        there, back = _moved(before, after, path), _moved(after, before, path)
        for name in results:
            first, last = old[name], new[name]
            if first is None or last is None or first == last:
                continue
            at_first = None if there is None else number(there, name)
            at_last = None if back is None else number(back, name)
            moves = [at_first - first] if at_first is not None else []
            moves += [last - at_last] if at_last is not None else []
            share = sum(moves) / len(moves) / (last - first) if moves else 0.0
            if abs(share) >= _LEAST:
                shares[name].append(Share(path, share))
    told = ((name, sorted(each, key=lambda one: -abs(one.share))) for name, each in shares.items())
    return tuple((name, tuple(each)) for name, each in told if each)


def _moved(of: Lowering, towards: Lowering, path: str) -> Lowering | None:
    """A plan at its solution with one value of another plan; None where it cannot have that value."""
    fixed, program = of.unknowns.fixed or {}, of.program
    if path in program.assumptions and path not in towards.program.assumptions:
        kept = {name: layers for name, layers in program.assumptions.items() if name != path}
        return of.again(evolve(program, assumptions=kept), fixed=fixed)
    type, unit = _declared(towards.program, path)
    if type is None:
        return None
    there = towards.unknowns.fixed or {}
    value = there[path] if path in there else number(towards, path)
    worth = None if value is None else _number(scalar(value, type, towards.scope), type, of)
    if worth is None:
        return None
    if path in fixed:
        return of.again(fixed={**fixed, path: worth})
    place = _place(program, path)
    if place is None:
        return None
    setting = Setting(as_expression(worth, type, of), None, place, unit)
    if path in towards.program.assumptions and path not in program.assumptions:
        return of.again(evolve(program, assumptions={**program.assumptions, path: [("--set", setting)]}), fixed=fixed)
    return evaluated(of, {path: setting})


def _place(program: Program, path: str) -> SourceRef | None:
    """A place for a setting of another plan in this one, which knows its own files alone; None of an unknown name."""
    own, scope = knob_of(program, path), program.scope
    if own is not None:
        return own.setting.place
    if path in scope.fields:
        return scope.fields[path].place
    return scope.quantities[path].alternatives[0].place if path in scope.quantities else None


def _declared(program: Program, path: str) -> tuple[Type | None, str]:
    """The type of a name and the unit of its value; no type of a text, or of an unknown name."""
    knob = knob_of(program, path)
    if knob is not None:
        return knob.type, knob.unit
    field = program.scope.fields.get(path)  # its value may be that of an entry
    plain = field is not None and not isinstance(field.type, (TextType, ListType))
    return (field.type, field.units[0]) if field is not None and plain else (None, "")


def _number(value: Scalar, type: Type | None, lowering: Lowering) -> float | None:
    """A value as the graph of a plan has it; None for one that the plan does not know."""
    names: Mapping[object, int] = {}
    if isinstance(type, EnumType):
        names = {name: index for index, name in enumerate(type.members)}
    elif isinstance(type, KindType):
        names = {name: index for index, name in enumerate(lowering.expressions.members(type))}
    elif (
        type is None or isinstance(value, str) or value is None or isinstance(value, bool) != isinstance(type, BoolType)
    ):
        return None
    else:
        return float(value)
    return float(names[value]) if value in names else None
