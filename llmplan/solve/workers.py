"""Work in numbered parts, on all cores where that pays.

The first parts run in this process. If the rest would take long, worker processes are started and this process works
beside them (not threads: numpy holds the interpreter lock too long on arrays that fit the CPU cache). It makes no
difference which process does a part, and results are returned in the order of the parts, so that they are the same
with and without workers. If workers fail or cannot be started, the work is done without them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from concurrent.futures import Future

PAYS = 1.0
"""The seconds of remaining work from which workers are started; each takes a quarter of a second to start."""

MOST = 8
"""The most cores used, as each worker takes memory of its own."""

_AHEAD = 3
"""The parts handed out to each worker: none waits for the next one, and little work is wasted."""

_WAIT = 0.1  # seconds; on some systems an endless wait could not be interrupted


class Job(Protocol):
    """Work in parts. The job and its results are pickled for the workers."""

    def part(self, number: int) -> Any: ...


def cores() -> int:
    """The number of processes that may run at once."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, MOST)


def results(job: Job, count: int, alone: bool = False) -> Generator[Any, None, None]:
    """The results of parts 0, 1, 2 … of a job, in order; `alone` without workers. Close the generator to end early."""
    most = 1 if alone or not sys.executable or getattr(sys, "frozen", False) else cores()
    started = monotonic()
    for number in range(count):
        if number and most > 1 and (monotonic() - started) / number * (count - number) > PAYS:
            yield from _shared(job, number, count, most - 1)
            return
        yield job.part(number)


def _shared(job: Job, first: int, count: int, workers: int) -> Generator[Any, None, None]:
    """The results from one part on, with workers; while a worker's result is awaited, other parts are done here."""
    # Importing this takes longer than most searches do.
    from concurrent.futures import wait

    from llmplan.solve.pool import Team

    done: dict[int, Any] = {}
    away: dict[int, Future[Any]] = {}
    fresh = iter(range(first, count))
    again: list[int] = []  # parts that a worker failed to do
    team = Team(job, workers)
    try:
        for number in range(first, count):
            while number not in done:
                for part, future in list(away.items()):
                    if future.done():
                        del away[part]
                        if future.exception() is None:
                            done[part] = future.result()
                        else:
                            again.append(part)
                while len(away) < _AHEAD * workers and not again and (part := next(fresh, -1)) >= 0:
                    if (handed := team.submit(part)) is None:
                        again.append(part)
                    else:
                        away[part] = handed
                mine = again.pop() if again else next(fresh, -1)
                if mine >= 0:
                    done[mine] = job.part(mine)
                elif number in away:
                    wait([away[number]], _WAIT)
            yield done.pop(number)
    finally:
        team.end()
