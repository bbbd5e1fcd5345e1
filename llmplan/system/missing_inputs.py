"""Messages about missing inputs: which ones to ask for, and why one has no default.

Input: the paths that an expression lacks. Output: those that do not follow from the others, and notes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from llmplan.check.ir import Ref, walk
from llmplan.system.display import show
from llmplan.system.lower import Lowering
from llmplan.system.missing import NONE_APPLIES, Missing
from llmplan.units.measure import Measure


def to_give(lowering: Lowering, needs: Sequence[str]) -> list[str]:
    """The missing inputs without those whose default follows once the others are given."""
    found = list(needs)
    for path in needs:
        lacks = set(_lacks(lowering, path))
        if lacks and lacks <= set(found) - {path}:
            found.remove(path)
    return found


def _lacks(lowering: Lowering, path: str) -> Iterator[str]:
    """The inputs without a value that an input's default is computed from, itself or by a quantity that it reads."""
    field = lowering.scope.fields.get(path)
    value = field.default.value if field is not None and field.default is not None else None
    for part in walk(value) if value is not None else ():
        lacking = lowering.names.values.get(part.name) if isinstance(part, Ref) else None
        if not isinstance(part, Ref) or not isinstance(lacking, Missing):
            continue
        for need in [part.name] if part.name in lowering.scope.fields else lacking.needs:
            yield from list(_lacks(lowering, need)) or [need]


def limits(lowering: Lowering, needs: Sequence[str]) -> list[str]:
    """A note for each input whose default does not apply here: where it does apply, and the current case."""
    found = []
    for path in needs:
        field = lowering.scope.fields.get(path)
        value = field.default.value if field is not None and field.default is not None else None
        if isinstance(value, Ref) and lowering.names.reasons.get(value.name) == NONE_APPLIES:
            guards = [one.when for one in lowering.scope.quantities[value.name].alternatives if one.when is not None]
            names = dict.fromkeys(part.name for guard in guards for part in walk(guard) if isinstance(part, Ref))
            where = " and ".join(f"`{name}` is {text}" for name in names if (text := _shown(lowering, name)))
            found.append(f"`{path}` has no default where {where}")
    return found


def _shown(lowering: Lowering, name: str) -> str:
    meaning, value = lowering.scope.lookup(name), lowering.worth(Ref(name))
    if meaning is None or value is None or not isinstance(meaning.type, Measure):
        return ""
    return show(value, meaning.type, lowering.scope, meaning.unit)
