"""What differs between the answer of the last run and this one, as records."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from llmplan.answer.schema.requirements import Verdict
from llmplan.units.amount import Amount


@frozen
class Changed:
    """A value that differs; None before it was there."""

    name: str
    before: Amount | None
    after: Amount


@frozen
class Turned:
    """A requirement whose verdict differs, with its chances where they are known; empty before it was there."""

    name: str
    before: Verdict | Literal[""]
    before_chance: float | None
    after: Verdict
    after_chance: float | None


@frozen
class Summary:
    """What a reviewer of a changed plan asks first.

    Attributes:
        known: False where there is no last run to compare with.
        results: What plans are compared by, on the calendar where it has a counterpart there; all of it where there is
            no last run, else what differs.
        decided: The unknowns with another value.
        inputs: The changed inputs, formulas and requirements, each with its old and new value, as `--check` says them;
            empty where they were not compared.
        turned: The requirements of the plan with another verdict.
    """

    plan: str
    known: bool
    results: tuple[Changed, ...]
    decided: tuple[Changed, ...]
    inputs: tuple[str, ...]
    turned: tuple[Turned, ...]
