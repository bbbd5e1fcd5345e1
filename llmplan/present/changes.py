"""What single changes would bring: of a solved plan its levers, of an infeasible one what would make it possible.

Input: the context of a solution; output a section each: the changes that are worth a sentence, the table of all, the
cures of each conflict, and what one more percentage point of an assumed rate would do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve

from llmplan.answer.schema.advice import Lever, Moved, Relaxation, as_made
from llmplan.answer.schema.charts import Curve, CurvePoint
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Code, Column, Figure, Line, Prose, Rows, Section, cut, line, listed
from llmplan.present.charts.deadline import deadline
from llmplan.present.charts.run import run
from llmplan.present.context import Context
from llmplan.units.amount import Range, Unit

_WORTH = 0.01
"""The share of a result that a change must save to be worth a sentence."""

_OF_A_RUN = (names.TIME, names.WALL_TIME, names.COST, names.WALL_COST)

_TOLD = 0.02
"""The share of a result by which a change must move it to have a row."""

_MOST_LEVERS = 5
_MOST_COLUMNS = 5
_MOST_MOVED = 3
_MOST_CURES = 4
_MOST_GAINS = 2
_MOST_OF_A_GAIN = 4


def best_changes(context: Context) -> Section:
    """The changes worth a sentence, and the best for a screen; the result along the input that decides it."""
    words, answer = context.words, context.answer
    priced = _entries(context)
    shown = [lever for lever in answer.levers if lever.best and (lever.purpose != "entry" or lever in priced)]
    best = tuple((line(Code(as_made(lever))), _brought(context, lever)) for lever in shown)
    said = listed([*_sentences(context), _along(context)], " ")
    told = (
        Rows("best", (Column(), Column()), best, words.levers_title),
        _rates_stay(context, bool(best)),
        Prose("sentences", (said,) if said else ()),
    )
    return Section("", (*told, *context.pictured("deadline", deadline), *context.pictured("run", run)))


def _rates_stay(context: Context, changed: bool) -> Prose:
    """That what the plan assumes holds for it as it stands, beside what a change would bring; `changed` if any is."""
    rates = [rate.name for rate in context.rates] if changed else []
    return Prose("rates", (context.words.rates_stay(rates),) if rates else ())


def _brought(context: Context, lever: Lever) -> Line:
    """`88 GPUs instead of 96 GPUs; time +1.03 days, cost -9,302 USD`."""
    moved = on_the_calendar(context, lever.results)[:_MOST_MOVED]
    return context.words.brought(lever, moved, _band(moved))


def on_the_calendar(context: Context, results: Sequence[Moved]) -> list[Moved]:
    """The results of a change in the units of the answer, on the calendar alone where they have a counterpart there."""
    names = {result.name for result in results}
    kept = [result for result in results if context.answer.calendar.get(result.name) not in names]
    told = [(result, context.like(result.name, result.before)) for result in kept]
    return [
        evolve(result, before=before, band=None if result.band is None else result.band.like(before))
        for result, before in told
    ]


def _band(results: Iterable[Moved]) -> tuple[str, Range] | None:
    """The first of some results that has a band, by name."""
    return next(((result.name, result.band) for result in results if result.band is not None), None)


def _sentences(context: Context) -> Iterator[Line]:
    """The nearest value that is safe, the cheapest change, another card."""
    words = context.words
    legal = context.answer.levers
    for lever in [lever for lever in legal if lever.purpose == "safe"][:1]:
        yield words.to_be_safe(as_made(lever), _gains(context, lever.results), words.chance(lever.chance))
    # A change of machines is for the curve, and what is worth a line saves at least a hundredth.
    changes = [
        lever
        for lever in legal
        if lever.purpose == "change" and not lever.name.startswith("hardware.") and _worth(lever)
    ]
    for lever in sorted(changes, key=lambda lever: not lever.best)[:1]:
        yield words.cheapest_change(_told(context, lever))
    for lever in _entries(context)[:1]:
        yield words.another_card(_told(context, lever))


def _entries(context: Context) -> list[Lever]:
    """Other cards: without a price, of both, there is no saying which is the better one."""
    levers = [lever for lever in context.answer.levers if lever.purpose == "entry"]
    if not context.has(names.COST):
        return []
    return [lever for lever in levers if any(one.name in (names.COST, names.WALL_COST) for one in lever.results)]


def _worth(lever: Lever) -> bool:
    """Whether it saves enough, of what the plan minimizes where that is solved again."""
    return any(
        result.name in (names.TIME, names.COST, lever.unknown) and 1 - _ratio(result) >= _WORTH
        for result in lever.results
    )


def _ratio(result: Moved) -> float:
    """A result after a change as a share of what it was before; 1, as if it had not moved, where that was nothing."""
    return result.after.number / result.before.number if result.before.number else 1.0


def _told(context: Context, lever: Lever) -> Line:
    rates = [rate.name for rate in context.rates] if lever.purpose == "entry" else []
    results = on_the_calendar(context, lever.results)
    band = _band(result for result in results if result.name in _OF_A_RUN)
    return context.words.change(lever, _gains(context, lever.results), band, rates)


def _gains(context: Context, results: Sequence[Moved]) -> Line:
    """What is told of a change in a sentence: `−2.5 days, −9,300 USD, −12 GB of memory`."""
    told = (*_OF_A_RUN, names.MEMORY)
    return listed(
        context.words.gain(result.by.beside(result.before), result.name == names.MEMORY)
        for result in on_the_calendar(context, results)
        if not result.same and result.name in told
    )


def _along(context: Context) -> Line:
    """The figures of the picture below, for those who do not see it."""
    words, curve = context.words, _curve(context)
    if curve is None:
        return EMPTY
    points = [
        words.at_a_point(
            _on_the_axis(curve, point),
            point.amount.parts()[0] if curve.input.size == 1 else point.amount.exact(),
        )
        for point in curve.points
        if point.result is not None
    ]
    return words.along(curve.input.name, curve.result.name, curve.result.unit, listed(points))


def _curve(context: Context) -> Curve | None:
    """The result along the input that decides it, where its picture is written."""
    return context.answer.curve if context.drawn("deadline") else None


def _on_the_axis(curve: Curve, point: CurvePoint) -> str:
    """The result at a point, in the unit of its axis and without it."""
    assert point.result is not None
    text, unit = point.result.parts(3)
    if unit == curve.result.unit:
        return text
    return evolve(point.result, unit=Unit(curve.result.unit, curve.result.size, True, fixed=True)).parts(3)[0]


def cures(context: Context) -> Section:
    """What would make an infeasible plan possible, and of several conflicts each, found by solving again."""
    words, clashes = context.words, context.answer.clashes
    own = [row for clash in clashes for row in _cures_of(context, words.conflict_of(clash.names), clash.cures)]
    if not own:
        return Section("", ())
    several = len(clashes) > 1
    # The headline's changes, which make everything hold, come before those of each conflict as if it were alone.
    rows = [*_cures_of(context, line(words.all_conflicts), context.answer.relaxations), *own] if several else own
    return Section(
        words.cures_title,
        (
            _rates_stay(context, any(cure.sort != "bound" for clash in clashes for cure in clash.cures)),
            Prose("which", (line(words.each_conflict_alone if several else words.each_change_alone),)),
            Rows("cures", (Column(line(words.conflict_column)), Column(line(words.cure_column))), tuple(rows)),
        ),
    )


def _cures_of(context: Context, conflict: Line, cures: Sequence[Relaxation]) -> Iterator[tuple[Line, ...]]:
    words = context.words
    if not cures:
        yield conflict, line(words.no_change)
    for number, cure in enumerate(cures[:_MOST_CURES]):
        changes = [words.cure(one, _MOST_CURES) for one in (cure, *cure.beside)]
        yield EMPTY if number else conflict, listed(changes, " and ")


def levers(context: Context) -> Section:
    """A row for each input that moves something, with the difference of each result.

    Differences have two digits, as what is small in them is not known.
    """
    told = _told_levers(context)
    if not told:
        return Section("", ())
    words, calendar = context.words, context.answer.calendar
    compared = {*context.answer.compared, *(calendar.get(name, "") for name in context.answer.compared)}
    moved = [{result.name: result for result in on_the_calendar(context, lever.results)} for lever in told]
    shown = [
        name for name in moved[0] if name in compared and any(name in row and not row[name].same for row in moved)
    ][:_MOST_COLUMNS]
    rows = tuple(
        (words.lever(lever), *(line(_shift(context, row[name])) if name in row else EMPTY for name in shown))
        for lever, row in zip(told, moved)
    )
    heads: dict[str, str] = dict.fromkeys((*_OF_A_RUN, names.MEMORY), "")
    heads |= dict.fromkeys(calendar.values(), words.calendar_column)
    figures = (Column(line(heads.get(name, cut(name, 40))), "r") for name in shown)
    columns = (Column(line(words.change_column)), *figures)
    return Section(words.changes_title, (_rates_stay(context, True), Rows("levers", columns, rows, units=True)))


def _told_levers(context: Context) -> list[Lever]:
    """One an input; none for what moves little, nor for the input that the curve is drawn over."""
    told: list[Lever] = []
    curve, entries = _curve(context), _entries(context)
    drawn = "" if curve is None else curve.input.name
    for lever in context.answer.levers:
        if (
            len(told) < _MOST_LEVERS
            and (lever.purpose != "entry" or lever in entries)
            and lever.name not in [other.name for other in told]
            and lever.name != drawn
            and (lever.anew or lever.purpose != "change" or _moves(context, lever))
        ):
            told.append(lever)
    return told


def _moves(context: Context, lever: Lever) -> bool:
    return any(
        result.name in context.answer.compared and not 1 - _TOLD < _ratio(result) < 1 + _TOLD
        for result in lever.results
    )


def _shift(context: Context, result: Moved) -> Figure | str:
    """How far a change moves a result, in the unit that the plan's own is written in: one unit in a column."""
    moved = result.by.like(result.before).signed(2)[0]
    return "0" if result.same else Figure(moved, result.before.parts()[1])


def gains(context: Context) -> Section:
    """What one more percentage point of an assumed rate would change."""
    said = tuple(
        context.words.one_point_more(gain.name, gain.before, gain.after, gain.changes[:_MOST_OF_A_GAIN])
        for gain in context.answer.gains[:_MOST_GAINS]
    )
    return Section("", (Prose("gains", said),) if said else ())
