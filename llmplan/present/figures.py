"""The first table of a report: what is required and what every plan is asked, as planned and on the calendar.

Input: the context of a solution; output rows of four cells: what a row is about with its unit, the figure with its
chance as planned and on the calendar, and the limit with what is to be said beside it. All figures of a row have one
unit, that of its limit. What fails is never among what is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from llmplan.answer.schema.requirements import Compared, RequirementResult
from llmplan.answer.schema.values import Value
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Column, Line, Rows, line
from llmplan.present.context import MOST_LISTED, PLAIN, Context, ends_of
from llmplan.present.judged import beside, side_of
from llmplan.present.words.en import Words
from llmplan.units.amount import Amount, Range

_MOST_OF_THE_LIBRARY = 6
_MOST_DEPARTURES = 8
_ENDS = 2
"""Digits of the ends of what is read on the calendar: no more of them are known."""


@frozen
class _Figure:
    """A figure of a row: its amount and ends, and the digits to which these are known."""

    amount: Amount
    ends: Range | None
    digits: int = 3


def figures(context: Context, ranged: bool) -> Rows:
    """The table; columns without any text are left out where it is rendered."""
    words = context.words
    columns = (
        Column(),
        Column(words.planned_figures(ranged)),
        Column(words.calendar_figures(ranged)),
        Column(line(words.limit_column)),
    )
    return Rows("figures", columns, tuple(_rows(context)))


def _rows(context: Context) -> Iterator[tuple[Line, ...]]:
    """The author's requirements, then what every plan is asked about, then what fails of the library's."""
    words, own = context.words, context.own
    for rule in context.listed:
        yield _required(context, rule)
    if len(own) > MOST_LISTED:
        yield (line(words.more_requirements(len(own) - MOST_LISTED)), EMPTY, EMPTY, words.in_the_json())
    yield from _asked_of_all(context)
    others = [rule for rule in context.answer.requirements if rule.origin not in PLAIN]
    failing = [rule for rule in others if rule.holds is False and rule.name != names.FITS]
    for rule in failing[:_MOST_OF_THE_LIBRARY]:
        said = words.fails(words.case(rule) or line(rule.text), words.reason_of(rule))
        yield (words.code(rule.name), EMPTY, EMPTY, said)
    for departure in context.answer.departures[:_MOST_DEPARTURES]:
        said = words.departure_because(departure.what, departure.by, departure.because)
        yield (words.departure_of(departure.name, departure.origin), EMPTY, EMPTY, said)


def _required(context: Context, rule: RequirementResult) -> tuple[Line, ...]:
    """A requirement of the author."""
    words = context.words
    planned, calendar = _compared(rule)
    judged = calendar or planned
    sure = EMPTY if rule.holds is None else _judged(context, rule)
    on_the_calendar = rule.on == "calendar"
    earlier = rule.planned if on_the_calendar and not rule.unjudged else None
    chances = (
        EMPTY if earlier is None else line(words.chance(earlier.chance) or words.verdict(earlier.verdict)),
        sure,
    )
    chances = chances if on_the_calendar else (sure, EMPTY)
    worst = rule.calendar is None and rule.sides is not None and rule.sides.worst
    limit = None if judged is None else judged.limit
    gap = None if judged is None else (judged.gap, side_of(judged))
    if rule.holds is None:
        said = words.not_checked_for(rule.needs)
    elif limit is None or judged is None or gap is None:
        said = words.case(rule) if rule.holds is False else EMPTY
    else:
        said = words.limit(judged.operation, limit, *gap, rule.otherwise if rule.holds is False else "", worst)
    said = line(said, beside(context, rule, figures=False), words.reason_of_the_author(rule.because))
    cells = [
        None if row is None else _Figure(row.planned, row.spread or row.band, digits)
        for row, digits in ((planned, 3), (calendar, _ENDS))
    ]
    subject = planned or calendar
    label = words.required(rule.name, rule.text, None if subject is None else subject.subject)
    return _row(words, label, cells[0], chances[0], cells[1], chances[1], said, limit)


def _compared(rule: RequirementResult) -> tuple[Compared | None, Compared | None]:
    """What is compared as planned and on the calendar."""
    if rule.stated == "calendar":
        return None if rule.planned is None else rule.planned.compared, rule.compared
    return rule.compared, rule.calendar


def _judged(context: Context, rule: RequirementResult) -> Line:
    words = context.words
    verdict = rule.verdict or ("safe" if rule.holds else "no")
    return words.marked(verdict, "" if rule.undefined else words.chance(rule.chance, rule.chance_error))


def _asked_of_all(context: Context) -> Iterator[tuple[Line, ...]]:
    """Time, cost and memory, as far as no requirement of the author is about them."""
    words, subjects = context.words, context.subjects
    time, wall = _figure(context, names.TIME, 3), _figure(context, names.WALL_TIME, _ENDS)
    if time is not None and not {names.TIME, names.WALL_TIME}.intersection(subjects):
        yield _row(words, words.subject(names.TIME), time, EMPTY, wall, EMPTY, line(words.no_deadline))
    yield from _costs(context)
    memory = _figure(context, names.MEMORY, 3)
    if memory is not None and names.MEMORY not in subjects:
        rule, room = context.requirement(names.FITS), context.amount(names.GPU_MEMORY)
        sure, said = EMPTY, EMPTY
        if rule is not None and rule.holds is None:
            said = words.not_checked_for(rule.needs)
        elif rule is not None:
            sure, row = _judged(context, rule), rule.compared
            gap = None if row is None else (row.gap, side_of(row))
            said = words.capacity(room, *(gap or (None, "")))
        yield _row(words, words.subject(names.MEMORY), memory, sure, None, EMPTY, said)


def _costs(context: Context) -> Iterator[tuple[Line, ...]]:
    words, subjects = context.words, context.subjects
    cost = _figure(context, names.COST, 3)
    if cost is None:
        gpu = context.text(names.GPU)
        if gpu and context.has(names.TIME):
            yield (words.subject(names.COST), EMPTY, EMPTY, words.no_price(gpu))
        return
    month, price = context.amount(names.COST_PER_MONTH), _price(context)
    if not {names.COST, names.WALL_COST}.intersection(subjects):
        wall = _figure(context, names.WALL_COST, _ENDS)
        said = line(words.no_budget, words.also(price), words.also(words.a_month(month)))
        yield _row(words, words.subject(names.COST), cost, EMPTY, wall, EMPTY, said)
    elif said := line(price, words.also(words.a_month(month))):
        yield (line(words.price_row), EMPTY, EMPTY, said)


def _price(context: Context) -> Line:
    price = context.find(names.PRICE)
    if price is None:
        return EMPTY
    authored = price.origin is not None and price.origin.layer == "plan"
    return context.words.price(price.amount, price.spread, "" if authored else context.text(names.PRICE_SOURCE))


def _figure(context: Context, name: str, digits: int) -> _Figure | None:
    value: Value | None = context.find(name)
    return None if value is None else _Figure(value.amount, ends_of(value), digits)


def _row(
    words: Words,
    label: Line,
    planned: _Figure | None,
    chance: Line,
    calendar: _Figure | None,
    sure: Line,
    said: Line,
    limit: Amount | None = None,
) -> tuple[Line, ...]:
    """A row in one unit, which stands in its label."""
    first = planned or calendar
    if first is None:
        return label, chance, sure, said
    like = limit if limit is not None and limit.parts()[1] else first.amount
    unit = first.amount.like(like).parts(_digits(first.amount))[1]
    cells = [
        line(_cell(one, like, unit) if one is not None else None, " · " if one is not None and known else None, known)
        for one, known in ((planned, chance), (calendar, sure))
    ]
    return line(label, words.in_unit(unit)), *cells, said


def _digits(amount: Amount) -> int | None:
    """Money to three digits, as no cent of it is known; decimals to three, and whole numbers as they are."""
    return 3 if names.is_money(amount) else None


def _cell(figure: _Figure, like: Amount, unit: str) -> Line:
    """A figure with its ends; without the unit that the row says."""
    text, own = figure.amount.like(like).parts(_digits(figure.amount))
    value = text if own == unit else f"{text} {own}"
    if figure.ends is None:
        return line(value)
    ends = figure.ends.like(like)
    return line(f"{value} ({ends.ends(figure.digits)})")
