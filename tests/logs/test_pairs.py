"""Logs of training by pairs, which the software counts as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan.cli import run

PLAN = """model "llama-3.1-8b"
dataset { samples = 60_000 pairs, mean_length = 500, longest_length = 2048, sequence_length = 2048, epochs = 1 }
hardware { gpu = "H100-SXM5-80GB", gpus = 8 }
parallelism { framework = fsdp, zero_stage = 3 }
training { task = dpo, micro_batch = 2 pairs, global_batch = 64 pairs, recompute = full }
adapter { targets = ["q_proj", "v_proj"] }
"""
BANNER = """***** Running training *****
  Num examples = 60,000
  Num Epochs = 1
  Instantaneous batch size per device = 2
  Total train batch size (w. parallel, distributed & accumulation) = 64
  Gradient Accumulation steps = 4
  Total optimization steps = 938
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.plan").write_text(PLAN)
    bars = "".join(f" {at}%|#| {at}/938 [{at * 2.4 / 60:02.0f}:00<10:00,  2.40s/it]\n" for at in range(1, 60))
    Path("a.log").write_text(BANNER + bars)


def test_a_batch_of_pairs_is_one_of_sequences(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["calibrate", "a.log", "a.plan", "-o", "m.plan"])
    told = capsys.readouterr()
    if code:  # bars alone may be too coarse to measure; what the log says of the batch is read all the same
        assert "E0518" not in told.err
        return
    text = Path("m.plan").read_text()
    assert "training.micro_batch    = 4" in text and "= 128 sequences" in text
    assert run(["check", "m.plan"]) == 0
