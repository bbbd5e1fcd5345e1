"""`llmplan verify`: a cause is offered only where it explains what the log shows; waiting for data is one."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from llmplan.cli import run
from tests.logs import synthetic

PLAN = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "H100-SXM5-80GB", gpus = 8 }
training { precision = bf16, global_batch = 64 sequences, micro_batch = 2, recompute = selective }
parallelism { tensor = 1, pipeline = 1 }
"""
PLANNED, FORWARD, BACKWARD = 1.44, 0.441, 0.884
"""Seconds, roughly."""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_advice: None) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.plan").write_text(PLAN)


def log(seconds: float | list[float], timers: str = "") -> None:
    """One of Megatron-LM, with one line of timers."""
    times = tuple(seconds) if isinstance(seconds, list) else (8.0, *[seconds] * 40)
    made = synthetic.Made(times, batch=64, micro=2, length=2048, gpus=8, tensor=1, pipeline=1)
    lines = synthetic.megatron(made).text.decode().splitlines()
    lines = [f"time (ms) | {timers}" if line.startswith("time (ms)") else line for line in lines]
    Path("run.log").write_text("\n".join(line for line in lines if "[Rank " not in line and line != "time (ms) | "))


def verified(capsys: pytest.CaptureFixture[str], log: str = "run.log") -> tuple[dict[str, Any], str]:
    run(["verify", "train.plan", log, "--json"])
    found = json.loads(capsys.readouterr().out)
    run(["verify", "train.plan", log])
    return found, " ".join(capsys.readouterr().out.split())


def test_each_cause_explains_a_fair_share(capsys: pytest.CaptureFixture[str]) -> None:
    log(2.0)
    found, shown = verified(capsys)
    assert found["suspects"] and all(one["share"] >= 0.25 for one in found["suspects"])
    assert "not told by the log: how long a step waits for its data; what tells: `--timing-log-level 2`" in shown


def test_a_cause_that_leaves_the_part_as_it_is_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    """Forward and backward are slow: no link is, although a slow one would make the step as long."""
    log(2.0, f"forward-compute: {1400 * FORWARD:.1f} | backward-compute: {1400 * BACKWARD:.1f} | optimizer: 40.0")
    found, shown = verified(capsys)
    names = [one["name"] for one in found["suspects"]]
    assert found["off"]["part"] == "backward" and names[:1] == ["gpu.matmul_ceiling"]
    assert "hardware.intranode_bandwidth" not in names
    assert found["waiting"] is None and "waits for its data" not in shown


def test_waiting_that_a_timer_counts_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    timers = f"forward-compute: {1000 * FORWARD + 600:.1f} | backward-compute: {1000 * BACKWARD:.1f} | optimizer: 40.0"
    log(2.05, f"{timers} | batch-generator: 600.0")
    found, shown = verified(capsys)
    assert found["waiting"]["seconds"] == pytest.approx(0.6) and found["waiting"]["share"] > 0.9
    assert "a step waits 0.6 s for its data" in shown and found["suspects"] == []  # it explains all


def test_what_no_timer_counts_is_the_rest_of_the_step(capsys: pytest.CaptureFixture[str]) -> None:
    log(2.6, f"forward-compute: {1000 * FORWARD:.1f} | backward-compute: {1000 * BACKWARD:.1f} | optimizer: 40.0")
    found, shown = verified(capsys)
    assert found["off"]["part"] == "rest" and "the rest of the step, which no timer of the log counts" in shown
    assert "gpu.matmul_ceiling" not in [one["name"] for one in found["suspects"]]


def test_irregular_steps_may_wait(capsys: pytest.CaptureFixture[str]) -> None:
    log([8.0, *[1.45, 1.5, 2.9, 1.45, 2.6] * 8])
    found, shown = verified(capsys)
    assert found["waiting"]["high"] > 1.25 * found["waiting"]["low"]
    assert "perhaps: steps wait for their data; they take 1.4" in shown


def test_the_share_that_torchtitan_logs(capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["_step,global_step,time_metrics/end_to_end(s),time_metrics/data_loading(s),time_metrics/data_loading(%)"]
    rows += [f"{n},{n},2.0,0.07,28.0" for n in range(1, 41)]
    Path("history.csv").write_text("\n".join(rows) + "\n")
    found, _ = verified(capsys, "history.csv")
    assert found["waiting"]["seconds"] == pytest.approx(0.56)


def test_a_software_without_a_switch_is_tried_without_data(capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["_step,train/global_step,_runtime,train/loss", *(f"{n},{n},{2.2 * n:.2f},2.1" for n in range(1, 41))]
    Path("history.csv").write_text("\n".join(rows) + "\n")
    _, shown = verified(capsys, "history.csv")
    assert "one batch that stays in memory" in shown


def test_memory_alone_has_causes_of_memory(capsys: pytest.CaptureFixture[str]) -> None:
    made = synthetic.Made((8.0, *[PLANNED] * 40), batch=64, micro=2, length=2048, gpus=8, tensor=1, pipeline=1,
                          allocated=78 * 2**30, reserved=79 * 2**30)  # fmt: skip
    Path("run.log").write_bytes(synthetic.megatron(made).text)
    found, shown = verified(capsys)
    assert all(one["of"].startswith("memory.") and one["share"] >= 0.25 for one in found["suspects"])
    assert found["waiting"] is None and "waits for its data" not in shown


@pytest.mark.parametrize("every", [2.0, 3.4])
def test_what_passes_between_steps_by_the_dates_of_their_lines(
    every: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """The timer of NeMo begins when a batch is there; a save among the steps is another thing."""
    lines, moment = [], datetime(2026, 11, 3, 8, tzinfo=timezone.utc)
    for step in range(60):
        moment += timedelta(seconds=every + (90 if step == 30 else 0))
        lines.append(
            f"[NeMo I {moment:%Y-%m-%d %H:%M:%S} nemo_logging:393] Training epoch 0, iteration {step}/499 | "
            f"global_batch_size: 64 | global_step: {step} | reduced_train_loss: 6.2 | train_step_timing in s: 2.0"
        )
    Path("run.log").write_text("\n".join(lines) + "\n")
    found, shown = verified(capsys)
    assert (found["between"] is not None) is (every > 2)
    if found["between"] is not None:
        assert found["between"]["value"] == pytest.approx(1.4, abs=0.1)
        assert found["lasting_goodput"] < 0.62 and "after each step pass 1.4" in shown


def test_a_measured_run_that_waits_is_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    """Its forward pass is written without the wait."""
    timers = f"forward-compute: {1000 * FORWARD + 600:.1f} | backward-compute: {1000 * BACKWARD:.1f} | optimizer: 40.0"
    log(2.05, f"{timers} | batch-generator: 600.0")
    assert run(["calibrate", "run.log", "train.plan"]) == 0
    told = capsys.readouterr()
    assert "W0639" in told.err and "# Each step waits 0.6 s for its data, which step_time holds." in told.out
    assert f"step.in_forward         = {FORWARD} s" in told.out
