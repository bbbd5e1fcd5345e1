"""A run watched from inside does what its plan says: in which format gradients are summed, what is computed twice, and
how far gradients are clipped.

A framework may read a key and do something else; this is seen where no framework can differ, in the dispatcher of
PyTorch.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.integration.real import PROGRAMS

SHOWN = "".join(
    f"show {name}\n"
    for name in (
        "step.gathers", "step.data_rounds", "memory.sharing_ranks", "memory.layer_params", "parallelism.second_copy",
    )
)  # fmt: skip
"""What a plan shows so that its run can be compared: `solution.json` has no other quantity that no file reads."""

FORMATS = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}


def watched(place: Path) -> dict[str, str]:
    """Variables with which each process of a run notes in a new folder what it does."""
    place.mkdir()
    return {
        "WATCHED": str(place),
        "PYTHONPATH": os.pathsep.join([str(PROGRAMS / "watched"), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
    }


def planned(folder: Path) -> dict[str, Any]:
    """The quantities that `solution.json` has, and what the plan shows."""
    document = json.loads((folder / "solution.json").read_text(encoding="utf-8"))
    values = {name: value["value"] for name, value in document["quantities"].items()}
    return values | {shown["expression"]: shown["value"] for shown in document["shown"]}


def agrees(folder: Path, place: Path) -> None:
    """What all processes of a run have noted is what `solution.json` of its folder says."""
    plan = planned(folder)
    ranks = [json.loads((place / f"rank-{rank}.json").read_text()) for rank in range(plan["hardware.gpus"])]
    for rank, seen in enumerate(ranks):
        summed(plan, rank, seen["reduced"])
        fed(plan, seen["batches"])
        computed(plan, seen["calls"])
        if plan["parallelism.framework"] == "fsdp":
            gathered(plan, seen["gathered"])
    clipped(plan, ranks)


def summed(plan: dict[str, Any], rank: int, reduced: dict[str, dict[str, int]]) -> None:
    """Gradients travel in the planned format, all of them, at every step. Ranks that share matrices also sum
    activations.
    """
    tensor = plan["parallelism.tensor"]
    sharing = [rank // tensor * tensor + other for other in range(tensor)]
    of_gradients = {group: formats for group, formats in reduced.items() if group != ",".join(map(str, sharing))}
    assert {format for formats in of_gradients.values() for format in formats} == {
        FORMATS[plan["parallelism.communication_dtype"]]
    }, reduced
    assert plan["training.reduce_dtype"] == plan["parallelism.communication_dtype"]
    trained = plan["adapter.params"] if plan["adapter.method"] != "none" else plan["model.params_total"] / tensor
    # What is split is summed after each micro-batch: until then every rank has all of it.
    rounds = plan["steps"] * (plan["step.data_rounds"] if plan["parallelism.zero_stage"] >= 2 else 1)
    assert max(sum(formats.values()) for formats in of_gradients.values()) >= trained * rounds
    sizes = {len(group.split(",")) for group in of_gradients}
    replicas = 1 if plan["parallelism.second_copy"] else plan["parallelism.replicas"]
    assert sizes == ({replicas, plan["data_parallel"] // replicas} if replicas > 1 else {plan["data_parallel"]}), (
        reduced
    )
    if replicas > 1:
        between_replicas(plan, rank, of_gradients, trained * rounds)


def between_replicas(plan: dict[str, Any], rank: int, reduced: dict[str, dict[str, int]], numbers: float) -> None:
    """Groups of hybrid sharding sum gradients with each other as often as within: each rank those of its part.

    A group is a run of neighbours; the ranks at the same place in each of them sum their parts.
    """
    shards = plan["data_parallel"] // plan["parallelism.replicas"]
    within = [rank // shards * shards + place for place in range(shards)]
    between = list(range(rank % shards, plan["data_parallel"], shards))
    times = {
        ranks: sum(reduced[",".join(map(str, ranks))].values()) * parts / numbers
        for ranks, parts in ((tuple(within), 1), (tuple(between), shards))
    }
    assert all(1 <= often < 1.01 for often in times.values()), (times, reduced)  # parts may be filled up to one size


def gathered(plan: dict[str, Any], seen: dict[str, int]) -> None:
    """FSDP gathers the layers as often as planned. What is outside of them may stay for the backward pass."""
    times = plan["steps"] * plan["step.gathers"]
    ((group, numbers),) = seen.items()
    assert len(group.split(",")) == plan["memory.sharing_ranks"]
    assert (
        times * plan["model.layers"] * plan["memory.layer_params"] <= numbers <= times * plan["model.params_total"]
    ), seen


def fed(plan: dict[str, Any], batches: dict[str, int]) -> None:
    """A rank gets all of its micro-batches, and with the others as many tokens as a step has."""
    length = plan["dataset.sequence_length"] // plan["parallelism.context"]
    assert batches == {f"{plan['training.micro_batch']}x{length}": plan["steps"] * plan["grad_accum"]}, batches
    a_rank = plan["grad_accum"] * plan["training.micro_batch"] * plan["dataset.sequence_length"]
    assert a_rank * plan["data_parallel"] == plan["global_batch_tokens"]


def computed(plan: dict[str, Any], calls: list[int]) -> None:
    """So many layers as planned are computed twice for each micro-batch, the others once."""
    batches = plan["steps"] * plan["grad_accum"]
    twice = {"none": 0, "full": plan["training.recompute_layers"]}[plan["training.recompute"]]
    assert sorted(calls) == [batches] * (plan["model.layers"] - twice) + [2 * batches] * twice, calls


def clipped(plan: dict[str, Any], ranks: list[dict[str, Any]]) -> None:
    """Where gradients are larger than they may be, and at first they are, a step is taken with such as are as large as
    they may be.

    Each of the ranks that share matrices has the gradients of its part, and those of what is not split.
    """
    tensor = plan["parallelism.tensor"]
    holding = plan["memory.sharing_ranks"] if plan["parallelism.zero_stage"] else 1
    parts = [norms([seen["squares"] for seen in ranks[at : holding * tensor : tensor]]) for at in range(tensor)]
    whole = norms([seen["squares"] for seen in ranks[: holding * tensor]])
    assert len(whole) == plan["steps"]
    largest = plan["training.gradient_clipping"]
    assert max(map(max, parts)) <= largest * 1.02 and largest <= max(whole) * 1.02, (parts, whole)


def norms(squares: list[list[float]]) -> list[float]:
    """Of each step the norm over some ranks; DeepSpeed makes its states by a step without gradients, which is none."""
    return [sum(of_step) ** 0.5 for of_step in zip(*squares, strict=True) if any(of_step)]
