"""How long the commands take, as ratios to `python -c "import sympy"` on the same machine at the same time.

usage: python benchmarks/startup.py [--pairs N] [--json]

Each command runs as a process of its own, alternating with the reference, and the median of the
ratios counts: a machine that is slow for a while is slow for both of a pair. The exit code is 1 if
a limit that the project promises is missed.

- with an `empty cache` a command runs as for the first time on a machine: the library comes with the installation
  (in a checkout that has changed since, run `python -m llmplan.prepare` before);
- a `changed plan` finds the library in the cache, and neither an answer nor a derivation of its own;
- the `same plan` finds the answer.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = [sys.executable, "-c", "import sympy"]
LLMPLAN = [sys.executable, "-m", "llmplan"]
PLAN = str(ROOT / "plans" / "llama7b.plan")
EXAMPLE = ROOT / "docs" / "example"
CONFIGS = [str(EXAMPLE / name) for name in ("ds_config.json", "train.sh", "config.json")]
MESSAGE = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.28 GiB. GPU 0 has a total capacity of 79.15 GiB "
    "of which 3.10 GiB is free."
)


def seconds(command: list[str], cache: str) -> float:
    environment = {**os.environ, "XDG_CACHE_HOME": cache, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # sympy's bytecode is there: so is ours, once it has run
    started = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def measure(command: Callable[[int], list[str]], pairs: int, keep: bool) -> tuple[float, float]:
    """The medians of the ratios to the reference and of the seconds.

    Args:
        command: The n-th command to time.
        keep: True to let all runs share a cache that an untimed run has filled.
    """
    ratios, times = [], []
    with tempfile.TemporaryDirectory() as folder:
        seconds(command(0), folder)
        for run in range(1, pairs + 1):
            reference = seconds(REFERENCE, folder)
            taken = seconds(command(run), folder if keep else os.path.join(folder, str(run)))
            ratios.append(taken / reference)
            times.append(taken)
    return statistics.median(ratios), statistics.median(times)


def changed(run: int) -> list[str]:
    """Options that make the n-th run ask what no run before it asked."""
    return ["--set", f"dataset.tokens={10**12 + run}"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Times the commands as ratios to importing sympy.")
    parser.add_argument("--pairs", type=int, default=11, help="runs of each command (default 11)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as out:
        compile = [*LLMPLAN, "compile", PLAN, "-o", out, "--force"]
        solve = [*LLMPLAN, "solve", *CONFIGS, "--gpu", "H200-SXM-141GB"]
        log = os.path.join(out, "log.txt")
        Path(log).write_text(MESSAGE + "\n", encoding="utf-8")
        cases: list[tuple[str, Callable[[int], list[str]], bool, float]] = [
            ("--help", lambda _: [*LLMPLAN, "--help"], True, 0.4),
            ("fmt --check", lambda _: [*LLMPLAN, "fmt", "--check", PLAN], True, 0.65),
            ("check, changed plan", lambda n: [*LLMPLAN, "check", PLAN, *changed(n)], True, 1.1),
            ("check, same plan", lambda _: [*LLMPLAN, "check", PLAN], True, 0.5),
            ("compile, empty cache", lambda _: compile, False, 5.0),
            ("compile, changed plan", lambda n: [*compile, *changed(n)], True, 4.0),
            ("compile, same plan", lambda _: compile, True, 1.5),
            ("import, empty cache", lambda _: [*LLMPLAN, "import", CONFIGS[0]], False, 2.0),
            ("solve, configurations", lambda n: [*solve, *changed(n)], True, 4.0),
            ("why, without a plan", lambda _: [*LLMPLAN, "why", log], True, 2.0),
        ]
        rows = [(name, *measure(command, options.pairs, keep), limit) for name, command, keep, limit in cases]
    if options.json:
        print(json.dumps([dict(zip(("command", "ratio", "seconds", "limit"), row)) for row in rows], indent=2))
    else:
        print(f"{'command':<24}{'ratio':>7}{'limit':>7}{'seconds':>9}")
        for name, ratio, taken, limit in rows:
            print(f"{name:<24}{ratio:>7.2f}{limit:>7}{taken:>9.3f}")
    return int(any(ratio > limit for _, ratio, _, limit in rows))


if __name__ == "__main__":
    sys.exit(main())
