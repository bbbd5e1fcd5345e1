"""The limit on the cost of a search, and reports of its progress.

Costs are counted in evaluations, one node at one point each, never in seconds: results must not depend on the speed or
load of the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from attrs import define, frozen

Progress = Callable[[int, int, str], None]
"""Is told how many of how many are done, and of what."""

OPERATION = 6_000
"""The fixed cost of an operation on arrays, in evaluations."""


class OverLimit(Exception):
    """More points would have to be looked at than the limit allows, or the budget is spent."""


@define
class Budget:
    """Evaluations that may still be done; `whole` is another budget that it is part of, which pays too."""

    left: float
    whole: Budget | None = None

    def half(self) -> Budget:
        """Half of what is left, as a budget of its own."""
        return Budget(self.left / 2, self)

    def spend(self, evaluations: float) -> None:
        """Pays for work that has been done; raises OverLimit if that was the last of it."""
        self.left -= evaluations
        if self.whole is not None:
            self.whole.left -= evaluations
        if self.left < 0:
            raise OverLimit


@frozen
class Effort:
    """Bounds of a search: on the points to look at, and a budget for all searches that share it, if any.

    `progress` is told how far it is.
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
"""The evaluations that a search along a continuous unknown may cost for each point of the limit."""

_LINES_AT_LEAST = 4e9


def along_a_line(limit: float) -> float:
    """The total evaluations of all searches along a continuous unknown under a limit on points."""
    return max(_LINE * limit, _LINES_AT_LEAST)


ENDLESS = Effort()
"""Without bounds."""
