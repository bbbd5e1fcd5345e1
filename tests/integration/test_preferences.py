"""TRL trains by preferences what was planned: pairs, a reference and what it computes, seen from inside."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.plans import quantity, written
from tests.integration.real import PROGRAMS, environment, needs

pytestmark = [pytest.mark.integration, pytest.mark.slow]

TINY = """
model {{ layers = 2, hidden = 32, heads = 4, ffn = 64, gated_mlp = true, vocab = 64 }}
dataset {{ samples = 32 sequences, sequence_length = 24, epochs = 1 }}
hardware {{ gpu = "RTX-4090", gpus = 1 }}
parallelism {{ zero_stage = 0 }}
training {{ task = {task}, micro_batch = 4, global_batch = 8 sequences, recompute = none, warmup = 0 step }}
training {{ checkpoint_interval = 1 hour }}
{more}
emit huggingface {{ trainer = trl, model = "{folder}/model", dataset = "{folder}/data", output = "{folder}/out" }}
huggingface {{ log_every = 1, workers = 0 }}
show training.further_passes
show memory.frozen_model
"""
COPY, ADAPTERS = "", "adapter { method = lora, rank = 4 }"
BEFORE = "reference.place = precomputed"


def data(folder: Path, task: str) -> None:
    """Preferences: pairs of answers, or answers that are good or not."""
    words = " ".join(f"w{number}" for number in range(6))
    pairs = [{"prompt": words, "chosen": f" w{at % 8} w1 w2", "rejected": f" w{at % 8} w4 w5"} for at in range(16)]
    alone = [{"prompt": words, "completion": f" w{at % 8} w1 w2", "label": at % 2 == 0} for at in range(32)]
    lines = [json.dumps(one) for one in (alone if task == "kto" else pairs)]
    (folder / "data" / "train.jsonl").write_text("\n".join(lines) + "\n")


def shown(folder: Path, name: str) -> float:
    """A value that the plan shows."""
    told = json.loads((folder / "solution.json").read_text(encoding="utf-8"))["shown"]
    (found,) = [float(one["value"]) for one in told if one["expression"] == name]
    return found


@pytest.mark.parametrize(
    ("task", "more", "models"),
    [
        ("dpo", COPY, 2),
        ("ipo", COPY, 2),
        ("dpo", ADAPTERS, 1),
        ("dpo", BEFORE, 1),
        ("kto", COPY, 2),
        ("reward", COPY, 1),
    ],
)
def test_what_computes_beside_training(task: str, more: str, models: int, tmp_path: Path) -> None:
    needs("torch", "transformers", "trl", "peft", "datasets")
    subprocess.run([sys.executable, str(PROGRAMS / "make_llama.py"), str(tmp_path)], check=True, env=environment())
    data(tmp_path, task)
    folder = written(TINY.format(folder=tmp_path, task=task, more=more))(tmp_path)
    script, report = "dpo" if task == "ipo" else task, tmp_path / "report.json"
    config = str(folder / f"{script}.yaml")
    command = [sys.executable, str(PROGRAMS / "train_preferences.py"), script, config, str(report)]
    variables = environment(HF_HUB_OFFLINE="1", HF_HOME=str(tmp_path / "home"))
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=variables)
    assert done.returncode == 0, done.stderr[-4000:]
    seen = json.loads(report.read_text())
    assert seen["models"] == models
    # All sequences of a micro-batch pass at once: both halves of its pairs.
    trained, beside = seen["passes"]["trained"], seen["passes"].get("beside", [])
    assert {*trained, *beside} == {4} and len(trained) == 2 * quantity(folder, "steps") == 8
    before = len(trained) if more == BEFORE else 0
    assert len(beside) == shown(folder, "training.further_passes") * len(trained) + before
    copies = [4 * size for size in seen["params"][1:]]
    assert shown(folder, "memory.frozen_model") == sum(copies)
