"""A guard against work that explodes; how fast things are is shown in `benchmarks/`, not asserted in tests."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 120.0


@contextmanager
def ends() -> Iterator[None]:
    """Fails if the body takes minutes: a hundred times what a slow and busy machine needs for any of them."""
    started = time.monotonic()
    yield
    taken = time.monotonic() - started
    assert taken < SECONDS, f"took {taken:.0f} s"
