"""Published logs, each made again from its figures in the syntax of its format, with the trap that it holds.

The figures are facts of the sources that each case names; where only excerpts or percentiles are public, steps are made
up between them.
"""

from __future__ import annotations

import io
import json

import pytest

from llmplan.calibration import Calibration, Log, calibrate
from tests.logs.test_regimes import START, STEP

GIB = 2.0**30
BIGSCIENCE = "bigscience-workshop/bigscience 9e64ede"


def told(lines: list[str], **options: object) -> Calibration:
    return calibrate([Log("run.log", "run", io.BytesIO("\n".join(lines).encode()))], **options)  # type: ignore[arg-type]


def readings(found: Calibration) -> dict[str, float]:
    assert found.diagnostics == (), [(one.message, one.notes) for one in found.diagnostics]
    return {one.name: one.value for one in found.runs[0].readings}


def iteration(number: int, ms: float, batch: int, skipped: int = 0) -> str:
    return STEP.format(step=number, ms=ms, batch=batch, skipped=skipped)


def memory(rank: int, iterations: int, allocated: float, reserved: float) -> str:
    return (
        f"[Rank {rank}] (after {iterations} iterations) memory (MB) | allocated: 1.0 | max allocated: {allocated} | "
        f"reserved: 1.0 | max reserved: {reserved}"
    )


def spread(low: float, middle: float, high: float, count: int) -> list[float]:
    """Times whose eight tenths lie between two of them, with a third as their median."""
    shares = [at / (count - 1) for at in range(count)]
    return [
        low + (middle - low) * (share - 0.1) / 0.4 if share < 0.5 else middle + (high - middle) * (share - 0.5) / 0.4
        for share in shares
    ]


@pytest.mark.parametrize(
    ("first", "times", "batch", "peaks", "step"),
    [
        (3171.3, spread(1614.3, 1617.8, 1624.4, 18), 4, (22113.28, 26880.0), 1.6178),
        (5837.9, spread(2738.3, 2741.1, 2770.8, 9), 4, (24762.8, 30346.24), 2.7411),
        (144915.6, spread(124457.6, 126667.2, 129137.8, 60), 1024, (17505.28, 24460.29), 126.6672),
    ],
    ids=["gpt2-meg tp4 pp8", "gpt2-meg tp4 pp16", "gpt2-meg-ds-3d"],
)
def test_megatron_2021(first: float, times: list[float], batch: int, peaks: tuple[float, float], step: float) -> None:
    """bigscience, experiments/gpt2-meg and gpt2-meg-ds-3d: the first interval is of skipped steps and of the start,
    memory is of MiB, and the lines of two ranks run together."""
    lines = [START, iteration(10, first, batch, 10), iteration(20, times[0], batch, 8)]
    lines += [memory(1, 20, *peaks) + memory(2, 20, peaks[0] - 9, peaks[1] - 9)]
    lines += [iteration(10 * number, time, batch) for number, time in enumerate(times, 3)]
    read = readings(told(lines))
    assert read["step_time"] == pytest.approx(step, rel=0.01)
    assert read["memory.allocated"] == pytest.approx(peaks[0] * 2**20)
    assert read["memory.reserved"] == pytest.approx(peaks[1] * 2**20)


def test_bloom() -> None:
    """bigscience, train/tr11-176B-ml/chronicles.md: times in seconds, and two places of the log 18,519 steps apart."""
    line = (
        "[default7]: iteration {:8d}/  115311 | consumed samples: 1 | elapsed time per iteration (s): {} | "
        "global batch size:  2048 | number of skipped iterations:   0 | samples per second: {} | TFLOPs: 149.02 |"
    )
    lines = [line.format(12695, 105.22, 19.463)]
    lines += [line.format(31214 + at, t, 19.2) for at, t in enumerate((106.46, 105.9, 106.4, 106.33, 107.53, 106.36))]
    assert [one.code for one in told(lines).diagnostics] == ["E0516"]
    assert readings(told(lines, steps=(12695, 12695)))["step_time"] == pytest.approx(105.22)
    assert readings(told(lines, steps=(31214, 31220)))["step_time"] == pytest.approx(106.4, rel=0.002)


