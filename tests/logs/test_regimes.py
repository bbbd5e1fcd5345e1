"""Restarts, batches that change, holes and changes of speed are told apart and never averaged over; saves, evaluations,
skipped steps and starts are left out; of several ranks one is read."""

from __future__ import annotations

import io
import json
import random

import pytest

from llmplan.calibration import Calibration, Log, calibrate

STEP = (
    " iteration {step:8d}/    5000 | consumed samples: 1 | elapsed time per iteration (ms): {ms:.1f} | "
    "global batch size: {batch:5d} | lm loss: 8.1 | number of skipped iterations: {skipped:3d} | "
    "number of nan iterations:   0 |"
)
START = "using world size: 16, data-parallel-size: 4, tensor-model-parallel size: 2, pipeline-model-parallel size: 2 "


def step(number: int, ms: float = 1000.0, batch: int = 64, skipped: int = 0) -> str:
    return STEP.format(step=number, ms=ms, batch=batch, skipped=skipped)


def steps(first: int, last: int, ms: float = 1000.0, batch: int = 64, seed: int = 0) -> list[str]:
    draw = random.Random(seed)
    return [step(number, ms * draw.uniform(0.98, 1.02), batch) for number in range(first, last + 1)]


def told(lines: list[str], **options: object) -> Calibration:
    text = "\n".join(lines).encode()
    return calibrate([Log("run.log", "run", io.BytesIO(text))], **options)  # type: ignore[arg-type]


def seconds(found: Calibration) -> float:
    assert found.diagnostics == (), [one.notes for one in found.diagnostics]
    return next(one.value for one in found.runs[0].readings if one.name == "step_time")


def left(found: Calibration) -> dict[str, int]:
    assert found.runs[0].piece is not None
    return {reason: count for reason, count, _ in found.runs[0].piece.steady.left_out}


@pytest.mark.parametrize(
    ("lines", "why", "chosen"),
    [
        ([START, *steps(1, 60), START, *steps(41, 120, 2000)], "after a restart", "61..120"),
        ([*steps(1, 60), *steps(41, 120, 2000)], "after a restart", "61..120"),
        ([*steps(1, 60), *steps(61, 120, 2000, 128)], "after a change of the batch", "61..120"),
        ([*steps(1, 60), *steps(61, 160, 1300)], "after a change of speed that no line announces", "61..160"),
        ([*steps(1, 60), *steps(2061, 2160, 1010)], "after steps that are not in the log", "2061..2160"),
    ],
    ids=["restart", "restart without a word", "batch", "speed", "hole"],
)
def test_what_does_not_go_together_is_asked_for(lines: list[str], why: str, chosen: str) -> None:
    found = told(lines)
    (problem,) = found.diagnostics
    assert problem.code == "E0516" and found.text == ""
    assert len(problem.notes) == 2 and why in problem.notes[1]
    first, last = (float(part) for part in chosen.split(".."))
    assert 0.95 < seconds(told(lines, steps=(1.0, 40.0))) < 1.05
    assert seconds(told(lines, steps=(first, last))) == pytest.approx(
        {"after a change of speed that no line announces": 1.3, "after steps that are not in the log": 1.01}.get(
            why, 2.0
        ),
        rel=0.02,
    )


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        ([*steps(1, 400), *steps(401, 480, 1550)], "the latest, `--steps 401..480`, is 55"),
        ([START, *steps(1, 60), START, *steps(41, 120, 500)], "the latest, `--steps 42..120`, is 50"),
        ([*steps(1, 60), *steps(61, 120, 2000, 128)], "the latest, `--steps 61..120`"),
    ],
    ids=["slower", "faster", "other work"],
)
def test_the_latest_stretch_is_offered(lines: list[str], hint: str) -> None:
    (problem,) = told(lines).diagnostics
    (said,) = problem.hints
    assert said.text.startswith(f"say which: {hint}") and ("than the one before" in said.text) is ("is" in hint)


