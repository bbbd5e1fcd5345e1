"""Whether an entry of a catalog is what it is, after all that a plan says of its kind.

Input are the inputs of a lowering, and a field declared `@as_is`; output whether what the entry says of that field
counts: it does not where the plan, or an entry that is like it, gives another field a value that the entry has not.
Values are compared, so that one said again changes nothing; an unknown or a range is another value.
"""

from __future__ import annotations

from typing import Protocol

from llmplan.check.plan import Program
from llmplan.check.program import Setting
from llmplan.check.scope import Scope
from llmplan.system.expressions import Expressions
from llmplan.system.names import Names
from llmplan.units.measure import ListType, TextType


class Inputs(Protocol):
    """The parts that are read of the inputs of a lowering."""

    program: Program
    scope: Scope
    names: Names
    expressions: Expressions

    def entry_settings(self, kind: str, name: str, field: str) -> tuple[str, Setting] | None:
        """The setting of a field in an entry or in one that it is like, and which entry has it."""


def is_unchanged(inputs: Inputs, path: str, entry: str, owner: str) -> bool:
    """Whether `owner`, which says something of the field `path`, is what `entry` and the plan make of it."""
    kind, _, own = path.partition(".")
    free = {own, *inputs.scope.as_is[path]}
    passed = entry
    while passed != owner:  # entries that are like the one that says it
        record = inputs.scope.entries[kind][passed]
        if any(field not in free for field, _ in record.settings):
            return False
        passed = record.like
    inputs.names.touch(f"{kind}.")
    others = [
        name for name in inputs.program.settings if name.startswith(f"{kind}.") and name.partition(".")[2] not in free
    ]
    return all(_is_same(inputs, name, entry) for name in others if name in inputs.scope.fields)


def _is_same(inputs: Inputs, path: str, entry: str) -> bool:
    won = inputs.program.winner(path)
    inputs.names.touch(path)
    kind, _, field = path.partition(".")
    of_entry = inputs.entry_settings(kind, entry, field)
    before = of_entry[1] if of_entry is not None else inputs.scope.fields[path].default
    if won is None or before is None:
        return won is None
    if isinstance(inputs.scope.fields[path].type, (TextType, ListType)):
        return won[1].value == before.value
    worth = _worth(inputs, won[1])
    return worth is not None and worth == _worth(inputs, before)


def _worth(inputs: Inputs, setting: Setting) -> float | None:
    if setting.value is None or setting.spread is not None:
        return None
    return inputs.expressions.worth(setting.value, setting.place[0])
