"""What is known of requirements and preferences at a solution: whether they hold, how surely, and what conflicts."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from llmplan.answer.schema.advice import Relaxation
from llmplan.units.amount import Amount, Range

Verdict = Literal["safe", "likely", "tight", "no", "not judged"]
Unjudged = Literal["", "equality", "asked"]
Operation = Literal["le", "lt", "ge", "gt", "eq", "ne"]


@frozen
class Sides:
    """The two sides of a comparison of numbers, as written; `worst` if they are those of the worst case."""

    left: Amount
    operation: Operation
    right: Amount
    worst: bool = False


@frozen
class Compared:
    """A comparison by size as a row of a table: what is computed, its bound, and how far apart they are."""

    subject: str  # what is computed, as written: `time`
    operation: Operation  # seen from the subject
    planned: Amount
    limit: Amount
    gap: Amount  # how far the subject is from the limit, without sign; of what must be certain in the worst case
    met: bool  # whether the subject is on the right side of the limit
    # Eight of ten measured values of the subject lie between these ends; over the author's ranges it lies in `spread`
    band: Range | None = None
    spread: Range | None = None
    asked: float | None = None  # the chance that is asked for, of a requirement on one


@frozen
class Planned:
    """What is known of a requirement if every step runs as planned, where its verdict is about the calendar."""

    chance: float | None
    verdict: Verdict
    compared: Compared | None = None  # of a comparison of two numbers by size


@frozen
class RequirementResult:
    """One requirement or preference at the solution."""

    name: str
    holds: bool | None  # None if it was not checked because inputs are missing (`needs`)
    certainty: Literal["certain", "expected", "no"]  # `certain`, `expected` or `no`, as the JSON's `range`
    slack: float | None  # in base units: how far the smaller side is below the larger; negative if violated
    text: str  # the condition as written
    sides: Sides | None  # of a comparison of two numbers
    because: str  # why it exists
    origin: str  # `plan`, `used`, `library` or `type`
    place: str
    needs: tuple[str, ...] = ()
    undefined: str = ""  # why a side has no value
    weight: float | None = None  # None for a requirement, the weight of a preference
    # What its failure means (`else`), shown instead of the condition; empty where it holds or has no `else`
    otherwise: str = ""
    # The probability that it holds, None where nothing makes it uncertain. Of a requirement with a counterpart on the
    # calendar `chance`, `verdict` and `rates` are those of the counterpart
    chance: float | None = None
    chance_error: float | None = None  # a bound on its error, where that exceeds 0.005
    verdict: Verdict | None = None  # None if it was not checked
    compared: Compared | None = None  # of a comparison of two numbers by size
    on: Literal["calendar", "planned"] = "planned"  # what the verdict is about
    stated: Literal["calendar", "planned"] = "planned"  # what it is about as it is written
    planned: Planned | None = None  # if every step runs as planned, where the verdict is about the calendar
    calendar: Compared | None = None  # the comparison of its counterpart on the calendar, where it is stated as planned
    rates: tuple[str, ...] = ()  # what it rests on and the plan assumes as one value: it is not judged for that
    unjudged: Unjudged = ""  # any other reason for which it is not judged


@frozen
class Departure:
    """A requirement or preference that the plan waives, or replaces by another of the same name."""

    name: str
    origin: str  # of what is no longer required: `plan`, `used` or `library`
    text: str  # its condition as written
    by: str  # the condition in its place; empty if it is waived
    because: str  # empty if no reason is given
    place: str

    @property
    def what(self) -> Literal["replaced", "waived"]:
        return "replaced" if self.by else "waived"


@frozen
class Clash:
    """Requirements of an infeasible plan that no candidate meets together, whatever becomes of the others."""

    names: tuple[str, ...]
    # Single changes after which they are met, the nearest first; of several conflicts each for this one alone
    cures: tuple[Relaxation, ...] = ()
