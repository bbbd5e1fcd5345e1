"""Where the time of a step goes: a waterfall from the model's FLOPs at the peak of the data sheet to the step time.

Input: the context of a solution. Output: a step for each part, the small ones as one; nothing where a part is not
known.
"""

from __future__ import annotations

from itertools import accumulate

from attrs import frozen

from llmplan.operations.numbers import total
from llmplan.present import names
from llmplan.present.charts.records import Axis, Fall, Waterfall
from llmplan.present.context import Context
from llmplan.present.words.en import Words
from llmplan.units.amount import TIME, Amount, Unit
from llmplan.units.format import fixed, places
from llmplan.units.measure import Measure

_SECONDS = Unit("s", 1.0, True, fixed=True)
_MILLISECONDS = Unit("ms", 1e-3, True, fixed=True)

_TICKS = 7
_SMALL = 0.01
"""Parts below this share of the whole are shown as one."""

_MOST_OF_A_LABEL = 48

_LEAST = 0.005
"""A share below this is not a whole per cent."""


def step(context: Context) -> Waterfall | None:
    """The chart of the step time."""
    words, whole = context.words, context.number(names.STEP_TIME)
    sizes = _sizes(context)
    if not sizes or whole is None or whole <= 0:
        return None
    scale = _Scale(whole, words)
    falls = tuple(Fall(label, size, scale.part(size)) for label, size in _gathered(words, sizes, whole))
    ends = [0.0, *accumulate(fall.value for fall in falls)]
    work = context.number(names.MFU)
    useful = "" if work is None else words.share_of_the_step(fixed(100 * work, 0))
    band = context.answer.values[names.STEP_TIME].band
    low, high = ("", "") if band is None else (scale.plain(band.low.number), scale.written(band.high.number))
    return Waterfall(
        title=words.step_title(scale.written(whole), useful),
        alt=words.step_alt([(fall.label, fall.text) for fall in falls], scale.written(whole)),
        foot=words.step_foot(low, high),
        x=Axis.around(ends, _TICKS, scale.unit.text, scale.size),
        falls=falls,
        whole=Fall(words.whole_step, whole, scale.written(whole)),
    )


@frozen
class _Scale:
    """Writes times of a chart in one unit, with the decimals that the whole has."""

    whole: float
    words: Words

    @property
    def unit(self) -> Unit:
        return _SECONDS if self.whole >= 1 else _MILLISECONDS

    @property
    def size(self) -> float:
        return self.unit.factor

    @property
    def digits(self) -> int:
        return places(self.whole / self.size)

    def written(self, value: float) -> str:
        return Amount(value, Measure(TIME), self.unit).fixed(self.digits)

    def plain(self, value: float) -> str:
        """Without the unit."""
        return fixed(value / self.size, self.digits)

    def part(self, value: float) -> str:
        """With its share of the whole: `2.80 s · 29 %`, of what has none of the decimals `< 0.01 s · < 1 %`."""
        words, least = self.words, 10.0**-self.digits * self.size
        size = self.written(value) if round(value / self.size, self.digits) else f"< {self.written(least)}"
        percent = (
            fixed(100 * value / self.whole, 0) if abs(value) >= _LEAST * self.whole else words.less_than_a_per_cent
        )
        return words.and_result(size, words.share_of_the_step(percent))


def _sizes(context: Context) -> list[tuple[str, float]]:
    """The parts of the whole, those that have parts themselves first and by these."""
    split = [(pair, context.parts(pair[1].name)) for pair in context.parts(names.STEP_TIME)]
    rows = [pair for _, pairs in split for pair in pairs] + [pair for pair, pairs in split if not pairs]
    return [(label, float(value.value or 0.0)) for label, value in rows]


def _gathered(words: Words, sizes: list[tuple[str, float]], whole: float) -> list[tuple[str, float]]:
    """Those that take any time, the small ones as one at the end."""
    small = [(label, size) for label, size in sizes if size and abs(size) < _SMALL * whole]
    large = [(label, size) for label, size in sizes if abs(size) >= _SMALL * whole]
    if small:
        named = ", ".join(label for label, _ in small)
        told = named if len(named) <= _MOST_OF_A_LABEL else words.smaller_parts(len(small))
        large.append((told, total(size for _, size in small)))
    return large
