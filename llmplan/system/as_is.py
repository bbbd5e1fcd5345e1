"""Whether a catalog entry is unchanged by everything that a plan says about its kind.

Input: the inputs of a lowering, and a field declared `@as_is`. Output: whether the entry's value for that field counts:
it does not if the plan, or an entry that inherits from it, gives another field a different value. Values are compared,
so stating the same value again changes nothing; an unknown or a range is a different value.
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
    """The parts of a lowering's inputs that are read here."""

    program: Program
    scope: Scope
    names: Names
    expressions: Expressions

    def entry_settings(self, kind: str, name: str, field: str) -> tuple[str, Setting] | None:
        """The setting of a field in an entry or one that it inherits from, with the name of the entry that has it."""


def is_unchanged(inputs: Inputs, path: str, entry: str, owner: str) -> bool:
    """Whether `owner`, the entry that has a value for the field `path`, is unchanged by the plan and by `entry`."""
    kind, _, own = path.partition(".")
    free = {own, *inputs.scope.as_is[path]}
    passed = entry
    while passed != owner:  # entries that inherit from the owner
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
