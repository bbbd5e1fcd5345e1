"""What differs between the last run and this one, as records: answers, results, verdicts, and what made them differ."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, get_args

from llmplan.answer.schema.requirements import Verdict
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.summary import Altered, Cause, Changed, Summary, Turned
from llmplan.emit.lock import Lock, read_lock
from llmplan.emit.portable import file_of
from llmplan.emit.solution_json import digest
from llmplan.present.names import TIME, TOKENS_PER_SECOND
from llmplan.units.amount import Amount, Unit
from llmplan.units.measure import Measure

_NO: Verdict = "no"
_INFEASIBLE = "infeasible"
_CATALOG = "plans/catalog/"
_MOST_LINES = 24
_MOST_COMPARED = 20_000  # the time to compare may grow with the square
_WIDEST = 160


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


def causes(lock: Lock, solution: Solution) -> tuple[Cause, ...]:
    """The changes between the last record and a solution: answers first, then the differences in their inputs."""
    if not lock.document:
        return ()
    made = [*_inputs(lock, solution), *_requirements(lock, solution)]
    why = made[0] if len(made) == 1 else None
    told = [Cause(answer, why) for answer in _answers(lock, solution)]
    return tuple(told if why and told else [*told, *map(Cause, made)])


def last(directory: Path) -> Lock:
    """The record of the last run in a folder, empty if there is none that can be read."""
    try:
        return read_lock(directory)
    except OSError:
        return Lock()


def results(lock: Lock, solution: Solution) -> tuple[Changed, ...]:
    """What plans are compared by, on the calendar where it has a counterpart there, as far as it differs.

    Of a training whose length is not known its speed is compared in the place of its time.
    """
    names = [solution.calendar.get(name, name) for name in solution.compared]
    time = solution.values.get(TIME)
    if TIME in solution.compared and (time is None or time.amount.value is None):
        names.append(TOKENS_PER_SECOND)
    return tuple(_changed(lock, solution, names))


def summary(lock: Lock, solution: Solution, inputs: bool) -> Summary:
    """What differs from the last run, or this answer alone where there was none.

    Args:
        inputs: Whether inputs, formulas and requirements are compared too, which takes ten times as long as the rest.
    """
    compared = inputs and lock.document
    return Summary(
        solution.plan,
        known=bool(lock.document),
        results=results(lock, solution),
        decided=tuple(_changed(lock, solution, [unknown.path for unknown in solution.unknowns])),
        inputs=(*_inputs(lock, solution), *_requirements(lock, solution)) if compared else (),
        turned=tuple(_turned(lock, solution)),
        met=_met(lock.document.get("status") == _INFEASIBLE, solution.status == _INFEASIBLE),
    )


def _met(before: bool, after: bool) -> Literal["", "no longer", "never", "again"]:
    """Whether no plan met the requirements in the last run, and whether none does now."""
    if after:
        return "never" if before else "no longer"
    return "again" if before else ""


def _changed(lock: Lock, solution: Solution, names: Sequence[str]) -> Iterator[Changed]:
    for name in names:
        value, before = solution.values.get(name), _amount(lock, name, solution)
        if value is None or value.amount.value is None:
            continue
        if before is None or before.exact() != value.amount.exact():
            yield Changed(name, before, value.amount)


def _turned(lock: Lock, solution: Solution) -> Iterator[Turned]:
    """The author's requirements with another verdict, and those of the library that are met no more, or again."""
    records = _judged(lock)
    words: tuple[Verdict, ...] = get_args(Verdict)
    for rule in solution.requirements:
        record: dict[str, object] = records.get(rule.name, {})
        before: Verdict | Literal[""] = next((word for word in words if word == record.get("verdict")), "")
        asked = rule.origin in ("plan", "used") or _NO in (before, rule.verdict)
        if asked and rule.verdict is not None and before != rule.verdict:
            chance = record.get("chance")
            share = float(chance) if before and isinstance(chance, (int, float)) and 0.0 <= chance <= 1.0 else None
            yield Turned(rule.name, before, share, rule.verdict, rule.chance)


