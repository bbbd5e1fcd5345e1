"""Lines with which a run ends that did not end by itself: an exception, a signal, a job that is cancelled.

Input: a line that no format knows. Output: whether it is one, and whether it is about memory.
"""

from __future__ import annotations

import re

from attrs import frozen

_LONGEST = 200
"""Characters of a line that are kept."""

_MEMORY = re.compile(
    r"(?:CUDA|HIP|XPU|NPU) (?:error: )?out of memory|OutOfMemoryError|CUBLAS_STATUS_ALLOC_FAILED"
    r"|DefaultCPUAllocator: can't|oom[-_ ]kill|OOMKilled",
    re.IGNORECASE,
)
_FAILURE = re.compile(
    r"Traceback \(most recent call last\)|ChildFailedError|Exited with exit code [1-9]|DUE TO (?:TIME LIMIT|PREEMPTION)"
    r"|\bCANCELLED AT \d|Watchdog caught collective operation timeout|Segmentation fault"
    r"|\bSIG(?:KILL|TERM|SEGV|ABRT|BUS)\b"
)


@frozen
class Ending:
    """The first line of a failure, what it says, and whether any line of the failure is about memory."""

    line: int
    text: str
    memory: bool


def ending(before: Ending | None, line: int, text: str) -> Ending | None:
    """The failure that a line begins or goes on with; as before where it is of none."""
    memory = _MEMORY.search(text) is not None
    if not memory and (before is not None or _FAILURE.search(text) is None):
        return before
    return Ending(line, text.strip()[:_LONGEST], memory) if before is None else Ending(before.line, before.text, True)
