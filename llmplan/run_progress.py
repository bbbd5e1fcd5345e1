"""How far a run is, and what the rest of it takes: time, the date of its end, goodput and cost.

Input: what a log tells, the step as seen, and the solution of the plan. Output: a record; None for what neither log nor
plan tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from attrs import evolve, frozen

from llmplan.answer.schema.values import Value
from llmplan.logs.compared import Row
from llmplan.logs.losses import goodput, lasting
from llmplan.logs.reading import Heard
from llmplan.logs.summary import Piece
from llmplan.units.amount import Amount

GOODPUT = "goodput"
_STEPS, _COST, _WORK = "steps", "cost", "time"

_CLOCKED = 0.95
"""The share of the time of its steady steps that the dates of a log must at least be apart to be those of the run."""

_SAME = 1e-3
"""By what share two counts of steps differ that mean the same run: of tokens that are no whole number of batches."""


@frozen
class Progress:
    """A run on its way.

    Attributes:
        done, steps: Steps of the log, and how many the run is to have: as its log announces them, else of the plan.
        otherwise: The steps of the plan, where the log announces other ones.
        left, planned_left: The time of the rest as seen and as planned, if every step runs so.
        goodput: The share of the time of the log's steps that a steady pace would have taken; `planned_goodput` has
            failures and checkpoints; `lasting_goodput` is that of the log without its start, where it tells a rate.
        wall_left: The time of the rest as seen at the lower of the last two.
        end: The day on which the run then ends, by the clock of the log.
        spent, cost, planned_cost: So far, at the end as seen, at the end as planned.
    """

    done: float
    steps: float
    left: Amount
    planned_left: Amount
    goodput: float | None = None
    planned_goodput: float | None = None
    lasting_goodput: float | None = None
    wall_left: Amount | None = None
    end: str | None = None
    spent: Amount | None = None
    cost: Amount | None = None
    planned_cost: Amount | None = None
    otherwise: float | None = None

    @property
    def pace(self) -> float:
        """The goodput at which the rest is expected to go on: failures that a log does not show yet are planned."""
        return min((one for one in (self.lasting_goodput, self.planned_goodput) if one), default=1.0)

    @property
    def as_logged(self) -> bool:
        """Whether that is the goodput of the log, which is lower than planned."""
        return self.lasting_goodput is not None and self.pace == self.lasting_goodput


def progress(heard: Heard, piece: Piece, step: Row | None, values: Mapping[str, Value]) -> Progress | None:
    """Of a log with numbered steps, of which plan or log know the last one."""
    if step is None or not piece.numbered:
        return None
    run = heard.telling.runs.get(heard.format.name) if heard.format is not None else None
    done = max(piece.last_step, run.last if run is not None and run.last is not None else 0.0)  # beyond `--steps` too
    of_plan, announced = _number(values, _STEPS), _announced(heard)
    steps = announced if announced is not None and announced >= done else of_plan
    if steps is None:
        return None
    rest = max(0.0, steps - done)
    left, planned = (evolve(one, value=one.number * rest) for one in (step.seen, step.planned))
    shares = goodput(heard, piece), _number(values, GOODPUT), lasting(heard, piece)
    found = Progress(done, steps, left, planned, *shares)
    found = evolve(found, wall_left=evolve(left, value=left.number / found.pace))
    if of_plan is not None and abs(of_plan - steps) > _SAME * steps:
        found = evolve(found, otherwise=of_plan)
    moment = heard.telling.common.moment
    if moment is not None:
        found = evolve(found, end=_day(moment, left.number / found.pace))
    return _with_cost(found, step, values, _gone(heard, found, step))


def _announced(heard: Heard) -> float | None:
    """The steps that a run is to have, as its log says, or the bar whose steps are read."""
    common = heard.telling.common
    told = [] if heard.format is None else [role for roles in heard.format.meanings.values() for role, _ in roles]
    if common.total is None and common.progress is not None and "progress.last" in told:
        return common.progress[1]
    return common.total


def _gone(heard: Heard, found: Progress, step: Row) -> float:
    """The seconds that the run has taken so far: by the dates of its lines from the first step that the log shows, with
    all that happened in between; without dates, and for steps before that, at the pace and the goodput of the log."""
    common, pace = heard.telling.common, step.seen.number / (found.goodput or found.planned_goodput or 1.0)
    if common.began is None or common.moment is None:
        return found.done * pace
    since, first = common.began
    seconds = common.moment - since
    steady = (found.done - first) * step.seen.number
    return first * pace + seconds if 0 < steady * _CLOCKED <= seconds else found.done * pace


def _with_cost(found: Progress, step: Row, values: Mapping[str, Value], gone: float) -> Progress:
    """With what it costs after so many seconds, at the price of an hour that the plan has."""
    cost, time = values.get(_COST), _number(values, _WORK)
    if cost is None or not cost.amount.finite or not cost.amount.number or not time:
        return found
    rate, share = cost.amount.number / time, found.planned_goodput or 1.0
    spent = rate * gone
    amounts = (spent, spent + rate * found.left.number / found.pace, rate * found.steps * step.planned.number / share)
    so_far, end, planned = (evolve(cost.amount, value=one) for one in amounts)
    return evolve(found, spent=so_far, cost=end, planned_cost=planned)


def _number(values: Mapping[str, Value], name: str) -> float | None:
    value = values.get(name)
    return value.amount.number if value is not None and value.amount.finite else None


def _day(moment: float, seconds: float) -> str | None:
    """A date `seconds` after a moment, both counted in seconds from the year 1."""
    try:
        days, rest = divmod(moment + seconds, 86400.0)
        return (datetime.fromordinal(int(days)) + timedelta(seconds=rest)).date().isoformat()
    except (OverflowError, ValueError):
        return None
