"""Where the memory goes, part by part: the answer and its neighbours against what there is.

Input: an answer, its neighbours with one input at another value, and the names of the quantities. Output: a bar for
each, nothing where the parts are not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from attrs import frozen

from llmplan.beside import Neighbour
from llmplan.present.charts.records import Axis, Bar, Limit, Segment, StackedBars
from llmplan.present.values import number, parts, text
from llmplan.present.words import charts_en as words
from llmplan.solution import Solution
from llmplan.units.amount import INFORMATION, Amount, Unit
from llmplan.units.format import fixed, places
from llmplan.units.measure import Measure

_SIZE = 1e9
_UNIT = Unit("GB", Fraction(10**9), True, fixed=True)
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
    time: str
    breaks: tuple[str, ...] = ()


def memory(
    answer: Solution, *, total: str, capacity: str, reserve: str, requirement: str, time: str, pace: str
) -> StackedBars | None:
    """The chart of the memory `total`.

    Args:
        capacity, reserve: What there is, and how much of it is kept free.
        requirement: The one that says that it fits.
        time: The result that stands beside each bar.
        pace: The quantity by which one plan is slower than another.
    """
    labels = [(label, value.name) for label, value in parts(answer, total)]
    whole = number(answer, total)
    if not labels or whole is None or whole <= 0:
        return None
    has, kept = number(answer, capacity), number(answer, reserve) or 0.0
    room = 0.0 if has is None else has - kept
    value = answer.values[total]
    band = None if value.model_low is None or value.model_high is None else (value.model_low, value.model_high)
    own = {name: number(answer, name) or 0.0 for _, name in labels}
    name = words.ANSWER if answer.status == "solved" else words.NEAREST_PLAN
    rows = [_Row(name, whole, own, band, text(answer, time))]
    rows += [_row(one, total, time) for one in _chosen(answer, total, pace, room)]
    most = max(room, *(row.total for row in rows), *(row.ends[1] for row in rows if row.ends))
    digits = max(places(whole / _SIZE), 1)
    chances = (rule.chance_text for rule in answer.requirements if rule.name == requirement)
    there = _amount(room).fixed(digits) if room > 0 else ""
    return StackedBars(
        title=words.memory_title(_amount(whole).fixed(digits), there, next(chances, "")),
        alt=words.memory_alt([_said(row, labels, digits) for row in rows], there),
        foot=words.memory_foot(band is not None, len(rows) > 1),
        x=Axis.around((0.0, most), _TICKS, _UNIT.text, _SIZE),
        parts=tuple(label for label, _ in labels),
        bars=tuple(_bar(row, labels, digits) for row in rows),
        limit=Limit(room, words.memory_limit(there, kept > 0)) if room > 0 else None,
    )


def _chosen(answer: Solution, total: str, pace: str, room: float) -> Iterator[Neighbour]:
    """The neighbours that are worth a bar: what is legal first, and not too many of one input."""
    whole, own_pace = number(answer, total) or 0.0, number(answer, pace) or 0.0
    counts: dict[str, int] = {}
    known = [one for one in answer.neighbours[1:] if total in one.values]
    for one in sorted(known, key=lambda one: bool(one.breaks)):
        amount = one.values[total]
        worse = amount > whole and one.values.get(pace, 0.0) > _SLOWER * own_pace
        if abs(amount - whole) < _NEAR * whole or amount > _FAR * max(room, whole) or worse:
            continue
        if sum(counts.values()) < _BARS - 1 and counts.get(one.name, 0) < _OF_ONE:
            counts[one.name] = counts.get(one.name, 0) + 1
            yield one


def _row(one: Neighbour, total: str, time: str) -> _Row:
    result = next((written for name, written in one.results if name == time), "")
    name = words.changed(one.name.rpartition(".")[2], one.text)
    return _Row(name, one.values[total], one.values, one.bands.get(total), result, one.breaks)


def _bar(row: _Row, labels: list[tuple[str, str]], digits: int) -> Bar:
    sizes = [row.values.get(name, 0.0) for _, name in labels]
    return Bar(
        label=row.name,
        segments=tuple(Segment(part, size) for part, size in enumerate(sizes) if size > 0),
        end=row.total,
        ends=row.ends,
        text=words.beside(_amount(row.total).fixed(digits), row.time),
        faults=words.violated(row.breaks),
    )


def _said(row: _Row, labels: list[tuple[str, str]], digits: int) -> str:
    each = [(label, fixed(row.values[name] / _SIZE, digits)) for label, name in labels if row.values.get(name)]
    return words.memory_row(row.name, _amount(row.total).fixed(digits), each, row.breaks)


def _amount(value: float) -> Amount:
    return Amount(value, Measure(INFORMATION), _UNIT)
