"""`llmplan verify`: on plan or not, of another run than planned or not."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from llmplan.cli import run
from tests.logs import synthetic
from tests.test_schemas import faults

PLAN = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
parallelism { tensor = 1, pipeline = 1, zero_stage = 1 }
training { precision = bf16, global_batch = 1024 sequences, micro_batch = 4, recompute = selective }
require deadline: wall_time <= 120 days
"""
GIB = 2.0**30


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.plan").write_text(PLAN)
    return tmp_path


def planned(capsys: pytest.CaptureFixture[str]) -> dict[str, float]:
    """What the plan says, by `solve`."""
    assert run(["solve", "train.plan", "--json"]) == 0
    quantities = json.loads(capsys.readouterr().out)["quantities"]
    return {name: quantities[name]["value"] for name in ("step_time", "memory.allocated", "memory.reserved")}


def write(says: dict[str, float], time: float = 1.0, memory: float = 1.0, **changed: int) -> None:
    seconds = says["step_time"] * time
    layout = {"batch": 1024, "micro": 4, "length": 2048, "gpus": 64, "tensor": 1, "pipeline": 1, **changed}
    made = synthetic.Made(
        (seconds * 4, *[seconds] * 40),
        **layout,
        allocated=says["memory.allocated"] * memory,
        reserved=says["memory.reserved"] * memory,
    )
    Path("run.log").write_bytes(synthetic.megatron(made).text)


def test_a_run_as_planned_is_on_plan(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    says = planned(capsys)
    write(says)
    assert run(["verify", "train.plan", "run.log", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["on_plan"] and faults("verify", found) == []
    assert {row["name"] for row in found["rows"]} == {*says, "tokens_per_second_per_gpu", "mfu", "goodput"}
    assert found["lasting_goodput"] == pytest.approx(1)  # all but the start, which is over
    for row in found["rows"][:-1]:
        assert row["share"] == pytest.approx(1, abs=1e-3) and row["low"]["value"] < row["seen"]["value"]
    assert found["done"] == 41 and found["left"]["value"] == pytest.approx(found["planned_left"]["value"], rel=1e-3)


@pytest.mark.parametrize(
    ("time", "memory", "told"),
    [
        (1.25, 1.0, "step_time +25%, slower than planned"),
        (0.8, 1.0, "step_time −20%, faster than planned"),
        (1.0, 1.3, "memory.reserved +30%, more than planned"),
    ],
)
def test_what_is_off_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str], time: float, memory: float, told: str
) -> None:
    write(planned(capsys), time, memory)
    assert run(["verify", "train.plan", "run.log"]) == 3
    shown = " ".join(capsys.readouterr().out.split())
    assert "run.log is not on plan, within 10%: " in shown and told in shown
    assert run(["verify", "train.plan", "run.log", "--tolerance", "40%"]) == 0
    assert "run.log is on plan, within 40%" in capsys.readouterr().out
    assert run(["verify", "train.plan", "run.log", "--markdown"]) == 3
    assert "| step_time | " in capsys.readouterr().out


@pytest.mark.parametrize("changed", [{"gpus": 128}, {"batch": 512}, {"length": 4096}, {"tensor": 2}, {"micro": 2}])
def test_a_log_of_another_run_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, int]
) -> None:
    write(planned(capsys), **changed)
    assert run(["verify", "train.plan", "run.log"]) == 1
    told = capsys.readouterr().err
    assert "E0518" in told and str(next(iter(changed.values()))) in told


def test_what_the_plan_leaves_open_is_as_the_log_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    says = planned(capsys)
    write(says)
    (folder / "train.plan").write_text(PLAN.replace("micro_batch = 4", "micro_batch = ?").replace("= 64 }", "= ? }"))
    assert run(["verify", "train.plan", "run.log"]) == 0


