"""An out-of-memory message in a log of any length, of every release of PyTorch, with the frames of its traceback."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve, frozen

from llmplan.units import amount
from llmplan.why.tracebacks import Tracebacks, plain_lines

_SIZES = {
    "b": 1,
    "bytes": 1,
    "kb": 2**10,
    "kib": 2**10,
    "mb": 2**20,
    "mib": 2**20,
    "gb": 2**30,
    "gib": 2**30,
    "tb": 2**40,
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
_NAME = re.compile(r"(?:[\w.]{1,80}(?:Error|Exception): |[\w.]{0,80}\.)$")
"""What of an error's name stands before what `_OURS` finds."""
_GPU = re.compile(r"\bGPU ([0-9]{1,4})\b")
_KIND = re.compile(r"(HIP|NPU) out of memory")
_SETTING = re.compile(r"PYTORCH_(?:[A-Z]{2,8}_)?ALLOC_CONF")
_SHARE = re.compile(
    r"Free memory on device\D{0,40}([0-9]{1,6}(?:\.[0-9]{1,6})?)/([0-9]{1,6}(?:\.[0-9]{1,6})?) GiB.{0,80}?"
    r"utilization \([0-9.]{1,8}, ([0-9]{1,6}(?:\.[0-9]{1,6})?) GiB"
)
"""Source: vllm-project/vllm, v1/worker/utils.py: request_memory."""
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
_NOT_SAID = 2**63
"""No process has as much: the driver does not know it, as under WSL, and PyTorch prints NVML_VALUE_NOT_AVAILABLE."""
_LEAST_CONTEXT = 200 * 2**20
"""Of a process beside its allocator: half of the least in published messages."""
_MOST_BESIDE = 10 * 2**30
"""Of a process beside its allocator (context, NCCL, engines): above the most in published messages, 9.8 GiB."""
_AGAIN = "Tried to allocate"
_AFTER = 20_000
"""Lines after the first message in which others are looked for."""
_MOST_ALSO = 15
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
        others: What other processes have of the card, as far as it is sure.
        own: What the process has of the card, with what is not the allocator's.
        allowed: The share of the card that the process was given, where one was set.
        frames: Of the traceback the functions with their lines of code, the innermost last.
        gpu: Its number, as the process counts them.
        setting: The environment variable that sets its allocator.
        also: Other messages of the log, of other ranks or later attempts.
        elsewhere: Whether something other than PyTorch's allocator for the card had no memory left.
        host: Whether it was the host that had none.
        engine: Whether an inference engine found less free than the share of the card that it takes at its start.
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
    gpu: int | None = None
    setting: str = "PYTORCH_CUDA_ALLOC_CONF"
    also: tuple[Message, ...] = ()
    elsewhere: bool = False
    host: bool = False
    engine: bool = False


def find(lines: Iterable[str]) -> Message | None:
    """The first message of the log, with the others soon after it. None if there is none.

    One of PyTorch's allocator comes before one of something else.
    """
    tracebacks = Tracebacks()
    found: list[Message] = []
    other: Message | None = None
    after = 0
    for text, following in _with_next(plain_lines(lines)):
        after += bool(found)
        if after > _AFTER or len(found) > _MOST_ALSO:
            break
        line = text[:_LONGEST]
        if tracebacks.feed(line):
            continue
        if (ours := _OURS.search(line)) is not None:
            if (found or other is not None) and not any(_AGAIN in one for one in (line, *following)):
                continue  # as in the code of a handler, or a launcher's summary
            message = _of_lines(line, following, ours.start(), tracebacks)
            if message.tried is not None and all(not _same(message, one) for one in found):
                found.append(message)
            other = other or message
        elif other is None:
            other = _of_another(line, tracebacks)
    return evolve(found[0], also=tuple(found[1:])) if found else other


def _same(one: Message, other: Message) -> bool:
    """Whether a message is a repeated one: launchers print the errors of their workers again."""
    return (one.tried, one.gpu, one.free, one.allocated) == (other.tried, other.gpu, other.free, other.allocated)


