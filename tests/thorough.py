"""How much is tried: a sample by default, everything under `LLMPLAN_THOROUGH=1`, as in `.ci/run`.

Tests that try a fixed list mark what is left out of the sample `slow`; tests of random examples, which
are what takes longest, try fewer.
"""

from __future__ import annotations

import os

THOROUGH = bool(os.environ.get("LLMPLAN_THOROUGH"))


def examples(count: int, sample: float = 0.25) -> int:
    """How many of so many random examples are tried."""
    return count if THOROUGH else max(5, round(count * sample))
