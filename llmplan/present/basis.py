"""What an answer rests on and does not include: results, risks, assumptions, warnings, notes.

Input: the context of a solution; output a section each, of which a screen shows the first few lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from llmplan.answer.schema.values import Read, Value
from llmplan.present import names
from llmplan.present.blocks import Code, Column, Line, Prose, Rows, Section, cut, line, shortened
from llmplan.present.context import Context
from llmplan.present.parts import memory_shares
from llmplan.present.verdicts import MOST_NAMES, names_of

_MOST_RISKS = 5
_MOST_ASSUMPTIONS = 10
_MOST_REPLACED = 6
_MOST_MEASURED = 6
_MOST_WARNINGS = 8
_MOST_NOTES = 6
_MOST_NOTES_ON_A_SCREEN = 4
_UNMET = "W0606"
"""The warning about preferences that are not met, which a report lists by themselves."""

_DEFAULTS = ("default", "entry")


def results(context: Context) -> Section:
    """The results that most readers look for, for a screen."""
    first = names.FIRST_SERVED if context.get(names.SERVING_ALONE) else names.FIRST
    values = [context.answer.values[name] for name in first if name in context.answer.values]
    without = [value.name for value in values if value.value is None]
    few = len(without) <= MOST_NAMES
    rows = [_result(context, value) for value in values if few or value.value is not None]
    if not few:
        rows.append((line(context.words.not_computed), line(names_of(context, without))))
    title = context.words.results_title(any(value.band for value in values))
    return Section("", (Rows("plain", (Column(),) * 3, tuple(rows), title),))


def _result(context: Context, value: Value) -> tuple[Line, ...]:
    words = context.words
    if value.value is None:
        why = words.needs(names_of(context, value.needs)) if value.needs else value.reason or words.no_value
        return line(Code(value.name)), line(why)
    digits = 2 if value.name in context.answer.calendar.values() else 3
    amount = context.like(value.name, value.amount)
    spread, band = (None if ends is None else ends.like(amount) for ends in (value.spread, value.band))
    text = words.result(amount, spread, digits)
    name = line(Code(value.name))
    return (name, text, line(band.rough(digits))) if band is not None else (name, text)


def basis(context: Context) -> Section:
    """What an answer rests on that its plan does not say."""
    words, answer = context.words, context.answer
    risks = list(_risks(context))
    rests = answer.assumptions or answer.defaults or answer.replaced or answer.alternatives or answer.measured
    if not (rests or risks):
        return Section("", ())
    near = bool(answer.alternatives) and context.get(names.STEP_OTHER, 1) == 0
    lines = [
        *risks,
        *([line(words.near_layouts)] if near else []),
        *(
            words.assumed(shortened(words.assumption(one, short=True), 160))
            for one in answer.assumptions[:_MOST_ASSUMPTIONS]
        ),
        *(words.assumed(words.default(one)) for one in answer.defaults),
        *(words.replaced(one) for one in answer.replaced[:_MOST_REPLACED]),
        *(words.measured(one, _far(context, one)) for one in answer.measured[:_MOST_MEASURED]),
    ]
    formulas = tuple((line(one.name), words.new_formula(one)) for one in answer.replaced)
    said = (*map(words.assumption, answer.assumptions), *map(words.default, answer.defaults))
    plain = Prose("plain", said, words.assumed_title)
    replaced = Rows("replaced", (Column(),) * 2, formulas, words.replaced_title)
    seen = tuple(words.as_measured(one, _far(context, one)) for one in answer.measured[:_MOST_MEASURED])
    measured = Rows("measured", (Column(),) * 2, seen, words.measured_title)
    return Section(words.basis_heading, (plain, replaced, measured, Prose("basis", tuple(lines), listed=True)))


def _far(context: Context, read: Read) -> bool:
    """Whether a reading that moves what the library says of its own run moves nothing of this plan."""
    value = context.find(read.name)
    return read.moves and value is not None and value.amount.finite and read.run not in value.measured


def _risks(context: Context) -> Iterator[Line]:
    words = context.words
    for risk in context.answer.risks[:_MOST_RISKS]:
        yield words.risk(risk.name, risk.amount, risk.worse, risk.result, risk.change)
    price, source = context.find(names.PRICE), context.text(names.PRICE_SOURCE)
    left = price is not None and price.origin is not None and price.origin.layer in _DEFAULTS
    if context.has(names.COST) and source and left:
        yield words.list_price(cut(source, 80))


def notes(context: Context) -> Section:
    """Warnings of the checks, and what is to be said beside the answer."""
    words, answer = context.words, context.answer
    warnings = [
        diagnostic for diagnostic in answer.diagnostics if diagnostic.severity != "error" and diagnostic.code != _UNMET
    ]
    lines = [words.warning(one.code, cut(one.message, 200)) for one in warnings[:_MOST_WARNINGS]]
    said = remarks(context)
    lines += [shortened(note, 200) for note in said[:_MOST_NOTES]]
    plain = said[:_MOST_NOTES_ON_A_SCREEN]
    if len(said) > _MOST_NOTES_ON_A_SCREEN:
        plain.append(line(words.more_notes(len(said) - _MOST_NOTES_ON_A_SCREEN)))
    heading = words.notes_heading if lines else ""
    return Section(
        heading, (Prose("plain", tuple(plain), words.notes_title), Prose("notes", tuple(lines), listed=True))
    )


def remarks(context: Context) -> list[Line]:
    """What is to be said beside the answer: values that nearly do, entries without a value, the point of a sweep."""
    words, answer = context.words, context.answer
    said = [*map(words.cliff, answer.cliffs), *map(words.skipped, answer.skipped)]
    return [*said, words.best_point(answer.point)] if answer.point is not None else said


def omitted(context: Context) -> Section:
    """What the answer does not include, and how to ask for more."""
    words, answer = context.words, context.answer
    served = bool(context.get(names.SERVING_ALONE))
    lines = [words.failures_left_out()] if not (served or context.has(names.WALL_TIME)) else []
    lines += [line(words.quality_left_out), line(words.serving_left_out if served else words.loading_left_out)]
    if memory_shares(context):
        lines.append(line(words.script_memory_left_out))
    for value in () if served else answer.values.values():
        missing = value.value is None and value.role == "quantity" and value.needs
        if missing and value.name in (names.TIME, names.MEMORY, names.STEP_TIME):
            lines.append(words.absent(value.name, value.needs))
    return Section(
        words.omitted_heading,
        (Prose("omitted", tuple(lines), listed=True), Prose("more", (words.how_to_explain(),))),
    )
