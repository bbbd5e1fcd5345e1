"""Advice: what other values of its inputs would bring to a plan, as records of the answer's schema.

`ADVICE` lists the pieces in order, as `PASSES` lists those of a solution; `advise` adds them to an answer. What each may
cost stands in `llmplan.advice.ledger`, and how a change is tried in `llmplan.advice.trial`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from attrs import evolve, frozen

from llmplan.advice.cliffs import cliffs
from llmplan.advice.comparable import skipped_entries, unlike_entries
from llmplan.advice.cures import conflicts, cures
from llmplan.advice.layouts import layouts
from llmplan.advice.ledger import Spent, affordable
from llmplan.advice.levers import levers
from llmplan.advice.neighbours import neighbours
from llmplan.advice.requirement_curve import requirement_curve
from llmplan.advice.risks import risks
from llmplan.advice.sensitivity import sensitivity
from llmplan.advice.trial import Trial
from llmplan.answer.schema.solution import Solution


@frozen
class Piece:
    """A piece of advice: a function from a trial and the answer so far to records.

    Attributes:
        fields: Those of the answer that it fills; of several it returns a tuple.
        of: The answers that it is about: those with this status, or all.
        pictures: Whether it is only drawn.
    """

    fields: tuple[str, ...]
    records: Callable[[Trial, Solution], Any]
    of: Literal["solved", "infeasible", ""] = "solved"
    pictures: bool = False


ADVICE: tuple[Piece, ...] = (
    Piece(("relaxations", "untried", "thinned"), cures, "infeasible"),
    Piece(("clashes",), conflicts, "infeasible"),
    Piece(("sensitivities", "gains"), sensitivity),
    Piece(("alternatives", "front"), layouts),
    Piece(("risks",), risks),
    Piece(("cliffs",), cliffs),
    Piece(("skipped",), skipped_entries),
    Piece(("curve",), requirement_curve, pictures=True),
    Piece(("neighbours",), neighbours, pictures=True),
    Piece(("levers",), levers),
    Piece(("diagnostics",), unlike_entries, ""),
)
"""The way from an answer to the advice on it. A piece whose equations become too many is left out."""


def advise(trial: Trial, answer: Solution, pictures: bool) -> Solution:
    """An answer with all advice on it.

    Args:
        pictures: Also what pictures are drawn from.
    """
    for piece in ADVICE:
        if piece.of not in ("", answer.status) or piece.pictures and not pictures:
            continue
        records = affordable(lambda piece=piece, answer=answer: piece.records(trial, answer))  # type: ignore[misc]
        if not isinstance(records, Spent):
            filled = records if len(piece.fields) > 1 else (records,)
            answer = evolve(answer, **dict(zip(piece.fields, filled)))
    return answer
