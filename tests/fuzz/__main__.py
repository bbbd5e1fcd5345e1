"""`python -m tests.fuzz`: cases of a seed through all commands in this process, until a count or a time is reached.

Exits with 1 if something was wrong. Each case that failed is printed and, with `--keep`, written as a file that
`python -m tests.fuzz FILE` runs again, and that can go to `tests/fuzz/corpus` once it says what it must give.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.fuzz.swift import Swift
    from tests.fuzz.watch import Seen

SPREAD = 2_000
"""Cases after which a case's folder is made in another parent; a folder that holds all of them grows slow."""

COLLECT = 50
"""Cases after which the garbage that they left is taken away."""


def main() -> int:
    """Runs the fuzzer; 1 if it found anything."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="cases to run instead of made ones")
    parser.add_argument("--seed", type=int, default=0, help="other cases for another seed")
    parser.add_argument("--start", type=int, default=0, help="the number of the first case")
    parser.add_argument("--count", type=int, help="how many cases")
    parser.add_argument("--seconds", type=float, help="how long, if no count is given; 60 unless told")
    parser.add_argument("--check", action="store_true", help="small inputs through parse and check alone")
    parser.add_argument("--progress", type=int, metavar="N", help="tell the figures after each N cases")
    parser.add_argument("--keep", type=Path, help="a folder for the cases that failed")
    given = parser.parse_args()

    room = Path(tempfile.mkdtemp(prefix="llmplan-fuzz-"))
    # What is kept between runs is kept here, and nothing of the caller's is read.
    os.environ["XDG_CACHE_HOME"], os.environ["XDG_STATE_HOME"] = str(room / "cache"), str(room / "state")
    os.environ.pop("LLMPLAN_DEBUG", None)
    try:
        return _run(given, room)
    finally:
        shutil.rmtree(room, ignore_errors=True)


def _run(given: argparse.Namespace, room: Path) -> int:
    from llmplan.__main__ import LET_GROW
    from tests.fuzz import make, pieces, watch
    from tests.fuzz.case import read, written

    gc.set_threshold(*LET_GROW)  # as the command does
    make_one = pieces.piece if given.check else make.case
    swift = _swift(room) if given.check else None
    seconds = given.seconds or (60.0 if given.count is None and not given.files else float("inf"))
    started, seen, failed, number = time.monotonic(), watch.Seen(), 0, given.start
    count = len(given.files) if given.files else float("inf") if given.count is None else given.count
    while number - given.start < count and time.monotonic() - started < seconds:
        if given.files:
            case = read(given.files[number - given.start].read_text(encoding="utf-8"))
        else:
            case = make_one(given.seed, number)
        if swift is not None:
            found = swift.complaints(case, seen)
        else:
            folder = room / str(number // SPREAD) / str(number)
            found = watch.complaints(case, folder, seen)
            shutil.rmtree(folder, ignore_errors=True)
        if found:
            failed += 1
            print(f"{case.about}\n  " + "\n  ".join(found), flush=True)
            if given.keep:
                given.keep.mkdir(parents=True, exist_ok=True)
                (given.keep / f"{given.seed}-{number}.case").write_text(
                    written(case), encoding="utf-8", errors="surrogateescape"
                )
        number += 1
        if number % COLLECT == 0:
            gc.collect()  # a command ends with its process, so what waits here is no memory of the next
        if given.progress and (number - given.start) % given.progress == 0:
            print(_figures(number - given.start, failed, seen, time.monotonic() - started), flush=True)
    print(_figures(number - given.start, failed, seen, time.monotonic() - started))
    return int(failed > 0)


def _figures(cases: int, failed: int, seen: Seen, seconds: float) -> str:
    codes = ", ".join(f"{code}: {times}" for code, times in sorted(seen.codes.items(), key=str))
    return (
        f"{cases} cases, {seen.runs} commands, {failed} failed; exit codes {codes}; "
        f"longest {seen.seconds:.1f} s of CPU time ({seen.slowest}); at most {seen.mebibytes:.0f} MiB; "
        f"{cases / seconds:.0f} cases a second, {cases / time.process_time():.0f} a second of CPU time"
    )


def _swift(room: Path) -> Swift:
    from tests.fuzz.swift import Swift

    return Swift(room / "room")


if __name__ == "__main__":
    sys.exit(main())
