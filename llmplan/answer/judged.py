"""The requirements of a plan that a row of a table judges it by, the gravest verdict first."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.tables import STATED
from llmplan.uncertainty.bands import GRAVITY


def judged(requirements: Sequence[RequirementResult]) -> tuple[RequirementResult, ...]:
    """The author's requirements and others that are not safe, the gravest first."""
    shown = [
        rule for rule in requirements if rule.origin in STATED or (rule.chance is not None and rule.verdict != "safe")
    ]
    gravity = {verdict: number for number, verdict in enumerate(GRAVITY)}
    return tuple(sorted(shown, key=lambda rule: (-gravity.get(rule.verdict or "", -1), rule.chance or 1.0)))