def test_configurations_leave_to_the_log_what_they_do_not_say(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Batch, length and recompute: a model's config.json alone can be asked of."""
    write(planned(capsys))
    (folder / "config.json").write_text(MODEL)
    assert run(["verify", "config.json", "run.log"]) == 1
    assert "say it: `--gpu NAME`" in capsys.readouterr().err
    assert run(["verify", "config.json", "run.log", "--gpu", "A100-80GB"]) in (0, 3)
    assert "eight of ten such runs" in " ".join(capsys.readouterr().out.split())


def test_the_rest_counts_from_the_end_of_the_log(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(planned(capsys))
    assert run(["verify", "train.plan", "run.log", "--steps", "5..10", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["done"] == 41


def test_a_restart_at_the_same_speed_is_no_question(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(planned(capsys))
    text = Path("run.log").read_text()
    Path("run.log").write_text(text + text)
    assert run(["verify", "train.plan", "run.log", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert faults("verify", found) == [] and (found["restarts"], found["repeated"]) == (1, 40)
    run(["verify", "train.plan", "run.log"])
    said = "restarted once and as fast as before: taken together; 40 steps were done again and count again"
    assert said in " ".join(capsys.readouterr().out.split())
    run(["verify", "train.plan", "run.log", "--markdown"])
    head, told, deadline, table = capsys.readouterr().out.split("\n\n")[:4]
    assert "on plan" in head and told == said and "deadline" in deadline and table.splitlines()[1].startswith("| ---")


@pytest.mark.parametrize(("share", "told"), [(1.0, False), (1.55, True)])
def test_steps_before_the_end_say_how_the_log_goes_on(
    share: float, told: bool, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = (says := planned(capsys))["step_time"]
    write(says)
    made = synthetic.Made((seconds * 4, *[seconds] * 40, *[seconds * share] * 40), 1024, 4, 2048, 64, 1, 1)
    text = synthetic.megatron(made).text.decode().splitlines(keepends=True)
    Path("run.log").write_text("".join(line for line in text if "memory" not in line and "time (ms)" not in line))
    given = ["verify", "train.plan", "run.log", "--steps", "2..41"]
    assert run([*given, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert faults("verify", found) == [] and found["done"] == 81
    assert (found["later"] or {}).get("step") == (81 if told else None)
    assert run(given) == 0
    shown = " ".join(capsys.readouterr().out.split("seen")[0].split())
    assert ("steps 2 .. 41 alone: the log goes on to step 81 at another speed, 55% slower" in shown) is told


@pytest.mark.parametrize(
    ("last", "memory"),
    [
        ("[rank17]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", True),
        ("slurmstepd: error: *** JOB 991 ON node12 CANCELLED AT 2026-11-20T11:01:00 DUE TO TIME LIMIT ***", False),
        ("Traceback (most recent call last):\n  File 'x.py', line 3\nRuntimeError: NCCL error", False),
        ("W1120 sent SIGTERM to the group\n" + "x\n" * 9 + "torch.cuda.OutOfMemoryError: x", True),
    ],
)
def test_a_run_that_died_says_so(last: str, memory: bool, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not where it went on: a traceback among the steps is no end."""
    write(planned(capsys))
    text = Path("run.log").read_text()
    lines = text.splitlines(keepends=True)
    Path("run.log").write_text("".join([*lines[:-2], last, "\n", *lines[-2:], last, "\n"]))
    assert run(["verify", "train.plan", "run.log", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    line = len(lines) + len(last.splitlines()) + 1
    assert faults("verify", found) == [] and (found["failure"]["line"], found["failure"]["memory"]) == (line, memory)
    run(["verify", "train.plan", "run.log"])
    shown = " ".join(capsys.readouterr().out.split("seen")[0].split())
    assert f"the log ends with a failure at line {line}: " in shown
    assert ("`llmplan why run.log`" in shown) is memory
    run(["calibrate", "run.log", "train.plan"])
    assert f"# The log ends with a failure at line {line}." in capsys.readouterr().out
    Path("run.log").write_text("".join([*lines[:-2], last, "\n", *lines[-2:]]))
    run(["verify", "train.plan", "run.log"])
    assert "ends with a failure" not in capsys.readouterr().out


def test_wrong_use_and_nothing_to_compare(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(planned(capsys))
    assert run(["verify", "train.plan"]) == 2
    assert run(["verify", "run.log", "train.plan"]) == 0  # in any order
    assert run(["verify", "train.plan", "no.log"]) == 2
    assert run(["verify", "train.plan", "run.log", "--tolerance", "x"]) == 2
    Path("run.log").write_text("nothing\n")
    assert run(["verify", "train.plan", "run.log"]) == 1


def test_it_answers_in_chinese(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(planned(capsys), 1.25)
    assert run(["verify", "train.plan", "run.log", "--lang", "zh"]) == 3
    assert "不符合计划" in capsys.readouterr().out
    assert run(["verify", "train.plan", "run.log", "--lang", "en"]) == 3


def test_a_run_is_on_the_plan_that_it_has_calibrated(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A log 20 % slower everywhere makes the plan slower by its weight; then the log is on plan."""
    says = planned(capsys)
    write(says, 1.2)
    assert run(["verify", "train.plan", "run.log"]) == 3
    assert run(["calibrate", "run.log", "train.plan", "-o", "measured.plan"]) == 0
    Path("train.plan").write_text('use "measured.plan"\n' + PLAN)
    capsys.readouterr()
    slower = planned(capsys)
    assert 1.1 < slower["step_time"] / says["step_time"] < 1.2
    assert slower["memory.reserved"] == says["memory.reserved"]
    assert run(["verify", "train.plan", "run.log"]) == 0


def test_calibrating_with_the_plans_own_figures_changes_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    says = planned(capsys)
    write(says)
    lines = Path("run.log").read_text().splitlines(keepends=True)
    Path("run.log").write_text("".join(line for line in lines if not line.startswith("time (ms)")))
    assert run(["calibrate", "run.log", "train.plan", "-o", "measured.plan"]) == 0
    Path("train.plan").write_text('use "measured.plan"\n' + PLAN)
    capsys.readouterr()
    assert planned(capsys) == pytest.approx(says, rel=1e-4)


@pytest.mark.parametrize(("lost", "since"), [(slice(29, None), 30), (slice(40, None), 41), (slice(9, 10), None)])
def test_a_loss_that_is_no_number_is_not_on_plan(
    lost: slice, since: int | None, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where it stays so: of a single step it is no matter."""
    write(planned(capsys))
    lines = Path("run.log").read_text().splitlines(keepends=True)
    for place in [place for place, line in enumerate(lines) if "lm loss" in line][lost]:
        lines[place] = lines[place].replace("lm loss: 8.12E+00", "lm loss: NAN")
    Path("run.log").write_text("".join(lines))
    assert run(["verify", "train.plan", "run.log", "--json"]) == (3 if since else 0)
    found = json.loads(capsys.readouterr().out)
    assert faults("verify", found) == [] and found["on_plan"] is (since is None)
    assert (found["lost"] or {}).get("step") == since
    run(["verify", "train.plan", "run.log"])
    assert (f"the loss is no number since step {since}" in capsys.readouterr().out) is (since is not None)


def test_the_rest_of_the_run_and_what_it_costs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first record of four steps' time is lost, of 44: the clock of the log and the plan's goodput tell the end."""
    says = planned(capsys)
    write(says)
    price = ["--set", "hardware.price=2 USD/GPU/hour"]
    assert run(["verify", "train.plan", "run.log", "--json", *price]) == 0
    found = json.loads(capsys.readouterr().out)
    assert faults("verify", found) == []
    assert found["goodput"] == pytest.approx(41 / 44, rel=1e-3) and 0.9 < found["planned_goodput"] < 1
    days = found["left"]["value"] / found["planned_goodput"] / 86400
    assert found["end"] == (date(2026, 3, 1) + timedelta(days=days + 22.17 / 24)).isoformat()
    hourly = 2 * 64 / 3600
    assert found["spent"]["value"] == pytest.approx(44 * says["step_time"] * hourly, rel=1e-3)
    total = found["spent"]["value"] + found["left"]["value"] / found["planned_goodput"] * hourly
    assert found["cost"]["value"] == pytest.approx(total, rel=1e-6)
    assert found["planned_cost"]["value"] == pytest.approx(total, rel=1e-3)
    assert run(["verify", "train.plan", "run.log", *price]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert found["steps"] == 5000 and found["left"]["value"] == pytest.approx(4959 * says["step_time"], rel=1e-3)
    assert f"after step 41 of 5,000 that the log announces, {found['planned_steps']:,.0f} of the plan" in shown
    assert f"it ends on {found['end']}" in shown and "goodput: 93.18%" in shown and "USD at the end as seen" in shown


@pytest.mark.parametrize(("every", "code"), [(5, 3), (12, 3), (39, 0), (0, 0)])
def test_stalls_are_off_and_count_in_what_the_rest_takes(
    every: int, code: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Steps four times as long, which the steady time leaves out; a single one of them tells no rate."""
    seconds = planned(capsys)["step_time"]
    times = [seconds * (4 if every and at % every == 0 else 1) for at in range(1, 41)]
    log = synthetic.megatron(synthetic.Made((seconds * 4, *times), 1024, 4, 2048, 64, 1, 1)).text.decode()
    lines = log.splitlines(keepends=True)
    Path("run.log").write_text("".join(one for one in lines if "memory" not in one and "time (ms)" not in one))
    price = ["--set", "hardware.price=2 USD/GPU/hour", "--tolerance", "5%"]
    assert run(["verify", "train.plan", "run.log", "--json", *price]) == code
    found = json.loads(capsys.readouterr().out)
    assert faults("verify", found) == [] and found["suspects"] == []
    rows = {row["name"]: row for row in found["rows"]}
    assert rows["step_time"]["verdict"] == "on plan" and rows["step_time"]["share"] == pytest.approx(1, rel=1e-3)
    pace = 40 / sum(time / seconds for time in times)
    if not code:
        assert found["lasting_goodput"] in (None, pytest.approx(1))
        pace = found["planned_goodput"]
    else:
        assert rows["goodput"]["verdict"] == "lower"
        assert found["lasting_goodput"] == pytest.approx(pace, rel=1e-3)
    left = found["left"]["value"] / pace
    assert found["wall_left"]["value"] == pytest.approx(left, rel=1e-3)
    assert found["end"] == (date(2026, 3, 1) + timedelta(days=left / 86400 + 22.17 / 24)).isoformat()
    assert found["cost"]["value"] - found["spent"]["value"] == pytest.approx(left * 2 * 64 / 3600, rel=1e-3)
    run(["verify", "train.plan", "run.log", *price])
    shown = " ".join(capsys.readouterr().out.split())
    assert ("is not on plan, within 5%: goodput −" in shown and "at the log's goodput of" in shown) is bool(code)


@pytest.mark.parametrize("word", ["wall_", ""])
@pytest.mark.parametrize("stalls", [False, True])
def test_a_deadline_and_a_budget_are_judged_by_the_pace_of_the_log(
    word: str, stalls: bool, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole run as it goes, not as published runs went: `time` and `wall_time` mean the calendar. A plan with open
    inputs is the one that the log is compared with."""
    assert run(["solve", "train.plan", "--json"]) == 0
    says = {name: one["value"] for name, one in json.loads(capsys.readouterr().out)["quantities"].items()}
    seconds = says["step_time"]
    times = [seconds * (4 if stalls and at % 5 == 0 else 1) for at in range(1, 41)]
    log = synthetic.megatron(synthetic.Made((seconds * 4, *times), 1024, 4, 2048, 64, 1, 1)).text.decode()
    lines = log.replace("/    5000", f"/{says['steps']:8.0f}").splitlines(keepends=True)
    Path("run.log").write_text("".join(one for one in lines if "memory" not in one and "time (ms)" not in one))
    pace = 40 / 64 if stalls else says["goodput"]
    takes = says["steps"] * seconds / pace
    hourly = 2 * 64 / 3600
    late = f"require late: {word}time <= {takes * 0.99 / 86400:.3f} days\n"
    late += f"require dear: {word}cost <= {takes * hourly * 1.01:.0f} USD\n"
    plan = PLAN.replace("gpus = 64", "gpus = 64, price = 2 USD/GPU/hour").replace("micro_batch = 4", "micro_batch = ?")
    Path("train.plan").write_text(plan + late)
    given = ["verify", "train.plan", "run.log", "--tolerance", "50%"]
    assert run([*given, "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert faults("verify", found) == [] and found["on_plan"] is False
    assert all(row["verdict"] == "on plan" for row in found["rows"])
    told = {one["name"]: one for one in found["requirements"]}
    assert {name: one["met"] for name, one in told.items()} == {"deadline": True, "late": False, "dear": True}
    assert told["late"]["seen"]["value"] == pytest.approx(takes, rel=2e-3)
    assert told["dear"]["seen"]["value"] == pytest.approx(takes * hourly, rel=2e-3)
    assert run(given) == 3
    shown = " ".join(capsys.readouterr().out.split())
    assert "is not on plan, within 50%: `late` is missed: wall_time <= " in shown
    assert "`dear` is met: wall_cost <= " in shown and "`deadline` is met: wall_time <= 120 days, as seen " in shown
    Path("train.plan").write_text(plan)
    assert run(given) == 0


def test_a_plan_that_assumes_a_rate_is_judged_by_the_log(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = synthetic.Made((80.0, *[20.0] * 40), 1024, 4, 2048, 64, 1, 1)
    Path("run.log").write_bytes(synthetic.megatron(made).text)  # of 5,000 steps
    Path("train.plan").write_text(PLAN + "assume mfu = 40%\n")
    run(["verify", "train.plan", "run.log", "--json"])
    found = json.loads(capsys.readouterr().out)
    (deadline,) = found["requirements"]
    takes = 5000 * 20 / found["planned_goodput"]
    assert deadline["met"] is True and deadline["seen"]["value"] == pytest.approx(takes, rel=1e-3)


@pytest.mark.parametrize("pause", [0, 7200])
def test_the_cost_so_far_is_of_the_time_by_the_clock(
    pause: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of steps without dates it follows from their times; two hours in which nothing ran are paid all the same."""
    says = planned(capsys)
    write(says)
    begun, lines, step = datetime(2026, 3, 1, 22, 10, 5, tzinfo=timezone.utc), [], 0
    for line in Path("run.log").read_text().splitlines():
        if "elapsed time" in line:
            step += 1
            ended = begun + timedelta(seconds=says["step_time"] * (step + 3) + (pause if step > 20 else 0))
            line = line.replace("2026-03-01 22:10:05", f"{ended:%Y-%m-%d %H:%M:%S.%f}")
        lines.append(line)
    Path("run.log").write_text("\n".join(lines) + "\n")
    assert run(["verify", "train.plan", "run.log", "--json", "--set", "hardware.price=2 USD/GPU/hour"]) == 0
    found = json.loads(capsys.readouterr().out)
    before = 44 / 41  # of the first step, as all of them went
    hours = (says["step_time"] * (40 + before) + pause) / 3600
    assert found["spent"]["value"] == pytest.approx(hours * 2 * 64, rel=1e-3)


def test_rates_follow_the_step(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A step 9.5 % shorter is on plan, although the rate is then 10.5 % higher."""
    write(planned(capsys), 0.905)
    assert run(["verify", "train.plan", "run.log"]) == 0
    capsys.readouterr()
    write(planned(capsys), 1.25)
    assert run(["verify", "train.plan", "run.log"]) == 3
    assert "tokens_per_second_per_gpu −20%, " not in " ".join(capsys.readouterr().out.split()).split("seen planned")[0]


CONFIG = """{"bf16": {"enabled": true}, "zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 2,
 "gradient_accumulation_steps": 8, "train_batch_size": 128}"""
MODEL = """{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "vocab_size": 128256,
 "intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
 "hidden_act": "silu", "max_position_embeddings": 8192, "tie_word_embeddings": false}"""


@pytest.mark.parametrize(("share", "code"), [(1.0, 0), (1.11, 0), (1.9, 3)])
def test_is_this_speed_normal(share: float, code: int, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of configurations, which promise nothing: within what eight of ten such runs reach. Timers of DeepSpeed that are
    of one micro-batch are no parts of a step, and memory that is left over is no trouble."""
    (folder / "ds.json").write_text(CONFIG)
    (folder / "config.json").write_text(MODEL)
    given = ["ds.json", "config.json", "--gpu", "H100", "--gpus", "8", "--set", "dataset.sequence_length=8192"]

    def write_log(seconds: float) -> None:
        times = (seconds * 4, *[seconds] * 40)
        made = synthetic.Made(times, 128, 2, 8192, 8, 1, 1, allocated=40e9, reserved=50e9)
        (folder / "run.log").write_bytes(synthetic.deepspeed(made).text)

    write_log(20.0)
    run(["verify", *given, "run.log", "--json"])
    (step,) = (row for row in json.loads(capsys.readouterr().out)["rows"] if row["name"] == "step_time")
    write_log(step["planned"]["value"] * share)
    assert run(["verify", *given, "run.log"]) == code
    shown = " ".join(capsys.readouterr().out.split())
    assert ("run.log is not normal: step_time" if code else "run.log is normal: step_time") in shown
    assert "eight of ten such runs" in shown and "what is off" not in shown
    assert ("perhaps: gpu.matmul_ceiling" in shown) is bool(code)
    assert run(["verify", *given, "run.log", "--json"]) == code
    found = json.loads(capsys.readouterr().out)
    assert faults("verify", found) == [] and found["tolerance"] is None
    assert run(["verify", *given, "run.log", "--tolerance", "95%"]) == 0
