"""Reuses the lowering of an earlier text of a plan for names that read the same and have the same values.

Input: the lowering of the earlier text and the program of the new one. Output: for a name, its earlier record, if
everything that it read comes to the same nodes again. To find that out, the names that it read are lowered or taken
over, so that everything is met in the same order as in a lowering from scratch.

Only names of the library are taken over: those that the plan itself sets are lowered again, at their new position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from llmplan.check.mappings import Overlay
from llmplan.check.plan import Program
from llmplan.check.program import EmitTarget, Setting
from llmplan.check.scope import Scope
from llmplan.system.graph import Graph
from llmplan.system.missing import Missing, Result
from llmplan.system.names import OPEN, SPREAD, Known
from llmplan.system.system import Unknown

MOST_NODES = 20_000
"""A graph that has grown beyond this many nodes over several texts is not continued."""


class Earlier:
    """An earlier lowering, from the viewpoint of the lowering of another text.

    Args:
        known: The names that it lowered.
        met: Its unknowns.
        graph: Its graph, which the new lowering extends.
        old, new: Both programs, which must be `comparable`.
    """

    def __init__(
        self, known: Mapping[str, Known], met: Sequence[Unknown], graph: Graph, old: Program, new: Program
    ) -> None:
        self.graph = graph
        self.met = tuple(met)
        changed = differing(old, new, _said_as_before(old, new))
        self._values = {name: record.value for name, record in known.items()}
        anew = changed | {OPEN, SPREAD}
        self._known = {
            name: record
            for name, record in known.items()
            if name not in changed and anew.isdisjoint(record.touched) and _of_library(record, old.scope)
        }

    def record(self, name: str) -> Known | None:
        """The earlier record of a name, if nothing that it looked at directly has changed."""
        return self._known.get(name)

    def same(self, name: str, value: Result, met: Sequence[Unknown]) -> bool:
        """Whether a name has the value that it had before; for an unknown also the same candidates."""
        before = self._values.get(name)
        if before is None or value != before:
            return False
        if isinstance(value, Missing) or self.graph[value].op != "unknown":
            return True
        index = int(self.graph[value].value or 0)
        return index < min(len(met), len(self.met)) and met[index] == self.met[index]


def _of_library(record: Known, scope: Scope) -> bool:
    place = record.trace.place if record.trace is not None else None
    return not record.diagnostics and (place is None or scope.sources[place[0]].library)


def comparable(old: Program, new: Program) -> bool:
    """Whether two programs differ only in settings and in what they ask for."""
    return all(_plain(program) for program in (old, new)) and _emitted(old) == _emitted(new)


def _plain(program: Program) -> bool:
    scope = program.scope
    own: list[Overlay[Any]] = [scope.fields, scope.quantities, scope.functions, *scope.entries.values()]
    varied = program.sweeps or program.scenarios or program.measured
    return not (any(table.own for table in own) or program.replaced or varied)


def _emitted(program: Program) -> set[EmitTarget]:
    return set(program.emits)


def differing(old: Program, new: Program, same: Callable[[tuple[str, Setting], tuple[str, Setting]], bool]) -> set[str]:
    """The paths that both programs set, but differently, and those that only one sets, with their kinds (`gpu.`).

    Args:
        same: Whether the winning settings of a path, each with its layer, are the same.
    """
    found: set[str] = set()
    for before, after in ((old.settings, new.settings), (old.assumptions, new.assumptions)):
        for path in before.keys() | after.keys():
            first, second = before.get(path), after.get(path)
            if not first or not second:
                found |= {path, path.partition(".")[0] + "."}
            elif not same(first[0], second[0]):
                found.add(path)
    if old.moved is not new.moved:
        found |= old.moved.keys() | new.moved.keys()
    return found


def _said_as_before(old: Program, new: Program) -> Callable[[tuple[str, Setting], tuple[str, Setting]], bool]:
    return lambda first, second: first[0] == second[0] and _said(old, first[1]) == _said(new, second[1])


def _said(program: Program, setting: Setting) -> tuple[object, ...]:
    return program.scope.span(setting.place).text, setting.unit, setting.open
