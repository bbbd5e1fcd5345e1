"""Collectives by message size under `torchrun`: latency and bandwidth of each, fitted apart; copies between two GPUs.

Input: the module torch, and the ranks that `torchrun` sets in the environment. Output: by collective its latency, its
bandwidth as a ring sees it, and the times by size; by pair of GPUs the bandwidth of a copy.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from typing import Any

from attrs import frozen

from llmplan.bench.card import wall
from llmplan.bench.figure import Figure, line, timed

SIZES = tuple(2**power for power in range(16, 31, 2))
"""Bytes of a message, of all ranks."""

PAIR = 2**28
"""Bytes that are copied between two GPUs."""

COMMAND = "torchrun --nproc-per-node=gpu -m llmplan bench --links -o links.plan"


@frozen
class Ranks:
    """The ranks of a run under `torchrun`."""

    rank: int
    world: int
    local: int
    here: int

    @property
    def one_node(self) -> bool:
        return self.here == self.world


@frozen
class Link:
    """A collective: seconds of latency, bytes a second that each rank sends at best.

    Attributes:
        times: By bytes of the message.
    """

    name: str
    latency: float
    bandwidth: float
    times: tuple[tuple[int, Figure], ...]

    @property
    def spread(self) -> float:
        """The widest of all sizes."""
        return max((figure.spread for _, figure in self.times), default=0.0)


@frozen
class Measured:
    """Under `torchrun`: collectives, and the bytes of the card that the first of them holds."""

    links: tuple[Link, ...]
    held: float


def ranks() -> Ranks | None:
    """The ranks that `torchrun` has set; None without it."""
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
    texts = [os.environ.get(name, "") for name in names]
    if not all(text.isdigit() for text in texts):
        return None
    found = Ranks(*map(int, texts))
    return found if found.world > 1 else None


def collectives(torch: Any, group: Ranks, backend: str = "nccl") -> Measured:
    """Measures all-reduce, all-gather and all-to-all over all ranks; every rank takes part."""
    distributed = torch.distributed
    torch.cuda.set_device(group.local)
    distributed.init_process_group(backend)
    try:
        number = torch.empty(1, device="cuda", dtype=torch.float32)
        before = torch.cuda.mem_get_info()[0]
        distributed.all_reduce(number)
        torch.cuda.synchronize()
        held = max(0.0, float(before - torch.cuda.mem_get_info()[0]))

        def widest(spread: float) -> float:
            number.fill_(spread)
            distributed.all_reduce(number, op=distributed.ReduceOp.MAX)
            return float(number.item())

        kinds = ("all-reduce", "all-gather", "all-to-all")
        return Measured(tuple(_measured(torch, name, group.world, widest) for name in kinds), held)
    finally:
        distributed.destroy_process_group()


def _measured(torch: Any, name: str, world: int, widest: Callable[[float], float]) -> Link:
    # What a rank of a ring sends: twice of an all-reduce, once of the others.
    share = (2 if name == "all-reduce" else 1) * (world - 1) / world
    times = tuple((size, timed(_collective(torch, name, size, world), wall(torch), widest)) for size in SIZES)
    latency, bandwidth = line([(share * size, figure.value) for size, figure in times])
    return Link(name, latency, bandwidth, times)


def pairs(torch: Any) -> dict[tuple[int, int], Figure]:
    """Bytes a second of a copy from one GPU of the machine to another, by the numbers of both."""
    both = itertools.combinations(range(torch.cuda.device_count()), 2)
    return {(one, other): _copied(torch, one, other) for one, other in both}


def _copied(torch: Any, one: int, other: int) -> Figure:
    here, there = (torch.empty(PAIR, device=f"cuda:{number}", dtype=torch.uint8) for number in (one, other))

    def seconds(run: Callable[[], None]) -> float:
        for number in (one, other):
            torch.cuda.synchronize(number)
        began = time.perf_counter()
        run()
        for number in (one, other):
            torch.cuda.synchronize(number)
        return time.perf_counter() - began

    return timed(lambda: there.copy_(here), seconds).over(float(PAIR))


def _collective(torch: Any, name: str, size: int, world: int) -> Callable[[], None]:
    numbers = max(world, size // 2 // world * world)
    whole = torch.empty(numbers, device="cuda", dtype=torch.bfloat16)
    distributed = torch.distributed
    if name == "all-reduce":
        return lambda: distributed.all_reduce(whole)
    if name == "all-gather":
        part = torch.empty(numbers // world, device="cuda", dtype=torch.bfloat16)
        return lambda: distributed.all_gather_into_tensor(whole, part)
    other = torch.empty_like(whole)
    return lambda: distributed.all_to_all_single(other, whole)