def test_the_trainer_of_2021_with_deepspeed() -> None:
    """bigscience, experiments/gpt2-hf-ds: all 16 ranks print the end of a run of two steps; memory is that of
    the start."""
    lines = [
        f"{{'train_runtime': {273.0143 + rank / 1e5}, 'train_samples_per_second': 3.663, "
        "'train_steps_per_second': 0.007, 'epoch': 1.0}"
        for rank in range(16)
    ]
    found = told(lines, settings=[("training.global_batch", "512 sequences")])
    assert [one.code for one in found.diagnostics] == ["E0517"]
    assert "the end of the run is of too few steps: most of its time is the start" in found.diagnostics[0].notes
    assert found.runs[0].heard.telling.common.summary["samples_rate"] == (3.663, 1)
    made = "[INFO] [utils.py:785:see_memory_usage] MA 3.09 GB         Max_MA 3.09 GB         CA 6.92 GB  Max_CA 7 GB "
    found = told([made, *lines])
    assert [one.code for one in found.diagnostics] == ["E0517"]
    assert "memory.allocated = 3.09 GiB, before the first step, is not used" in found.diagnostics[0].notes
    assert {one.name: (one.value, one.doubtful) for one in found.runs[0].readings} == {
        "memory.allocated": (pytest.approx(3.09 * GIB), True),
        "memory.reserved": (pytest.approx(6.92 * GIB), True),
    }


def test_the_trainer_with_tokens() -> None:
    """saforem2/ezpz 1229a17: printed tokens a second are of the whole run, 27 s of start among them."""
    clock = [27.3002, 30.8283, 34.3821, 37.9205, 42.1184, 45.6481, 49.1873, 52.7226, 56.2493, 60.3531, 63.8948]
    lines = [
        f"{{'loss': 2.5, 'grad_norm': 6.8, 'learning_rate': 5e-05, 'epoch': {step / 100}, "
        f"'num_input_tokens_seen': {196608 * step}, 'train_runtime': {time}, 'train_tokens_per_second': 7201.711}}"
        for step, time in enumerate(clock, 1)
    ]
    plan = [("training.global_batch", "24 sequences"), ("dataset.sequence_length", "8192"), ("hardware.gpus", "24")]
    assert readings(told(lines, settings=plan))["step_time"] == pytest.approx(3.6186, rel=0.01)
    rate = readings(told(lines, settings=plan[2:]))["tokens_per_second_per_gpu"]
    assert rate * 24 == pytest.approx(54332, rel=0.01)


def test_torchtitan_on_aurora() -> None:
    """auroraGPT-ANL/torchtitan 24c86d4: another logger before the line, thousands with commas, tokens of one GPU."""
    seen = [
        (26, "10:02,308875", 6681), (27, "10:02,922493", 6686), (28, "10:03,535394", 6694), (29, "10:04,150741", 6668),
        (49, "10:16,506339", 6599), (50, "10:17,131680", 6561), (105, "10:51,208789", 6647),
    ]  # fmt: skip
    lines = [
        f"[2025-09-11 14:{time}][I][components/metrics:437:log] step: {step}  loss:  6.9265  grad_norm:  4.2152  "
        f"memory:  8.44GiB(13.20%)  tps: {rate:,}  tflops: 62.00  mfu: 20.79%"
        for step, time, rate in seen
    ]
    read = readings(told(lines))
    assert read["step_time"] == pytest.approx(0.619, rel=0.01)
    assert read["memory.reserved"] == pytest.approx(8.44 * GIB)


def test_bridge_of_one_step() -> None:
    """NVIDIA/dgxc-benchmarking 841f546: its only step holds the start; another message runs on in its line."""
    step = iteration(1, 20289.1, 128) + "Number of parameters in transformer layers in billions:  6.98"
    rank = (
        "[Rank 0] (after 1 iterations) memory (GB) | mem-allocated-gigabytes: 51.072 | mem-max-allocated-gigabytes: "
        "194.41 | mem-max-reserved-gigabytes: 216.89 | mem-alloc-retires: 0"
    )
    found = told([step, "", rank])
    assert readings(found) == {"memory.allocated": pytest.approx(194.41e9), "memory.reserved": pytest.approx(216.89e9)}
    assert "# Left out: 1 first record (up to 20.2891 s)." in found.text
    assert "# No time of a step: the only step is the first" in found.text


def test_nemo() -> None:
    """A page on NeMo 25.09: 128 × 8,192 tokens in 12.21 s on 8 GPUs."""
    lines = [
        f"[2025-11-20T14:55:{23 + 12 * at}+08:00] Training epoch 0, iteration {97 + at}/99 | lr: 1.469e-05 | "
        f"global_batch_size: 128 | global_step: {97 + at} | reduced_train_loss: 6.265 | train_step_timing in s: {time} "
        f"| tokens_per_sec_per_gpu: 1.073e+04 | consumed_samples: 12544"
        for at, time in enumerate((12.22, 12.21, 12.21))
    ]
    assert readings(told(lines))["step_time"] == pytest.approx(12.21, rel=0.001)


