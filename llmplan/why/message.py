"""An out-of-memory message in a log of any length, of every release of PyTorch, with the frames of its traceback."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator

from attrs import frozen

from llmplan.units import amount

_SIZES = {
    "b": 1,
    "bytes": 1,
    "kb": 2**10,
    "kib": 2**10,
    "mb": 2**20,
    "mib": 2**20,
    "gb": 2**30,
    "gib": 2**30,
    "tib": 2**40,
}
_SIZE = r"([0-9]{1,12}(?:\.[0-9]{1,6})? ?(?:bytes|[KMGT]i?B))"
_OURS = re.compile(r"(CUDA|HIP|XPU|MPS|NPU) out of memory|OutOfMemoryError", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"CUDA error: out of memory|CUBLAS_STATUS_ALLOC_FAILED|CUDNN_STATUS_ALLOC_FAILED|Failed to CUDA calloc|"
    r"cudaHostAlloc"
)
_HOST = re.compile(
    r"DefaultCPUAllocator: can't allocate memory|Cannot allocate memory|oom[-_ ]kill|OOMKilled|Killed process|"
    r"Out Of Memory killer|exit ?code\s*:?\s*(?:-9|137)\b|Signal 9 \(SIGKILL\)|died with <Signals\.SIGKILL",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"^\s*(?:\[?(?:default)?rank ?\d{1,6}\]?:? ?|\(.{1,60}pid=\d{1,9}[^)]*\) ?|\d{1,6}: )")
_FRAME = re.compile(r'\s*File "([^"]{1,500})", line \d{1,9}, in (.{1,200})')
_PARTS = {
    "tried": (rf"Tried to allocate {_SIZE}",),
    "total": (rf"{_SIZE} total capacity", rf"total capac\w{{1,4}} of {_SIZE}"),
    "free": (rf"{_SIZE} free", rf"of which {_SIZE} is free"),
    "allocated": (rf"{_SIZE} already allocated", rf"allocated memory {_SIZE} is allocated by PyTorch"),
    "reserved": (rf"{_SIZE} reserved in total",),
    "cached": (rf"{_SIZE} cached",),
    "unallocated": (rf"{_SIZE} is reserved by PyTorch but unallocated",),
    "own": (rf"this process has {_SIZE} memory in use",),
    "allowed": (rf"{_SIZE} allowed",),
    "graphs": (rf"{_SIZE} allocated in private pools",),
}
_PROCESS = re.compile(rf"Process \d{{1,9}} has {_SIZE} memory in use")
_MOST_CONTEXT = 4 * 2**30
"""What a process has of a card beside its allocator: the driver's context, buffers of collectives."""
_FRAMES = 80
_LINES = 6
"""Lines that a message may be wrapped over."""
_LONGEST = 20_000


@frozen
class Size:
    """A size as it is printed: bytes, and by how much it may be rounded."""

    bytes: int
    within: int


@frozen
class Message:
    """What a message says.

    Attributes:
        tried: What was asked for in one piece.
        allocated: Live tensors of the process; `reserved` what its allocator holds of the card.
        others: What other processes have of the card.
        own: What the process has of the card, with what is not the allocator's.
        allowed: The share of the card that the process was given, where one was set.
        frames: Of the traceback the functions with their lines of code, the innermost last.
        elsewhere: Whether something other than PyTorch's allocator for the card had no memory left.
        host: Whether it was the host that had none.
        text: The line, to be shown.
    """

    text: str
    tried: Size | None = None
    total: Size | None = None
    free: Size | None = None
    allocated: Size | None = None
    reserved: Size | None = None
    own: Size | None = None
    allowed: Size | None = None
    others: int = 0
    frames: tuple[str, ...] = ()
    elsewhere: bool = False
    host: bool = False


def find(lines: Iterable[str]) -> Message | None:
    """The first message of the log: later ones mostly follow from it. None if there is none.

    One of PyTorch's allocator comes before one of something else.
    """
    frames: deque[str] = deque(maxlen=_FRAMES)
    other: Message | None = None
    pending: str | None = None
    for text, following in _with_next(lines):
        line = _PREFIX.sub("", text[:_LONGEST])
        if line.startswith("Traceback (most recent call last)"):
            frames.clear()
        frame = _FRAME.match(line)
        if frame is not None:
            pending = frame[2].strip()
            frames.append(pending)
            continue
        if pending is not None and line.startswith(" "):
            frames[-1] = f"{pending}: {line.strip()[:200]}"
            pending = None
        if _OURS.search(line):
            whole = " ".join([line.strip(), *(_PREFIX.sub("", one[:_LONGEST]).strip() for one in following)])
            found = _read(whole, tuple(frames))
            if found.tried is not None:
                return found
            other = other or found
        elif other is None and _ELSEWHERE.search(line):
            other = Message(line.strip()[:500], frames=tuple(frames), elsewhere=True)
        elif other is None and _HOST.search(line):
            other = Message(line.strip()[:500], frames=tuple(frames), host=True)
    return other


def _with_next(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Each line, with the few after it."""
    window: deque[str] = deque()
    for line in lines:
        window.append(line)
        if len(window) > _LINES:
            yield window.popleft(), list(window)[: _LINES - 1]
    while window:
        yield window.popleft(), list(window)[: _LINES - 1]


def _read(text: str, frames: tuple[str, ...]) -> Message:
    found = {name: size for name, patterns in _PARTS.items() if (size := _size(text, patterns)) is not None}
    allocated, reserved = found.get("allocated"), found.get("reserved")
    for more in ("unallocated", "cached"):  # to 1.3 what is cached is what is reserved and unused
        if reserved is None and allocated is not None and more in found:
            reserved = Size(allocated.bytes + found[more].bytes, allocated.within + found[more].within)
    processes = [_bytes(one) for one in _PROCESS.findall(text)]
    own = found.get("own") or _own(processes, reserved)
    others = sum(one.bytes for one in processes)
    if own is not None and any(abs(one.bytes - own.bytes) <= own.within for one in processes):
        others -= own.bytes
    return Message(
        text=text[:600],
        tried=found.get("tried"),
        total=found.get("total"),
        free=found.get("free"),
        allocated=allocated,
        reserved=reserved,
        own=own,
        allowed=found.get("allowed"),
        others=others,
        frames=frames,
    )


def _own(processes: Iterable[Size], reserved: Size | None) -> Size | None:
    """The process itself, where its number in a container is another than the driver's, so that PyTorch names it among
    the others: it has what its allocator holds, and the context of the driver."""
    if reserved is None:
        return None
    near = [one for one in processes if -one.within <= one.bytes - reserved.bytes + reserved.within <= _MOST_CONTEXT]
    return min(near, key=lambda one: one.bytes, default=None)


def _size(text: str, patterns: Iterable[str]) -> Size | None:
    for pattern in patterns:
        match = re.search(pattern, text)
        if match is not None:
            return _bytes(match[1])
    return None


def _bytes(text: str) -> Size:
    match = re.fullmatch(r"([0-9.]+) ?([A-Za-z]+)", text)
    assert match is not None
    factor = _SIZES[match[2].lower()]
    number = amount.of_text(match[1])
    assert number is not None
    decimals = len(match[1].partition(".")[2])
    return Size(round(number * factor), round(factor / 10**decimals / 2) if factor > 1 else 0)
