"""Memory by pipeline stage: which stage is the fullest, of what, and how many layers each holds.

Input: the context of a solution. Output: a bar for the first, the second and the last stage; nothing without a
pipeline.
"""

from __future__ import annotations

from llmplan.operations.numbers import total
from llmplan.present import names
from llmplan.present.charts.records import Axis, Bar, Limit, Segment, StackedBars
from llmplan.present.context import Context
from llmplan.present.words.en import Words
from llmplan.units.amount import INFORMATION, Amount, Unit
from llmplan.units.measure import Measure

_SIZE = 1e9
_UNIT = Unit("GB", _SIZE, True, fixed=True)
_TICKS = 6


def stages(context: Context) -> StackedBars | None:
    """The chart of the stages."""
    words, pipeline = context.words, context.number(names.PIPELINE)
    if pipeline is None or pipeline < 2:
        return None
    peaks = _peaks(context)
    layers = {stage: context.text(f"{names.STAGE_LAYERS}[{stage}]") for stage in peaks}
    told = [stage for stage in peaks if pipeline > 2 or stage != names.SECOND_STAGE]
    if len(told) < 2:
        return None
    reserve = context.number(names.MEMORY_RESERVE) or 0.0
    room = (context.number(names.GPU_MEMORY) or 0.0) - reserve
    fullest = max(told, key=lambda stage: peaks[stage][1])
    bars = tuple(
        Bar(
            words.stage(stage, layers[stage]),
            tuple(Segment(part, size) for part, size in enumerate(_parts(context, stage, *peaks[stage])) if size > 0),
            peaks[stage][1],
            None,
            _written(peaks[stage][1]),
            "",
        )
        for stage in sorted(told, key=lambda stage: stage != fullest)
    )
    capacity = _written(room)
    return StackedBars(
        title=words.stages_title(int(pipeline), fullest, bars[0].text),
        alt=words.rows_alt([words.stage_row(bar.label, bar.text, _said(words, bar)) for bar in bars]),
        foot=words.stages_foot(pipeline > 3),
        x=Axis.around([0.0, room, *(peaks[stage][1] for stage in told)], _TICKS, _UNIT.text, _SIZE),
        parts=_labels(words),
        bars=bars,
        limit=Limit(room, words.memory_limit(capacity, reserve > 0)) if room > 0 else None,
    )


def _peaks(context: Context) -> dict[str, tuple[str, float]]:
    """Of each stage the moment at which it holds most, and how much."""
    peaks: dict[str, tuple[str, float]] = {}
    for value in context.answer.values.values():
        if value.name.partition("[")[0] == names.MEMORY_AT and value.amount.finite:
            (_, stage), (_, moment) = value.indices
            if stage not in peaks or value.amount.number > peaks[stage][1]:
                peaks[stage] = moment, value.amount.number
    return peaks


def _parts(context: Context, stage: str, moment: str, whole: float) -> tuple[float, ...]:
    """What a stage holds at a moment: weights, optimizer, gradients, activations and the rest."""
    held = (
        f"{names.STAGE_WEIGHTS}[{stage}]",
        f"{names.STAGE_OPTIMIZER}[{stage}]",
        f"{names.STAGE_GRADIENTS}[{stage}, {moment}]",
        f"{names.STAGE_ACTIVATIONS}[{stage}, {moment}]",
    )
    sizes = [context.number(name) or 0.0 for name in held]
    return (*sizes, max(whole - total(sizes), 0.0))


def _labels(words: Words) -> tuple[str, ...]:
    return (
        words.stage_weights,
        words.stage_optimizer,
        words.stage_gradients,
        words.stage_activations,
        words.stage_rest,
    )


def _said(words: Words, bar: Bar) -> list[tuple[str, str]]:
    return [(_labels(words)[segment.part], _written(segment.size)) for segment in bar.segments]


def _written(size: float) -> str:
    return Amount(size, Measure(INFORMATION), _UNIT).fixed(1)