def _of_lines(line: str, following: Iterable[str], at: int, tracebacks: Tracebacks) -> Message:
    """The message that begins in a line, without what stands before the name of the error."""
    name = _NAME.search(line[max(0, at - 100) : at])
    own = line[: at - (0 if name is None else len(name[0]))]
    known = tracebacks.prefix(line)
    rest = (one[:_LONGEST].removeprefix(own).removeprefix(known).strip() for one in following)
    whole = " ".join([line[len(own) :].strip(), *rest])[:_LONGEST]
    frames = tracebacks.of(known)
    return _read(whole, frames if frames or own.strip() else tracebacks.last())


def _of_another(line: str, tracebacks: Tracebacks) -> Message | None:
    """The message of something other than PyTorch's allocator for the card."""
    share = _SHARE.search(line)
    elsewhere = share is None and _ELSEWHERE.search(line) is not None
    host = share is None and not elsewhere and _HOST.search(line) is not None
    if share is None and not elsewhere and not host:
        return None
    prefix = tracebacks.prefix(line)
    said = Message(line[len(prefix) :].strip()[:500], frames=tracebacks.of(prefix), elsewhere=elsewhere, host=host)
    if share is None:
        return said
    free, total, tried = (_bytes(f"{one} GiB") for one in share.groups())
    return evolve(said, tried=tried, total=total, free=free, engine=True)


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
    before, tried, after = text.partition(_AGAIN)
    text = f"{before}{tried}{after.partition(_AGAIN)[0]}"  # the message of another rank may follow
    found = {name: size for name, patterns in _PARTS.items() if (size := _size(text, patterns)) is not None}
    allocated, reserved = found.get("allocated"), found.get("reserved")
    for more in ("unallocated", "cached"):  # to 1.3 what is cached is what is reserved and unused
        if reserved is None and allocated is not None and more in found:
            reserved = Size(allocated.bytes + found[more].bytes, allocated.within + found[more].within)
    own, others = _shared(text, found, allocated, reserved)
    gpu = _GPU.search(text)
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
        gpu=None if gpu is None else int(gpu[1]),
        setting=_setting(text),
    )


def _setting(text: str) -> str:
    """The variable as the message names it, else that of the kind of card."""
    named = _SETTING.search(text)
    if named is not None:
        return named[0]
    kind = _KIND.search(text)
    return f"PYTORCH_{'CUDA' if kind is None else kind[1]}_ALLOC_CONF"


def _shared(
    text: str, found: Mapping[str, Size], allocated: Size | None, reserved: Size | None
) -> tuple[Size | None, int]:
    """What the process has of the card, and what others have."""
    named = [size for one in _PROCESS.findall(text) if (size := _bytes(one)).bytes < _NOT_SAID]
    own = found.get("own")
    if own is not None:
        return (own if own.bytes < _NOT_SAID else None), sum(one.bytes for one in named)
    total, free = found.get("total"), found.get("free")
    used = None if total is None or free is None else total.bytes - free.bytes
    own = _own(named, reserved or allocated, used)
    if own is None:
        return None, sum(one.bytes for one in named)
    named.remove(own)
    others = sum(one.bytes for one in named)
    beside = 0 if reserved is None else own.bytes - reserved.bytes
    # Some sandboxes name one process for all that is used.
    return own, others + (beside if beside > _MOST_BESIDE else 0)


def _own(named: Sequence[Size], held: Size | None, used: int | None) -> Size | None:
    """Which of the named processes is the one that failed: the least that has what its allocator holds.

    PyTorch compares the driver's process numbers with its own. They differ in a container, where it calls its own
    process by a number like any other. Source: pytorch/pytorch 2.13, c10/cuda/CUDACachingAllocator.cpp,
    reportProcessMemoryInfo.

    Args:
        named: What each has of the card.
        held: What the allocator of the one that failed holds, where the message says it.
        used: Of the card by all, in bytes.

    Returns:
        None where it is not among them.
    """
    if held is None:
        return max(named, key=lambda one: one.bytes, default=None)  # the others have at least the rest
    if used is not None and used - sum(one.bytes for one in named) >= held.bytes + _LEAST_CONTEXT:
        return None  # there is room for it beside all that are named
    enough = [one for one in named if one.bytes + one.within + held.within >= held.bytes]
    return min(enough, key=lambda one: one.bytes, default=None)


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
