"""What a chart shows, as records: axes, points, bars and labels, before anything is drawn.

Numbers along an axis are in base units, each axis says in which unit they are read. A chart holds no pixel and no
colour; how wide its texts are, and where they find room, is for those who draw it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

from attrs import frozen

from llmplan.units.amount import power_of_ten

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_TOO_LARGE = 1e15
"""Numbers from here on are read in powers of ten of their unit."""

_BESIDE = 0.06
"""Of an axis through given values, the share that is left on either side."""


@frozen
class Axis:
    """What is read along an axis.

    Attributes:
        ticks: Numbers in `unit`, ascending: round ones evenly spaced, or values that what is read may have.
        unit: As people write it; empty for a plain number.
        size: Base units in one of it.
        ends: Where it begins and ends, in `unit`; at the first and the last tick unless it is given.
    """

    ticks: tuple[float, ...]
    unit: str = ""
    size: float = 1.0
    ends: tuple[float, float] | None = None

    @property
    def span(self) -> tuple[float, float]:
        return self.ends or (self.ticks[0], self.ticks[-1])

    @staticmethod
    def around(values: Iterable[float], most: int, unit: str, size: float) -> Axis:
        """An axis with at most about so many ticks on which all of these values lie."""
        numbers = list(values)
        largest = max(map(abs, numbers)) / size
        if math.isfinite(largest) and largest >= _TOO_LARGE:
            power = math.floor(math.log10(largest))
            unit, size = f"{power_of_ten(power)} {unit}".rstrip(), size * 10.0**power
        return Axis(tuple(ticks(min(numbers) / size, max(numbers) / size, most)), unit, size)

    @staticmethod
    def through(values: Iterable[float], unit: str, size: float) -> Axis:
        """An axis with a tick at each of these values, and some room beside the first and the last."""
        found = tuple(sorted({value / size for value in values}))
        room = _BESIDE * (found[-1] - found[0]) or max(abs(found[0]), 1.0) / 2
        return Axis(found, unit, size, (found[0] - room, found[-1] + room))


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
class Series:
    """Points that belong together, and what each may be off."""

    kind: Literal["judged", "planned"]
    label: str
    points: tuple[Point, ...]
    bands: tuple[Band, ...]


@frozen
class LineChart(Chart):
    """What a limited value comes to along an input, and what it must keep to.

    Attributes:
        counted: Whether the input is a count: there is nothing between two of its values.
        series: That which is judged first.
        marks: They begin with the answer.
    """

    x: Axis
    y: Axis
    counted: bool
    series: tuple[Series, ...]
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
        text: What stands above its end; `faults` what is wrong with it, empty where nothing is.
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
class Event:
    """What happens again and again, at these places of the axis of a whole."""

    label: str
    text: str
    at: tuple[float, ...]


@frozen
class Waterfall(Chart):
    """Steps from 0 to a whole, with the ends between which that may lie and what it must keep to.

    Attributes:
        events: What happens again and again meanwhile.
    """

    x: Axis
    falls: tuple[Fall, ...]
    whole: Fall
    ends: tuple[float, float] | None = None
    limit: Limit | None = None
    events: tuple[Event, ...] = ()


@frozen
class Swung:
    """A bar between what a result comes to at the two ends of something uncertain."""

    label: str
    low: float
    high: float
    text: str


@frozen
class Tornado(Chart):
    """What makes a result uncertain, the widest first, around what it is expected to be."""

    x: Axis
    middle: Limit
    bars: tuple[Swung, ...]
    limit: Limit | None


@frozen
class Named:
    """A point with a name."""

    kind: Literal["answer", "other", "failing"]
    point: Point
    label: str


@frozen
class Scatter(Chart):
    """Plans by two results."""

    x: Axis
    y: Axis
    points: tuple[Named, ...]


@frozen
class Grid(Chart):
    """GPUs in their nodes: a row a node, in each cell the place of a GPU in the layout.

    Attributes:
        rows: The cells of each node; a cell is the group that is told by its look, and a text.
        labels: Of the rows.
        keys: What each group is, in the order of their numbers.
    """

    rows: tuple[tuple[tuple[int, str], ...], ...]
    labels: tuple[str, ...]
    keys: tuple[str, ...]


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
