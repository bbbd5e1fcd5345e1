"""`llmplan verify` of runs that are not as planned: the part that is off, or the likeliest reason first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from llmplan import api
from llmplan.cli import run
from llmplan.request import Request
from tests.logs import synthetic
from tests.test_schemas import faults

PLAN = """model "llama-7b"
dataset {{ tokens = 1T, sequence_length = {length} }}
hardware {{ gpu = "{gpu}", gpus = {gpus} }}
parallelism {{ framework = megatron, tensor = {tensor}, pipeline = 1, zero_stage = 1 }}
training {{ precision = bf16, global_batch = {batch} sequences, micro_batch = {micro}, recompute = selective }}
require deadline: wall_time <= 1200 days
"""
RUN = {"length": 2048, "gpus": 64, "tensor": 2, "batch": 512, "micro": 4, "gpu": "A100-SXM4-80GB"}
TIMERS = {
    "forward-compute": "step.in_forward",
    "backward-compute": "step.in_backward",
    "optimizer": "step.in_update",
    "all-grads-sync": "step.in_all_reduce",
}
pytestmark = pytest.mark.usefixtures("no_advice")
MISFIT = 1.03
"""The library is off by so much anyway."""


@lru_cache(maxsize=64)
def says(settings: tuple[tuple[str, str], ...], shape: tuple[tuple[str, Any], ...]) -> dict[str, float]:
    """What the library says of a run."""
    solution = api.solve(Request("a.plan", PLAN.format(**dict(shape)), settings=settings))
    assert solution.status != "error", solution.diagnostics
    return {n: float(v.value) for n, v in solution.values.items() if isinstance(v.value, (int, float))}


def written(figures: Mapping[str, float], shape: Mapping[str, Any], timers: bool) -> bytes:
    """The log of a run in Megatron-LM's words, which says neither recompute nor precision."""
    seconds = figures["step_time"] * MISFIT
    made = synthetic.Made(
        (seconds * 4, *[seconds] * 40),
        **{name: shape[name] for name in ("length", "gpus", "tensor", "batch", "micro")},
        pipeline=1,
        allocated=figures["memory.allocated"],
        reserved=figures["memory.reserved"],
    )
    told = " | ".join(f"{timer}: {figures[name] * 1000 * MISFIT:.2f}" for timer, name in TIMERS.items())
    lines = []
    for line in synthetic.megatron(made).text.decode().splitlines():
        if line.startswith("time (ms)"):
            line = f"time (ms) | {told}" if timers else ""
        if not line.startswith(("  recompute_granularity", "  bf16")):
            lines.append(line)
    return "\n".join(lines).encode()


