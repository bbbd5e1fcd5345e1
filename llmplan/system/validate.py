"""Mistakes in the values that a plan writes, whether or not anything reads them."""

from __future__ import annotations

from collections.abc import Iterable

from llmplan.check.ir import Ref, Text
from llmplan.check.overrides import varied
from llmplan.check.patterns import Pattern
from llmplan.check.plan import Program
from llmplan.check.program import Setting, SourceRef
from llmplan.check.settings import stray
from llmplan.diagnostics import Diagnostic, system, units
from llmplan.escape import visible_line
from llmplan.system.lower import Lowering
from llmplan.system.sweeps import MOST_POINTS, too_many
from llmplan.system.text import text_of, worded
from llmplan.system.too_large import TooLarge
from llmplan.units.measure import TextType


def validate(lowering: Lowering) -> list[Diagnostic]:
    """Mistakes in values that a plan writes, whether or not anything reads them."""
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
        found = [*lowering.names.diagnostics, *_texts(lowering, _of_targets(program))]
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
            problems = [*there.names.diagnostics, *_texts(there, values)]
            found += [d for d in problems if any(_within(d, at) for at in values.values())]
    except TooLarge:
        return [system.too_large(at and program.scope.span(at))]
    # Whether two formulas of the library's hold is for its requirements to say.
    return [d for d in found if d.code != "E0203" or d.span is None or not d.span.source.library]


def _lower(lowering: Lowering, path: str, setting: Setting) -> None:
    """Lowers what a setting gives a value; a field with two units in the one that it has.

    Texts and members have no number that could be compared, so whether their domain holds them is seen here.
    """
    field = lowering.scope.fields.get(path)
    if field is not None and field.domain is not None:
        value = setting.value
        if isinstance(field.type, TextType) and isinstance(value, Ref):
            value = Text((worded(value, lowering) or "",))
        word = stray(value, field.type, field.domain)
        if word is not None:
            span = lowering.scope.span(setting.place)
            lowering.names.report(units.outside(span, path, word, field.domain.text))
    lowering.name(f"{path}.{setting.unit}" if field is not None and len(field.types) > 1 else path)


def _of_targets(program: Program) -> set[str]:
    """The texts that must be as a pattern says: those that are set, and those of targets that are emitted."""
    emitted = {target.name for target in program.emits}
    paths = program.scope.patterns
    return {path for path in paths if path in program.settings or path.partition(".")[0] in emitted}


def _texts(lowering: Lowering, paths: Iterable[str]) -> list[Diagnostic]:
    """E0305 for each text that is not as the pattern of its field."""
    scope = lowering.scope
    wrong = []
    for path in sorted(path for path in paths if path in scope.patterns):
        pattern, won = Pattern(*scope.patterns[path]), lowering.inputs.setting_of(path)
        text, _ = text_of(path, lowering)
        if won is not None and text is not None and not pattern.allows(text):
            wrong.append(units.outside(scope.span(won[1].place), path, f'"{visible_line(text)}"', pattern.words))
    return wrong


def _within(found: Diagnostic, setting: Setting) -> bool:
    """Whether a diagnostic stands at a right-hand side."""
    source, start, end = setting.place
    at = found.span
    return at is not None and at.source.name == source and start <= at.start and at.end <= end
