"""What memory and a step consist of: their shares for charts, and a line each.

Input: the context of a solution; a part that is nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from llmplan.present import names
from llmplan.present.blocks import EMPTY, Line, line
from llmplan.present.context import Context, Share
from llmplan.units.amount import Unit

_GB, _SECONDS = Unit("GB", 1e9, True, fixed=True), Unit("s", 1.0, True, fixed=True)
_LEAST_SHARE = 0.0005
"""The share of a step below which a part of it is not told."""
_LARGE = 0.045
"""The share from which a part stands on a screen."""


def memory_shares(context: Context) -> list[Share]:
    """What memory consists of."""
    return context.shares(names.MEMORY)


def step_shares(context: Context) -> list[Share]:
    """What a step consists of. An assumed rate has no parts: those of the estimate are shown, and how far it is from
    them."""
    return context.shares(names.STEP_TIME, names.STEP_OTHER)


def parts(context: Context) -> Iterator[Line]:
    """What fills the memory of the fullest GPU, then what a step consists of."""
    words, memory, step = context.words, memory_shares(context), _step(context)
    if memory:
        told = (words.part(part.label, evolve(part.amount, unit=_GB), part.share) for part in memory)
        yield words.memory_goes(told, _evaluated(context))
    if step:
        told = (words.part(part.label, evolve(part.amount, unit=_SECONDS), part.share) for part in step)
        yield line(words.step_goes(told), _beside_the_estimate(context))


def rows(context: Context) -> Iterator[tuple[Line, Line, Line]]:
    """The same in short, for a screen: what it is, how much, and its larger parts. Of a plan that is not feasible only
    memory, where that is what fails."""
    words, fits = context.words, context.requirement(names.FITS)
    solved = context.answer.status == "solved"
    for name, label, shares in (
        (names.MEMORY, words.memory_parts, memory_shares(context)),
        (names.STEP_TIME, words.step_parts, _step(context)),
        *_served(context),
    ):
        whole = context.amount(name)
        wanted = solved or name == names.MEMORY and fits is not None and fits.holds is False
        large = [part for part in shares if part.share >= _LARGE]
        if whole is not None and large and wanted:
            told = words.all_of([words.share_of(part.label, part.share) for part in large])
            when = words.in_evaluation if name == names.MEMORY and _evaluated(context) else ""
            yield line(label), line(whole.short()), line(when, told)


def _evaluated(context: Context) -> bool:
    """Whether memory is fullest in an evaluation, and not in a step."""
    return context.text(names.PEAK_PHASE) == names.EVALUATION


def _served(context: Context) -> Iterator[tuple[str, str, list[Share]]]:
    """What a copy of a model that is served holds, and what its answers wait for."""
    if context.get(names.SERVING_ALONE):
        words = context.words
        yield names.SERVING_MEMORY, words.memory_parts, context.shares(names.SERVING_MEMORY)
        yield names.SERVING_TTFT, words.first_token_parts, context.shares(names.SERVING_TTFT)
        yield names.SERVING_TPOT, words.token_parts, context.shares(names.SERVING_TPOT)


def _step(context: Context) -> list[Share]:
    return [part for part in step_shares(context) if part.share >= _LEAST_SHARE]


def _beside_the_estimate(context: Context) -> Line:
    """That a rate is assumed, whose step time has no parts."""
    rest, estimate = context.number(names.STEP_OTHER), context.number(names.STEP_ESTIMATE)
    estimated, assumed = context.amount(names.STEP_ESTIMATE), context.amount(names.STEP_TIME)
    if not rest or not estimate or estimated is None or assumed is None:
        return EMPTY
    return line(" ", context.words.parts_of_the_estimate(estimated, assumed, rest / estimate))
