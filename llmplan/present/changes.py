"""What single changes would bring: of a solved plan its levers, of an infeasible one what would make it possible.

Input: the context of a solution; output a section each: the changes that are worth a sentence, the table of all, the
cures of each conflict, and what one more percentage point of an assumed rate would do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve

from llmplan.answer.schema.advice import Lever, Moved, Relaxation
from llmplan.answer.schema.charts import Curve, CurvePoint
from llmplan.answer.schema.requirements import Clash
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Chart, Column, Figure, Line, Prose, Rows, Section, cut, line, listed
from llmplan.present.context import Context
from llmplan.units.amount import Unit

_WORTH = 0.01
"""The share of a result that a change must save to be worth a sentence."""

_TOLD = 0.02
"""The share of a result by which a change must move it to have a row."""

_MOST_LEVERS = 5
_MOST_COLUMNS = 5
_MOST_MOVED = 3
_MOST_CURES = 4
_MOST_GAINS = 2


def best_changes(context: Context) -> Section:
    """The changes worth a sentence, and the best for a screen; the result along the input that decides it."""
    words, answer = context.words, context.answer
    best = tuple((line(lever.statement), _brought(context, lever)) for lever in answer.levers if lever.best)
    said = listed([*_sentences(context), _along(context)], " ")
    chart: tuple[Chart, ...] = ()
    if answer.curve is not None and context.drawn("deadline"):
        curve = answer.curve
        chart = (Chart("deadline", words.deadline_caption(curve.result.name, curve.input.name, curve.requirement)),)
    return Section(
        "",
        (
            Rows("best", (Column(), Column()), best, words.levers_title),
            Prose("sentences", (said,) if said else ()),
            *chart,
        ),
    )


def _brought(context: Context, lever: Lever) -> Line:
    """`88 GPUs instead of 96 GPUs; time +1.03 days, cost -9,302 USD`."""
    words = context.words
    moved = (lever.solved_results if lever.anew else lever.results)[:_MOST_MOVED]
    banded = next((result for result in moved if result.band), None)
    return words.brought(
        (lever.solved, lever.solved_before) if lever.anew and lever.solved and lever.solved_before else None,
        [(result.name, result.by) for result in moved if not result.same],
        None if banded is None or banded.band is None else (banded.name, banded.band),
        words.chance(lever.chance),
        lever.purpose == "safe",
    )


def _sentences(context: Context) -> Iterator[Line]:
    """The nearest value that is safe, the cheapest change, another card."""
    words = context.words
    legal = [lever for lever in context.answer.levers if lever.legal]
    for lever in [lever for lever in legal if lever.purpose == "safe"][:1]:
        yield words.to_be_safe(lever.statement, _gains(context, lever.results), words.chance(lever.chance))
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
    """Other cards: without a price there is no saying which is the better one."""
    levers = [lever for lever in context.answer.levers if lever.legal and lever.purpose == "entry"]
    return levers if context.has(names.COST) else []


def _worth(lever: Lever) -> bool:
    """Whether it saves enough, of what the plan minimizes where that is solved again."""
    results = lever.solved_results if lever.anew else lever.results
    return any(
        result.name in (names.TIME, names.COST, lever.unknown)
        and bool(result.before.number)
        and 1 - result.after.number / result.before.number >= _WORTH
        for result in results
    )


def _told(context: Context, lever: Lever) -> Line:
    results = lever.solved_results if lever.anew else lever.results
    banded = next((result for result in results if result.band and result.name in (names.TIME, names.COST)), None)
    rates = [rate.name for rate in context.rates] if lever.purpose == "entry" else []
    return context.words.change(
        lever.statement,
        lever.solved if lever.anew else None,
        _gains(context, results),
        None if banded is None or banded.band is None else (banded.name, banded.band),
        context.words.chance(lever.chance),
        rates,
    )


def _gains(context: Context, results: Sequence[Moved]) -> Line:
    """What is told of a change in a sentence: `−2.5 days, −9,300 USD, −12 GB of memory`."""
    told = (names.TIME, names.COST, names.MEMORY)
    return listed(
        context.words.gain(result.by.like(result.before), result.name == names.MEMORY)
        for result in results
        if not result.same and result.name in told
    )


def _along(context: Context) -> Line:
    """The figures of the picture below, for those who do not see it."""
    curve = context.answer.curve
    if curve is None or not context.drawn("deadline"):
        return EMPTY
    words = context.words
    points = [
        words.at_a_point(
            _on_the_axis(curve, point),
            point.amount.parts()[0] if curve.input.size == 1 else point.amount.exact(),
        )
        for point in curve.points
        if point.result is not None
    ]
    return words.along(curve.input.name, curve.result.name, curve.result.unit, listed(points))


def _on_the_axis(curve: Curve, point: CurvePoint) -> str:
    """The result at a point, in the unit of its axis and without it."""
    assert point.result is not None
    text, unit = point.result.parts(3)
    if unit == curve.result.unit:
        return text
    return evolve(point.result, unit=Unit(curve.result.unit, curve.result.size, True, fixed=True)).parts(3)[0]


def cures(context: Context) -> Section:
    """What would make an infeasible plan possible: of each conflict single changes, found by solving again."""
    words, clashes = context.words, context.answer.clashes
    rows = [row for clash in clashes for row in _cures_of(context, clash)]
    if not rows:
        return Section("", ())
    return Section(
        words.cures_title,
        (
            Prose("which", (line(words.independent_conflicts if len(clashes) > 1 else words.each_change_alone),)),
            Rows("cures", (Column(line(words.conflict_column)), Column(line(words.cure_column))), tuple(rows)),
        ),
    )


def _cures_of(context: Context, clash: Clash) -> Iterator[tuple[Line, ...]]:
    words = context.words
    conflict = words.conflict_of(clash.names)
    if not clash.cures:
        yield conflict, line(words.no_single_change)
    for number, cure in enumerate(clash.cures[:_MOST_CURES]):
        yield EMPTY if number else conflict, _cure(context, cure)


def _cure(context: Context, cure: Relaxation) -> Line:
    more = len(cure.values) - _MOST_CURES
    return context.words.cure(cure.name, cure.before, cure.condition, cure.values[:_MOST_CURES], more)


def levers(context: Context) -> Section:
    """A row for each input that moves something, with the difference of each result.

    Differences have two digits, as what is small in them is not known.
    """
    told = _told_levers(context)
    if not told:
        return Section("", ())
    words, compared = context.words, context.answer.compared
    columns = [
        place
        for place in range(len(told[0].results))
        if any(
            place < len(lever.results) and lever.results[place].name in compared and not lever.results[place].same
            for lever in told
        )
    ][:_MOST_COLUMNS]
    rows = tuple(
        (
            words.lever(
                lever.name,
                lever.before,
                lever.amount,
                lever.solved if lever.anew else None,
                [broken.name for broken in lever.breaks],
                words.chance(lever.chance),
            ),
            *(
                line(_shift(context, lever.results[place])) if place < len(lever.results) else EMPTY
                for place in columns
            ),
        )
        for lever in told
    )
    own = (names.TIME, names.COST, names.MEMORY)
    headings = [told[0].results[place].name for place in columns]
    rates = [rate.name for rate in context.rates]
    return Section(
        words.changes_title,
        (
            Prose("rates", (words.rates_stay(rates),) if rates else ()),
            Rows(
                "levers",
                (
                    Column(line(words.change_column)),
                    *(Column(EMPTY if name in own else line(cut(name, 40)), "r") for name in headings),
                ),
                rows,
                units=True,
            ),
        ),
    )


def _told_levers(context: Context) -> list[Lever]:
    """One an input; none for what moves little, nor for the input that the curve is drawn over."""
    told: list[Lever] = []
    curve, entries = context.answer.curve, _entries(context)
    drawn = curve.input.name if curve is not None and context.drawn("deadline") else ""
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
        result.name in context.answer.compared
        and bool(result.before.number)
        and not 1 - _TOLD < result.after.number / result.before.number < 1 + _TOLD
        for result in lever.results
    )


def _shift(context: Context, result: Moved) -> Figure | str:
    """How far a change moves a result, in the unit that the plan's own is written in."""
    return "0" if result.same else Figure(*result.by.like(result.before).signed(2, context.words.minus))


def gains(context: Context) -> Section:
    """What one more percentage point of an assumed rate would change."""
    words = context.words
    said = [
        words.one_point_more(
            gain.name,
            gain.before,
            gain.after,
            gain.changes[:4],
        )
        for gain in context.answer.gains[:_MOST_GAINS]
    ]
    return Section("", (Prose("gains", tuple(said)),) if said else ())
