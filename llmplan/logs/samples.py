"""The steps of a regime: what each took, as many as a bounded memory holds, and what is left out of their mean.

The first steps of an attempt include the start; skipped steps, those with a save or an evaluation that took longer for
it, and single outliers are no steps of a running training. What is left is averaged without its extremes.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from attrs import define, field, frozen

MOST = 4096
_TRIMMED = 0.05
_OUTLIER = 3.0
"""Times the median from which a step is no step of this training."""

_LATER = 1.1
"""Times the median from which a step with a save or an evaluation was held up by it, or the start still lasted."""

HOLE = 20
"""Times the usual interval of steps after which those between are not known."""

_BLOCKS = 24
_SHIFT = 1.1
_FEWEST = 24

SKIPPED, SAVED, EVALUATED, STARTED = 1, 2, 4, 8


@frozen
class Sample:
    """An interval of steps.

    Attributes:
        step: The last of its steps; `weight` how many they are.
        time: Seconds a step; None where only a rate is known.
        rate: Tokens a second of the whole run, `rate_per_gpu` of a GPU; `samples_rate` sequences a second.
        tokens: Of the whole interval, where the log counts them.
        flags: What happened in it.
        clocked: Whether the time is between two readings of a clock, with all that happened in between.
        moment: The date of its line, in seconds from the year 1; None where it has none.
    """

    line: int
    step: float
    weight: float
    time: float | None
    rate: float | None = None
    rate_per_gpu: float | None = None
    mfu: float | None = None
    tflops: float | None = None
    samples_rate: float | None = None
    tokens: float | None = None
    flags: int = 0
    clocked: bool = False
    moment: float | None = None


@define
class Samples:
    """Samples in order; where there are too many, evenly thinned out."""

    kept: list[Sample] = field(factory=list)
    count: int = 0
    stride: int = 1

    def add(self, sample: Sample) -> None:
        """Keeps a sample, or not."""
        if self.count % self.stride == 0:
            self.kept.append(sample)
            if len(self.kept) >= MOST:
                self.kept = self.kept[::2]
                self.stride *= 2
        self.count += 1


@frozen
class Figure:
    """A number of the steps that were kept: mean without extremes, median, and the ends of eight tenths."""

    mean: float
    median: float
    low: float
    high: float


@frozen
class Steady:
    """The steps that count.

    Attributes:
        kept: In order.
        left_out: By reason how many, and the longest of them in seconds.
    """

    kept: tuple[Sample, ...]
    left_out: tuple[tuple[str, int, float | None], ...]

    def figure(self, name: str) -> Figure | None:
        """A number of each sample, over all."""
        values = [value for one in self.kept if (value := getattr(one, name)) is not None]
        return figure(values) if values else None


def figure(values: Sequence[float]) -> Figure:
    """The mean without a twentieth at each end, at least one value of three; the median; the ends of eight tenths."""
    ordered = sorted(values)
    cut = -(-len(ordered) * _TRIMMED // 1) if len(ordered) >= 3 else 0
    inner = ordered[int(cut) : len(ordered) - int(cut)]
    last = len(ordered) - 1
    return Figure(sum(inner) / len(inner), median(ordered), ordered[round(last * 0.1)], ordered[round(last * 0.9)])


def steady(samples: Sequence[Sample]) -> Steady:
    """The steps of a running training among samples of one regime."""
    left: dict[str, list[Sample]] = {}
    rest = []
    for one in samples:
        reason = "first" if one.flags & STARTED else "skipped" if one.flags & SKIPPED else ""
        left.setdefault(reason, []).append(one) if reason else rest.append(one)
    rest = _usual_intervals(rest, left)
    timed = [one for one in rest if slowness(one) is not None]
    if timed:
        middle = median([value for one in timed if (value := slowness(one)) is not None])
        rest = _without(rest, middle, left)
    order = ("first", "skipped", "interval", "save", "evaluation", "outlier")
    told = [(reason, len(left[reason]), _longest(left[reason])) for reason in order if reason in left]
    return Steady(tuple(rest), tuple(told))


def slowness(sample: Sample) -> float | None:
    """A number that is larger the slower a step is, in seconds where a time is known."""
    if sample.time is not None:
        return sample.time
    rate = sample.rate or sample.samples_rate or sample.rate_per_gpu
    return 1 / rate if rate else None


def _longest(samples: Sequence[Sample]) -> float | None:
    return max((one.time for one in samples if one.time is not None), default=None)


def _usual_intervals(samples: list[Sample], left: dict[str, list[Sample]]) -> list[Sample]:
    """Without times between readings of a clock that lie further apart than most, which hide what happened."""
    if len(samples) < 3:
        return samples
    usual = median([one.weight for one in samples])
    odd = [one for one in samples if one.clocked and one.weight > 1.5 * usual]
    kept = [one for one in samples if not (one.clocked and one.weight > 1.5 * usual)]
    if odd:
        left["interval"] = odd
    return kept


def _without(samples: list[Sample], middle: float, left: dict[str, list[Sample]]) -> list[Sample]:
    kept: list[Sample] = []
    starting = len(samples) > 3
    for number, one in enumerate(samples):
        slow = slowness(one)
        late = slow is not None and slow > _LATER * middle
        if starting and late and number < max(2, len(samples) // 10):
            left.setdefault("first", []).append(one)
            continue
        starting = False
        if late and one.flags & (SAVED | EVALUATED):
            left.setdefault("save" if one.flags & SAVED else "evaluation", []).append(one)
        elif slow is not None and (slow > _OUTLIER * middle or slow * _OUTLIER < middle) and len(samples) > 2:
            left.setdefault("outlier", []).append(one)
        else:
            kept.append(one)
    return kept


def holes(samples: Sequence[Sample]) -> list[int]:
    """The places before which the log lacks many steps that no clock goes through."""
    if len(samples) < 2:
        return []
    usual = median([one.weight for one in samples])
    return [at for at, one in enumerate(samples) if at and not one.clocked and one.weight > HOLE * usual]


def level_changes(samples: Sequence[Sample]) -> list[int]:
    """The places where the steps become slower or faster for good: regimes that no line announced."""
    found: list[int] = []
    _split(samples, 0, found, 4)
    return sorted(found)


def _split(samples: Sequence[Sample], offset: int, found: list[int], depth: int) -> None:
    size = max(1, len(samples) // _BLOCKS)
    if depth == 0 or len(samples) < _FEWEST:
        return
    blocks = [samples[start : start + size] for start in range(0, len(samples) - size + 1, size)]
    slow = [median([value for one in block if (value := slowness(one)) is not None] or [0.0]) for block in blocks]
    best, place = 0.0, 0
    for at in range(4, len(slow) - 3):
        left, right = slow[:at], slow[at:]
        low, high = sorted((median(left), median(right)))
        if low <= 0 or high < _SHIFT * low:
            continue
        between = (low + high) / 2
        slower_left = median(left) > between
        apart = min(
            sum((one > between) is slower_left for one in left) / len(left),
            sum((one <= between) is slower_left for one in right) / len(right),
        )
        if apart >= 0.9 and apart * (high / low - 1) * min(at, len(slow) - at) ** 0.5 > best:
            best, place = apart * (high / low - 1) * min(at, len(slow) - at) ** 0.5, at * size
    if place:
        place = _edge(samples, place, size)
        found.append(offset + place)
        _split(samples[:place], offset, found, depth - 1)
        _split(samples[place:], offset + place, found, depth - 1)


def _edge(samples: Sequence[Sample], place: int, size: int) -> int:
    """The sample at which the level changes, near the edge of a block."""
    left = median([value for one in samples[max(0, place - 3 * size) : place] if (value := slowness(one))] or [0.0])
    right = median([value for one in samples[place : place + 3 * size] if (value := slowness(one))] or [0.0])
    between = (left + right) / 2
    at = place
    while at > 1 and (slowness(samples[at - 1]) or 0) > between and right > left:
        at -= 1
    while at > 1 and (slowness(samples[at - 1]) or 0) <= between and right <= left:
        at -= 1
    while at < len(samples) - 1 and ((slowness(samples[at]) or 0) <= between) == (right > left):
        at += 1
    return at
