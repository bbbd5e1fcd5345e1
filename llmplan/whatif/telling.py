"""A change of an infeasible plan as it is told: as data, as a statement to paste, and as an edit of the plan's text.

Input are an input or a requirement with the values that were found for it; nothing is sought or solved here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import evolve

from llmplan.answer.schema.advice import Relaxation
from llmplan.check.plan import Program
from llmplan.diagnostics import Edit
from llmplan.source import Span
from llmplan.system.adjustable import Knob, in_authors_unit
from llmplan.system.display import amount
from llmplan.system.lower import Lowering
from llmplan.units.measure import Measure, Type
from llmplan.whatif.rounding import Proposal, written

Cure = tuple[Relaxation, tuple[Edit, ...]]


class Telling:
    """Tells the changes of one plan.

    Args:
        point: A lowering of it at its nearest point.
        plan: The name of its text, at whose end what is not given is added.
    """

    def __init__(self, program: Program, point: Lowering, plan: str) -> None:
        self.program = program
        self.point = point
        text = program.scope.sources.get(plan)
        self.end = None if text is None or text.library else Span(text, len(text.text), len(text.text))

    def of_input(
        self, knob: Knob, now: float | None, found: Sequence[Proposal], start: float | None = None
    ) -> Cure | None:
        if not found:
            return None
        scale = now if now is not None else start
        if isinstance(knob.type, Measure) and scale is not None:
            found = sorted(found, key=lambda one: _distance(one.value, scale))
        made = self.made(knob.path, "input", knob.type, knob.unit, now, found, self._span(knob), start)
        word = "let " if knob.role == "let" else "assume " if knob.role == "assumption" else ""
        text = f"{knob.path} = {written(made[0].texts[0], knob.type)}"
        edits = made[1]
        if not knob.written and self.end is not None:
            line = "" if self.end.source.text.endswith("\n") else "\n"
            edits = (Edit(self.end, f"{line}{text}\n"),)
        return evolve(made[0], statement=f"{word}{text}"), edits

    def _span(self, knob: Knob) -> Span | None:
        """Where an input is given, or left open, in a text of the plan."""
        span = self.program.scope.span(knob.setting.place)
        return span if knob.written and not span.source.library and not span.source.name.startswith("--set") else None

    def made(
        self,
        name: str,
        kind: str,
        type: Type,
        unit: str,
        now: float | None,
        proposed: Sequence[Proposal],
        at: Span | None,
        start: float | None = None,
    ) -> Cure:
        found, texts = [one.value for one in proposed], tuple(one.text for one in proposed)
        before = "" if now is None else in_authors_unit(now, type, unit, self.point)
        scale = now if now is not None else start
        change = math.inf
        if isinstance(type, Measure) and scale is not None:
            change = min(_distance(value, scale) for value in found)
        base = self.program.scope.units.base(type) if isinstance(type, Measure) else None
        scope = self.point.scope
        made = Relaxation(
            name,
            kind,  # type: ignore[arg-type]
            None if now is None else amount(now, type, scope, unit),
            before,
            tuple(amount(value, type, scope, unit) for value in found),
            texts,
            base,
            change,
        )
        return made, () if at is None else (Edit(at, written(texts[0], type)),)


def _distance(value: float, scale: float) -> float:
    """How far a value is from what was given, relatively."""
    return abs(math.log(value / scale)) if value * scale > 0 else 1e9
