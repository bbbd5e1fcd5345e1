"""What was required and what came of it: verdicts, the figures beside them, and what was waived or replaced.

Input: the context of a solution; output a section whose blocks a screen and a report show in part. What fails is never
among what is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from llmplan.answer.schema.requirements import Departure, RequirementResult
from llmplan.answer.schema.values import Value
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Column, Line, Prose, Rows, Section, line
from llmplan.present.context import MOST_LISTED, PLAIN, Context, ends_of
from llmplan.present.words.en import Words
from llmplan.units.amount import Amount, Range
from llmplan.units.measure import REAL

_MOST_ON_A_SCREEN = 7
_MOST_OF_THE_LIBRARY = 6
_MOST_DEPARTURES = 8
MOST_NAMES = 3


def verdicts(context: Context) -> Section:
    """Requirements, as rows for a screen and with their figures for a report; departures; preferences."""
    words, answer = context.words, context.answer
    ranged = any(value.spread for value in answer.values.values())
    rows = tuple(_figures(context))
    columns = (
        Column(),
        Column(line(words.planned_column), "r"),
        Column(line(words.range_column(ranged)), "r"),
        Column(line(words.verdict_column)),
    )
    plain = tuple(_plain_rows(context))
    own = [
        (line(rule.name or rule.text), line(words.met(rule.holds)), words.case(rule) or line(rule.because or rule.text))
        for rule in answer.preferences
        if rule.origin in PLAIN
    ]
    return Section(
        "",
        (
            Rows("plain", (Column(),) * 3, plain),
            Rows("figures", columns, rows),
            Prose("ranges", (line(words.low_and_high),) if ranged and rows else ()),
            departures(answer.departures, words),
            Rows("preferences", (Column(),) * 3, tuple(own), words.preferences_title),
        ),
    )


def departures(listed: Sequence[Departure], words: Words) -> Rows:
    """What a plan waives or replaces, each with its place and reason."""
    rows = tuple(
        (
            line(words.departure(departure.what)),
            line(departure.name),
            words.departed(departure.text, departure.by, departure.place, departure.because),
        )
        for departure in listed
    )
    return Rows("departures", (Column(),) * 3, rows, words.departures_title)


def names_of(context: Context, listed: Sequence[str]) -> str:
    """`a, b, c and 4 more`."""
    if len(listed) <= MOST_NAMES + 1:
        return context.words.all_of(listed)
    return context.words.some_of(listed[:MOST_NAMES], len(listed) - MOST_NAMES)


def _plain_rows(context: Context) -> Iterator[tuple[Line, ...]]:
    """The author's requirements one by one; of the library's, those that fail or are uncertain, and how many hold."""
    words, rules = context.words, context.answer.requirements
    shown = [rule for rule in rules if rule.origin in PLAIN or rule.holds is False or rule.chance is not None]
    rest = [rule for rule in rules if rule not in shown]
    kept = sorted(shown, key=lambda rule: rule.holds is not False)[:_MOST_ON_A_SCREEN]
    yield from (_plain_row(context, rule) for rule in shown if rule in kept)
    held = sum(rule.holds is True for rule in rest)
    unchecked = [rule.name for rule in rest if rule.holds is None]
    more = [words.more_in_the_report(len(shown) - len(kept))] if len(shown) > len(kept) else []
    more += [words.held(held)] if held else []
    more += [words.not_checked_names(names_of(context, unchecked))] if unchecked else []
    if more:
        yield (line("; ".join(more)),)


def _plain_row(context: Context, rule: RequirementResult) -> tuple[Line, ...]:
    words = context.words
    name = line(rule.name or rule.text)
    if rule.holds is None:
        return name, line(words.not_checked), line(words.needs(names_of(context, rule.needs)))
    word = line(
        words.verdict(rule.verdict or ("safe" if rule.holds else "no")),
        f" {words.chance(rule.chance, rule.chance_error)}".rstrip(),
    )
    row = rule.calendar or rule.compared
    if row is None:
        case = words.case(rule) or line(rule.because or rule.text)
        return name, word, line(case, _beside(context, rule))
    side = _side(row.met, row.sign)
    if rule.calendar is None and rule.sides is not None and rule.sides.worst:
        known = words.in_the_worst_case(rule.sides, row.gap, side)
    else:
        known = words.compared(row, side, rule.calendar is not None)
    known = line(rule.otherwise) or known
    return name, word, line(known, _beside(context, rule))


def _beside(context: Context, rule: RequirementResult) -> Line:
    """What is to be said beside the figures of a requirement: those as planned, why it is not judged, what is asked."""
    words, row = context.words, rule.compared
    return line(
        words.as_it_is_planned(row.planned, rule.planned.verdict, words.chance(rule.planned.chance))
        if row is not None and rule.planned is not None and not rule.rates
        else None,
        words.asked(row.asked) if row is not None and row.asked is not None and rule in context.own else None,
        words.judged_on_the_calendar(rule.planned.verdict, words.chance(rule.planned.chance))
        if row is None and rule.planned is not None and rule.chance is not None
        else None,
        words.rests_on(rule.rates) if rule.rates else None,
        words.is_unjudged_for(rule.unjudged) if rule.unjudged else None,
        words.not_at_every_point if rule.certainty == "expected" else None,
    )


def _side(met: bool, sign: str) -> str:
    """On which side of its limit a figure lies: `spare`, `over`, `short`."""
    return "spare" if met else "over" if sign.startswith("<") else "short"


def _figures(context: Context) -> Iterator[tuple[Line, ...]]:
    """The author's requirements, then what every plan is asked about, then what fails of the library's."""
    words, own = context.words, context.own
    for rule in context.listed:
        row = rule.calendar or rule.compared
        label = words.requirement(rule.name, rule.text, row)
        if row is None:
            yield label, EMPTY, EMPTY, _verdict(context, rule)
            continue
        planned, ends = row.planned, row.spread or row.band
        digits = 3 if names.is_money(planned) else None
        yield *_cells(context, label, planned, ends, digits, row.sign, row.limit), _verdict(context, rule)
    if len(own) > MOST_LISTED:
        yield line(words.more_requirements(len(own) - MOST_LISTED)), EMPTY, EMPTY, words.in_the_json()
    yield from _results(context, context.subjects)
    others = [rule for rule in context.answer.requirements if rule.origin not in PLAIN]
    failing = [rule for rule in others if rule.holds is False and rule.name != names.FITS]
    for rule in failing[:_MOST_OF_THE_LIBRARY]:
        yield words.code(rule.name), EMPTY, EMPTY, words.fails(words.case(rule) or line(rule.text), rule.because)
    for departure in context.answer.departures[:_MOST_DEPARTURES]:
        yield (
            words.departure_of(departure.name, departure.origin),
            EMPTY,
            EMPTY,
            words.departure_because(departure.what, departure.by, departure.because),
        )


def _results(context: Context, subjects: Sequence[str]) -> Iterator[tuple[Line, ...]]:
    """Time, cost and memory, as far as no requirement of the author is about them."""
    words = context.words
    time, wall = context.find(names.TIME), context.find(names.WALL_TIME)
    if time is not None and names.TIME not in subjects:
        free = names.WALL_TIME not in subjects
        yield *_row(context, words.training_as_planned, time, None), line(words.no_deadline) if free else EMPTY
    if wall is not None and names.WALL_TIME not in subjects:
        label = words.label(names.WALL_TIME)
        yield *_row(context, label, wall, 2), words.failures(_failures(context))
    yield from _costs(context, subjects)
    memory = context.find(names.MEMORY)
    if memory is not None and names.MEMORY not in subjects:
        rule, room = context.requirement(names.FITS), context.amount(names.GPU_MEMORY)
        cells = _cells(context, words.label(names.MEMORY), memory.amount, ends_of(memory), None, words.of, room)
        yield *cells, _verdict(context, rule, fits=True) if rule is not None else EMPTY


def _costs(context: Context, subjects: Sequence[str]) -> Iterator[tuple[Line, ...]]:
    words = context.words
    cost, wall = context.find(names.COST), context.find(names.WALL_COST)
    if cost is None:
        gpu = context.text(names.GPU)
        if gpu and context.has(names.TIME):
            yield line(words.cost), EMPTY, EMPTY, words.no_price(gpu)
        return
    if names.COST not in subjects:
        digits = 3 if names.is_money(cost.amount) else None
        free = names.WALL_COST not in subjects
        yield *_row(context, words.cost_as_planned, cost, digits), line(words.no_budget) if free else EMPTY
    if wall is not None and names.WALL_COST not in subjects:
        yield *_row(context, words.cost_on_the_calendar, wall, 2), _price(context)


def _price(context: Context) -> Line:
    price = context.find(names.PRICE)
    if price is None:
        return EMPTY
    authored = price.origin is not None and price.origin.layer == "plan"
    return context.words.price(price.amount, "" if authored else context.text(names.PRICE_SOURCE))


def _failures(context: Context) -> Amount | None:
    wall, between = context.number(names.WALL_TIME), context.number(names.JOB_MTBF)
    return Amount(wall / between, REAL) if wall is not None and between else None


def _row(context: Context, label: str | Line, value: Value, digits: int | None) -> tuple[Line, ...]:
    return _cells(context, label, value.amount, ends_of(value), digits)


def _cells(
    context: Context,
    label: str | Line,
    planned: Amount,
    ends: Range | None,
    digits: int | None,
    sign: str = "",
    limit: Amount | None = None,
) -> tuple[Line, ...]:
    """A label with its limit, the figure and its ends; a unit that all of them have stands in the label.

    Args:
        digits: None for decimals to three digits and whole numbers as they are.
    """
    text, unit = planned.parts(digits)
    shared = (
        bool(unit)
        and (ends is None or ends.unit(digits or 3) == unit)
        and (limit is None or limit.parts()[1] in ("", unit))
    )
    return (
        context.words.of_a_limit(label, sign, limit, unit if shared else ""),
        line(text if shared else f"{text} {unit}".rstrip()),
        line(ends.ends(digits or 3)) if ends is not None else EMPTY,
    )


def _verdict(context: Context, rule: RequirementResult, fits: bool = False) -> Line:
    """What came of a requirement, in a report; `fits` for a row of memory, which says so in its own word."""
    words = context.words
    if rule.holds is None:
        return words.not_checked_for(rule.needs)
    row = rule.calendar or rule.compared
    gap = None if row is None else row.gap
    if not rule.holds:
        missed = words.violated(gap, rule.otherwise, words.chance(rule.chance, rule.chance_error))
        return line(missed, _beside(context, rule))
    side = "" if row is None else _side(row.met, row.sign)
    verdict = "fits" if fits and rule.verdict == "safe" else rule.verdict
    return line(words.judged(verdict, words.chance(rule.chance, rule.chance_error), gap, side), _beside(context, rule))
