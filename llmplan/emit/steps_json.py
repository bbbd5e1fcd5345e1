"""A derivation as JSON: what `llmplan explain --json` prints, as `llmplan/schemas/explain.json` describes it.

Input: steps. Output: one object a step: its value in the base unit, and beside it the text that people read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llmplan.answer.derivation import Step
from llmplan.answer.schema.values import Origin
from llmplan.emit.table import finite
from llmplan.present import derivation
from llmplan.present.blocks import plain
from llmplan.present.words import words_of


def as_json(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """One object a step; of a requirement the value is whether it holds, None of one that is waived."""
    words = words_of()
    return [
        {
            "depth": step.depth,
            "name": step.name,
            "value": _value(step),
            "text": plain(derivation.value(step, words)),
            "role": step.role,
            "doc": step.doc,
            "formula": step.formula or None,
            "numbers": derivation.numbers(step, words) or None,
            "solved": [plain(said) for said in derivation.solved(step, words)],
            **({"measured": said} if (said := [plain(one) for one in derivation.measured(step, words)]) else {}),
            "origin": _origin(step.origin) if step.origin else None,
            "instead_of": [_origin(lost) for lost in step.others],
            "cites": [derivation.citation(cite) for cite in step.cites],
            "reads": list(step.reads),
        }
        for step in steps
    ]


def _value(step: Step) -> dict[str, Any]:
    if step.value is None:
        return {"value": None if step.rule is None else step.rule.holds, "unit": None}
    return {"value": finite(step.value.value), "unit": step.value.unit}


def _origin(origin: Origin) -> dict[str, str]:
    return {"layer": origin.layer, "place": origin.place, "text": origin.text}
