"""Why a generated file is stale: which answers changed between two runs, and what made them change."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, get_args

from attrs import evolve

from llmplan.answer.schema.requirements import Verdict
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.summary import Changed, Summary, Turned
from llmplan.emit.lock import Lock, read_lock
from llmplan.emit.solution_json import digest
from llmplan.units.amount import Amount, Unit
from llmplan.units.measure import Measure

_MOST_LINES = 24
_MOST_COMPARED = 20_000  # the time to compare may grow with the square
_WIDEST = 160
_MOST_CAUSES = 12


def diff(old: str, new: str) -> str:
    """A unified diff without its header, and how much of the file differs."""
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > _MOST_COMPARED:
        return f"{len(before)} lines, now {len(after)}"
    lines = list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]
    changed = sum(line[0] in "+-" for line in lines)
    shown = [line if len(line) <= _WIDEST else f"{line[:_WIDEST]}…" for line in lines[:_MOST_LINES]]
    if len(lines) > _MOST_LINES:
        shown.append("…")
    shown.append(f"{changed} changed {'line' if changed == 1 else 'lines'} of {len(after)}")
    return "\n".join(shown)


def causes(lock: Lock, solution: Solution) -> tuple[str, ...]:
    """The changes between the last record and a solution: answers first, then the differences in their inputs."""
    if not lock.document:
        return ()
    definitions = [*_definitions(lock, solution), *_requirements(lock, solution)]
    why = f": {definitions[0]}" if len(definitions) == 1 else ""
    told = [f"{said}{why}" for said in _answers(lock, solution)]
    if not (why and told):
        told += definitions
    if len(told) > _MOST_CAUSES:
        told = [*told[:_MOST_CAUSES], f"and {len(told) - _MOST_CAUSES} more changes"]
    return tuple(told)


def last(directory: Path) -> Lock:
    """The record of the last run in a folder, empty if there is none that can be read."""
    try:
        return read_lock(directory)
    except OSError:
        return Lock()


def since(lock: Lock, solution: Solution) -> tuple[str, ...]:
    """The differences from the last run: unknowns, then results, each with its change."""
    if not lock.document:
        return ()
    return (*_answers(lock, solution), *results(lock, solution))[:_MOST_CAUSES]


def results(lock: Lock, solution: Solution) -> tuple[str, ...]:
    """The results by which plans are compared that differ from the last run, each with its change: `time -1.9 days`."""
    changed = _changed(lock, solution, solution.compared)
    return tuple(f"{one.name} {_moved(one.before, one.after)}" for one in changed if one.before is not None)


def summary(lock: Lock, solution: Solution, inputs: bool) -> Summary:
    """What differs from the last run, or this answer alone where there was none.

    Args:
        inputs: Whether inputs, formulas and requirements are compared too, which takes ten times as long as the rest.
    """
    names = [solution.calendar.get(name, name) for name in solution.compared]
    compared = inputs and lock.document
    return Summary(
        solution.plan,
        known=bool(lock.document),
        results=tuple(_changed(lock, solution, names)),
        decided=tuple(_changed(lock, solution, [unknown.path for unknown in solution.unknowns])),
        inputs=(*_definitions(lock, solution), *_requirements(lock, solution)) if compared else (),
        turned=tuple(_turned(lock, solution)),
    )


def _changed(lock: Lock, solution: Solution, names: Sequence[str]) -> Iterator[Changed]:
    for name in names:
        value, before = solution.values.get(name), _amount(lock, name, solution)
        if value is None or value.amount.value is None:
            continue
        if before is None or before.exact() != value.amount.exact():
            yield Changed(name, before, value.amount)


def _turned(lock: Lock, solution: Solution) -> Iterator[Turned]:
    """The author's requirements with another verdict."""
    listed = lock.document.get("requirements")
    records = {one.get("name"): one for one in listed if isinstance(one, dict)} if isinstance(listed, list) else {}
    words: tuple[Verdict, ...] = get_args(Verdict)
    for rule in solution.requirements:
        record: dict[str, object] = records.get(rule.name, {})
        before: Verdict | Literal[""] = next((word for word in words if word == record.get("verdict")), "")
        if rule.origin in ("plan", "used") and rule.verdict is not None and before != rule.verdict:
            chance = record.get("chance")
            share = float(chance) if before and isinstance(chance, (int, float)) and 0.0 <= chance <= 1.0 else None
            yield Turned(rule.name, before, share, rule.verdict, rule.chance)


