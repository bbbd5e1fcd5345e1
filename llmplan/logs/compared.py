"""What a run should be and is: one quantity as planned and as seen."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from llmplan.units.amount import Amount, Range

Verdict = Literal["on plan", "slower", "faster", "more", "less", "lower"]


@frozen
class Row:
    """One quantity, as planned and as seen.

    Attributes:
        band: The ends between which eight of ten such runs lie, where the plan has them.
        share: Seen over planned.
    """

    name: str
    planned: Amount
    band: Range | None
    seen: Amount
    share: float
    verdict: Verdict


@frozen
class Promise:
    """A requirement of the plan on time or cost: its name and text, what the whole run takes as seen, and the limit."""

    name: str
    text: str
    seen: Amount
    limit: Amount
    met: bool
