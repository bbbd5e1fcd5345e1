"""Two processes on CPU train a tiny Llama from emitted files, by `launch.sh` as it is.

A world that fell apart into unconnected copies also trains, so each rank's view is compared: the
size of the world, different data, the same parameters at the end.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.integration.plans import float8, shared, tiny
from tests.integration.real import PROGRAMS, environment, free_port, needs
from tests.integration.watching import agrees, planned, watched

pytestmark = [pytest.mark.integration, pytest.mark.slow]

RUNS = [
    *((stage, "deepspeed", ("deepspeed", "accelerate"), "DEEPSPEED") for stage in range(4)),
    (2, "deepspeed", ("deepspeed",), "engine"),
    (0, "ddp", ("accelerate",), "MULTI_CPU"),
    (2, "fsdp", ("accelerate",), "FSDP"),
    (3, "fsdp", ("accelerate",), "FSDP"),
]


@pytest.mark.parametrize(("stage", "framework", "targets", "kind"), RUNS)
def test_trains(stage: int, framework: str, targets: tuple[str, ...], kind: str, tmp_path: Path) -> None:
    needs("torch", "transformers", "accelerate", "deepspeed")
    folder = tiny(stage, framework, *targets)(tmp_path)
    reports = tmp_path / "reports"
    reports.mkdir()
    command = ["bash", str(folder / "launch.sh"), str(PROGRAMS / "train.py"), str(reports)]
    code, said = launch(command, **watched(tmp_path / "watched"))
    assert code == 0, said[-4000:]
    agrees(folder, tmp_path / "watched")
    ranks = [json.loads((reports / f"rank-{rank}.json").read_text()) for rank in range(2)]
    for seen in ranks:
        assert (seen["kind"], seen["world"], seen["accumulation"]) == (kind, 2, 2)
        assert seen["batch"] == [2, 16]
        assert seen["changed"]
        assert falls(seen["losses"])
        if framework == "deepspeed":
            assert (seen["stage"], seen["dtype"]) == (stage, "torch.bfloat16")
    assert ranks[0]["parameters"] == ranks[1]["parameters"]
    assert ranks[0]["data"] != ranks[1]["data"]


@pytest.mark.parametrize(("stage", "framework", "kind"), [(3, "fsdp", "FSDP"), (0, "ddp", "MULTI_CPU")])
def test_trains_in_8_bits(stage: int, framework: str, kind: str, tmp_path: Path) -> None:
    """All seven products of both layers but the very first, and not the head, by torchao."""
    needs("torch", "transformers", "accelerate", "torchao")
    folder = float8(stage, framework)(tmp_path)
    reports = tmp_path / "reports"
    reports.mkdir()
    code, said = launch(["bash", str(folder / "launch.sh"), str(PROGRAMS / "train.py"), str(reports)])
    assert code == 0, said[-4000:]
    ranks = [json.loads((reports / f"rank-{rank}.json").read_text()) for rank in range(2)]
    for seen in ranks:
        assert (seen["kind"], seen["in_8_bits"]) == (kind, 2 * 7 - 1)
        assert falls(seen["losses"])
    assert ranks[0]["parameters"] == ranks[1]["parameters"]


def test_ranks_share_a_sequence(tmp_path: Path) -> None:
    """Each of them has a piece of the front and one of the back, the next tokens beside it, and half of the weights."""
    needs("torch", "transformers", "accelerate")
    folder = shared(3)(tmp_path)
    reports = tmp_path / "reports"
    reports.mkdir()
    code, said = launch(["bash", str(folder / "launch.sh"), str(PROGRAMS / "share_sequences.py"), str(reports)])
    assert code == 0, said[-4000:]
    for rank, pieces in enumerate(([*range(4), *range(12, 16)], [*range(4, 12)])):
        seen = json.loads((reports / f"rank-{rank}.json").read_text())
        assert (seen["kind"], seen["mesh"], seen["sharded_over"]) == ("FSDP", {"cp": 2}, 2)
        assert (seen["ring"], seen["balanced"]) == ("ALL_TO_ALL", True)
        assert seen["positions"] == [pieces] * 2
        assert seen["next"] == [[at + 1 if at < 15 else -100 for at in pieces]] * 2


FOUR = ("hardware.gpus=4", "hardware.gpus_per_node=4")
OTHERWISE: dict[str, tuple[int, str, tuple[str, ...], tuple[str, ...]]] = {
    "hybrid": (3, "fsdp", ("accelerate",), (*FOUR, "parallelism.replicas=2", "training.global_batch=16 sequences")),
    "flat_2": (2, "fsdp", ("accelerate",), ("accelerate.fsdp_version=1",)),
    "flat_3": (3, "fsdp", ("accelerate",), ("accelerate.fsdp_version=1",)),
    "tensor": (1, "deepspeed", ("deepspeed",), (*FOUR, "parallelism.tensor=2")),
    "tensor_by_accelerate": (1, "deepspeed", ("deepspeed", "accelerate"), (*FOUR, "parallelism.tensor=2")),
    "fp16": (2, "deepspeed", ("deepspeed",), ("training.precision=fp16",)),
    "sums_in_fp32": (3, "deepspeed", ("deepspeed",), ("training.reduce_dtype=fp32", "training.recompute=none")),
    "some_layers": (0, "ddp", ("accelerate",), ("training.precision=fp32", "training.recompute_layers=1")),
}


def test_groups_gather_from_their_copy(tmp_path: Path) -> None:
    """DeepSpeed gathers over all ranks once a step, and then within each group: no other pass leaves it."""
    needs("torch", "transformers", "deepspeed")
    released = (
        "deepspeed.stage3_param_persistence_threshold=0",
        "deepspeed.stage3_max_reuse_distance=0",
        "deepspeed.stage3_max_live_parameters=0",
    )
    folder = tiny(
        3,
        "deepspeed",
        "deepspeed",
        settings=(
            *FOUR,
            "parallelism.replicas=2",
            "training.recompute=none",
            "training.global_batch=16 sequences",
            *released,
        ),
    )(tmp_path)
    (tmp_path / "reports").mkdir()
    command = ["bash", str(folder / "launch.sh"), str(PROGRAMS / "train.py"), str(tmp_path / "reports")]
    code, said = launch(command, **watched(tmp_path / "watched"))
    assert code == 0, said[-4000:]
    agrees(folder, tmp_path / "watched")
    assert falls(json.loads((tmp_path / "reports" / "rank-0.json").read_text())["losses"])
    plan = planned(folder)
    weights = plan["model.params_total"]
    for rank in range(4):
        seen = json.loads((tmp_path / "watched" / f"rank-{rank}.json").read_text())["gathered"]
        # Before the first step and after the last one the program looks at all weights.
        assert seen["0,1,2,3"] == (plan["steps"] + 1) * weights
        assert (
            seen[f"{rank // 2 * 2},{rank // 2 * 2 + 1}"] == ((plan["step.gathers"] - 1) * plan["steps"] + 1) * weights
        )


@pytest.mark.parametrize("name", OTHERWISE)
def test_trains_as_planned_otherwise(name: str, tmp_path: Path) -> None:
    needs("torch", "transformers", "accelerate", "deepspeed")
    stage, framework, targets, settings = OTHERWISE[name]
    folder = tiny(stage, framework, *targets, settings=settings)(tmp_path)
    (tmp_path / "reports").mkdir()
    command = ["bash", str(folder / "launch.sh"), str(PROGRAMS / "train.py"), str(tmp_path / "reports")]
    code, said = launch(command, **watched(tmp_path / "watched"))
    assert code == 0, said[-4000:]
    agrees(folder, tmp_path / "watched")
    assert falls(json.loads((tmp_path / "reports" / "rank-0.json").read_text())["losses"])


def launch(command: list[str], **more: str) -> tuple[int, str]:
    """Exit code and errors of a training run.

    A run takes ten seconds. On a loaded machine two gloo processes now and then wait for each other
    for good before the first step, so one that hangs is ended, all its processes, and tried once more.
    """
    for left in (1, 0):
        run = subprocess.Popen(
            command,
            env=environment(MASTER_PORT=free_port(), **more),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            _, said = run.communicate(timeout=300)
            return run.returncode, said
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.communicate()
            if not left:
                raise
    raise AssertionError


def falls(losses: list[Any]) -> bool:
    quarter = len(losses) // 4
    return bool(sum(losses[-quarter:]) < sum(losses[:quarter]))
