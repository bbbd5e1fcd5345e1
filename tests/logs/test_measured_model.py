"""The model of a measured run that comes from a configuration, as other plans know it."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan.cli import run
from tests.logs import synthetic
from tests.logs.test_verify import CONFIG, MODEL

GIVEN = ["--gpu", "H100", "--gpus", "8", "--set", "dataset.sequence_length=8192"]
LATER = """{model}
dataset {{ tokens = 10B, sequence_length = 8192 }}
training {{ global_batch = 128 sequences, micro_batch = 2 }}
hardware {{ gpu = "H100-SXM5-80GB", gpus = 8 }}
parallelism {{ framework = deepspeed, zero_stage = 2 }}
require time <= 1000 days
use "measured.plan"
"""


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made = synthetic.Made((80.0, *[20.0] * 40), batch=128, micro=2, length=8192, gpus=8, allocated=60e9, reserved=70e9)
    Path("run.log").write_bytes(synthetic.deepspeed(made).text)
    Path("ds.json").write_text(CONFIG)
    return Path("measured.plan")


@pytest.mark.parametrize(
    ("config", "name"),
    [
        (MODEL, '"llama-3-8b"'),
        (MODEL.replace('"max_position_embeddings": 8192', '"max_position_embeddings": 131072'), '"llama-3.1-8b"'),
        (MODEL.replace("14336", "14080"), '"model of run"'),
    ],
)
def test_what_is_written_stands_by_itself_and_beside_plans_of_other_models(
    config: str, name: str, written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("config.json").write_text(config)
    assert run(["calibrate", "run.log", "ds.json", "config.json", *GIVEN, "-o", str(written)]) == 0
    text = written.read_text()
    assert f" = {name} " in text and ("entry model" in text) is ("model of" in name)
    assert "config.json:1" in text
    assert run(["check", str(written)]) == 0
    for model in ('model "llama-3.1-8b"', 'model "mixtral-8x7b"', 'model from "config.json"'):
        Path("next.plan").write_text(LATER.format(model=model))
        assert run(["check", "next.plan"]) == 0, capsys.readouterr().err
