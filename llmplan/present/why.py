"""The reasons for an answer: the search for its unknowns, the next best layouts, and the parts of memory and time.

Input: the context of a solution; output a section for the reasons and one for the error of the model with its charts.
"""

from __future__ import annotations

from collections.abc import Iterator

from llmplan.answer.schema.advice import Alternative
from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.values import SolvedUnknown
from llmplan.present import names
from llmplan.present.blocks import Code, Column, Line, Prose, Rows, Section, cut, line, listed, shortened
from llmplan.present.changes import on_the_calendar
from llmplan.present.charts.memory import memory
from llmplan.present.charts.ranges import ranges
from llmplan.present.charts.stages import stages
from llmplan.present.charts.step import step
from llmplan.present.context import PLAIN, Context
from llmplan.present.launch import batch_is_off, first_hour, launch, launches
from llmplan.present.parts import step_shares
from llmplan.present.verdicts import names_of
from llmplan.units.amount import Amount

_MOST_UNKNOWNS = 8
_MOST_ALTERNATIVES = 2
_MOST_OBJECTIVES = 4
_MOST_PREFERENCES = 6
_MOST_BINDING = 3
_PAID = (names.TIME, names.WALL_TIME, names.COST, names.WALL_COST)


def why(context: Context) -> Section:
    """The unknowns for a screen; for a report how they were found, what is open, preferences, parts."""
    words, answer = context.words, context.answer
    asked = [unknown for unknown in answer.unknowns if unknown.asked]
    open_ = [unknown for unknown in answer.unknowns if not unknown.asked]
    plain = tuple(_unknown(context, unknown) for unknown in answer.unknowns)
    title = words.unknowns_title(answer.status == "solved")
    rows = Rows("plain", (Column(),) * 3, plain, title)
    if not (asked or open_ or any(rule.holds is False for rule in answer.preferences)):
        return Section("", (rows,))
    prices = list(_prices(context))
    lines = [
        *_found(context, asked),
        *([words.open_by_default(_open(open_))] if open_ else []),
        *(_preference(context, rule) for rule in _preferences(context)),
        *prices,
    ]
    priced = Prose("prices", tuple(prices), words.prices_title)
    return Section(words.why_heading, (rows, priced, Prose("reasons", tuple(filter(None, lines)), listed=True)))


def _unknown(context: Context, unknown: SolvedUnknown) -> tuple[Line, ...]:
    said = context.words.how(unknown, names_of(context, unknown.set_by) if unknown.set_by else "")
    return line(Code(unknown.path)), line(unknown.value.amount.exact()), said


def _open(unknowns: list[SolvedUnknown]) -> list[tuple[str, str]]:
    return [(unknown.path, cut(unknown.value.amount.short(), 40)) for unknown in unknowns[:_MOST_UNKNOWNS]]


def _found(context: Context, asked: list[SolvedUnknown]) -> Iterator[Line]:
    """How the unknowns were found: what is said of single ones, then the search, the next best and the objectives."""
    words, answer = context.words, context.answer
    reasons: list[Line] = []
    searched: list[Line] = []
    for unknown in asked[:_MOST_UNKNOWNS]:
        parts = list(_reasons(context, unknown))
        amount = unknown.value.amount
        if parts:
            text = cut(amount.short(), 60)
            reasons.append(words.because_of(unknown.path, text, unknown.value.spread, listed(parts, "; ")))
            continue
        launched = unknown.path in names.LAUNCHED
        beside = [] if launched else [amount.short() for amount in (unknown.below, unknown.above) if amount is not None]
        searched.append(
            words.searched(unknown.path, "" if launched else cut(amount.short(), 40), cut(words.both(beside), 60))
        )
    sentences: list[Line] = reasons[:1]
    if searched or answer.considered > 1:
        sentences.append(words.found_by_search(answer.considered, listed(searched)))
    if len(answer.alternatives) > 1:
        sentences.append(words.next_best(listed(_alternatives(context), "; ")))
    goals = [
        words.objective(
            objective.sense,
            cut(objective.text, 80),
            None if context.has(objective.text) else objective.amount,
        )
        for objective in answer.objectives[:_MOST_OBJECTIVES]
    ]
    if len(answer.front) > 1:
        sentences.append(words.asked_to_trade([objective.text for objective in answer.objectives]))
    elif goals:
        sentences.append(words.asked_to(goals))
    if sentences:
        yield words.sentences(sentences)
    yield from reasons[1:]


def _reasons(context: Context, unknown: SolvedUnknown) -> Iterator[Line]:
    words = context.words
    if unknown.relation:
        yield words.exactly(Code(cut(unknown.relation, 160)), unknown.exact)
    if unknown.works:
        yield shortened(words.feasible_at(unknown.works), 80 + len("feasible at "))
    if unknown.beyond:
        yield words.set_by(unknown.set_by[:_MOST_BINDING], shortened(words.beyond(unknown.beyond), 160))


def _alternatives(context: Context) -> Iterator[Line]:
    answer = dict(context.answer.alternatives[0].settings)
    for layout in context.answer.alternatives[1 : 1 + _MOST_ALTERNATIVES]:
        differing = [
            context.words.differing(path, cut(amount.short(), 40))
            for path, amount in layout.settings
            if amount != answer.get(path)
        ]
        yield context.words.alternative(listed(differing), layout.loss, _memory(layout))


def _memory(layout: Alternative) -> Amount | None:
    return next((amount for name, amount in layout.results if name == names.MEMORY), None)


def _preferences(context: Context) -> list[RequirementResult]:
    """What is not met, then what is met of the author's."""
    told = (names.BATCH_CLOSE,) if launches(context) and batch_is_off(context) is not None else ()
    rules = context.answer.preferences
    unmet = [rule for rule in rules if rule.holds is False and rule.name not in told]
    met = [rule for rule in rules if rule.holds is True and rule.origin in PLAIN]
    return [*unmet, *met][:_MOST_PREFERENCES]


def _preference(context: Context, rule: RequirementResult) -> Line:
    case = shortened(context.words.case(rule, short=True) or line(rule.text), 160)
    return context.words.preference(bool(rule.holds), rule.name, case, cut(context.words.reason_of(rule), 100))


def _prices(context: Context) -> Iterator[Line]:
    """What preferences of the library cost, in time, money and what the plan optimises."""
    for price in context.answer.prices:
        saved = [
            result
            for result in on_the_calendar(context, price.results)
            if result.name in _PAID and result.after.number < result.before.number
        ]
        told = saved or [result for result in price.results if result.name == price.objective]
        yield context.words.preference_costs(price, [result for result in told if not result.same])


def where(context: Context) -> Section:
    """How well the model is known to predict, what to look at, and the charts of memory and time."""
    words = context.words
    said: list[Line] = []
    error = context.amount(names.MEDIAN_STEP_ERROR)
    if step_shares(context) and error is not None and not context.get(names.STEP_OTHER, 0):
        said.append(words.median_error(error, context.amount(names.MEDIAN_MEMORY_ERROR)))
    if launch(context) and any(row[1] for row in first_hour(context)):
        timed = context.find(names.STEP_TIME)
        said.append(words.low_and_high_of(timed is not None and bool(timed.spread)))
    charts = [
        *context.pictured("memory", memory),
        *context.pictured("stages", stages),
        *context.pictured("step", step),
        *context.pictured("ranges", ranges),
    ]
    if not said and not charts:
        return Section("", ())
    return Section(words.where_heading, (Prose("error", (listed(said, " "),) if said else ()), *charts))
