"""Two processes on CPU train by the Lightning of trainer.yaml, and go on from where a run has ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.plans import quantity, tiny
from tests.integration.real import PROGRAMS, needs
from tests.integration.test_training import launch

pytestmark = [pytest.mark.integration, pytest.mark.slow]


@pytest.mark.parametrize(
    ("stage", "framework", "strategy", "precision", "held"),
    [(0, "ddp", "DDPStrategy", "bf16-mixed", 1), (3, "fsdp", "ModelParallelStrategy", "32-true", 0.5)],
)
def test_lightning_trains(
    stage: int, framework: str, strategy: str, precision: str, held: float, tmp_path: Path
) -> None:
    needs("torch", "pytorch_lightning", "jsonargparse")
    output = tmp_path / "outputs"
    settings = (f'lightning.output="{output}"', "training.checkpoint_interval=1 ms")
    folder = tiny(stage, framework, "lightning", settings=settings)(tmp_path)
    steps, accumulated = quantity(folder, "steps"), quantity(folder, "grad_accum")
    script = str(PROGRAMS / "train_by_lightning.py")
    command = ["bash", str(folder / "launch.sh"), script, "--trainer.accelerator", "cpu"]
    for begin, end in ((0, steps), (steps, steps + 2)):
        code, said = launch([*command, "--trainer.max_steps", str(end)] if begin else command, REPORTS=str(tmp_path))
        assert code == 0, said[-4000:]
        for rank in range(2):
            seen = json.loads((tmp_path / f"rank-{rank}.json").read_text())
            assert (seen["world"], seen["strategy"], seen["precision"]) == (2, strategy, precision)
            assert (seen["started"], seen["ended"], seen["batches"]) == (begin, end, (end - begin) * accumulated)
            assert (seen["clipping"], seen["weights"], seen["held"]) == (0.1, "torch.float32", held)
    assert (output / "checkpoints" / "last.ckpt").exists()
