"""What was required and what came of it: verdicts, the figures beside them, and what was waived or replaced.

Input: the context of a solution; output a section whose blocks a screen and a report show in part. What fails is never
among what is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from llmplan.answer.schema.requirements import Departure, RequirementResult
from llmplan.present import names
from llmplan.present.blocks import Column, Line, Prose, Rows, Section, line, listed
from llmplan.present.context import PLAIN, Context
from llmplan.present.figures import figures
from llmplan.present.judged import beside, side_of
from llmplan.present.parts import parts, rows
from llmplan.present.words.en import Words

_MOST_ON_A_SCREEN = 7
_MOST_RIVALS = 8
MOST_NAMES = 3


def verdicts(context: Context) -> Section:
    """Requirements, as rows for a screen and with their figures for a report; departures; preferences."""
    words, answer = context.words, context.answer
    ranged = any(value.spread for value in answer.values.values())
    plain = (*_plain_rows(context), *rows(context))
    own = [
        (line(rule.name or rule.text), line(words.met(rule.holds)), words.case(rule) or line(rule.because or rule.text))
        for rule in answer.preferences
        if rule.origin in PLAIN
    ]
    return Section(
        "",
        (
            Rows("plain", (Column(),) * 3, plain),
            figures(context, ranged),
            Prose("rivals", tuple(_rivals(context))),
            Prose("parts", (said,) if (said := listed(parts(context), " ")) else ()),
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


def _rivals(context: Context) -> Iterator[Line]:
    """How far the other entries of each choice miss."""
    words, rivals = context.words, context.answer.rivals
    for path in dict.fromkeys(one.path for one in rivals):
        listed_ = [one for one in rivals if one.path == path]
        told = [
            words.rival(one.entry, None if one.layout is None else one.layout.loss, one.layout is not None)
            for one in listed_[:_MOST_RIVALS]
        ]
        yield words.rivals_of(path, told, len(listed_) - len(told))


def _plain_rows(context: Context) -> Iterator[tuple[Line, ...]]:
    """The author's requirements one by one; of the library's, those that fail or are uncertain, and how many hold."""
    words, rules = context.words, context.answer.requirements
    shown = [rule for rule in rules if rule.origin in PLAIN or rule.holds is False or _is_uncertain(rule)]
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


def _is_uncertain(rule: RequirementResult) -> bool:
    """Whether a requirement that holds is worth a row: that on memory always is."""
    return rule.chance is not None and (rule.name == names.FITS or rule.verdict != "safe")


def _plain_row(context: Context, rule: RequirementResult) -> tuple[Line, ...]:
    words = context.words
    name = line(rule.name or rule.text)
    if rule.holds is None:
        return name, line(words.not_checked), line(words.needs(names_of(context, rule.needs)))
    word = line(
        words.verdict(rule.verdict or ("safe" if rule.holds else "no")),
        f" {words.chance(rule.chance, rule.chance_error)}".rstrip() if not rule.undefined else None,
    )
    row = rule.calendar or rule.compared
    if row is None:
        case = words.case(rule) or line(rule.because or rule.text)
        return name, word, line(case, beside(context, rule))
    side = side_of(row)
    if rule.calendar is None and rule.sides is not None and rule.sides.worst:
        known = words.in_the_worst_case(rule.sides, row.gap, side)
    else:
        known = words.compared(row, side, rule.calendar is not None)
    known = line(rule.otherwise) or known
    return (
        name,
        word,
        line(known, beside(context, rule), words.reason_of_the_author(rule.because) if rule.origin in PLAIN else None),
    )
