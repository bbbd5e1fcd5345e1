"""The sections of an answer, each made by a function from the context: a screen and a report choose from this list."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from llmplan.present.basis import basis, notes, omitted, results
from llmplan.present.blocks import Prose, Section, Strong, line, listed, shortened
from llmplan.present.changes import best_changes, cures, gains, levers
from llmplan.present.context import Context
from llmplan.present.launch import launch, script
from llmplan.present.sentence import sentences
from llmplan.present.tables import front, scenarios, shown, sweep
from llmplan.present.verdicts import verdicts
from llmplan.present.why import where, why

_MOST_OF_A_SENTENCE = 600


def answer(context: Context) -> Section:
    """The answer in a sentence or two, for a screen without its verdicts."""
    nearest = context.answer.status == "infeasible"
    said = [line(Strong(shortened(one, _MOST_OF_A_SENTENCE))) for one in sentences(context)]
    return Section(
        "",
        (
            Prose("headline", (listed(sentences(context, judged=False), " "),)),
            Prose("sentence", tuple(said), together=True),
            Prose("nearest", (line(context.words.nearest_plan_below),) if nearest else ()),
        ),
    )


SECTIONS: Mapping[str, Callable[[Context], Section]] = {
    "answer": answer,
    "front": front,
    "verdicts": verdicts,
    "best changes": best_changes,
    "cures": cures,
    "launch": launch,
    "shown": shown,
    "sweep": sweep,
    "scenarios": scenarios,
    "levers": levers,
    "why": why,
    "where": where,
    "results": results,
    "basis": basis,
    "notes": notes,
    "gains": gains,
    "script": script,
    "omitted": omitted,
}
"""In the order in which they matter: a report that is too long leaves the last ones out."""
