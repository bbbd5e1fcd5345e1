"""Logs as clusters give them: cut, wrapped by what collects them, of several programs, of runs that no plan has."""

from __future__ import annotations

import json

import pytest

from tests.logs.test_published import readings, told
from tests.logs.test_regimes import START, STEP

GIB = 2.0**30


def steps(count: int, ms: float = 5500.0) -> list[str]:
    return [START, *(STEP.format(step=10 * at, ms=ms, batch=128, skipped=0) for at in range(1, count + 1))]


def test_a_number_that_is_cut_is_not_read() -> None:
    """Of so few steps it would be a second speed."""
    cut = STEP.format(step=30, ms=5500.0, batch=128, skipped=0).partition("5500")[0] + "55"
    assert readings(told([*steps(2), cut]))["step_time"] == pytest.approx(5.5)
    slower = [*steps(2), cut.removesuffix("55") + "5700.0 | learning rate: 1"]
    assert readings(told(slower))["step_time"] == pytest.approx(5.6)


@pytest.mark.parametrize(
    "before",
    [
        "2026-01-01T00:00:{at:02d}.000000000Z stdout F ",
        "2026-01-01T00:00:{at:02d}.123456789+01:00 ",
        "[pod/train-worker-0-abcde/pytorch] ",
        "[1,3]<stdout>:",
        "[pod/train-0/main] 2026-01-01T00:00:{at:02d}Z ",
    ],
)
def test_what_collects_lines_is_undone(before: str) -> None:
    record = {"loss": 2.0, "rate": 1e-4, "seconds": 3.3, "memory": 40 * GIB}
    lines = [before.format(at=at) + json.dumps({"step": at, **record}) for at in range(1, 30)]
    assert readings(told(lines)) == {"step_time": pytest.approx(3.3), "memory.allocated": 40 * GIB}


def test_two_programs_in_a_file_do_not_share_memory() -> None:
    titan = "[titan] - root - INFO - step: {at}  loss: 7.6  grad_norm: 2.6  memory: 66.91GiB(37.51%)  tps: 10,050"
    read = readings(told([*steps(20), *(titan.format(at=at) for at in range(1, 10))]))
    assert read == {"step_time": pytest.approx(5.5)}


@pytest.mark.parametrize(
    "line",
    [
        (
            "{{'loss': 0.01, 'num_tokens': {at}00.0, 'completions/mean_length': 301.5, 'reward': 0.3, "
            "'reward_std': 0.2, 'kl': 0.001, 'step_time': 35.2, 'epoch': 0.1}}"
        ),
        "step:{at} - actor/pg_loss:0.001 - perf/max_memory_reserved_gb:91.455 - timing_s/gen:30.1 - timing_s/step:61.2",
        '{{"loss": 0.1, "step": {at}, "epoch": 0.1, "reward_std": 0.2, "train_runtime": {at}0}}',
    ],
)
def test_reinforcement_learning_is_refused(line: str) -> None:
    bars = [f" {at}%|#| {at}/100 [{at * 35 // 60:02d}:{at * 35 % 60:02d}<30:00, 35.20s/it]" for at in range(1, 40)]
    lines = [text for at, bar in enumerate(bars, 1) for text in (line.format(at=at), bar)]
    (problem,) = told(lines).diagnostics
    assert problem.code == "E0517" and "reinforcement learning" in problem.notes[0]


def test_a_first_step_alone_asks_for_more_steps() -> None:
    (problem,) = told([START, STEP.format(step=1, ms=20289.1, batch=128, skipped=0)]).diagnostics
    assert "holds the start of the run" in problem.notes[0] and "some more steps" in problem.hints[0].text
    memory = (
        "[Rank 0] (after 1 iterations) memory (GB) | mem-max-allocated-gigabytes: 9 | mem-max-reserved-gigabytes: 10"
    )
    text = told([START, STEP.format(step=1, ms=20289.1, batch=128, skipped=0), memory]).text
    assert "# No time of a step: the only step is the first" in text and "--log-interval" not in text


def test_records_that_nobody_numbers_give_no_time_of_a_step() -> None:
    """A script that logs every 2,000 steps and leaves the numbers to W&B."""
    head = "_step,_runtime,_timestamp,iter,train/loss,mfu"
    rows = [f"{at},{at * 800 + 30},{1.7e9 + at * 800},{at * 2000},2.0,41.2" for at in range(60)]
    (problem,) = told([head, *rows, ""]).diagnostics
    assert problem.code == "E0517"
    numbered = [head.replace("iter", "train/global_step"), *rows, ""]
    assert readings(told(numbered))["step_time"] == pytest.approx(0.4)


def test_older_names_of_deepspeeds_timers() -> None:
    lines = []
    for at in range(1, 40):
        lines += [
            "[Rank 0] rank=0 time (ms) | forward_microstep: 250.4 | backward_microstep: 650.5 | step_microstep: 172.59",
            (
                "[Rank 0] rank=0 time (ms) | forward: 500.5 | backward: 1300.6 | backward_inner: 1200.1 | "
                "backward_allreduce: 22.5 | step: 172.6"
            ),
            (
                f"[Rank 0] epoch=0/micro_step={at}/global_step={at}, CurrSamplesPerSec=32.0, "
                "MemAllocated=10.77GB, MaxMemAllocated=23.2GB"
            ),
        ]
    read = readings(told(lines, settings=[("training.global_batch", "64 sequences")]))
    assert read["step_time"] == pytest.approx(2.0) and read["step.in_forward"] == pytest.approx(0.5005)
    assert read["step.in_backward"] == pytest.approx(1.3006) and read["step.in_update"] == pytest.approx(0.1726)


def test_the_bars_of_nemo_1_and_torchtune() -> None:
    def clock(seconds: float) -> str:
        whole = int(seconds)
        return f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"

    nemo = [
        f"Epoch 0:   1%|          | {at}/77225 [{clock(at * 41.3)}<878:01:48, 41.36s/it, loss=3.1, v_num=, "
        f"reduced_train_loss=3.090, global_step={at}.0, consumed_samples=1.63e+6]"
        for at in range(1, 80)
    ]
    found = told(nemo)
    assert found.runs[0].heard.format is not None and found.runs[0].heard.format.name == "NeMo"
    assert readings(found)["step_time"] == pytest.approx(41.3, rel=0.01)
    tune = [f"1|{at}|Loss: 0.96:   3%|#    | {at}/400 [{clock(at * 31.2)}<18:00, 31.2s/it]" for at in range(1, 80)]
    tune += [
        "Step 80 | loss:0.9 lr:2e-05 tokens_per_second_per_gpu:405.1 peak_memory_alloc:16.3 peak_memory_reserved:18 "
    ]
    read = readings(told(tune))
    assert read["step_time"] == pytest.approx(31.2, rel=0.01) and read["memory.reserved"] == 18 * GIB
