"""Collectives by message size under `torchrun`: latency and bandwidth of each, fitted apart.

Input: the module torch, and the ranks that `torchrun` sets in the environment. Output: by collective its latency, its
bandwidth as a ring sees it, and the points.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from attrs import frozen

from llmplan.bench.card import wall
from llmplan.bench.figure import line, timed

SIZES = tuple(2**power for power in range(16, 31, 2))
"""Bytes of a message, of all ranks."""

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
    """A collective: seconds of latency, bytes a second that each rank sends at best."""

    name: str
    latency: float
    bandwidth: float
    points: tuple[tuple[float, float], ...]


def ranks() -> Ranks | None:
    """The ranks that `torchrun` has set; None without it."""
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
    texts = [os.environ.get(name, "") for name in names]
    if not all(text.isdigit() for text in texts):
        return None
    found = Ranks(*map(int, texts))
    return found if found.world > 1 else None


def collectives(torch: Any, group: Ranks, backend: str = "nccl") -> list[Link]:
    """Measures all-reduce, all-gather and all-to-all over all ranks; every rank takes part."""
    distributed = torch.distributed
    torch.cuda.set_device(group.local)
    distributed.init_process_group(backend)
    try:
        return [_measured(torch, name, group.world) for name in ("all-reduce", "all-gather", "all-to-all")]
    finally:
        distributed.destroy_process_group()


def _measured(torch: Any, name: str, world: int) -> Link:
    points = []
    for size in SIZES:
        run = _collective(torch, name, size, world)
        # What a rank of a ring sends: twice of an all-reduce, once of the others.
        sent = (2 if name == "all-reduce" else 1) * (world - 1) / world * size
        points.append((sent, timed(run, wall(torch)).value))
    latency, bandwidth = line(points)
    return Link(name, latency, bandwidth, tuple(points))


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
