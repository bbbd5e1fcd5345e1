"""What a search may cost, and who is told how far it has come."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import monotonic

from attrs import frozen

Progress = Callable[[int, int, str], None]
"""Is told how many of how many are done, and of what."""


class OverLimit(Exception):
    """More points would have to be looked at than the limit allows, or the time is over."""


@frozen
class Effort:
    """Bounds of a search.

    Attributes:
        limit: The largest number of points to look at.
        until: When to give up, by `time.monotonic`.
        progress: Whom to tell how far it is.
    """

    limit: float = inf
    until: float = inf
    progress: Progress | None = None

    def check_time(self) -> None:
        """Is called between any two steps that take long.

        Raises:
            OverLimit: if the time is over.
        """
        if monotonic() > self.until:
            raise OverLimit

    def tell(self, done: int, count: int, what: str) -> None:
        if self.progress is not None:
            self.progress(done, count, what)


ENDLESS = Effort()
"""Without bounds."""
