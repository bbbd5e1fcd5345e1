"""A log made up in the syntax of each format is read back exactly: steps, memory, and the inputs that it says."""

from __future__ import annotations

import io
import re

import pytest

from llmplan.calibration import Calibration, Log, calibrate
from llmplan.logs.samples import figure
from tests.logs import synthetic
from tests.thorough import many


def told(text: bytes, **options: object) -> Calibration:
    return calibrate([Log("run.log", "run", io.BytesIO(text))], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", synthetic.FORMATS)
@pytest.mark.parametrize("seed", range(many(3, 30, 300)))
def test_a_log_reads_back(name: str, seed: int) -> None:
    made = synthetic.made(seed)
    log = synthetic.FORMATS[name](made)
    settings = {"training.global_batch": f"{made.batch} sequences", "dataset.sequence_length": str(made.length)}
    found = told(log.text, settings=list(settings.items()))
    if log.times is None and log.allocated is None and log.reserved is None:
        assert [one.code for one in found.diagnostics] == ["E0517"]
        return
    assert found.diagnostics == (), [str(one.message) for one in found.diagnostics]
    (run,) = found.runs
    assert run.heard.format is not None and run.heard.format.name == log.format
    readings = {reading.name: reading.value for reading in run.readings}
    if log.times is not None:
        assert readings["step_time"] == pytest.approx(figure(log.times).mean, rel=log.tolerance)
        assert run.piece is not None
        kept = [sample.time for sample in run.piece.steady.kept]
        if log.tolerance < 1e-2 and None not in kept:
            assert kept == pytest.approx(list(log.times), rel=log.tolerance)
    assert readings.get("memory.allocated") == (log.allocated and pytest.approx(log.allocated, rel=1e-12))
    assert readings.get("memory.reserved") == (log.reserved and pytest.approx(log.reserved, rel=1e-12))
    assert {one.path: one.text for one in run.settings} == {**settings, **log.inputs}


@pytest.mark.parametrize("name", synthetic.FORMATS)
def test_packed_and_with_other_ends_of_lines_it_is_the_same(name: str) -> None:
    text = synthetic.FORMATS[name](synthetic.made(1)).text
    plain = told(text)
    assert told(synthetic.packed(text)).text == plain.text
    if name != "tensorboard":
        assert told(text.replace(b"\n", b"\r\n")).text == plain.text


LOSS = re.compile(rb"""((?:lm[ _]loss|train_loss|(?:\b|m)loss(?:/train/total)?)['"]?:\s+)[\d.E+]+""")


@pytest.mark.parametrize(
    "name", sorted({*synthetic.FORMATS} - {"deepspeed", "lightning", "tensorboard", "wandb_csv", "wandb_json"})
)
def test_a_loss_that_is_no_number_is_noticed(name: str) -> None:
    text = synthetic.FORMATS[name](synthetic.made(1)).text
    for loss, lost in ((b"NaN", True), (b"2.5", False)):
        changed, count = LOSS.subn(rb"\g<1>" + loss, text)
        (run,) = told(changed).runs
        assert count and (run.heard.telling.common.lost is not None) is lost
