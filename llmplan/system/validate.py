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
    at: SourceRef | None = None  # the setting being lowered
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
            # Problems of the plan itself are reported once.
            problems = [*there.names.diagnostics, *_texts(there, values)]
            found += [d for d in problems if any(_within(d, at) for at in values.values())]
    except TooLarge:
        return [system.too_large(at and program.scope.span(at))]
    # The library's requirements check whether two of its formulas hold at once.
    return [d for d in found if d.code != "E0203" or d.span is None or not d.span.source.library]


def _lower(lowering: Lowering, path: str, setting: Setting) -> None:
    """Lowers the value of a setting; for a field with two units, in the one that it is given in.

    Texts and members have no number to compare, so membership in their domain is checked here.
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
    """The texts that must match a pattern: those that are set, and those of emitted targets."""
    emitted = {target.name for target in program.emits}
    paths = program.scope.patterns
    return {path for path in paths if path in program.settings or path.partition(".")[0] in emitted}


def _texts(lowering: Lowering, paths: Iterable[str]) -> list[Diagnostic]:
    """E0305 for each text that does not match the pattern of its field."""
    scope = lowering.scope
    wrong = []
    for path in sorted(path for path in paths if path in scope.patterns):
        pattern, won = Pattern(*scope.patterns[path]), lowering.inputs.setting_of(path)
        text, _ = text_of(path, lowering)
        if won is not None and text is not None and not pattern.allows(text):
            wrong.append(units.outside(scope.span(won[1].place), path, f'"{visible_line(text)}"', pattern.words))
    return wrong


def _within(found: Diagnostic, setting: Setting) -> bool:
    """Whether a diagnostic lies within a right-hand side."""
    source, start, end = setting.place
    at = found.span
    return at is not None and at.source.name == source and start <= at.start and at.end <= end
