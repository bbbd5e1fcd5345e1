"""What two plans differ in, as records: the older one, `a`, is what the newer one, `b`, is compared with."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.summary import Summary
from llmplan.units.amount import Amount


@frozen
class Apart:
    """A result of both plans.

    Attributes:
        change: Its relative change; None where it was zero or one side has no value.
        band: The relative changes between which eight of ten measured ones lie; None where nothing makes it uncertain.
        told_apart: Whether measurements would tell the two plans apart by it: no change is inside the band.
    """

    name: str
    before: Amount
    after: Amount
    change: float | None
    band: tuple[float, float] | None
    told_apart: bool


@frozen
class Share:
    """The part of a result's change that an input has, set alone from the one value to the other."""

    input: str
    share: float


@frozen
class ChangedFile:
    """A file that one of the plans writes differently, or alone."""

    name: str
    what: Literal["changed", "new", "gone"]


@frozen
class Threshold:
    """A condition under which a difference fails.

    Attributes:
        text: As it was given.
        met: Whether it is met, so that the difference fails.
        apart: False where it would be met by a change that measurements would not tell.
    """

    text: str
    met: bool
    apart: bool = True


@frozen
class Difference:
    """What two plans differ in.

    Attributes:
        summary: What differs in decisions, inputs, results and verdicts.
        results: What plans are compared by, as far as it differs.
        causes: By result, the inputs and decisions that moved it, the largest share first.
        files: The files that differ.
        thresholds: The conditions that were asked for.
    """

    a: Solution
    b: Solution
    summary: Summary
    results: tuple[Apart, ...] = ()
    causes: tuple[tuple[str, tuple[Share, ...]], ...] = ()
    files: tuple[ChangedFile, ...] = ()
    thresholds: tuple[Threshold, ...] = ()
