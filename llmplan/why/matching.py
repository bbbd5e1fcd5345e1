"""Which allocation failed: those whose size, as PyTorch rounds it, is what was tried, or that the traceback shows.

A size counts only where all that it rests on is said: the batch and the length where it is of tokens, the number of
GPUs where it is a share. What is tried then proves nothing of the model where it is one of the allocator's own pieces.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from attrs import frozen

from llmplan.why.allocations import Allocation, allocations
from llmplan.why.message import Message, Size

_MIB = 2**20
_BLOCKS = (2 * _MIB, 20 * _MIB)
"""What the allocator takes from the card for small requests, whatever their size."""

_TOKENS = frozenset({"local_tokens", "training.micro_batch", "dataset.sequence_length"})
_RANKS = frozenset({"memory.group_ranks"})
_BATCH = frozenset({"training.micro_batch"})
_LENGTH = frozenset({"dataset.sequence_length"})
_GPUS = frozenset({"hardware.gpus"})
_MOST_SAMPLES = 512
_LEAST_SAMPLE = 100 * _MIB
_STATES = "memory.optimizer"
_MOST_STATES = 7
"""Pieces as large as one state: three states, two of weights and gradients, two temporaries of the update."""
_PIECES = 0.02
"""Of what the allocator holds: less than this is unused by rounding alone, and would not have carried the run far."""
_RESIDENT = (
    "memory.weights",
    "memory.optimizer",
    "memory.gradients",
    "memory.activations",
    "memory.logits",
    "memory.temporary",
    "memory.buffers",
    "memory.context",
)

Proof = Literal["size", "frame", "size and frame"]
Cause = Literal[
    "another",
    "unlike",
    "too large",
    "fragmented",
    "still fragmented",
    "limited",
    "others",
    "elsewhere",
    "host",
    "engine",
    "block",
]
_ALIKE = 0.08
"""Of the capacity of one card as PyTorch and a data sheet have it."""

_MORE = 1.2
"""How much more than the whole plan live tensors hold where it is another run's: beyond the band of memory."""


@frozen
class Match:
    """An allocation that may be the one that failed.

    Attributes:
        size: What it takes in this plan, None where the plan does not say enough.
        unlike: Whether it has a size in this plan, which is not what was tried.
        samples: Of an allocation by tokens the micro-batch that explains what was tried, where the plan has none.
    """

    allocation: Allocation
    size: float | None
    proof: Proof
    samples: int | None = None
    unlike: bool = False


@frozen
class Diagnosis:
    """What a message says of a plan.

    Attributes:
        told: Whether an allocation is proved.
        causes: What comes before any term: a card or a run that is not the plan's, a plan that no card of its kind
            holds, fragmentation, a limit, other processes, another allocator, the host, a block of the allocator's own.
        planned: The capacity of the plan's card, None without a plan.
        needed: What the plan needs of it at its fullest moment, None where that is not known.
        matches: In order, the likeliest first.
        pieces: How often what was tried fits into what was allocated, where it is a whole number.
        resident: The terms of memory in the plan, the largest first.
    """

    message: Message
    told: bool
    causes: tuple[Cause, ...]
    matches: tuple[Match, ...]
    pieces: int | None
    resident: tuple[tuple[str, float], ...]
    planned: float | None = None
    needed: float | None = None


def diagnose(message: Message, values: Mapping[str, float], given: Collection[str], grows: bool = False) -> Diagnosis:
    """Compares a message with a plan.

    Args:
        values: Numbers of the plan in base units, by name.
        given: The inputs that the plan says itself.
        grows: Whether the run's allocator can grow its pieces.
    """
    planned, needed = values.get("gpu.memory"), values.get("memory.total")
    causes = _causes(message)
    if needed and message.allocated is not None and message.allocated.bytes > _MORE * needed:
        causes = ("unlike", *causes)
    if "fragmented" in causes and needed and planned and needed > planned:  # no setting of the allocator would do
        causes = tuple("too large" if one == "fragmented" else one for one in causes)
    if grows:
        causes = tuple("still fragmented" if one == "fragmented" else one for one in causes)
    if planned and message.total is not None and abs(message.total.bytes / planned - 1) > _ALIKE:
        causes = ("another", *causes)
    matches = (
        ()
        if message.elsewhere or message.host or message.engine
        else tuple(_matches(message, values, frozenset(given)))
    )
    resident = sorted(((name, values[name]) for name in _RESIDENT if values.get(name)), key=lambda one: -one[1])
    return Diagnosis(
        message, bool(matches), causes, matches, _pieces(message, matches), tuple(resident), planned, needed
    )


