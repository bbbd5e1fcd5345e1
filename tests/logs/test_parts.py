"""Timers of a log as readings: which constants of a step a run moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan import api
from llmplan.calibration import calibrate, opened
from llmplan.request import Request
from tests.logs import synthetic
from tests.logs.test_suspects import PLAN, RUN, TIMERS, says

pytestmark = pytest.mark.usefixtures("no_advice")


def log(parts: dict[str, float], seconds: float) -> bytes:
    made = synthetic.Made((seconds * 4, *[seconds] * 40), pipeline=1, **{n: RUN[n] for n in NAMES})
    told = " | ".join(f"{timer}: {value * 1000:.2f}" for timer, value in parts.items())
    lines = synthetic.megatron(made).text.decode().splitlines()
    return "\n".join(f"time (ms) | {told}" if line.startswith("time (ms)") else line for line in lines).encode()


NAMES = ("length", "gpus", "tensor", "batch", "micro")


def measured(folder: Path, text: bytes, monkeypatch: pytest.MonkeyPatch) -> str:
    """The statement that a log makes."""
    from contextlib import ExitStack

    monkeypatch.chdir(folder)
    (folder / "run.log").write_bytes(text)
    with ExitStack() as stack:
        found = calibrate([opened(stack, "run.log")], Request("a.plan", PLAN.format(**RUN)))
    assert not found.failed, found.diagnostics
    return found.text


def test_a_slow_link_moves_what_the_timers_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that is longer by its reduction alone: without timers compute, which dominates it, is blamed more."""
    plain = says((), tuple(RUN.items()))
    slow = {name: plain[quantity] for name, quantity in TIMERS.items()}
    more = 0.2 * plain["step_time"]
    slow["all-grads-sync"] += more
    text = measured(tmp_path, log(slow, plain["step_time"] + more), monkeypatch)
    assert "step.in_all_reduce" in text and "step.in_forward" in text and "the timer's median" in text
    without = "\n".join(line for line in text.splitlines() if "step.in_" not in line)
    values = [api.solve(Request("b.plan", f"{PLAN.format(**RUN)}\n{one}")).values for one in (without, text)]
    compute, traffic = (
        [float(one[name].value) / plain[name] for one in values]  # type: ignore[arg-type]
        for name in ("step.compute", "step.data_comm")
    )
    assert compute[1] < compute[0] and traffic[1] > traffic[0]


def test_the_plans_own_parts_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = says((), tuple(RUN.items()))
    own = {name: plain[quantity] for name, quantity in TIMERS.items()}
    text = measured(tmp_path, log(own, plain["step_time"]), monkeypatch)
    values = api.solve(Request("b.plan", f"{PLAN.format(**RUN)}\n{text}")).values
    assert "step.in_backward" in text
    assert values["step_time"].value == pytest.approx(plain["step_time"], rel=1e-4)


@pytest.mark.parametrize("scale", [0.05, 3.0])
def test_timers_of_something_else_are_told_and_not_used(
    scale: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one micro-batch, or of passes that overlap: together they are not the step."""
    plain = says((), tuple(RUN.items()))
    parts = {name: plain[quantity] * scale for name, quantity in TIMERS.items()}
    text = measured(tmp_path, log(parts, plain["step_time"]), monkeypatch)
    assert "# Parts of a step, as printed" in text and "step.in_" not in text
