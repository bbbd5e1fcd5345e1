"""What is launched, what its first hour should show, what the training script must do.

Input: the context of a solution; output a section each. The layout, the batch, the formats and the run are a line of a
few phrases; the rows of the first hour are what a log prints.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from attrs import evolve, frozen

from llmplan.answer.schema.values import Value
from llmplan.present import names
from llmplan.present.blocks import Column, Line, Prose, Rows, Section, Strong, cut, line
from llmplan.present.charts.layout import layout
from llmplan.present.context import Context, ends_of
from llmplan.units.amount import Amount, Range
from llmplan.units.measure import REAL

_MOST_OF_A_PHRASE = 140
_OFF = 0.0005
"""The share by which the batch may differ from what is asked without a word."""


def launch(context: Context) -> Section:
    """What is launched, then what the first hour should show."""
    phrases = list(_launched(context))
    if not phrases:
        return Section("", ())
    words = context.words
    said = words.launched(
        context.answer.status == "solved", [line(cut(phrase, _MOST_OF_A_PHRASE)) for phrase in phrases]
    )
    columns = (
        Column(line(words.first_hour)),
        Column(line(words.low), "r"),
        Column(line(words.planned_column), "r"),
        Column(line(words.high), "r"),
    )
    operated = list(_operated(context))
    lines = (said, words.operated(operated)) if operated and context.answer.status == "solved" else (said,)
    pictures = context.pictured("layout", layout)
    watched = Rows("first hour", columns, tuple(first_hour(context)))
    return Section("", (Prose("launched", lines), *pictures, watched))


def launches(context: Context) -> bool:
    """Whether there is a run to launch."""
    machines = context.has(names.GPUS, names.MODEL)
    return (machines or bool(context.answer.emits)) and not context.get(names.SERVING_ALONE)


def batch_is_off(context: Context) -> float | None:
    """By how much the batch differs from the tokens that were asked for; None where that is nothing."""
    if not context.has(names.MICRO_BATCH, names.DATA_PARALLEL, names.GRAD_ACCUM, names.GLOBAL_TOKENS):
        return None
    asked, value = context.number(names.GLOBAL_BATCH), context.find(names.GLOBAL_BATCH)
    tokens = context.number(names.GLOBAL_TOKENS)
    if not asked or value is None or value.unit != "token" or tokens is None:
        return None
    off = tokens / asked - 1
    return off if abs(off) >= _OFF else None


def _launched(context: Context) -> Iterator[str]:
    if not launches(context):
        return
    words = context.words
    for phrases in (list(_layout(context)), [_batch(context)], list(_formats(context)), list(_run(context))):
        if text := words.phrases(phrase for phrase in phrases if phrase):
            yield text


def _layout(context: Context) -> Iterator[str]:
    words = context.words
    for place, path in enumerate(names.LAYOUT):
        degree = context.amount(path)
        if degree is not None and (place < names.ALWAYS or degree.value != 1):
            yield words.degree(path, degree)
    offload = context.text(names.OFFLOAD)
    if offload and context.get(names.OFFLOAD) != names.NO_OFFLOAD:
        nvme = context.get(names.OFFLOAD_TO) == names.OFFLOAD_NVME
        yield words.offload(offload, context.amount(names.NVME) if nvme else None)
    yield context.text(names.FRAMEWORK)


def _batch(context: Context) -> str:
    micro, ranks = context.amount(names.MICRO_BATCH), context.amount(names.DATA_PARALLEL)
    accumulation, tokens = context.amount(names.GRAD_ACCUM), context.amount(names.GLOBAL_TOKENS)
    if micro is None or ranks is None or accumulation is None or tokens is None:
        return ""
    off, asked = batch_is_off(context), context.amount(names.GLOBAL_BATCH)
    return context.words.batch(micro, ranks, accumulation, tokens, (asked, off) if asked and off is not None else None)


def _formats(context: Context) -> Iterator[str]:
    words = context.words
    yield context.text(names.PRECISION)
    yield context.text(names.OPTIMIZER)
    if context.has(names.RECOMPUTE):
        yield words.recompute(context.text(names.RECOMPUTE))
    length = context.amount(names.SEQUENCE_LENGTH)
    if length is not None:
        yield words.sequences_of(length)


def _run(context: Context) -> Iterator[str]:
    words = context.words
    yield context.text(names.STEPS)
    rate = context.amount(names.LEARNING_RATE)
    if rate is not None:
        yield words.learning_rate(rate, context.amount(names.WARMUP))


def _operated(context: Context) -> Iterator[str]:
    """What fails and what is saved while it runs, and when its job ends at the latest."""
    words = context.words
    wall, between = context.number(names.WALL_TIME), context.number(names.JOB_MTBF)
    every, restart = context.amount(names.JOB_MTBF), context.amount(names.RESTART_TIME)
    if wall is not None and between and every is not None:
        yield words.failures(Amount(wall / between, REAL), every, restart)
    interval, size = context.amount(names.CHECKPOINT_STEPS), context.amount(names.CHECKPOINT_SIZE)
    if interval is not None and size is not None:
        steps, between = context.number(names.STEPS), context.number(names.CHECKPOINT_STEPS)
        once = steps is None or not between or between >= steps
        count = None if once or steps is None or not between else math.ceil(steps / between)
        yield words.checkpoints(
            None if once else (interval, context.amount(names.CHECKPOINT_INTERVAL)),
            (size, None if count is None else evolve(size, value=size.number * count)),
            context.amount(names.CHECKPOINT_TIME),
            context.amount(names.STORAGE),
        )
    limit = context.amount(names.SLURM_LIMIT) if names.SLURM in context.folders else None
    if limit is not None:
        yield words.ends_after(limit)


@frozen
class _Watched:
    """A figure that a log prints: how it is called, to how many digits it is known, and another in brackets."""

    name: str
    digits: int
    value: Value
    beside: Value | None = None


def first_hour(context: Context) -> Iterator[tuple[Line, ...]]:
    """Step time, rates and memory: low, planned, high."""
    for row in _watched(context):
        amount, ends = row.value.amount, ends_of(row.value)
        around = ends_of(row.beside) if row.beside is not None else None
        text, unit = amount.parts(row.digits)
        same = ends is None or ends.unit(row.digits) == unit
        shown = context.words.unit(unit) if same or not row.name else ""
        beside = row.beside.amount.rough(row.digits) if row.beside is not None else ""
        low, high = (
            context.words.beside(*pair)
            for pair in zip(_apart(ends, row.digits), _apart(around, row.digits), strict=True)
        )
        planned = context.words.beside(text if same else amount.rough(row.digits), beside)
        yield (
            context.words.watched(row.name, shown, row.beside is not None),
            line(low),
            line(Strong(line(planned))),
            line(high),
        )


def _apart(ends: Range | None, digits: int) -> tuple[str, str]:
    return ("", "") if ends is None else ends.apart(digits)


def _watched(context: Context) -> Iterator[_Watched]:
    words = context.words
    if (step := context.find(names.STEP_TIME)) is not None:
        yield _Watched(words.step_time, 3, step)
    if (tokens := context.find(names.TOKENS_PER_SECOND_PER_GPU)) is not None:
        yield _Watched("", 2, tokens)
    if (rate := context.find(names.TFLOPS)) is not None:
        yield _Watched("", 2, rate, context.find(names.MFU))
    elif (mfu := context.find(names.MFU)) is not None:
        yield _Watched(words.mfu, 3, mfu)
    if (memory := context.find(names.MEMORY)) is not None:
        yield _Watched(words.peak_memory, 3, memory)


def script(context: Context) -> Section:
    """What the training script must do beside what the parts of the targets say."""
    words = context.words
    huggingface = names.HUGGINGFACE in context.folders
    lines: list[Line] = []
    micro = context.amount(names.MICRO_BATCH)
    if micro is not None and not huggingface:
        lines.append(words.load(micro, context.amount(names.SEQUENCE_LENGTH)))
    tensor, split = context.number(names.TENSOR) or 1, context.number(names.CONTEXT) or 1
    if tensor > 1:
        lines.append(words.same_data(context.text(names.TENSOR)))
    if split > 1 and not huggingface and not context.get(names.RING, False):
        lines.append(words.split_sequences(context.text(names.CONTEXT)))
    if context.has(names.CHECKPOINT_STEPS) and not context.get(names.SAVES, False):
        lines.append(words.save_checkpoints())
    return Section(words.script_title, (Prose("script", tuple(lines), listed=True),))
