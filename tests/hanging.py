"""A guard against work that explodes; how fast things are is shown in `benchmarks/`, not asserted in tests."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 120.0


@contextmanager
def ends() -> Iterator[None]:
    """Fails if the body computes for minutes: a hundred times what a slow machine needs for any of them."""
    started = time.process_time()  # what else the machine does is not counted
    yield
    taken = time.process_time() - started
    assert taken < SECONDS, f"took {taken:.0f} s"