def test_every_stretch_that_is_listed_is_taken() -> None:
    """A slowdown within a stretch that a larger one beside it hid."""
    draw = random.Random(0)
    times = [4.6] * 16 + [4.6 + 0.3 * at for at in range(10)] + [7.3] * 16
    lines = [step(number, 1000 * time * draw.uniform(0.99, 1.01)) for number, time in enumerate(times, 1)]
    (problem,) = told(lines).diagnostics
    for note in problem.notes:
        first, last = note.split(",")[0].removeprefix("steps ").split(" .. ")
        assert not told(lines, steps=(float(first), float(last))).failed


def test_of_attempts_over_the_same_steps_the_last_is_meant_once_steps_are_named() -> None:
    lines = [START, *steps(1, 60), START, *steps(1, 60, 3000)]
    assert told(lines).failed
    found = told(lines, steps=(5.0, 50.0))
    assert seconds(found) == pytest.approx(3.0, rel=0.02)
    assert "# Of 2 attempts over these steps the last." in found.text


def test_a_restart_at_the_same_speed_is_one_stretch() -> None:
    lines = [START, *steps(1, 60), START, *steps(41, 120, 1010, seed=1), START, *steps(111, 180, 990, seed=2)]
    found = told(lines)
    assert seconds(found) == pytest.approx(1.0, rel=0.01)
    (run,) = found.runs
    assert run.piece is not None and (run.piece.first_step, run.piece.last_step) == (2, 180)
    assert "# Restarted 2 times and as fast as before: taken together; 28 steps were done again" in found.text
    assert left(found) == {"first": 3}


@pytest.mark.parametrize(
    "second",
    [
        [START, *steps(41, 120, 1060)],
        [START, *steps(41, 120, 1000, 128)],
        [START.replace("pipeline-model-parallel size: 2", "pipeline-model-parallel size: 4"), *steps(41, 120)],
        [START, *steps(4001, 4080)],
        [START, *steps(41, 80), *steps(81, 140, 1300)],
    ],
    ids=["slower", "batch", "layout", "hole", "slower later"],
)
def test_attempts_under_other_conditions_are_not(second: list[str]) -> None:
    (problem,) = told([START, *steps(1, 60), *second]).diagnostics
    assert problem.code == "E0516" and len(problem.notes) == 2


def test_attempts_that_died_before_a_second_step_do_not_count() -> None:
    assert seconds(told([START, step(1, 9000), START, step(1, 9000), START, *steps(1, 40)])) == pytest.approx(
        1, rel=0.02
    )


def test_saves_evaluations_skipped_steps_and_the_start_are_left_out() -> None:
    lines = [START, step(1, 30_000), step(2, 1000, skipped=1), *steps(3, 20)]
    lines += ["saving checkpoint at iteration      20 to /checkpoints", step(21, 9000), *steps(22, 30)]
    lines += [" validation loss at iteration 30 | lm loss value: 8.8E+00 | ", step(31, 1500), *steps(32, 40)]
    lines += [step(41, 12_000), *steps(42, 50)]
    found = told(lines)
    assert seconds(found) == pytest.approx(1.0, rel=0.01)
    assert left(found) == {"first": 1, "skipped": 1, "save": 1, "evaluation": 1, "outlier": 1}
    assert "# Left out: 1 first record (up to 30 s), 1 record with skipped steps (up to 1 s)" in found.text


def test_a_save_that_does_not_hold_up_the_step_is_a_step_like_others() -> None:
    lines = [*steps(1, 20), "saving checkpoint at iteration      20 to /checkpoints", *steps(21, 40)]
    assert "save" not in left(told(lines))


