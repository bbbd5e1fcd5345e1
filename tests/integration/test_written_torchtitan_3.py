"""The training script that is written for torchtitan 0.3 trains on CPU from `compile`'s output alone, and goes on from
its last checkpoint.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.integration.plans import quantity, written
from tests.integration.test_torchtitan_3 import PYTHON, newer
from tests.integration.test_written import lines
from tests.integration.test_written_torchtitan import PLAN, as_planned, rates, told
from tests.integration.watching import watched

pytestmark = [
    pytest.mark.integration,
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON.exists(), reason="torchtitan 0.3 is not installed: .ci/run does it"),
]

LAYOUTS = {
    "llama": (2, "zero_stage = 3", "", "upcast"),
    "chunked": (2, "zero_stage = 3", "", "chunked"),
    "qwen": (2, "zero_stage = 2", ", qk_norm = per_head", "upcast"),
    "groups": (4, "zero_stage = 3, replicas = 2", "", "upcast"),
    "tensor": (4, "zero_stage = 3, tensor = 2", "", "upcast"),
    "stages": (4, "zero_stage = 2, pipeline = 2", "", "upcast"),
}


def compiled(layout: str, place: Path, *settings: str) -> Path:
    gpus, parallelism, model, loss = LAYOUTS[layout]
    text = newer(PLAN.format(gpus=gpus, layout=parallelism, model=model, kernels="eager", loss=loss))
    return written(text, *settings)(place)


def logged(folder: Path, **more: str) -> list[dict[str, Any]]:
    return lines(folder, PATH=f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}", **more)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_trains_as_planned_and_resumes(layout: str, tmp_path: Path) -> None:
    folder = compiled(layout, tmp_path, "training.checkpoint_interval=3*step_time")
    interval = int(quantity(folder, "checkpoint_interval_steps"))
    noted = watched(tmp_path / "watched") if layout in ("llama", "qwen") else {}
    whole = logged(folder, **noted)
    if noted:
        as_planned(folder, tmp_path / "watched", attentions=2)
    assert [seen["step"] for seen in whole] == list(range(1, 13))
    assert [seen["rate"] for seen in whole] == pytest.approx(rates()[:12])
    assert whole[-1]["loss"] < whole[0]["loss"] - 1
    assert all(seen["seconds"] > 0 for seen in whole[1:])
    saved = sorted(int(one.name.removeprefix("step-")) for one in (folder / "outputs" / "checkpoint").iterdir())
    assert 1 < interval < 12 and saved == sorted({*range(interval, 13, interval), 12})
    shutil.rmtree(folder / "outputs" / "checkpoint" / "step-12")
    again = told(logged(folder))
    assert again == [(step, pytest.approx(loss), rate) for step, loss, rate in told(whole)[saved[-2] :]]


def test_reads_the_data_that_is_named(tmp_path: Path) -> None:
    """One token over and over, which is learnt to the end; what is made up has a loss of at least ln 8."""
    command = [str(PYTHON), "-c", "import numpy, sys; numpy.save(sys.argv[1], numpy.full(600, 5, 'uint16'))"]
    subprocess.run([*command, str(tmp_path / "the tokens.npy")], check=True)
    folder = compiled("llama", tmp_path, f'dataset.path="{tmp_path}/the tokens.npy"')
    assert logged(folder)[-1]["loss"] < 0.5
    assert logged(folder) == []  # nothing is left to do


def test_stops_at_another_model(tmp_path: Path) -> None:
    folder = compiled("llama", tmp_path)
    flavor = folder / "torchtitan_model.py"
    flavor.write_text(flavor.read_text().replace("hidden_dim=64", "hidden_dim=128"))
    with pytest.raises(AssertionError, match="parameters, the plan 24736"):
        logged(folder)
