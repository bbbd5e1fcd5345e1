"""`llmplan calibrate`: what it writes, what it takes from plan and configurations, what it refuses."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

import llmplan
from llmplan.cli import run
from tests.logs import synthetic

PLAN = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 1024 }
hardware { gpu = "A100-SXM4-80GB", gpus = ? }
parallelism { tensor = 1 }
training { precision = bf16, global_batch = 4M tokens, micro_batch = ? }
minimize hardware.gpus
"""
MADE = synthetic.Made((9.0, *[1.5] * 30), batch=64, micro=2, length=2048, gpus=16, tensor=2, pipeline=2)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.log").write_bytes(synthetic.megatron(MADE).text)
    (tmp_path / "train.plan").write_text(PLAN)
    return tmp_path


def test_a_log_with_its_plan(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calibrate", "run.log", "train.plan", "-o", "measured.plan"]) == 0
    assert "wrote measured.plan" in capsys.readouterr().out
    text = (folder / "measured.plan").read_text()
    for line in (
        '    model                   = "llama-7b"        # train.plan:1\n',
        "    dataset.sequence_length = 2048              # run.log:7; the plan says 1024\n",
        "    training.global_batch   = 64 sequences      # run.log:4; the plan says 4M tokens\n",
        "    parallelism.tensor      = 2                 # run.log:1; the plan says 1\n",
        "    hardware.gpus           = 16                # run.log:1\n",
        "    step_time               = 1.5 s             # run.log:13 .. 43\n",
    ):
        assert line in text
    assert "# Left out: 1 first record (up to 9 s)." in text
    assert "# step_time: the plan says " in text and "# memory.reserved: the plan says " in text


def test_a_file_is_never_replaced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "measured.plan").write_text("# mine\n")
    assert run(["calibrate", "run.log", "-o", "measured.plan"]) == 2
    assert "it is never replaced" in capsys.readouterr().err
    assert (folder / "measured.plan").read_text() == "# mine\n"


def test_standard_input_several_logs_and_the_format(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "other.log.gz").write_bytes(synthetic.packed(synthetic.written(MADE).text))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(synthetic.nemo(MADE).text)))
    assert run(["calibrate", "-", "run.log", "other.log.gz"]) == 0
    told = capsys.readouterr().out
    assert [name in told for name in ('measured "run"', 'measured "other"', "# <stdin>: what NeMo printed")] == [
        True
    ] * 3
    assert run(["calibrate", "run.log", "--format", "torchtitan"]) == 1
    assert "E0515" in capsys.readouterr().err
    assert run(["calibrate", "run.log", "--format", "megatron-lm"]) == 0
    assert run(["calibrate", "run.log", "--format", "odd"]) == 1
    assert "there is no format `odd`" in capsys.readouterr().err


def test_configurations_say_what_the_log_does_not(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "titan.log").write_bytes(synthetic.torchtitan_2024(MADE).text.replace(b"with local batch size", b"with"))
    toml = (
        "[model]\nname = 'llama3'\nflavor = '8B'\n"
        "[training]\nlocal_batch_size = 2\nglobal_batch_size = 64\nseq_len = 2048\n"
    )
    (folder / "train.toml").write_text(toml)
    assert run(["calibrate", "titan.log", "train.toml", "--gpu", "H100", "--gpus", "16"]) == 0
    told = capsys.readouterr().out
    assert "training.micro_batch" in told and "# train.toml:5" in told and "# train.toml:7" in told
    assert "hardware.gpu " in told and "# on the command line" in told


def test_logs_of_one_name_are_told_apart(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "run.log").write_bytes(synthetic.megatron(MADE).text)
    assert run(["calibrate", "a/run.log", "b/run.log"]) == 0
    told = capsys.readouterr().out
    assert 'measured "run" {' in told and 'measured "run-2" {' in told


def test_a_launch_without_a_step_points_to_why(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "probe.log").write_text(
        "llmplan probe: micro-batch 4, global batch 1024, length 2048, GPUs 64\n"
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    )
    assert run(["calibrate", "probe.log", "train.plan"]) == 1
    told = capsys.readouterr().err
    assert "E0517" in told and "`llmplan why probe.log`" in told


