"""What lies beside an answer, as data: what an input decides along its values, and single changes with their parts.

Part of the schema of `llmplan.solution`, from which pictures are drawn: numbers in base units, with the texts that
people read. Nothing here computes.
"""

from __future__ import annotations

from typing import Literal

from attrs import frozen

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

    at: float
    text: str  # for people: `104 GPUs`
    # None where no plan meets the other requirements, as are all that follow
    value: float | None = None
    value_text: str = ""
    low: float | None = None  # `low`, `high`: the ends of the range, if inputs are ranges
    high: float | None = None
    model_low: float | None = None  # `model_low`, `model_high`: eight of ten measured values lie between
    model_high: float | None = None
    chance: float | None = None  # that the requirement holds
    chance_text: str = ""  # for people: `65%`; empty without one
    verdict: Literal["safe", "likely", "tight", "no"] | None = None


@frozen
class Curve:
    """What a requirement limits, along the values of the input that decides it."""

    input: Axis
    result: Axis
    requirement: str  # its name
    text: str  # its condition as written
    operation: str  # of the result to the limit: `le`, `lt`, `ge`, `gt`, `eq`
    limit: float
    limit_text: str
    points: tuple[CurvePoint, ...]  # by ascending input
    chosen: int  # which point is the answer
    again: bool = True  # whether what else is open is solved again at each point; else it stays as in the answer
    safe: int | None = None  # the nearest to the answer at which the requirement is safe, None where none is known


@frozen
class Neighbour:
    """The answer with one input at another value and nothing solved again, or the answer itself."""

    name: str  # the input; empty for the answer
    text: str  # its value for people
    value: Scalar
    # In base units what is made of parts, and the parts; `bands` the ends between which eight of ten measured values
    # lie
    values: dict[str, float]
    bands: dict[str, tuple[float, float]]
    results: tuple[tuple[str, str], ...]  # what plans are compared by, for people
    breaks: tuple[str, ...] = ()  # requirements that fail then
