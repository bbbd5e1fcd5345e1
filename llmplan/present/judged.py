"""What stands beside the figures of a requirement, on a screen and in a report.

Input: the context of a solution and a requirement; output a line.
"""

from __future__ import annotations

from llmplan.answer.schema.requirements import Compared, RequirementResult
from llmplan.present.blocks import Line, line
from llmplan.present.context import Context


def beside(context: Context, rule: RequirementResult, figures: bool = True) -> Line:
    """What is to be said beside a requirement: why it is not judged, what is asked.

    Args:
        figures: Whether its verdict as planned is to be said too, with its figures.
    """
    words, row = context.words, rule.compared
    if rule.undefined:
        return line()
    return line(
        _as_planned(context, rule) if figures and rule.planned is not None else None,
        words.asked(row.asked) if row is not None and row.asked is not None and _tells(context, rule) else None,
        words.rests_on(rule.rates) if rule.rates else None,
        words.is_unjudged_for(rule.unjudged) if rule.unjudged else None,
        words.not_at_every_point if rule.certainty == "expected" else None,
    )


def _as_planned(context: Context, rule: RequirementResult) -> Line | None:
    words, planned = context.words, rule.planned
    if planned is None or rule.rates:
        return None
    chance = words.chance(planned.chance)
    if planned.compared is not None:
        verdict = "" if rule.unjudged else planned.verdict
        return words.as_it_is_planned(planned.compared.planned, verdict, chance)
    return words.judged_on_the_calendar(planned.verdict, chance) if rule.chance is not None else None


def side_of(row: Compared) -> str:
    """On which side of its limit a figure lies: `spare`, `over`, `short`."""
    if row.met:
        return "spare"
    above = row.planned.number > row.limit.number if row.operation == "eq" else row.operation in ("le", "lt")
    return "over" if above else "short"


def _tells(context: Context, rule: RequirementResult) -> bool:
    """Whether the chance that a requirement asks for says something: the author does, or it is not safe."""
    return rule in context.own or rule.verdict != "safe"
