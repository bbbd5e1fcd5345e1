"""The run on the calendar: what is planned, what published runs took longer, failures and saves, and when it ends.

Input: the context of a solution. Output: a waterfall of days with the ends between which eight of ten runs lie and the
deadline, and marks of the failures that are expected and of the saves; nothing where the calendar is not known or adds
less than a hundredth.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from attrs import evolve

from llmplan.present import names
from llmplan.present.charts.records import Axis, Event, Fall, Limit, Waterfall
from llmplan.present.context import Context
from llmplan.present.words.en import Words
from llmplan.units.amount import Amount
from llmplan.units.measure import REAL

_TICKS, _LEAST = 6, 0.01
_MOST = 60
"""So many marks in a row are told apart; of more, one stands for several: a round number."""

_SEVERAL = (1, 2, 5)


def run(context: Context) -> Waterfall | None:
    """The chart of the calendar."""
    words = context.words
    time, wall = context.amount(names.TIME), context.find(names.WALL_TIME)
    share = context.number(names.GOODPUT)
    if time is None or wall is None or not share or not time.finite or wall.amount.number < (1 + _LEAST) * time.number:
        return None
    rule = next(
        (
            row
            for rule in context.own
            for row in (rule.calendar, rule.compared)
            if row is not None and row.subject == names.WALL_TIME
        ),
        None,
    )
    like = wall.amount if rule is None else rule.limit
    lost = wall.amount.number * (1 - share)
    slower = wall.amount.number - lost - time.number

    def shown(value: float) -> str:
        return evolve(time, value=value).like(like).short()

    falls = tuple(
        Fall(label, value, shown(value))
        for label, value in (
            (words.run_planned, time.number),
            (words.run_slower, slower),
            (words.run_lost, lost),
        )
        if abs(value) >= 0.0005 * wall.amount.number
    )
    # Nine in ten end within the band of measured runs: the ends over the plan's ranges are no such share of them.
    band = None if wall.band is None else (wall.band.low.number, wall.band.high.number)
    written = like.written()
    size, unit = (1.0, "") if isinstance(written, str) else (written.size, written.unit)
    most = [0.0, wall.amount.number, *(band or ()), *([] if rule is None else [rule.limit.number])]
    events = tuple(event for event in _events(context, wall.amount.number) if event.at)
    rows = [*((fall.label, fall.text) for fall in falls), *((event.label, event.text) for event in events)]
    late = "" if band is None else evolve(time, value=band[1]).like(like).rough(names.ends(names.WALL_TIME))
    return Waterfall(
        title=words.run_title(shown(wall.amount.number), late),
        alt=words.rows_alt([f"{label}: {text}" for label, text in rows]),
        foot=words.run_foot(any(event.label == words.failures_row for event in events)),
        x=Axis.around(most, _TICKS, unit, size),
        falls=falls,
        whole=Fall(words.run_whole, wall.amount.number, shown(wall.amount.number)),
        ends=band,
        limit=None if rule is None else Limit(rule.limit.number, words.limit_mark(rule.operation, rule.limit.short())),
        events=events,
    )


def _events(context: Context, wall: float) -> Iterator[Event]:
    """The failures that are expected, and the saves, each evenly over the run; with less than one it has no marks."""
    words, between = context.words, context.amount(names.JOB_MTBF)
    if between is not None and between.number > 0:
        each, at = _marks(between.number, wall)
        yield _event(words, words.failures_row, Amount(wall / between.number, REAL).rough(3), between, each, at)
    steps, every = context.number(names.STEPS), context.number(names.CHECKPOINT_STEPS)
    interval = context.amount(names.CHECKPOINT_INTERVAL)
    if steps and every and every < steps and interval is not None:
        each, at = _marks(wall * every / steps, wall)
        yield _event(words, words.saves_row, Amount(math.ceil(steps / every), REAL).rough(2), interval, each, at)


def _event(words: Words, label: str, count: str, every: Amount, each: int, at: tuple[float, ...]) -> Event:
    return Event(label, words.events(count, every.short(), Amount(each, REAL).short() if each > 1 else ""), at)


def _marks(every: float, until: float) -> tuple[int, tuple[float, ...]]:
    """For how many of them a mark stands, and where those marks are."""
    count = int(until / every * (1 + 1e-9))
    rounds = (factor * 10**power for power in itertools.count() for factor in _SEVERAL)
    each = next(several for several in rounds if count <= _MOST * several)
    return each, tuple(min(every * each * place, until) for place in range(1, count // each + 1))
