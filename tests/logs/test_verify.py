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
    assert {row["name"] for row in found["rows"]} == {*says, "tokens_per_second_per_gpu", "mfu"}
    for row in found["rows"]:
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