def test_memory_before_the_optimizer_has_states_is_told_and_not_used() -> None:
    memory = (
        "[Rank 0] (after 10 iterations) memory (MB) | allocated: 1.0 | max allocated: 1464.5 | reserved: 1.0 | "
        "max reserved: 1576.0"
    )
    found = told([step(10, 1100, skipped=10), memory, *(step(number, 800) for number in range(20, 200, 10))])
    assert [one.name for one in found.runs[0].readings if not one.doubtful] == ["step_time"]
    assert "# Not used: memory.allocated = 1.43018 GiB, after skipped steps alone" in found.text


def test_each_rank_may_print_and_late() -> None:
    lines = []
    for number in range(1, 40):
        for rank in (3, 0, 1):
            lines.append(f"[default{rank}]:" + step(number - (rank == 1 and number > 1), 1000 + 400 * rank))
    assert seconds(told(lines)) == pytest.approx(2.2)


def test_of_two_clocks_in_one_log_one_is_read_and_named() -> None:
    lines = []
    for number in range(1, 40):
        lines.append(
            f"[2026-03-01 22:10:06,101] [INFO] [timer.py:260:stop] epoch=0/micro_step=4/global_step={number}, "
            "RunningAvgSamplesPerSec=5.0, CurrSamplesPerSec=40.0, MemAllocated=1.5GB, MaxMemAllocated=30.5GB"
        )
        lines.append(step(number))
    found = told(lines)
    assert seconds(found) == pytest.approx(1.0)
    assert "DeepSpeed told times of steps too, which are not read." in found.text
    assert "memory.allocated" in found.text


def test_the_only_step_is_the_start() -> None:
    (problem,) = told([step(1, 20_289)]).diagnostics
    assert problem.code == "E0517" and "the only step is the first, which holds the start of the run" in problem.notes


def test_a_bar_numbers_records_and_times_them() -> None:
    lines = []
    for number in range(0, 400, 10):
        elapsed = f"{int(number * 4.2) // 60:02d}:{int(number * 4.2) % 60:02d}"
        lines.append(f" 10%|█         | {number}/400 [{elapsed}<20:00,  4.20s/it]")
        if number:
            lines.append("{'loss': 2.1, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': 0.1}")
    assert seconds(told(lines)) == pytest.approx(4.2, rel=0.02)


def record(step: int, seconds: float, tokens: int) -> str:
    return (
        f"{{'loss': '2.1', 'grad_norm': '1.0', 'learning_rate': '1e-05', 'epoch': '0.1', "
        f"'num_tokens': '{step * tokens}', 'train_runtime': '{10 + step * seconds}'}}"
    )


@pytest.mark.parametrize(("tokens", "time"), [(64 * 2048, 4.0), (640 * 2048, 0.4), (64 * 300, None), (96 * 2048, None)])
def test_records_without_a_number_are_steps_only_as_their_tokens_say(tokens: int, time: float | None) -> None:
    """Of one step, of ten, of short sequences, of one and a half."""
    lines = [record(number, 4.0, tokens) for number in range(1, 30)]
    plan = [("training.global_batch", "64 sequences"), ("dataset.sequence_length", "2048"), ("hardware.gpus", "8")]
    found = {one.name: one.value for one in told(lines, settings=plan).runs[0].readings}
    if time is None:
        assert found == {"tokens_per_second_per_gpu": pytest.approx(tokens / 4.0 / 8)}
    else:
        assert found == {"step_time": pytest.approx(time)}


def test_the_ends_of_several_runs_are_not_one() -> None:
    end = "{{'train_runtime': {}, 'train_samples_per_second': 10.0, 'train_steps_per_second': 0.25, 'epoch': 1.0}}"
    assert seconds(told([end.format(400.0)] * 3)) == pytest.approx(4.0)
    (problem,) = told([end.format(400.0), end.format(800.0)]).diagnostics
    assert problem.code == "E0517" and "several runs" in problem.notes[0]


RESUMED = "[INFO|trainer.py:2447] >>   Continuing training from global step {}"
TOTAL = "[INFO|trainer.py:2422] >>   Total optimization steps = 2,000"
BEGINS = "[INFO|trainer.py:2414] >> ***** Running training *****"


