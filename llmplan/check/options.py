"""Options of targets: those set for targets that are not written, and required ones that the plan does not set.

Input: a program with all its layers. Output: diagnostics. An option itself is an ordinary input.
"""

from __future__ import annotations

from collections.abc import Iterator

from llmplan.check.plan import Program
from llmplan.diagnostics import Diagnostic, files, lint
from llmplan.source import Source


def remarks(program: Program, own: Source) -> Iterator[Diagnostic]:
    """W0602 for options that the plan's `own` text sets for targets that are not written, and E0501."""
    written = program.written()
    for path, ranked in program.settings.items():
        target = path.partition(".")[0]
        if target in written or not program.scope.is_option(path):
            continue
        places = [setting.place for layer, setting in ranked if layer == "plan" and setting.place[0] == own.name]
        yield from (lint.not_emitted(program.scope.span(place), path, target) for place in places)
    yield from _lacking(program)


def _lacking(program: Program) -> Iterator[Diagnostic]:
    """E0501 for the options of emitted targets that have neither a value nor a default."""
    for emit in program.emits:
        for name in program.scope.kinds.get(emit.name, ()):
            field = program.scope.fields[f"{emit.name}.{name}"]
            if field.default is None and program.winner(field.path) is None and field.path not in program.sweeps:
                yield files.missing_option(emit.name, name, field.doc, emit.span)
