"""Folds such as `sum … for`, for every stage: one record each, whose every attribute an author must state.

The checker reads whether a fold gives a member or a value, lowering how values are joined, the reference the LaTeX.
"""

from __future__ import annotations

import math
from typing import Literal

from attrs import frozen


@frozen
class Fold:
    """One fold.

    Attributes:
        name: As the language calls it.
        picks: Of a fold whose value is a member, whether the body is `largest` or `smallest` there; else `nothing`.
        join: The operation that joins two values of the body; of a fold that picks, the one that orders them.
        empty: Its value over no member at all.
        latex: Its sign in the reference.
        encloses: Whether a body that is one sign after another stands in parentheses.
    """

    name: str
    picks: Literal["nothing", "largest", "smallest"]
    join: str
    empty: float
    latex: str
    encloses: bool


FOLDS: dict[str, Fold] = {
    fold.name: fold
    for fold in (
        Fold("sum", "nothing", "add", 0.0, r"\sum", encloses=False),
        Fold("max", "nothing", "max", math.nan, r"\max", encloses=True),
        Fold("min", "nothing", "min", math.nan, r"\min", encloses=True),
        Fold("argmax", "largest", "lt", math.nan, r"\mathrm{arg\,max}", encloses=True),
        Fold("argmin", "smallest", "lt", math.nan, r"\mathrm{arg\,min}", encloses=True),
    )
}
"""The folds by name."""
