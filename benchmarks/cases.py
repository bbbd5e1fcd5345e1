"""Prints published runs as cases that `llmplan backtest` reads.

    python benchmarks/cases.py [RECORDS.jsonl]... | llmplan backtest -

Input: records as in `benchmarks/data`, those of `cases.jsonl` if no file is named. Output: one case a line. The rules
of a stack (benchmarks/read) supply whatever its table of runs leaves out; a record that cannot be expressed is a case
that is skipped, with the reason.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.judging import CASES
from benchmarks.read.plain import plain
from llmplan.backtest.base import Base


def lines(paths: Sequence[str | Path]) -> Iterator[str]:
    """The cases of files of records, as lines of JSON."""
    base = Base.of()
    for path in paths:
        for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError as wrong:
                yield json.dumps({"id": f"{Path(path).name}:{number}", "skipped": f"not JSON: {wrong}"})
                continue
            yield json.dumps(plain(base, record if isinstance(record, dict) else {}), ensure_ascii=False)


if __name__ == "__main__":
    for case in lines(sys.argv[1:] or [CASES]):
        print(case)