def end_of(seconds: float, records: range) -> list[str]:
    """What the Trainer prints of steps without times: records each ten steps, then the end of 2,000 steps."""
    lines = [f"{{'loss': 1.5, 'learning_rate': 1e-05, 'epoch': {step / 2000}}}" for step in records]
    rates = f"'train_samples_per_second': {128000 / seconds:.3f}, 'train_steps_per_second': {2000 / seconds:.3f}"
    return [*lines, f"{{'train_runtime': {seconds}, {rates}, 'train_loss': 1.5, 'epoch': 1.0}}"]


@pytest.mark.parametrize("said", [[BEGINS, TOTAL], [BEGINS], []])
def test_the_end_of_a_resumed_run_counts_the_steps_of_its_time(said: list[str]) -> None:
    """The Trainer divides the time since the resume by all steps, also in the rates that it prints."""
    found = told([*said, RESUMED.format(600), *end_of(1400 * 6.6, range(610, 2001, 10))])
    assert seconds(found) == pytest.approx(6.6, rel=0.005)
    assert "over the steps after 600, with their start, evaluations and saves" in found.text


def test_a_later_attempt_is_resumed_from_where_it_says() -> None:
    first = [BEGINS, TOTAL, RESUMED.format(300), *end_of(1.0, range(310, 901, 10))[:-1]]
    last = end_of(1100 * 6.6, range(910, 2001, 10))
    assert seconds(told([*first, BEGINS, TOTAL, RESUMED.format(900), *last])) == pytest.approx(6.6, rel=0.001)
    fresh = end_of(2000 * 6.6, range(10, 2001, 10))
    assert seconds(told([*first, BEGINS, TOTAL, *fresh])) == pytest.approx(6.6, rel=0.001)


@pytest.mark.parametrize("before", [[], end_of(1.0, range(10, 901, 10))[:-1]])
def test_the_end_of_a_run_whose_records_begin_late_is_not_used(before: list[str]) -> None:
    """No line says that it was resumed, as transformers tells that to its main process only at the level of info."""
    (problem,) = told([*before, TOTAL, *end_of(300 * 4.75, range(710, 2001, 10))]).diagnostics
    assert problem.code == "E0517" and "34% into the run" in problem.notes[0] and "resumed" in problem.notes[0]


@pytest.mark.parametrize("share", [1.0, 0.97, 0.7])
def test_the_state_of_a_resumed_run_has_all_records_and_the_time_of_some(share: float) -> None:
    """`trainer_state.json` goes on with the records of the attempt before; the Trainer divides the losses since the
    resume by all steps."""
    records = [{"epoch": step / 2000, "loss": 3 - step / 1000, "step": step} for step in range(10, 2001, 10)]
    end = {"epoch": 1.0, "step": 2000, "train_loss": 1.995 * share, "train_runtime": 13200.0 * share,
           "train_samples_per_second": 9.697 / share, "train_steps_per_second": 0.152 / share}  # fmt: skip
    state = {
        "epoch": 1.0,
        "global_step": 2000,
        "max_steps": 2000,
        "num_train_epochs": 1,
        "log_history": [*records, end],
    }
    found = told([json.dumps(state)])
    if share > 0.9:
        assert seconds(found) == pytest.approx(6.6 * share)
    else:
        assert found.diagnostics[0].code == "E0517" and "30% below that of its records" in found.diagnostics[0].notes[0]


def test_the_steps_of_a_whole_run_are_those_of_its_bar() -> None:
    lines = [
        "100%|██████████| 327/327 [1:43:37<00:00, 19.01s/it]",
        "{'train_runtime': 6217.8, 'train_samples_per_second': 0.837, 'train_steps_per_second': 0.053, 'epoch': 3.0}",
        "100%|██████████| 24/24 [01:58<00:00,  4.92s/it]",
    ]
    assert seconds(told(lines)) == pytest.approx(6217.8 / 327)
