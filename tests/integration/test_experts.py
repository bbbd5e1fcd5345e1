"""DeepSpeed splits the experts of a tiny model as the emitted configuration says, and it learns what the whole model
learns.

What is refused because the software fails at it, or trains something else, is seen to fail: where it no longer does,
the requirement can go.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.integration.plans import quantity, split_experts
from tests.integration.real import PROGRAMS, needs
from tests.integration.test_training import launch

pytestmark = [pytest.mark.integration, pytest.mark.slow]


def trained(
    place: Path, stage: int, gpus: int, targets: str, type: str = "deepseek_v3", more: str = ""
) -> tuple[Path, int, str]:
    """The folder of a plan's files, and how the run that they start ended."""
    folder = split_experts(stage, gpus, targets, type, more)(place)
    (place / "reports").mkdir()
    code, said = launch(
        ["bash", str(folder / "launch.sh"), str(PROGRAMS / "train_experts.py"), str(place / "reports"), type]
    )
    return folder, code, said


def reports(place: Path, gpus: int) -> list[dict[str, Any]]:
    return [json.loads((place / "reports" / f"rank-{rank}.json").read_text()) for rank in range(gpus)]


@pytest.mark.parametrize(
    ("stage", "gpus", "targets"),
    [(1, 2, "deepspeed"), (3, 2, "deepspeed, accelerate"), (2, 4, "deepspeed, accelerate")],
)
def test_experts_on_several_ranks_learn_what_they_learn_on_one(
    stage: int, gpus: int, targets: str, tmp_path: Path
) -> None:
    needs("torch", "transformers", "accelerate", "deepspeed")
    folder, code, said = trained(tmp_path, stage, gpus, targets)
    assert code == 0, said[-4000:]
    for seen in reports(tmp_path, gpus):
        assert len(seen["losses"]) == quantity(folder, "steps")
        assert seen["losses"] == pytest.approx(seen["expected"], rel=1e-4)
        assert seen["norms"] == pytest.approx(seen["expected_norms"], rel=1e-3)
        assert seen["losses"][-1] < seen["losses"][0]
        assert max(seen["furthest"].values()) < 1e-3
        assert seen["shapes"] == [[2, 16, 32], [2, 32, 16], [2, 16, 32]]
        # What is planned to be kept, but for the scores that balance experts, which transformers has as a buffer, and
        # padding.
        held = seen["held"]
        assert held["experts"] == 4 * 3 * 32 * 16 / 2
        assert 4 * (held["shared"] + held["experts"]) == pytest.approx(quantity(folder, "memory.weights"), rel=0.01)
        assert 2 * 4 * held["state"] == pytest.approx(quantity(folder, "memory.optimizer"), rel=0.01)


def test_routers_of_qwen_stop_it(tmp_path: Path) -> None:
    """So do Mixtral's: those of DeepSeek are recorded otherwise."""
    needs("torch", "transformers", "deepspeed")
    _, code, said = trained(tmp_path, 1, 2, "deepspeed", "qwen3_moe", "waive deepspeed_expert_router\n")
    assert code != 0 and "_CanRecordRegistry.get() takes 2 positional arguments but 3 were given" in said


def test_without_zero_gradients_are_clipped_by_a_mean_of_norms(tmp_path: Path) -> None:
    """In fp32 each rank has the norm of its own experts and of shared weights: their mean is less than that of all."""
    needs("torch", "transformers", "deepspeed")
    folder, code, said = trained(tmp_path, 0, 2, "deepspeed", more="waive deepspeed_expert_clipping\n")
    assert code == 0, said[-4000:]
    steps = zip(*(seen["squares"] for seen in reports(tmp_path, 2)), strict=True)
    norms = [(first["shared"] + first["experts"] + second["experts"]) ** 0.5 for first, second in steps]
    assert max(norms) > 1.01 * float(quantity(folder, "training.gradient_clipping")), norms
