"""The model of a measured run, so that another plan knows it: by its name in the catalog, else as an entry beside it.

A plan may have its model from a configuration, or from an entry of its own, which no other plan has. Input: runs whose
plans are solved. Output: the runs, their model by the name of a catalog entry that decides time and memory alike, or
else with the text of an entry that their statements name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import Value
from llmplan.logs import measured_text
from llmplan.logs.measured_text import Setting
from llmplan.run_inputs import RunInputs, decisive
from llmplan.units import amount

if TYPE_CHECKING:
    from llmplan.measured_run import Run

_MODEL = "model"
_SIZES = ("model.params", "model.layers", "model.hidden", "model.heads", "model.vocab")
"""What the catalog's list has of a model, in the order of its columns."""

_CONTEXT, _CONTEXT_COLUMN = "model.max_context", "context"
"""What tells entries of the same sizes apart, and the title of its column."""

_MOST = 4
"""Entries of the same sizes that are tried."""


@frozen
class _Named:
    """A name in the catalog, or that of an entry, with its lines."""

    name: str
    entry: str = ""


def named(runs: Sequence[Run], inputs: RunInputs) -> list[Run]:
    """Runs whose models other plans know."""
    known: dict[tuple[tuple[str, object], ...], _Named] = {}
    found = []
    for run in runs:
        own = next((one for one in run.settings if one.path == _MODEL), None)
        if own is None or run.solution is None or _in_catalog(own, inputs):
            found.append(run)
            continue
        values = run.solution.values
        key = tuple((path, value.value) for path, value in _fields(values))
        if key not in known:
            twin = _twin(run.solution, inputs)
            known[key] = _Named(twin) if twin is not None else _entry(f"model of {run.name}", own.note, values, inputs)
        spelled = known[key]
        text = measured_text.quoted(spelled.name)
        note = own.note if spelled.entry else f"{own.note}, as the catalog has it"
        settings = [evolve(one, text=text, note=note) if one.path == _MODEL else one for one in run.settings]
        found.append(evolve(run, settings=tuple(settings), entry=spelled.entry))
    return found


def _in_catalog(own: Setting, inputs: RunInputs) -> bool:
    return inputs.library.entry(_MODEL, own.text.strip('"'))[0] is not None


def _fields(values: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    """The inputs of a model that have a value."""
    for path, value in values.items():
        if path.startswith(f"{_MODEL}.") and value.role == "input" and value.value is not None:
            yield path, value


def _twin(solution: Solution, inputs: RunInputs) -> str | None:
    """The catalog's name of a model that is the same in all that time and memory depend on."""
    if inputs.plan is None:
        return None
    values = solution.values
    sizes: list[object] = [values[path].value if path in values else None for path in _SIZES]
    reached = [path for path in decisive(values) if path.startswith(f"{_MODEL}.")]
    context = values[_CONTEXT].value if _CONTEXT in values else None
    for name in _of_sizes(sizes, context)[:_MOST]:
        settings = ((_MODEL, measured_text.quoted(name)), *inputs.plan.settings)
        other = api.solve(evolve(inputs.plan, settings=settings)).values
        if all(path in other and other[path].value == values[path].value for path in reached):
            return name
    return None


def _of_sizes(sizes: list[object], context: object) -> list[str]:
    """Entries of the catalog with these sizes, those of the same context first."""
    from llmplan.catalog.entries import listing
    from llmplan.catalog.views import views
    from llmplan.check import library

    scope, _, broken = library.load()
    assert not broken, broken
    view = next(one for one in views(scope) if one.name == "models")
    columns, rows = listing(view, scope)
    at = [column.title for column in columns].index(_CONTEXT_COLUMN)
    same = [(name, cells[at].value) for name, cells in rows if [one.value for one in cells[: len(sizes)]] == sizes]
    return [name for name, own in sorted(same, key=lambda one: one[1] != context)]


def _entry(name: str, place: str, values: Mapping[str, Value], inputs: RunInputs) -> _Named:
    """An entry with what the model's own file or block says of it."""
    lines = [
        f"# As {place} has it: no model of the catalog is the same.",
        f"entry model {measured_text.quoted(name)} {{",
    ]
    for path, value in _fields(values):
        if value.origin is None or value.origin.layer == "default":
            continue
        text = _written(value, inputs.library.inputs[path].form if path in inputs.library.inputs else "")
        if text is not None:
            lines.append(f"    {path.removeprefix(f'{_MODEL}.')} = {text}")
    return _Named(name, "\n".join([*lines, "}"]))


def _written(value: Value, form: str) -> str | None:
    """A value as a field of an entry has it."""
    held = value.value
    if isinstance(held, bool):
        return "true" if held else "false"
    if isinstance(held, str):
        return held if form == "word" else measured_text.quoted(held) if form in ("text", "entry") else None
    if held is None:
        return None
    unit = f" {value.unit}" if value.unit else ""
    return f"{amount.in_plan(Fraction(held))}{unit}"
