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
class Altered:
    """An input, a formula or a requirement that differs.

    Attributes:
        what: `formula` where only that differs, of a quantity; a `value` otherwise, or a `requirement`.
        before: None before it was there; of a requirement its text.
        after: None where it is gone.
        place: Where it is written, as `a.plan:3`, or empty.
        cites: The sources of a formula.
    """

    what: Literal["value", "formula", "requirement"]
    name: str
    before: Amount | str | None = None
    after: Amount | str | None = None
    place: str = ""
    cites: tuple[str, ...] = ()


@frozen
class Cause:
    """What differs from the last run: a decision, with what made it differ where that is one thing; or such a thing."""

    change: Altered
    why: Altered | None = None


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
        inputs: The changed inputs, formulas and requirements; empty where they were not compared.
        turned: The requirements of the plan with another verdict.
        met: Whether its requirements can be met no more, as before not, or again; empty where they can as before.
    """

    plan: str
    known: bool
    results: tuple[Changed, ...]
    decided: tuple[Changed, ...]
    inputs: tuple[Altered, ...]
    turned: tuple[Turned, ...]
    met: Literal["", "no longer", "never", "again"] = ""
