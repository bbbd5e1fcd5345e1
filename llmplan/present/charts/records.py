"""What a chart shows, as records: axes, points, bars and labels, before anything is drawn.

Numbers along an axis are in base units, each axis says in which unit they are read. A chart holds no pixel and no
colour; how wide its texts are, and where they find room, is for those who draw it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

from attrs import frozen

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@frozen
class Axis:
    """What is read along an axis.

    Attributes:
        ticks: Round numbers in `unit`, evenly spaced; the axis begins at the first and ends at the last.
        unit: As people write it; empty for a plain number.
        size: Base units in one of it.
    """

    ticks: tuple[float, ...]
    unit: str = ""
    size: float = 1.0

    @staticmethod
    def around(values: Iterable[float], most: int, unit: str, size: float) -> Axis:
        """An axis with at most about so many ticks on which all of these values lie."""
        numbers = list(values)
        return Axis(tuple(ticks(min(numbers) / size, max(numbers) / size, most)), unit, size)


@frozen
class Chart:
    """What every chart has.

    Attributes:
        title: What it shows and what comes out, in a line.
        alt: All that can be seen, for people who cannot see it.
        foot: How to read it; empty where it explains itself.
    """

    title: str
    alt: str
    foot: str


@frozen
class Point:
    x: float
    y: float


@frozen
class Band:
    """Between which ends a line may lie: three numbers a point, `x`, `low` and `high`."""

    kind: Literal["measured", "stated"]
    label: str
    ends: tuple[tuple[float, float, float], ...]


@frozen
class Limit:
    """A value that must not be passed, or reached."""

    value: float
    label: str


@frozen
class Mark:
    """A point with a name of its own and a note; empty for none."""

    kind: Literal["answer", "safe"]
    point: Point
    label: str
    note: str


@frozen
class LineChart(Chart):
    """A line through points, with what it may be off and what it must keep to; `marks` begin with the answer."""

    x: Axis
    y: Axis
    points: tuple[Point, ...]
    bands: tuple[Band, ...]
    limit: Limit
    marks: tuple[Mark, ...]


@frozen
class Segment:
    """A piece of a bar: which part of the legend, counted from 0, and how long."""

    part: int
    size: float


@frozen
class Bar:
    """A bar of pieces.

    Attributes:
        end: Its length, which its pieces add up to.
        ends: Between which values measured ones lie; None where it is not known.
        text: What stands beside it; `faults` what is wrong with it, empty where nothing is.
    """

    label: str
    segments: tuple[Segment, ...]
    end: float
    ends: tuple[float, float] | None
    text: str
    faults: str


@frozen
class StackedBars(Chart):
    """Bars of the same parts below one another, the first that of the answer."""

    x: Axis
    parts: tuple[str, ...]
    bars: tuple[Bar, ...]
    limit: Limit | None


@frozen
class Fall:
    """A step of a waterfall, which goes on where the one before it ended; back where its value is negative."""

    label: str
    value: float
    text: str


@frozen
class Waterfall(Chart):
    """Steps from 0 to a whole."""

    x: Axis
    falls: tuple[Fall, ...]
    whole: Fall


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from at most `low` to at least `high`, evenly spaced."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        high = low + max(abs(low), 1.0)
    rough = (high - low) / max(1, most - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((factor * power for factor in _STEPS if factor * power >= rough * (1 - 1e-9)), 10.0 * power)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    # A product like 3 * 0.1 is a hair off the number that is meant.
    return [float(f"{place * step:.11e}") for place in range(first, last + 1)]


@frozen
class Node:
    """A name and its value in a graph.

    Attributes:
        level: How many columns right of those that rest on nothing shown.
        given: True of what reads nothing, such as an input.
    """

    name: str
    text: str
    level: int
    given: bool


@frozen
class Graph(Chart):
    """Names and what each is read by: a link goes from one node to another, both counted from 0."""

    nodes: tuple[Node, ...]
    links: tuple[tuple[int, int], ...]
