"""What two plans differ in: decisions, inputs, results with the band of their change, causes, verdicts and files.

Input: two solutions with the lowerings of their plans, and the files that each writes. Output: the record. The older
plan stands in the place of the last run's record, so that a difference says what `compile --summary` says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TypeVar

from attrs import evolve

from llmplan.advice.causes import causes
from llmplan.answer.schema.difference import Apart, ChangedFile, Difference
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.summary import Altered
from llmplan.emit import changes, solution_json
from llmplan.emit.lock import Lock
from llmplan.emit.portable import portable
from llmplan.system.lower import Lowering
from llmplan.uncertainty.apart import ratio
from llmplan.units.measure import KindType, ListType, TextType, is_catalog

T = TypeVar("T")
Pair = tuple[T, T]
"""Of the older plan and of the newer one."""

_HASH = re.compile(r"\([0-9a-f]{12}\)")
"""The hash that a written file has of its own text."""


def difference(
    a: Solution,
    b: Solution,
    lowerings: Pair[Lowering],
    files: Pair[Mapping[str, str]],
    places: Pair[Mapping[str, str]] = ({}, {}),
) -> Difference:
    """What the newer plan, `b`, differs in from the older one, `a`.

    Args:
        lowerings: Those of both plans, each at its solution.
        files: What each writes, by name, as `bare` has it.
        places: Where the files of other software that each was read from say its inputs.
    """
    old, new = portable(a), portable(b)
    lock = Lock(json.loads(solution_json.text(old, {}, old.values)))
    whole = changes.summary(lock, new, inputs=True)
    kept = (one for one in whole.inputs if not _of_entry(one.name, (a, b), lowerings))
    summary = evolve(whole, inputs=tuple(_placed(one, places) for one in kept))
    named = [one.name for one in summary.results]
    results = [one for name in named if (one := apart(old, new, lowerings, name)) is not None]
    given = [one.name for one in summary.inputs if one.what == "value"]
    changed = [*given, *(one.name for one in summary.decided)]
    moved = causes(*lowerings, changed, [one.name for one in results])
    differing = _files(files)
    return Difference(old, new, summary, tuple(results), moved, tuple(differing))


def apart(a: Solution, b: Solution, lowerings: Pair[Lowering], name: str) -> Apart | None:
    """A number of both plans; None where one of them has none."""
    if name not in a.values or name not in b.values:
        return None
    before, after = a.values[name].amount, b.values[name].amount
    if not (before.finite and after.finite):
        return None
    alike = _subjects(lowerings[0]) == _subjects(lowerings[1])
    ends = ratio(*lowerings, name, alike)
    band = None if ends is None else (ends[0] - 1.0, ends[1] - 1.0)
    told = band is None or not band[0] <= 0.0 <= band[1]
    change = after.number / before.number - 1.0 if before.number else None
    return Apart(name, before, after, change, band, told)


def _placed(one: Altered, places: Pair[Mapping[str, str]]) -> Altered:
    """An input with the place of its key: in the newer files, or in the older ones where they alone have it."""
    was, now = places
    place = now.get(one.name) or was.get(one.name)
    return evolve(one, place=place) if place and one.what == "value" else one


def _of_entry(name: str, of: Pair[Solution], lowerings: Pair[Lowering]) -> bool:
    """Whether a value differs because another entry gives it, which the choice of that entry says already."""
    kind = name.partition(".")[0]
    if any(name in solution.values and solution.values[name].authored for solution in of):
        return False
    return kind in lowerings[0].scope.entries and _entry(lowerings[0], kind) != _entry(lowerings[1], kind)


def _subjects(lowering: Lowering) -> dict[str, str]:
    """The entries that a plan is about, such as its model and its accelerator, by kind."""
    scope = lowering.scope
    chosen = [kind for kind in scope.entries if scope.selector(kind) == kind]
    chosen += [
        field.type.name
        for field in scope.fields.values()
        if isinstance(field.type, KindType) and is_catalog(field.type)
    ]
    return {kind: _entry(lowering, kind) for kind in chosen}


def _entry(lowering: Lowering, kind: str) -> str:
    """The entry that a plan takes the values of a kind from; empty if it takes none."""
    fields = (lowering.scope.fields[f"{kind}.{name}"] for name in lowering.scope.kinds.get(kind, ()))
    for field in fields:
        if not isinstance(field.type, (TextType, ListType)):
            lowering.name(field.path)
            trace = lowering.names.traces.get(field.path)
            if trace is not None and trace.entry:
                return trace.entry
    return ""


def bare(files: Mapping[str, str], solution: Solution) -> dict[str, str]:
    """The files of a solution without the name of their plan and their own hashes."""
    plan = portable(solution).plan
    return {name: _HASH.sub("", text.replace(plan, "")) for name, text in files.items() if name != solution_json.NAME}


def _files(of: Pair[Mapping[str, str]]) -> Iterator[ChangedFile]:
    """The files that differ, and those that one of the plans writes alone."""
    old, new = of
    for name in sorted({*old, *new}):
        if name not in new or name not in old:
            yield ChangedFile(name, "gone" if name in old else "new")
        elif old[name] != new[name]:
            yield ChangedFile(name, "changed")