def _amount(lock: Lock, name: str, solution: Solution) -> Amount | None:
    """A value of the last run, written as the solution writes it; None if it had none."""
    record = lock.part("quantities", name)
    before = record.get("value")
    if before is None or not isinstance(before, (str, bool, int, float)):
        return None
    after = solution.values.get(name)
    numeric = not isinstance(before, (str, bool))
    if after is not None and (after.amount.measure is not None) == numeric:
        return Amount(before, after.amount.measure, after.amount.unit)
    if not numeric:
        return Amount(before)
    return Amount(before, Measure(), Unit(str(record.get("unit") or ""), chosen=True, fixed=True))


def _moved(before: Amount, after: Amount) -> str:
    """How far a number moved, in the unit of the second; both values where a difference says nothing."""
    if not (before.finite and after.finite and after.number) or before.number == after.number or after.scaled:
        return f"{before} → {after}"
    by = evolve(after, value=after.number - before.number).like(after)
    return f"{'+' if by.number > 0 else ''}{by.rough()}"


def _answers(lock: Lock, solution: Solution) -> Iterator[str]:
    """The unknowns with another value: `hardware.gpus 88 GPUs → 96 GPUs`."""
    before = lock.part("unknowns")
    for unknown in solution.unknowns:
        record = before.get(unknown.path)
        if not isinstance(record, dict) or record.get("value") == unknown.value.value:
            continue
        old = _amount(lock, unknown.path, solution)
        yield f"{unknown.path} {'nothing' if old is None else old.exact()} → {unknown.value.text}"


def _definitions(lock: Lock, solution: Solution) -> list[str]:
    """The changed inputs: those of the plan first, then formulas and catalog entries."""
    formulas = lock.part("lock", "formulas")
    recorded = lock.part("lock").get("given")
    given_before = [name for name in recorded if isinstance(name, str)] if isinstance(recorded, list) else []
    solved = {*lock.part("unknowns"), *(unknown.path for unknown in solution.unknowns)}
    given_now = [name for name, value in solution.values.items() if value.role != "quantity"]
    now = {name: digest(value.formula)[:12] for name, value in solution.values.items() if value.formula}
    given: dict[str, str] = {}
    derived: dict[str, str] = {}
    for name in dict.fromkeys([*given_now, *now, *given_before, *formulas]):
        value = solution.values.get(name)
        place = value.origin.place if value is not None and value.origin is not None else ""
        at = f" at {place}" if place else ""
        before = _amount(lock, name, solution) if name in given_before else None
        old = "nothing" if before is None else before.exact()
        new = value.text if value is not None and name in given_now and value.value is not None else "nothing"
        same_formula = formulas.get(name) == now.get(name)
        if name in solved or (same_formula and (old == new or name in now)):
            continue  # solved, or computed from what changed elsewhere
        if name not in now:
            given[name] = f"{name} {old} → {new}{at}"
        elif old != new:
            derived[name] = f"{name} {old} → {new}{at}"
        else:
            quantity = name.partition("[")[0]  # one formula for all its indices
            derived[quantity] = f"the formula of `{quantity}`{at} changed"
    # Another entry of the catalog changes all its fields, which says nothing new.
    entries = tuple(f"{name.rpartition('.')[2]}." for name in given)
    return [*given.values(), *(text for name, text in derived.items() if not name.startswith(entries))]


def _requirements(lock: Lock, solution: Solution) -> list[str]:
    old, new = lock.part("lock", "requirements"), {one.name: one.text for one in solution.requirements}
    changed = [f"requirement `{name}` is new: {new[name]}" for name in new if name not in old]
    changed += [f"requirement `{name}` is gone" for name in old if name not in new]
    changed += [
        f"requirement `{name}` was {old[name]}, is {new[name]}"
        for name in new
        if name in old and old[name] != new[name]
    ]
    return changed
