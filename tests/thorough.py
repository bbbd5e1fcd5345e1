"""How much is tried: a sample by default, everything under `LLMPLAN_THOROUGH=1`, as in `.ci/run`.

Tests that try a fixed list mark what is left out of the sample `slow`; tests of random examples, which
are what takes longest, try fewer.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

THOROUGH = bool(os.environ.get("LLMPLAN_THOROUGH"))


def sample(cases: Iterable[Any], every: int = 3) -> list[Any]:
    """Cases for `parametrize`, of which one of so many is tried by default."""
    listed = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*case, marks=[pytest.mark.slow] * (at % every != 0)) for at, case in enumerate(listed)]


def examples(count: int, sample: float = 0.12) -> int:
    """How many of so many random examples are tried."""
    return count if THOROUGH else max(5, round(count * sample))