def verified(
    folder: Path, capsys: pytest.CaptureFixture[str], tampered: Mapping[str, str], timers: bool, **changed: Any
) -> dict[str, Any]:
    """What `verify` says of the log of a run with other settings than planned."""
    shape = {**RUN, **changed}
    (folder / "train.plan").write_text(PLAN.format(**shape))
    (folder / "run.log").write_bytes(written(says(tuple(tampered.items()), tuple(shape.items())), shape, timers))
    code = run(["verify", "train.plan", "run.log", "--json", "--tolerance", "8%"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert code == 3 and faults("verify", found) == []
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("tampered", "timers", "changed", "first"),
    [
        ({"hardware.internode_bandwidth": "0.1 GB/s/GPU"}, True, {}, "hardware.internode_bandwidth"),
        ({"hardware.internode_bandwidth": "3 GB/s/GPU"}, True, {"gpus": 512}, "hardware.internode_bandwidth"),
        ({"hardware.intranode_bandwidth": "30 GB/s/GPU"}, True, {"tensor": 8}, "hardware.intranode_bandwidth"),
        ({"training.recompute": "full"}, False, {}, "training.recompute"),
        ({"training.recompute": "full"}, True, {"gpu": "H100-SXM5-80GB", "length": 4096}, "training.recompute"),
        ({"gpu.matmul_ceiling": "0.6"}, True, {}, "gpu.matmul_ceiling"),
        ({"gpu.matmul_ceiling": "0.6"}, False, {}, "gpu.matmul_ceiling"),
        ({"parallelism.offload": "optimizer"}, False, {"gpus": 8, "batch": 64}, "parallelism.offload"),
        ({"training.precision": "fp32"}, False, {}, "training.precision"),
        ({"training.attention": "standard"}, False, {"length": 4096, "micro": 1}, "training.attention"),
        ({"training.kernels": "eager"}, False, {"gpu": "H100-SXM5-80GB"}, "training.kernels"),
    ],
)  # fmt: skip
def test_the_likeliest_reason_comes_first(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    tampered: dict[str, str],
    timers: bool,
    changed: dict[str, Any],
    first: str,
) -> None:
    found = verified(folder, capsys, tampered, timers, **changed)
    assert [one["name"] for one in found["suspects"]][:1] == [first], found["suspects"]
    assert all(one["text"] for one in found["suspects"])


def test_another_batch_that_the_log_does_not_print(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its steps are told by the clock alone: the twelfth log."""
    seconds = says((("training.global_batch", "1024 sequences"),), tuple(RUN.items()))["step_time"] * MISFIT
    made = synthetic.Made(tuple([seconds] * 40), **{n: RUN[n] for n in ("length", "gpus", "tensor", "batch", "micro")})
    (folder / "train.plan").write_text(PLAN.format(**RUN))
    text = synthetic.torchtitan_2024(made).text.replace(b"with local batch size", b"with")
    (folder / "run.log").write_bytes(text)
    assert run(["verify", "train.plan", "run.log", "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    shares = {
        one["name"]: one["share"] for one in found["suspects"][:2]
    }  # beside a slow card, which no clock tells apart
    assert shares["training.global_batch"] > 0.9


def test_none_that_explains_little_comes_before_one_that_explains_much(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for tampered, timers in (({"gpu.matmul_ceiling": "0.5"}, False), ({"training.recompute": "full"}, True)):
        shares = [one["share"] for one in verified(folder, capsys, tampered, timers)["suspects"]]
        assert shares and None not in shares
        ranks = [share < 0.25 for share in shares]
        assert ranks == sorted(ranks), shares


@pytest.mark.parametrize(
    ("tampered", "part"),
    [
        ({"hardware.internode_bandwidth": "0.1 GB/s/GPU"}, "all_reduce"),
        ({"gpu.matmul_ceiling": "0.6"}, "backward"),
        ({"training.recompute": "full"}, "backward"),
    ],
)
def test_the_part_that_is_off_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], tampered: dict[str, str], part: str
) -> None:
    found = verified(folder, capsys, tampered, True)
    assert found["off"]["part"] == part and found["off"]["seen"]["value"] > found["off"]["planned"]["value"]
    assert 0.5 < found["off"]["share"] < 1.3
    assert run(["verify", "train.plan", "run.log", "--tolerance", "8%"]) == 3
    shown = capsys.readouterr().out
    assert f"what is off: {part}, " in shown and "perhaps: " in shown and "what tells: " in shown
    assert run(["verify", "train.plan", "run.log", "--tolerance", "8%", "--markdown", "--lang", "zh"]) == 3
    assert "偏离之处：" in capsys.readouterr().out
    assert run(["verify", "train.plan", "run.log", "--lang", "en"]) == 3


def test_a_mean_over_the_whole_run_is_said_to_be_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Evaluations and saves are in it."""
    (folder / "train.plan").write_text(PLAN.format(**RUN))
    seconds = says((), tuple(RUN.items()))["step_time"] * 1.3 * 500
    end = f"{{'train_runtime': {seconds:.1f}, 'train_samples_per_second': {512 * 500 / seconds:.3f}, "
    end += f"'train_steps_per_second': {500 / seconds:.3f}, 'epoch': 1.0}}\n"
    (folder / "run.log").write_text(end)
    assert run(["verify", "train.plan", "run.log"]) == 3
    shown = " ".join(capsys.readouterr().out.split())
    assert "perhaps: the step is the mean over the whole run" in shown
    assert shown.index("the mean over the whole run") < shown.index("what tells")


def test_a_restart_is_two_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "train.plan").write_text(PLAN.format(**RUN))
    first = written(says((), tuple(RUN.items())), RUN, False)
    slow = written(says((("gpu.matmul_ceiling", "0.5"),), tuple(RUN.items())), RUN, False)
    (folder / "run.log").write_bytes(first + b"\n" + slow.replace(b"iteration        ", b"iteration      10"))
    assert run(["verify", "train.plan", "run.log"]) == 1
    assert "E0516" in capsys.readouterr().err


@pytest.mark.parametrize("changed", [{"batch": 256}, {"micro": 2}, {"gpus": 128}, {"tensor": 4}, {"length": 4096}])
def test_a_log_of_another_layout_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, int]
) -> None:
    (folder / "train.plan").write_text(PLAN.format(**RUN))
    shape = {**RUN, **changed}
    (folder / "run.log").write_bytes(written(says((), tuple(shape.items())), shape, False))
    assert run(["verify", "train.plan", "run.log"]) == 1
    assert "E0518" in capsys.readouterr().err


def test_a_run_on_plan_has_no_suspects(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "train.plan").write_text(PLAN.format(**RUN))
    (folder / "run.log").write_bytes(written(says((), tuple(RUN.items())), RUN, True))
    assert run(["verify", "train.plan", "run.log", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["suspects"] == [] and found["off"] is None
