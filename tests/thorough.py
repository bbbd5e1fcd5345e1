"""How much is tried: a sample by default, everything under `LLMPLAN_THOROUGH=1`, as in `.ci/run`.

Tests that try a fixed list mark what is left out of the sample `slow`; tests of random examples, which
are what takes longest, try fewer. `LLMPLAN_LONG=1` tries as many as a night allows, and other ones each time: from the
seed in `LLMPLAN_FUZZ_SEED`, which is drawn where none is given, and printed.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from typing import Any

import pytest

LONG = bool(os.environ.get("LLMPLAN_LONG"))
THOROUGH = LONG or bool(os.environ.get("LLMPLAN_THOROUGH"))

if LONG:  # for the processes that run the tests too
    os.environ.setdefault("LLMPLAN_FUZZ_SEED", str(random.SystemRandom().randrange(10**6)))
SEED = int(os.environ.get("LLMPLAN_FUZZ_SEED", "0"))
"""The number from which random examples are made."""


def many(few: int, thorough: int, long: int) -> int:
    """How many random examples are tried: by default, in a thorough run and in a long one."""
    return long if LONG else thorough if THOROUGH else few


def sample(cases: Iterable[Any], every: int = 3) -> list[Any]:
    """Cases for `parametrize`, of which one of so many is tried by default."""
    listed = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*case, marks=[pytest.mark.slow] * (at % every != 0)) for at, case in enumerate(listed)]


def examples(count: int, sample: float = 0.12) -> int:
    """How many of so many random examples are tried."""
    return count if THOROUGH else max(5, round(count * sample))
