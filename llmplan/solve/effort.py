"""The limit on the cost of a search, and reports of its progress.

Costs are counted in evaluations (one node at one point each), never in seconds: results must not depend on the speed or
load of the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from attrs import define, frozen

Progress = Callable[[int, int, str], None]
"""Called with the number of items done, their total, and what they are."""

OPERATION = 6_000
"""The fixed cost of an operation on arrays, in evaluations."""


class OverLimit(Exception):
    """More points would have to be evaluated than the limit allows, or the budget is spent."""


@define
class Budget:
    """The evaluations that are left; `whole` is the budget that this one is part of, and is charged too."""

    left: float
    whole: Budget | None = None

    def half(self) -> Budget:
        """Half of the remaining evaluations, as a separate budget."""
        return Budget(self.left / 2, self)

    def spend(self, evaluations: float) -> None:
        """Charges work that has been done; raises OverLimit if the budget is overdrawn."""
        self.left -= evaluations
        if self.whole is not None:
            self.whole.left -= evaluations
        if self.left < 0:
            raise OverLimit


@frozen
class Effort:
    """The bounds of a search: a limit on points, and an optional budget for all searches that share it.

    `progress` is called as the search advances.
    """

    limit: float = inf
    budget: Budget | None = None
    progress: Progress | None = None

    def spend(self, evaluations: float) -> None:
        """See `Budget.spend`."""
        if self.budget is not None:
            self.budget.spend(evaluations)

    def tell(self, done: int, count: int, what: str) -> None:
        if self.progress is not None:
            self.progress(done, count, what)


_LINE = 40
"""The evaluations that a search along a continuous unknown may use for each point of the limit."""

_LINES_AT_LEAST = 4e9


def along_a_line(limit: float) -> float:
    """The evaluations allowed for all searches along a continuous unknown, under a limit on points."""
    return max(_LINE * limit, _LINES_AT_LEAST)


ENDLESS = Effort()
"""No bounds."""
