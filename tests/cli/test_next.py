"""The command that `compile` ends with starts what was written: the target says it in its folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan import cli

PLAN = """model "llama-7b"
dataset { tokens = 1B, sequence_length = 2048 tokens }
hardware { gpu = "A100-SXM4-80GB", gpus = 8 }
parallelism { zero_stage = 3 }
training { global_batch = 64 sequences, micro_batch = 1, recompute = full }
"""
HUB = 'model = "a", dataset = "b", output = "c"'


@pytest.mark.parametrize(
    ("emitted", "said"),
    [
        ('deepspeed, slurm { script = "train.py" }', "sbatch out/job.sbatch"),
        *(
            pytest.param(emitted, said, marks=pytest.mark.slow)
            for emitted, said in [
                ("deepspeed", "out/launch.sh train.py"),
                ("accelerate, report", "out/launch.sh train.py"),
                (f"huggingface {{ {HUB} }}", "out/launch.sh train.py"),
                (f"huggingface {{ trainer = trl, {HUB} }}", "out/launch.sh"),
                (
                    f'kubernetes {{ script = "", image = "i" }}, huggingface {{ trainer = trl, {HUB} }}',
                    "kubectl apply -f out/k8s.yaml",
                ),
                ('deepspeed, skypilot { script = "a.py", accelerator = "A100-80GB" }', "sky launch out/sky.yaml"),
                ("report", ""),
            ]
        ),
    ],
)
def test_what_is_next(
    emitted: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.plan").write_text(f"{PLAN}emit {emitted}\n")
    assert cli.run(["compile", "a.plan", "-o", "out"]) == 0
    last = [line for line in capsys.readouterr().out.splitlines() if line.startswith("next: ")]
    assert last == ([f"next: {said}"] if said else [])
