"""How many steps a run is to have, as its log announces them, and what follows for its plan's requirements."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from llmplan.cli import run
from llmplan.logs.forms import formats
from llmplan.logs.opening import Bytes
from llmplan.logs.reading import read
from tests.logs import synthetic

MADE = synthetic.Made((9.0, *[1.5] * 30), batch=64, micro=2, length=2048, gpus=8, tensor=1, pipeline=1)
NEMO, FOUNDRY = synthetic.nemo(MADE).text, synthetic.llm_foundry(MADE).text
TOKENS = MADE.batch * MADE.length
PLAN = """model "llama-7b"
dataset { tokens = 100M, sequence_length = 2048 }
hardware { gpu = "H100-SXM5-80GB", gpus = 8 }
training { precision = bf16, global_batch = 64 sequences, micro_batch = 2, recompute = selective }
parallelism { tensor = 1, pipeline = 1 }
require deadline: wall_time <= 1 hour
"""


def counted(prefix: str) -> bytes:
    """A log of LLM Foundry whose `max_duration` is in another unit; `N` in front of each block how many went before."""
    each = TOKENS if prefix == "token" else MADE.batch
    return re.sub(
        rb"\[epoch=1\]\[batch=(\d+)/5000\]",
        lambda found: f"[{prefix}={int(found[1]) * each}/{777 * each}]".encode(),
        FOUNDRY,
    )


def bar(of: int) -> bytes:
    return "".join(
        f"Epoch 0: :   {n}%|#| {n}/{of} [{n * 5 // 60:02d}:{n * 5 % 60:02d}<40:00, v_num=a, reduced_train_loss=7.1, "
        f"global_step={n - 1}.00, consumed_samples={n * 64}.0]\n"
        for n in range(1, 60)
    ).encode()


@pytest.mark.parametrize(
    ("text", "total"),
    [
        (NEMO, 100),
        (re.sub(rb"iteration (\d+)/99", lambda found: b"iteration %d/100" % (int(found[1]) + 1), NEMO), 100),
        (re.sub(rb"iteration (\d+)/99", lambda found: b"iteration %d/99" % (int(found[1]) + 7), NEMO), None),
        (bar(500), 500),
        (FOUNDRY, None),  # 5,000 batches an epoch, of nobody knows how many
        (FOUNDRY.replace(b"[epoch=1]", b""), 5000),
        (counted("token"), 777),
        (counted("sample"), 777),
    ],
)
def test_steps_that_a_log_announces(text: bytes, total: float | None) -> None:
    assert read(Bytes(io.BytesIO(text)), formats()).telling.common.total == total


def test_requirements_are_judged_by_the_steps_of_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """763 steps of the plan take less than an hour, the 5,000 that run take more."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.plan").write_text(PLAN)
    log = synthetic.megatron(MADE).text
    (tmp_path / "run.log").write_bytes(log)
    assert run(["verify", "train.plan", "run.log"]) == 3
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "`deadline` is missed" in shown and "for the 5,000 steps that the log announces, not the 763 planned" in shown
    )
    (tmp_path / "run.log").write_bytes(log.replace(b"/    5000", b"/     763"))
    run(["verify", "train.plan", "run.log", "--json"])
    (deadline,) = json.loads(capsys.readouterr().out)["requirements"]
    assert deadline["met"] and deadline["seen"]["value"] < 3600