def test_nanotron() -> None:
    """A page on a tiny model: thousands as K, the first step and one after a new stage are none like others."""
    lines = ["[INFO|DP=0|PP=0|TP=0]:  Memory usage: 64.15MiB. Peak allocated 309.29MiB. Peak reserved: 496.00MiB"]
    lines += [
        f"[INFO|DP=0|PP=0|TP=0]: iteration: {step} / 15 | consumed_tokens: 2.56K | elapsed_time_per_iteration_ms: {ms} "
        f"| tokens_per_sec: 55.9K | tokens_per_sec_per_gpu: 55.9K | global_batch_size: 2 | hardware_tflops: 1"
        for step, ms in ((1, "4.71K"), (5, "9.15"), (6, "9.09"), (10, "673"), (12, "9.3"))
    ]
    found = told(lines)
    assert readings(found)["step_time"] == pytest.approx(0.0092, rel=0.01)
    assert readings(found)["memory.reserved"] == pytest.approx(496 * 2**20)
    assert found.runs[0].piece is not None
    assert [reason for reason, _, _ in found.runs[0].piece.steady.left_out] == ["first", "outlier"]


def test_megatron_2025() -> None:
    """Notes on a run of one GPU: memory is printed after skipped steps alone; evaluation and save stand outside."""
    lines = [
        iteration(10, 1147.6, 16, 10),
        memory(0, 10, 1464.3408203125, 1576.0),
        iteration(20, 820.7, 16, 6),
        iteration(40, 849.8, 16),
        "    evaluate .......................................: (3274.73, 3274.73)",
        " validation loss at iteration 50 | lm loss value: 8.889540E+00 | lm loss PPL: 7.255679E+03 | ",
        iteration(60, 837.6, 16),
        "    save-checkpoint ................................: (3413.14, 3413.14)",
        iteration(110, 1069.8, 16),
        iteration(120, 774.3, 16),
    ]
    found = told(lines)
    times = found.runs[0].heard.telling.common.times
    assert readings(found)["step_time"] == pytest.approx(0.838, rel=0.01)
    assert (times["evaluation"][0][0], times["save"][0][0]) == (pytest.approx(3.27473), pytest.approx(3.41314))
    (peak,) = (one for one in found.runs[0].readings if one.name == "memory.allocated")
    assert peak.doubtful and peak.value == pytest.approx(1464.34 * 2**20, rel=1e-5)


def test_llm_foundry() -> None:
    """AMD's page on MPT-30B: two digits of batches a second are not enough, and GPUs follow from both rates."""
    values = {
        "time/batch": "4", "time/sample": "4096", "trainer/device_train_microbatch_size": "8",
        "throughput/batches_per_sec": "0.0027", "throughput/samples_per_sec": "2.7330",
        "throughput/tokens_per_sec": "20082.8418", "throughput/device/tokens_per_sec": "1255.1776",
    }  # fmt: skip
    found = told(["[epoch=1][batch=5/5]:", *(f"\t Train {name}: {value}" for name, value in values.items()), ""])
    assert readings(found)["step_time"] == pytest.approx(374.7, rel=0.001)
    assert {one.path: one.text for one in found.runs[0].settings} == {
        "training.micro_batch": "8",
        "hardware.gpus": "16",
    }


def test_trainer_state() -> None:
    """aa-n/Qwen3_Lora 30c874c: neither the GPUs nor the accumulation, and the mean of the whole run alone."""
    entry = {
        "epoch": 2.99, "num_input_tokens_seen": 24689312, "step": 768, "total_flos": 2.07e18, "train_loss": 0.97,
        "train_runtime": 5980.6912, "train_samples_per_second": 14.427, "train_steps_per_second": 0.128,
    }  # fmt: skip
    state = {"epoch": 2.99, "global_step": 768, "log_history": [entry], "max_steps": 768, "num_train_epochs": 3,
             "train_batch_size": 2}  # fmt: skip
    for text in (json.dumps(state), json.dumps(state, indent=2)):
        found = told([text])
        assert readings(found)["step_time"] == pytest.approx(7.787, rel=0.001)
        assert "over the whole run, with its start, evaluations and saves" in found.text


@pytest.mark.parametrize(("gbit", "bytes"), [((991.76, 992.72, 989.45), 124e9), ((40.4923, 40.491), 5.06e9)])
def test_links(gbit: tuple[float, ...], bytes: float) -> None:
    """bigscience, experiments/bandwidth: V100 of one node; A100 of four nodes at a tenth of their links."""
    lines = [text for value in gbit for text in (" duration: 0.0484 sec", f" busbw: {value}  Gbps")]
    found = told(lines)
    assert found.diagnostics == () and sorted(found.runs[0].links)[len(gbit) // 2][0] == pytest.approx(bytes, rel=0.01)
    assert "A reduction reached" in found.text