def test_wrong_use(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calibrate", "no.log"]) == 2
    assert run(["calibrate", "train.plan"]) == 2
    assert run(["calibrate", "run.log", "--steps", "9..3"]) == 2
    assert run(["calibrate", "run.log", "--steps", "x"]) == 2
    assert run(["calibrate", "run.log", "train.plan", "other.plan"]) == 2
    assert run(["calibrate", str(folder)]) == 2
    assert run(["calibrate", "run.log", "./run.log"]) == 2
    capsys.readouterr()
    assert run(["calibrate", "run.log", "--steps", "500..600"]) == 1
    assert "E0517" in capsys.readouterr().err


def test_json_and_python_say_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calibrate", "run.log", "train.plan", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    found = llmplan.calibrate("run.log", "train.plan")
    assert found and found.to_dict() == printed and found.plan == printed["plan"]
    assert [row["name"] for row in found.rows()][:3] == ["step_time", "memory.allocated", "memory.reserved"]
    assert not llmplan.calibrate("run.log", steps=(500, 600))
    with pytest.raises(ValueError, match=r"logs: cannot read no\.log"):
        llmplan.calibrate("no.log")


def test_a_written_script_is_read_exactly() -> None:
    """What `llmplan_train.py` prints is what its format says: the template and the format change together."""
    template = (Path(llmplan.__file__).parents[1] / "templates/launch/train.j2").read_text()
    assert '{"step": step, "loss": loss, "rate": rate, "seconds": seconds, "memory": memory}' in template
    assert "memory = torch.cuda.max_memory_allocated()" in template


TOML = (
    "[model]\nname = 'llama3'\nflavor = '8B'\n"
    "[training]\nlocal_batch_size = 2\nglobal_batch_size = 64\nseq_len = 2048\n"
)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run.log", "--set", "hardware.gpus=8"], "expected `hardware.gpus = 8`, found 16"),
        (["run.log", "train.plan", "--set", "hardware.gpus=8"], "expected `hardware.gpus = 8`, found 16"),
        (["run.log", "train.toml", "--gpu", "H100", "--gpus", "8"], "expected `hardware.gpus = 8`, found 16"),
        (["long.log", "train.plan"], "expected `model.layers = 32`, found 80"),
        (["titan.log", "train.plan"], "expected `model.params_total = 6.74B parameters`, found 8,030,261,248"),
    ],
)
def test_a_log_of_another_run_is_refused(
    arguments: list[str], expected: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (folder / "run.log").read_text()
    (folder / "train.toml").write_text(TOML)
    (folder / "long.log").write_text(text.replace("  seq_length", "  num_layers ....... 80\n  seq_length"))
    said = b"Model llama3 8B size: 8,030,261,248 total parameters\n"
    (folder / "titan.log").write_bytes(said + synthetic.torchtitan_2024(MADE).text)
    assert run(["calibrate", *arguments]) == 1
    told = capsys.readouterr().err
    assert "E0518" in told and expected in told


def test_no_search_decides_on_what_a_run_was(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "titan.log").write_bytes(synthetic.torchtitan_2024(MADE).text)
    (folder / "train.toml").write_text(TOML)
    for command in (["calibrate", "titan.log", "train.toml"], ["verify", "train.toml", "titan.log"]):
        assert run([*command, "--gpu", "H100"]) == 1
        told = capsys.readouterr().err
        assert "E0560" in told and "say it: `--gpus N`" in told
        assert run([*command, "--gpu", "H100", "--gpus", "16"]) in (0, 3)


def test_what_configurations_leave_open_is_no_fact_of_the_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "titan.log").write_bytes(synthetic.torchtitan_2024(MADE).text.replace(b"with local batch size", b"with"))
    (folder / "train.toml").write_text(TOML.replace("local_batch_size = 2\n", ""))
    assert run(["calibrate", "titan.log", "train.toml", "--gpu", "H100", "--gpus", "16"]) == 0
    assert "found by solving" not in capsys.readouterr().out


def test_a_log_of_skipped_steps_alone_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (folder / "run.log").read_text().replace("skipped iterations:   0", "skipped iterations:   1")
    (folder / "run.log").write_text(text)
    for command in (["calibrate", "run.log"], ["calibrate", "run.log", "train.plan"]):
        assert run(command) == 1
        told = capsys.readouterr().err
        assert "all its steps were skipped" in told and "--log-interval" not in told and "PLAN" not in told
