"""The cost limits of advice: a table of shares, and accounts of their remainders.

Costs are counted in points and in evaluations, see `llmplan.solve.effort`, never in seconds, so that advice does not
depend on the speed of the machine. A task that spends its share is abandoned here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from math import inf
from typing import TypeVar

from attrs import frozen

from llmplan.solve.effort import Budget, Effort, OverLimit
from llmplan.system.too_large import TooLarge

T = TypeVar("T")


@frozen
class Share:
    """The cost limit of one kind of search.

    Attributes:
        because: The reason for these limits.
        points: The most points that a single search may evaluate.
        evaluations: The most evaluations of all searches on one account together.
        tries: The most candidates that may be solved again.
    """

    because: str
    points: float = inf
    evaluations: float = inf
    tries: int = 0


SHARES = {
    "cures": Share("a few seconds, as long as the author of an infeasible plan waits", 1e8, 2e9, tries=120),
    "conflicts": Share("each conflict is solved alone only to find its own cures", 1e7),
    "choice": Share("nobody compares more members of one choice", tries=16),
    "joint": Share("the plan is solved in full without some bounds, to see what else fails", 1e7, tries=2),
    "worst case": Share("a plan that must hold at every point of its ranges is solved in rounds", 1e6),
    "feasibility": Share("fewer candidates suffice to tell whether a change can help at all", 2e4),
    "dismissal": Share("choices that are freed together in one small search", 64),
    "levers": Share("half a second; evaluating a lever with all else fixed costs next to nothing", 1e8, 5e8, tries=12),
    "entries": Share("the best entry is usually among the best for the present layout", tries=3),
    "rivals": Share("one search for each of the cards or models that a plan lists", 1e6, 2e8, tries=16),
    "safe value": Share("a single input is open, but a chance is integrated at each of its values", 1e6, 2e8, tries=2),
    "prices": Share("the plan is solved again without the library's preferences, and without a few", 1e6, 1e8, tries=2),
    "cliffs": Share("the plan is solved in full without one rule of the library", 1e7, 1e9, tries=2),
    "beyond a cliff": Share("half of what the cures of an infeasible plan may cost", 1e8, 1e9),
    "curve": Share("each of a dozen points is solved again, and up to three inputs are tried", 2e5, tries=3),
}
"""The share of each kind of search. The evaluations of `cures` are multiplied by the requested effort."""

_LEAST = 1 / 256
"""The fraction of a share below which nothing more is tried."""


class Spent(Enum):
    """The result of a task that exceeds its share, or whose equations become too many."""

    SPENT = "spent"


class Account:
    """The remainder of a share.

    Args:
        times: A factor for the share's evaluations.
    """

    def __init__(self, share: Share, times: float = 1.0) -> None:
        self.points = share.points
        self.whole = share.evaluations * times
        self.tries = share.tries
        self._budget = Budget(self.whole)

    def all(self) -> Effort:
        """The whole remainder, for searches that share it."""
        return Effort(self.points, None if self.whole == inf else self._budget)

    def half(self) -> Effort:
        """At most half of the remainder, so that later searches get their turn."""
        return Effort(self.points, self._budget.half())

    @property
    def rich(self) -> bool:
        return self._budget.left > _LEAST * self.whole

    def pay(self, points: float) -> bool:
        """Whether so many points may still be evaluated; if so, they are charged to the account."""
        affordable = points <= self.points
        self.points -= points if affordable else 0.0
        return affordable

    def take(self, count: int, most: int) -> int:
        """The number of candidates that may be solved again, at most `most`; they are charged to the account."""
        taken = min(count, most, self.tries)
        self.tries -= taken
        return taken

    def afford(self, task: Callable[[Effort], T]) -> T | Spent:
        """The result of a task with at most half of the remainder."""
        effort = self.half()
        return affordable(lambda: task(effort)) if self.rich else Spent.SPENT


def account(name: str, times: float = 1.0) -> Account:
    """A new account of a share in the table."""
    return Account(SHARES[name], times)


def affordable(task: Callable[[], T]) -> T | Spent:
    """The result of a task, unless it exceeds its limit or its equations become too many."""
    try:
        return task()
    except (OverLimit, TooLarge):
        return Spent.SPENT