def _causes(message: Message) -> tuple[Cause, ...]:
    found: list[Cause] = []
    tried, free, unused = message.tried, message.free, 0
    if message.elsewhere:
        found.append("elsewhere")
    if message.host:
        found.append("host")
    if message.engine:
        found.append("engine")
    elif tried is not None and free is not None and tried.bytes < free.bytes - free.within - _MIB:
        found.append("limited")
    if tried is not None and message.reserved is not None and message.allocated is not None:
        unused = message.reserved.bytes - message.allocated.bytes
        enough = tried.bytes <= unused - message.reserved.within
        if enough and unused >= _PIECES * message.reserved.bytes:
            found.append("fragmented")
    if message.others > 512 * _MIB:
        # What decides comes first: another process that holds more than is lost in pieces.
        place = found.index("fragmented") if "fragmented" in found and message.others > unused else len(found)
        found.insert(place, "others")
    if tried is not None and tried.bytes in _BLOCKS:
        found.append("block")
    return tuple(found)


def _matches(message: Message, values: Mapping[str, float], given: frozenset[str]) -> list[Match]:
    trace = "\n".join(message.frames)
    ranked: list[tuple[int, Match]] = []
    for one in allocations():
        frame = any(word in trace for word in one.frames) or any(word in message.text for word in one.frames)
        size = values.get(one.name)
        known = size is not None and _rests_on(one, given)
        samples = None if known or size is None else _samples(one, size, message.tried, values, given)
        fits = known and size is not None and message.tried is not None and _fits(size, message.tried)
        if samples is not None or fits:
            proof: Proof = "size and frame" if frame else "size"
            ranked.append((_BOTH if frame else _SIZE, Match(one, size, proof, samples)))
        elif frame:
            absent = bool(values) and size is None  # its condition does not hold in this plan
            rank = _UNLIKE if known or absent else _FRAME
            ranked.append((rank, Match(one, size if known else None, "frame", unlike=known)))
    # A frame alone says less than a size that fits, but for sizes that the plan cannot know; and a size that fits says
    # nothing where the frames are of another moment.
    moments = {match.allocation.moment for _, match in ranked if "frame" in match.proof}
    placed = [
        (_MISPLACED if rank == _SIZE and moments and match.allocation.moment not in moments else rank, match)
        for rank, match in ranked
    ]
    return [match for _, match in sorted(placed, key=lambda one: one[0])]


_BOTH, _FRAME, _SIZE, _UNLIKE, _MISPLACED = range(5)


def weight(diagnosis: Diagnosis) -> int:
    """How sure a message is explained, to compare several of one log."""
    first = next(iter(diagnosis.matches), None)
    if first is None or first.unlike:
        return 0
    return {"size": 1, "frame": 2, "size and frame": 3}[first.proof]


def _rests_on(one: Allocation, given: frozenset[str]) -> bool:
    """Whether the plan says all that the size depends on."""
    if one.reads & _TOKENS and not (given >= _BATCH and given >= _LENGTH):
        return False
    return not (one.reads & _RANKS and not given >= _GPUS)


def _samples(
    one: Allocation, size: float, tried: Size | None, values: Mapping[str, float], given: frozenset[str]
) -> int | None:
    """The whole micro-batch that makes an allocation by tokens what was tried, where the plan says the length alone."""
    batch = values.get("training.micro_batch")
    if tried is None or not batch or not one.reads & _TOKENS or not given >= _LENGTH or given >= _BATCH:
        return None
    each = size / batch
    if each < _LEAST_SAMPLE:
        return None  # a whole number of small pieces explains almost anything
    count = round(tried.bytes / each)
    return count if 0 < count <= _MOST_SAMPLES and _fits(count * each, tried) else None


def _fits(size: float, tried: Size) -> bool:
    """Whether a request is printed as what was tried: rounded up to the allocator's pieces, then by printing."""
    if tried.bytes in _BLOCKS:
        return False
    piece = 2 * _MIB
    rounded = piece if size <= _MIB else 20 * _MIB if size < 10 * _MIB else -(-size // piece) * piece
    return abs(rounded - tried.bytes) <= tried.within + _MIB


def _pieces(message: Message, matches: Sequence[Match]) -> int | None:
    """How many pieces like the one that was tried the live tensors are, where several of a kind are made one by one.

    Those are a rank's part of the weights in fp32, its moments and its gradient. Of anything else the whole number is
    of chance.
    """
    if message.tried is None or message.allocated is None or message.tried.bytes < 100 * _MIB:
        return None
    first = next(iter(matches), None)
    if first is None or first.unlike or "size" not in first.proof or first.allocation.term != _STATES:
        return None
    whole = round(message.allocated.bytes / message.tried.bytes)
    rest = message.allocated.bytes - whole * message.tried.bytes
    # Other tensors may live beside the pieces; less than all of the pieces cannot.
    printed = whole * message.tried.within + message.allocated.within
    return whole if 1 < whole <= _MOST_STATES and -printed <= rest < 0.02 * message.allocated.bytes else None


def of_terms(matches: Sequence[Match]) -> list[str]:
    """The names of the allocations, without their common beginning."""
    return [match.allocation.name.partition(".")[2] for match in matches]
