"""Advice: the effect of other input values on a plan, as records of the answer's schema.

`ADVICE` lists the pieces in order, as `PASSES` lists those of a solution; `advise` adds them to an answer. Their cost
limits are in `llmplan.advice.ledger`, the ways to try a change in `llmplan.advice.trial`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, Literal

from attrs import evolve, frozen

from llmplan.advice.cliffs import cliffs
from llmplan.advice.comparable import skipped_entries, unlike_entries
from llmplan.advice.cures import conflicts, cures
from llmplan.advice.defaults import defaults
from llmplan.advice.layouts import layouts
from llmplan.advice.ledger import Spent, affordable
from llmplan.advice.levers import levers
from llmplan.advice.neighbours import neighbours
from llmplan.advice.prices import prices
from llmplan.advice.requirement_curve import requirement_curve
from llmplan.advice.risks import risks
from llmplan.advice.rivals import rivals
from llmplan.advice.sensitivity import sensitivity
from llmplan.advice.swings import swings
from llmplan.advice.trial import Trial
from llmplan.answer.schema.advice import Default, Lever, Moved, Price, Redecided, Verdicted
from llmplan.answer.schema.solution import Solution
from llmplan.background import Fork
from llmplan.cache.records import Packing
from llmplan.units.amount import Amount, Range, Unit
from llmplan.units.measure import Measure


@frozen
class Piece:
    """A piece of advice: a function from a trial and the answer so far to records.

    Attributes:
        fields: The fields of the answer that it fills; if there are several, it returns a tuple.
        of: The status of the answers that it applies to, or all.
        pictures: Whether only pictures use it.
        aside: Whether a fork begins it before the answer is built; it then reads only the answer's requirements.
    """

    fields: tuple[str, ...]
    records: Callable[[Trial, Solution], Any]
    of: Literal["solved", "infeasible", ""] = "solved"
    pictures: bool = False
    aside: bool = False


ADVICE: tuple[Piece, ...] = (
    Piece(("relaxations", "untried", "thinned"), cures, "infeasible"),
    Piece(("clashes",), conflicts, "infeasible"),
    Piece(("sensitivities", "gains"), sensitivity),
    Piece(("alternatives", "front"), layouts),
    Piece(("rivals",), rivals),
    Piece(("risks",), risks),
    Piece(("cliffs",), cliffs),
    Piece(("skipped",), skipped_entries),
    Piece(("curve",), requirement_curve, pictures=True),
    Piece(("neighbours",), neighbours, pictures=True),
    Piece(("swings",), swings, pictures=True),
    Piece(("levers",), levers, aside=True),  # they take as long as all others together
    Piece(("defaults",), defaults, aside=True),  # what the levers have tried
    Piece(("prices",), prices, aside=True),  # the plan is solved again
    Piece(("diagnostics",), unlike_entries, ""),
)
"""The pieces of advice on an answer, in order. A piece whose equations become too many is left out."""

_RECORDS = Packing((Lever, Moved, Price, Redecided, Verdicted, Default, Amount, Range, Unit, Measure))
"""The records in the message from a fork."""


def advise(
    trial: Trial,
    judged: Callable[[], Solution],
    whole: Callable[[], Solution],
    pictures: bool,
    meanwhile: Callable[[], None],
) -> Solution:
    """The answer with all advice on it.

    Args:
        judged: Builds an answer with its requirements only, which a fork does for itself.
        whole: Builds the answer.
        pictures: Whether to include the data of pictures.
        meanwhile: What else there is to do until a fork is done.
    """
    status = trial.outcome.status
    pieces = [piece for piece in ADVICE if piece.of in ("", status) and (pictures or not piece.pictures)]
    aside = [piece for piece in pieces if piece.aside]
    with nullcontext() if not aside else Fork(lambda: _beside(aside, trial, judged())) as fork:
        answer = whole()
        begun: list[Any] | None = None
        for piece in pieces:
            if piece in aside and begun is None and fork is not None:
                meanwhile()
                begun = fork.result() or []
            records = _RECORDS.unpack(begun.pop(0)) if piece in aside and begun else _made(piece, trial, answer)
            if not isinstance(records, Spent):
                filled = records if len(piece.fields) > 1 else (records,)
                answer = evolve(answer, **dict(zip(piece.fields, filled)))
    return answer


def _beside(pieces: Sequence[Piece], trial: Trial, answer: Solution) -> list[Any]:
    """The records of pieces as plain data."""
    return [_RECORDS.pack(piece.records(trial, answer)) for piece in pieces]


def _made(piece: Piece, trial: Trial, answer: Solution) -> Any:
    """The records of a piece, or `Spent` if they exceed a limit."""
    return affordable(lambda: piece.records(trial, answer))
