"""The reasons for an answer: the search for its unknowns, the next best layouts, and the parts of memory and time.

Input: the context of a solution; output a section for the reasons and one for the error of the model with its charts.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from llmplan.answer.schema.advice import Alternative
from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.values import SolvedUnknown
from llmplan.present import names
from llmplan.present.blocks import Chart, Code, Column, Line, Prose, Rows, Section, cut, line, listed, shortened
from llmplan.present.context import PLAIN, Context, Share
from llmplan.present.launch import batch_is_off, first_hour, launch, launches
from llmplan.present.verdicts import names_of
from llmplan.units.amount import Amount, Unit

_MOST_UNKNOWNS = 8
_MOST_ALTERNATIVES = 2
_MOST_OBJECTIVES = 4
_MOST_PREFERENCES = 6
_MOST_BINDING = 3
_GB, _SECONDS = Unit("GB", 1e9, True, fixed=True), Unit("s", 1.0, True, fixed=True)
_LEAST_SHARE = 0.0005
"""The share of a step below which a part of it is not told."""


def memory_shares(context: Context) -> list[Share]:
    """What memory consists of."""
    return context.shares(names.MEMORY)


def step_shares(context: Context) -> list[Share]:
    """What a step consists of. An assumed rate has no parts: those of the estimate are shown, and how far it is from
    them."""
    return context.shares(names.STEP_TIME, names.STEP_OTHER)


def why(context: Context) -> Section:
    """The unknowns for a screen; for a report how they were found, what is open, preferences, parts."""
    words, answer = context.words, context.answer
    asked = [unknown for unknown in answer.unknowns if unknown.asked]
    open_ = [unknown for unknown in answer.unknowns if not unknown.asked]
    memory, step = memory_shares(context), step_shares(context)
    plain = tuple(_unknown(context, unknown) for unknown in answer.unknowns)
    title = words.unknowns_title(answer.status == "solved")
    rows = Rows("plain", (Column(),) * 3, plain, title)
    if not (asked or open_ or memory or step or any(rule.holds is False for rule in answer.preferences)):
        return Section("", (rows,))
    prices = list(_prices(context))
    lines = [
        *_found(context, asked),
        *([words.open_by_default(_open(open_))] if open_ else []),
        *(_preference(context, rule) for rule in _preferences(context)),
        *prices,
        listed(_parts(context, memory, step), " "),
    ]
    priced = Prose("prices", tuple(prices), words.prices_title)
    return Section(words.why_heading, (rows, priced, Prose("reasons", tuple(filter(None, lines)), listed=True)))


def _unknown(context: Context, unknown: SolvedUnknown) -> tuple[Line, ...]:
    said = context.words.how(unknown, names_of(context, unknown.set_by) if unknown.set_by else "")
    return line(unknown.path), line(unknown.value.amount.exact()), said


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
    if goals:
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
    return context.words.preference(bool(rule.holds), rule.name, case, cut(rule.because, 100))


def _prices(context: Context) -> Iterator[Line]:
    """What preferences of the library cost, in time, money and what the plan optimises."""
    for price in context.answer.prices:
        saved = [
            result
            for result in price.results
            if result.name in (names.TIME, names.COST) and result.after.number < result.before.number
        ]
        told = saved or [result for result in price.results if result.name == price.objective]
        yield context.words.preference_costs(price, [result for result in told if not result.same])


def _parts(context: Context, memory: list[Share], step: list[Share]) -> Iterator[Line]:
    words = context.words
    if memory:
        yield words.memory_goes(words.part(part.label, evolve(part.amount, unit=_GB), part.share) for part in memory)
    if not step:
        return
    told = [part for part in step if part.share >= _LEAST_SHARE]
    yield words.step_goes(words.part(part.label, evolve(part.amount, unit=_SECONDS), part.share) for part in told)
    rest, estimate = context.number(names.STEP_OTHER), context.number(names.STEP_ESTIMATE)
    estimated, assumed = context.amount(names.STEP_ESTIMATE), context.amount(names.STEP_TIME)
    if rest and estimate and estimated is not None and assumed is not None:
        yield words.parts_of_the_estimate(estimated, assumed, rest / estimate)


def where(context: Context) -> Section:
    """How well the model is known to predict, what to look at, and the charts of memory and time."""
    words = context.words
    step = step_shares(context)
    said: list[Line] = []
    error = context.amount(names.MEDIAN_STEP_ERROR)
    if step and error is not None and not context.get(names.STEP_OTHER, 0):
        said.append(words.median_error(error, context.amount(names.MEDIAN_MEMORY_ERROR)))
    if launch(context) and any(row[1] for row in first_hour(context)):
        timed = context.find(names.STEP_TIME)
        said.append(words.low_and_high_of(timed is not None and bool(timed.spread)))
    charts = [
        Chart(name, caption)
        for name, caption in (("memory", words.memory_caption), ("step", words.step_caption))
        if context.drawn(name)
    ]
    if not said and not charts:
        return Section("", ())
    return Section(words.where_heading, (Prose("error", (listed(said, " "),) if said else ()), *charts))
