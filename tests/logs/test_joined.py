"""Logs of one run of which one has the time and another the memory."""

from __future__ import annotations

import io

import pytest

from llmplan import calibration
from llmplan.calibration import Calibration, Log
from tests.logs import synthetic

_PROBE = "llmplan probe: micro-batch {}, global batch {}, length {}, GPUs {}"


def halves(run: synthetic.Made) -> tuple[str, str]:
    """What the first rank prints of a probe, and what the last one prints."""
    lines = synthetic.megatron(run).text.decode().splitlines()
    said = _PROBE.format(run.micro, run.batch, run.length, run.gpus)
    of_last = [line for line in lines if "elapsed time" in line or "time (ms)" in line]
    return "\n".join([said, *(line for line in lines if line not in of_last)]), "\n".join([said, *of_last])


def told(**logs: str) -> Calibration:
    return calibration.calibrate([Log(f"{name}.log", name, io.BytesIO(text.encode())) for name, text in logs.items()])


@pytest.mark.parametrize("seed", range(3))
def test_time_of_one_log_and_memory_of_another_make_one_statement(seed: int) -> None:
    first, last = halves(synthetic.made(seed))
    for found in (told(first=first, last=last), told(last=last, first=first)):
        (run,) = found.runs
        assert run.name == "last" and {"step_time", "memory.allocated"} <= {one.name for one in run.readings}
        assert found.text.count("measured ") == 1 and "read together: first.log" in found.text
        assert "# last.log:" in found.text and "# first.log:" in found.text
        assert {"parallelism.tensor", "hardware.gpus"} <= {one.path for one in run.settings}


def test_logs_that_may_be_of_other_runs_stay_apart() -> None:
    """Of another micro-batch, of another length, or one of two that it may belong to."""
    run = synthetic.made(0)
    first, last = halves(run)
    for other in (
        last.replace(f"micro-batch {run.micro}", "micro-batch 16"),
        last.replace(f"length {run.length}", "length 99"),
    ):
        assert len(told(first=first, last=other).runs) == 2
    assert len(told(first=first, last=last, again=last).runs) == 3
    assert len(told(first=first, again=first, last=last).runs) == 3
    assert len(told(first=first, last=last.split("\n", 1)[1]).runs) == 2


def test_the_log_without_steps_says_which_one_has_them() -> None:
    first, _ = halves(synthetic.made(0))
    assert (
        "# Not in the log: times of steps. Printed by --log-interval 10, in the log of the last rank."
        in told(first=first).text
    )
