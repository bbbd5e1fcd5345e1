"""How much processor time a check of a changed plan takes in a process that has checked one before, as an editor's
would.

usage: python benchmarks/check.py [--runs N]

One number of `plans/llama7b.plan` is another in each run, so that no answer of an earlier one serves.
Each run alternates with a fixed piece of Python, and the ratio of the two counts where machines
differ: the piece takes about 1 ms on a machine that nothing else uses. Printed are the least and the
median of both in milliseconds of processor time, and their ratios.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from llmplan import api

PLAN = Path(__file__).resolve().parent.parent / "plans" / "llama7b.plan"
BOUND = "30 days"
"""What another number takes the place of."""


def reference() -> int:
    """A fixed piece of work."""
    return sum(i * i for i in range(20_000))


def milliseconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return 1e3 * (time.process_time() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description="Times the check of a changed plan in a warm process.")
    parser.add_argument("--runs", type=int, default=100, help="checks that are timed (default 100)")
    runs: int = parser.parse_args().runs
    text = PLAN.read_text(encoding="utf-8")
    assert BOUND in text
    checks: list[float] = []
    references: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        for run in range(runs + 3):
            changed = text.replace(BOUND, f"{30 + run / 1000} days")
            taken = milliseconds(partial(api.check, str(PLAN), text=changed))
            if run >= 3:  # the first ones load the library and what the compiler consists of
                checks.append(taken)
                references.append(milliseconds(reference))
    print(f"{'':<12}{'check':>8}{'piece':>8}{'ratio':>8}")
    for name, of in (("least", min), ("median", statistics.median)):
        check, piece = of(checks), of(references)
        print(f"{name:<12}{check:>8.1f}{piece:>8.2f}{check / piece:>8.1f}")


if __name__ == "__main__":
    main()
