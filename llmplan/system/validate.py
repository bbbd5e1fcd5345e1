"""What is wrong with the values that a plan writes, whether or not anything asks for them."""

from __future__ import annotations

from llmplan.check.overrides import varied
from llmplan.check.program import Setting, SourceRef
from llmplan.diagnostics import Diagnostic, system
from llmplan.system.lower import Lowering
from llmplan.system.sweeps import MOST_POINTS, too_many
from llmplan.system.too_large import TooLarge


def validate(lowering: Lowering) -> list[Diagnostic]:
    """What is wrong with values that a plan writes, whether or not anything asks for them."""
    program = lowering.program
    at: SourceRef | None = None  # what is lowered
    try:
        for path, setting in program.strongest():
            at = setting.place
            _lower(lowering, path, setting)
        for name, quantity in program.scope.quantities.own.items():
            if not quantity.indices and quantity.alternatives:
                at = quantity.alternatives[0].formula
                lowering.name(name)
        found = list(lowering.names.diagnostics)
        if program.sweeps and too_many(lowering):
            first = next(iter(program.sweeps.values()))
            found.append(system.large_sweep(program.scope.span(first.place), MOST_POINTS))
        variations = [("scenario", values) for values in program.scenarios.values()]
        for layer, values in (*variations, *([("sweep", program.sweeps)] if program.sweeps else ())):
            there = lowering.again(varied(program, layer, values, over=True))
            for path, setting in values.items():
                at = setting.place
                _lower(there, path, setting)
            # What the plan itself has is said once.
            found += [d for d in there.names.diagnostics if any(_within(d, at) for at in values.values())]
    except TooLarge:
        return [system.too_large(at and program.scope.span(at))]
    # Whether two formulas of the library's hold is for its requirements to say.
    return [d for d in found if d.code != "E0203" or d.span is None or not d.span.source.library]


def _lower(lowering: Lowering, path: str, setting: Setting) -> None:
    """Lowers what a setting gives a value; a field with two units in the one that it has."""
    field = lowering.scope.fields.get(path)
    lowering.name(f"{path}.{setting.unit}" if field is not None and len(field.types) > 1 else path)


def _within(found: Diagnostic, setting: Setting) -> bool:
    """Whether a diagnostic stands at a right-hand side."""
    source, start, end = setting.place
    at = found.span
    return at is not None and at.source.name == source and start <= at.start and at.end <= end