def _judged(lock: Lock) -> dict[str, dict[str, object]]:
    """The requirements of the last run, by name."""
    listed = lock.document.get("requirements")
    records = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return {name: one for one in records if isinstance(name := one.get("name"), str)}


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


def _answers(lock: Lock, solution: Solution) -> Iterator[Altered]:
    """The unknowns with another value."""
    before = lock.part("unknowns")
    for unknown in solution.unknowns:
        record = before.get(unknown.path)
        if isinstance(record, dict) and record.get("value") != unknown.value.value:
            yield Altered("value", unknown.path, _amount(lock, unknown.path, solution), unknown.value.amount)


def _inputs(lock: Lock, solution: Solution) -> list[Altered]:
    """The changed inputs: those of the plan first, then formulas and catalog entries."""
    formulas = lock.part("lock", "formulas")
    recorded = lock.part("quantities").items()
    given_before = [name for name, one in recorded if isinstance(one, dict) and one.get("given") is True]
    solved = {unknown.path for unknown in solution.unknowns}
    given_before += [name for name in lock.part("unknowns") if name not in solved]  # what was found is given now
    given_now = [name for name, value in solution.values.items() if value.role != "quantity"]
    now = {name: digest(value.formula)[:12] for name, value in solution.values.items() if value.formula}
    same_library = lock.document.get("library_hash") == solution.library_hash
    own = {*solution.sources, *solution.sources.values()}  # a file's name, and its path from the project root
    given: dict[str, Altered] = {}
    derived: dict[str, Altered] = {}
    for name in dict.fromkeys([*given_now, *now, *given_before, *formulas]):
        value = solution.values.get(name)
        place = value.origin.place if value is not None and value.origin is not None else ""
        old = _amount(lock, name, solution) if name in given_before else None
        new = value.amount if value is not None and name in given_now and value.value is not None else None
        same = old is None and new is None or old is not None and new is not None and old.exact() == new.exact()
        # Of the same library a field of an entry is another one only as another entry is chosen.
        entered = value is not None and value.origin is not None and value.origin.layer == "entry"
        chosen = same_library and entered and place.startswith(_CATALOG)
        if name in solved or chosen or (formulas.get(name) == now.get(name) and (same or name in now)):
            continue  # solved, or computed from what changed elsewhere
        if name not in now or not same:
            (derived if name in now else given)[name] = Altered("value", name, old, new, place)
        elif not same_library or file_of(place) in own:
            # Of the same library another alternative of a quantity applies now, as its inputs have it.
            quantity = name.partition("[")[0]  # one formula for all its indices
            cites = tuple(one.source for one in value.cites) if value is not None else ()
            derived[quantity] = Altered("formula", quantity, place=place, cites=tuple(dict.fromkeys(cites)))
    # Another entry of the catalog changes all its fields, which says nothing new.
    entries = tuple(f"{name.rpartition('.')[2]}." for name in given)
    return [*given.values(), *(one for name, one in derived.items() if not name.startswith(entries))]


def _requirements(lock: Lock, solution: Solution) -> list[Altered]:
    """Those that are new, then those that are gone, then those with another text.

    One of the library that surely holds is not told where it comes or goes: its condition came to apply with an input.
    """
    recorded = lock.part("lock", "requirements")
    still = {one.name for one in solution.requirements}
    quiet = {name for name, one in _judged(lock).items() if one.keys() == {"name", "holds"} and name not in still}
    old = {name: text for name, text in recorded.items() if isinstance(text, str) and name not in quiet}
    sure = [one.name for one in solution.requirements if one.origin == "library" and one.holds and one.chance is None]
    new = {one.name: one.text for one in solution.requirements if one.name in old or one.name not in sure}
    names = [name for name in new if name not in old], [name for name in old if name not in new]
    other = [name for name in new if name in old and old[name] != new[name]]
    return [Altered("requirement", name, old.get(name), new.get(name)) for name in (*names[0], *names[1], *other)]
