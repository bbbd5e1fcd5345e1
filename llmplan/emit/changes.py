"""Why a generated file is stale: which answers changed between two runs, and what made them change."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from llmplan.emit.lock import Lock, read_lock
from llmplan.emit.solution_json import NAME
from llmplan.units.format import number

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


def causes(lock: Lock, new: str) -> tuple[str, ...]:
    """What the old and the new `solution.json` tell: changed answers first, then changed definitions."""
    if not lock.document or not new:
        return ()
    document = json.loads(new)
    before, after = Lock(lock.document), Lock(document)
    definitions = [*_definitions(before, after), *_requirements(before, after)]
    why = f": {definitions[0]}" if len(definitions) == 1 else ""
    found = [f"{name} {old} → {now}{why}" for name, old, now in _answers(before, after)]
    if not (why and found):
        found += definitions
    if len(found) > _MOST_CAUSES:
        found = [*found[:_MOST_CAUSES], f"and {len(found) - _MOST_CAUSES} more changes"]
    return tuple(found)


def last(directory: Path) -> Lock:
    """The record of the last run in a folder, empty if there is none that can be read."""
    try:
        return read_lock(directory)
    except OSError:
        return Lock()


def since(before: Lock, contents: Mapping[str, str]) -> tuple[str, ...]:
    """What is another than in the last run: unknowns, then results, each with how far it moved."""
    if not before.document or NAME not in contents:
        return ()
    after = Lock(json.loads(contents[NAME]))
    found = [f"{path} {old} → {new}" for path, old, new in _answers(before, after)]
    old, new = before.part("lock", "results"), after.part("lock", "results")
    for name in (name for name in new if name in old and old[name] != new[name]):
        values = [lock.part("quantities", name).get("value") for lock in (before, after)]
        found.append(f"{name} {_moved(values, str(new[name])) or f'{old[name]} → {new[name]}'}")
    return tuple(found[:_MOST_CAUSES])


def _moved(values: Sequence[Any], text: str) -> str:
    """The difference of two values in base units, in the unit of the text of the second; empty if there is none."""
    own, _, unit = text.partition(" ")
    plain = own.replace(",", "")
    if (
        not unit
        or not re.fullmatch(r"\d+(?:\.\d+)?", plain)
        or not all(isinstance(one, (int, float)) for one in values)
    ):
        return ""
    by = (values[1] - values[0]) * float(plain) / values[1] if values[1] else 0.0
    return f"{'+' if by > 0 else ''}{number(float(f'{by:.3g}'))} {unit}" if by else ""


def _answers(before: Lock, after: Lock) -> list[tuple[str, str, str]]:
    """Unknowns with another value."""
    old, new = before.part("unknowns"), after.part("unknowns")
    changed = []
    for path in old:
        left, right = _of(old, path), _of(new, path)
        if path in new and left != right:
            texts = before.part("lock", "values"), after.part("lock", "values")
            changed.append((path, str(texts[0].get(path, left)), str(texts[1].get(path, right))))
    return changed


def _of(unknowns: dict[str, Any], path: str) -> Any:
    found = unknowns.get(path)
    return found.get("value") if isinstance(found, dict) else None


def _definitions(before: Lock, after: Lock) -> list[str]:
    """What is written differently: what the plan gives first, then formulas and catalog entries."""
    old_values, new_values = before.part("lock", "values"), after.part("lock", "values")
    old_formulas, new_formulas = before.part("lock", "formulas"), after.part("lock", "formulas")
    solved = {*before.part("unknowns"), *after.part("unknowns")}
    given: dict[str, str] = {}
    derived: dict[str, str] = {}
    for name in dict.fromkeys([*new_values, *new_formulas, *old_values, *old_formulas]):
        source = after.part("quantities", name).get("source")
        at = f" at {source}" if source else ""
        old, new = old_values.get(name, "nothing"), new_values.get(name, "nothing")
        same_formula = old_formulas.get(name) == new_formulas.get(name)
        if name in solved or (same_formula and (old == new or name in new_formulas)):
            continue  # found or computed from what changed elsewhere
        if name not in new_formulas:
            given[name] = f"{name} {old} → {new}{at}"
        elif old != new:
            derived[name] = f"{name} {old} → {new}{at}"
        else:
            quantity = name.partition("[")[0]  # one formula for all its indices
            derived[quantity] = f"the formula of `{quantity}`{at} changed"
    # Another entry of the catalog changes all its fields, which says nothing new.
    entries = tuple(f"{name.rpartition('.')[2]}." for name in given)
    return [*given.values(), *(text for name, text in derived.items() if not name.startswith(entries))]


def _requirements(before: Lock, after: Lock) -> list[str]:
    old, new = before.part("lock", "requirements"), after.part("lock", "requirements")
    changed = [f"requirement `{name}` is new: {new[name]}" for name in new if name not in old]
    changed += [f"requirement `{name}` is gone" for name in old if name not in new]
    changed += [
        f"requirement `{name}` was {old[name]}, is {new[name]}"
        for name in new
        if name in old and old[name] != new[name]
    ]
    return changed
