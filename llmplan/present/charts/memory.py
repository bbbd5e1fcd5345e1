"""Where the memory goes, part by part: the answer and its neighbours against what there is.

Input: the context of a solution, which has its neighbours with one input at another value. Output: a bar for
each, nothing where the parts are not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve, frozen

from llmplan.answer.schema.charts import Neighbour
from llmplan.present import names
from llmplan.present.charts.records import Axis, Bar, Limit, Segment, StackedBars
from llmplan.present.context import Context
from llmplan.present.words.en import Words
from llmplan.units.amount import INFORMATION, Amount, Unit
from llmplan.units.format import fixed, places
from llmplan.units.measure import Measure

_SIZE = 1e9
_UNIT = Unit("GB", _SIZE, True, fixed=True)
"""All sizes of the chart in one unit, as its axis has one."""

_TICKS = 7
_BARS = 8
"""So many are shown at most; of one input `_OF_ONE` values beside its own."""

_OF_ONE = 2
_NEAR = 0.02
"""What comes nearer than this to the answer's memory is no other choice."""

_FAR = 2.2
"""What needs more than so many times what there is would make all else small."""

_SLOWER = 1.1
"""What needs more and is slower than this is no choice to see."""


@frozen
class _Row:
    """A bar before its size is written; `values`: what each part comes to, by name."""

    name: str
    total: float
    values: Mapping[str, float]
    ends: tuple[float, float] | None
    time: Amount | None
    breaks: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()


def memory(context: Context) -> StackedBars | None:
    """The chart of the memory of the fullest GPU."""
    words, answer = context.words, context.answer
    labels = [(label, value.name) for label, value in context.parts(names.MEMORY)]
    whole = context.number(names.MEMORY)
    if not labels or whole is None or whole <= 0:
        return None
    has, kept = context.number(names.GPU_MEMORY), context.number(names.MEMORY_RESERVE) or 0.0
    room = 0.0 if has is None else has - kept
    value = answer.values[names.MEMORY]
    band = None if value.band is None else (value.band.low.number, value.band.high.number)
    own = {name: context.number(name) or 0.0 for _, name in labels}
    name = words.the_answer if answer.status == "solved" else words.nearest_plan
    rows = [_Row(name, whole, own, band, context.amount(names.WALL_TIME) or context.amount(names.TIME))]
    rows += [_row(words, neighbour) for neighbour in _chosen(context, room)]
    timed = names.WALL_TIME if context.has(names.WALL_TIME) else names.TIME
    rows = [evolve(row, time=None if row.time is None else context.like(timed, row.time)) for row in rows]
    most = max(room, *(row.total for row in rows), *(row.ends[1] for row in rows if row.ends))
    digits = max(places(whole / _SIZE), 1)
    fits = context.requirement(names.FITS)
    limits = [rule.compared.limit.short() for rule in context.own if rule.compared is not None]
    capacity = _amount(room).fixed(digits) if room > 0 else ""
    return StackedBars(
        title=words.memory_title(_amount(whole).fixed(digits), capacity, words.chance(fits.chance if fits else None)),
        alt=words.memory_alt([_said(words, row, labels, digits) for row in rows], capacity),
        foot=words.memory_foot(band is not None, len(rows) > 1, context.has(names.WALL_TIME)),
        x=Axis.around((0.0, most), _TICKS, _UNIT.text, _SIZE),
        parts=tuple(label for label, _ in labels),
        bars=tuple(_bar(words, row, labels, digits, room, limits) for row in rows),
        limit=Limit(room, words.memory_limit(capacity, kept > 0)) if room > 0 else None,
    )


def _chosen(context: Context, room: float) -> Iterator[Neighbour]:
    """The neighbours that are worth a bar: what is legal first, and not too many of one input."""
    whole, own_pace = context.number(names.MEMORY) or 0.0, context.number(names.STEP_TIME) or 0.0
    counts: dict[str, int] = {}
    known = [neighbour for neighbour in context.answer.neighbours[1:] if names.MEMORY in neighbour.values]
    for neighbour in sorted(known, key=lambda neighbour: bool(neighbour.breaks)):
        size = neighbour.values[names.MEMORY]
        worse = size > whole and neighbour.values.get(names.STEP_TIME, 0.0) > _SLOWER * own_pace
        if abs(size - whole) < _NEAR * whole or size > _FAR * max(room, whole) or worse:
            continue
        if sum(counts.values()) < _BARS - 1 and counts.get(neighbour.name, 0) < _OF_ONE:
            counts[neighbour.name] = counts.get(neighbour.name, 0) + 1
            yield neighbour


def _row(words: Words, neighbour: Neighbour) -> _Row:
    assert neighbour.amount is not None
    name = words.changed_input(neighbour.name.rpartition(".")[2], neighbour.amount.exact())
    total, ends = neighbour.values[names.MEMORY], neighbour.bands.get(names.MEMORY)
    results = dict(neighbour.results)
    time = results.get(names.WALL_TIME) or results.get(names.TIME)
    return _Row(name, total, neighbour.values, ends, time, neighbour.breaks, neighbour.misses)


def _bar(
    words: Words, row: _Row, labels: list[tuple[str, str]], digits: int, room: float, limits: Sequence[str]
) -> Bar:
    """A bar; what it misses by less than three digits tell has all of its own."""
    time = "" if row.time is None else row.time.short()
    time = row.time.exact() if row.time is not None and time in limits else time
    sizes = [row.values.get(name, 0.0) for _, name in labels]
    return Bar(
        label=row.name,
        segments=tuple(Segment(part, size) for part, size in enumerate(sizes) if size > 0),
        end=row.total,
        ends=row.ends,
        text=words.and_result(_amount(row.total).fixed(digits), time),
        faults=words.faults(row.breaks, row.misses, 0.0 < room < row.total),
    )


def _said(words: Words, row: _Row, labels: list[tuple[str, str]], digits: int) -> str:
    each = [(label, fixed(row.values[name] / _SIZE, digits)) for label, name in labels if row.values.get(name)]
    return words.memory_row(row.name, _amount(row.total).fixed(digits), each, row.breaks, row.misses)


def _amount(value: float) -> Amount:
    return Amount(value, Measure(INFORMATION), _UNIT)
