"""What pictures are drawn from: what an input decides along its values, and single changes with their parts."""

from __future__ import annotations

from attrs import field, frozen

from llmplan.answer.schema.requirements import Operation, Verdict
from llmplan.units.amount import Amount, Range
from llmplan.units.measure import Scalar


@frozen
class Axis:
    """What is read along an axis: its name, and the unit in which people read it, with its size in base units."""

    name: str  # an input, or an expression as written
    unit: str  # empty for a plain number
    size: float = 1.0


@frozen
class CurvePoint:
    """The plan with its input at one value and everything else that is open solved again."""

    amount: Amount  # the input
    # None where no plan meets the other requirements, as are all that follow
    result: Amount | None = None
    low: float | None = None  # `low`, `high`: the ends of the range, if inputs are ranges
    high: float | None = None
    model_low: float | None = None  # `model_low`, `model_high`: eight of ten measured values lie between
    model_high: float | None = None
    # Where the result is on the calendar, what is planned, with the ends between which eight of ten measured values lie
    planned: Amount | None = None
    planned_low: float | None = None
    planned_high: float | None = None
    # That the requirement holds, or its counterpart on the calendar, which the curve is then about
    chance: float | None = None
    verdict: Verdict | None = None
    results: dict[str, Amount] = field(factory=dict)  # what plans are compared by and its counterparts, by name

    @property
    def at(self) -> float:
        """The input in base units."""
        return self.amount.number

    @property
    def value(self) -> float | None:
        """The result in base units."""
        return None if self.result is None else self.result.number


@frozen
class Curve:
    """What a requirement limits, along the values of the input that decides it."""

    input: Axis
    result: Axis  # what is limited
    requirement: str  # its name
    text: str  # its condition as written
    operation: Operation  # of the result to the limit
    limit_amount: Amount
    points: tuple[CurvePoint, ...]  # by ascending input
    chosen: int  # which point is the answer
    again: bool = True  # whether what else is open is solved again at each point; else it stays as in the answer
    meets: int | None = None  # the nearest to the answer at which it is met at the median, None where none is known
    safe: int | None = None  # the nearest to the answer at which the requirement is safe, None where none is known

    @property
    def limit(self) -> float:
        """The limit in base units."""
        return self.limit_amount.number


@frozen
class Neighbour:
    """The answer with one input at another value and nothing solved again, or the answer itself."""

    name: str  # the input; empty for the answer
    amount: Amount | None  # its value; None for the answer
    # In base units what is made of parts, and the parts; `bands` the ends between which eight of ten measured values
    # lie
    values: dict[str, float]
    bands: dict[str, tuple[float, float]]
    results: tuple[tuple[str, Amount], ...]  # what plans are compared by
    breaks: tuple[str, ...] = ()  # requirements that fail then
    misses: tuple[str, ...] = ()  # preferences that fail then and hold in the answer

    @property
    def value(self) -> Scalar:
        """Its value in base units or by name; None for the answer."""
        return None if self.amount is None else self.amount.value


@frozen
class Swing:
    """A result with one range of the author, or one quantity with a band, at either end and all else as expected."""

    name: str  # the input, or the quantity of the library
    ends: Range | None  # of the input; None for a band
    low: float  # the result in base units with it at its low end
    high: float


@frozen
class Swings:
    """What makes a result uncertain."""

    result: str
    amount: Amount  # what it is expected to be
    swings: tuple[Swing, ...]  # the widest first
