"""Predictions of many cases, on all cores where that pays; the same and in the same order on one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from llmplan.backtest.base import Base
from llmplan.backtest.predict import Outcome, predict
from llmplan.backtest.record import Case
from llmplan.solve import workers

PART = 30
"""Cases that are predicted in one go; neighbours share much, see `Base`."""


class _Parts:
    """The cases, in parts; each process makes a base of its own."""

    def __init__(self, cases: Sequence[Sequence[Case]]) -> None:
        self._cases = cases
        self._base: Base | None = None

    def __reduce__(self) -> tuple[type[_Parts], tuple[Sequence[Sequence[Case]]]]:
        return _Parts, (self._cases,)

    def part(self, number: int) -> list[Outcome]:
        if self._base is None:
            self._base = Base.of()
        return [predict(self._base, case) for case in self._cases[number]]


def predictions(cases: Sequence[Case]) -> list[Outcome]:
    """What the library says of each case, in their order.

    Raises:
        Refused: if the library is not valid.
    """
    parts = [cases[at : at + PART] for at in range(0, len(cases), PART)]
    return list(chain.from_iterable(workers.results(_Parts(parts), len(parts))))
