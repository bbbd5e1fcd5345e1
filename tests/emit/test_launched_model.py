"""The model and the data of a plan reach `launch.sh` and the report, so that no other model trains unnoticed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from llmplan import api
from llmplan.emit.render import render

PLAN = """model "llama-3-8b" {{ {changed} }}
dataset {{ tokens = 2B, sequence_length = 4096, path = "/data/the corpus" }}
hardware {{ gpu = "H100-SXM5-80GB", gpus = 16 }}
training {{ precision = bf16, global_batch = 256 sequences, micro_batch = 1, recompute = full }}
emit {target}, report
"""
TARGETS = {
    "deepspeed": "parallelism.zero_stage = 3",
    "accelerate": "parallelism { framework = fsdp, zero_stage = 3 }",
}


def files(target: str, changed: str = "") -> dict[str, str]:
    solution = api.solve("-", text=PLAN.format(target=target, changed=changed) + TARGETS[target])
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    written, problems = render(solution)
    assert not [p for p in problems if p.severity == "error"], problems
    return written


@pytest.mark.parametrize("target", TARGETS)
def test_a_published_model_has_its_name_and_count(target: str) -> None:
    written = files(target)
    script = written["launch.sh"]
    assert "export LLMPLAN_MODEL=meta-llama/Meta-Llama-3-8B\n" in script
    assert "export LLMPLAN_PARAMETERS=8030261248\n" in script
    assert "export LLMPLAN_DATASET='/data/the corpus'\n" in script
    assert "`meta-llama/Meta-Llama-3-8B`" in written["report.md"]
    assert "`LLMPLAN_PARAMETERS` (8030261248)" in written["report.md"]


@pytest.mark.parametrize("target", TARGETS)
def test_a_changed_model_does_not_go_by_the_published_name(target: str) -> None:
    written = files(target, "vocab = 64000")
    script = written["launch.sh"]
    assert "LLMPLAN_MODEL=" not in script
    assert "export LLMPLAN_PARAMETERS=7503876096\n" in script and "export LLMPLAN_MODEL_VOCAB=64000\n" in script
    assert "`LLMPLAN_MODEL` is absent" in written["report.md"]


NAMED = """model "llama-3-8b"
dataset {{ tokens = 2B, sequence_length = 4096 }}
hardware {{ gpu = "H100-SXM5-80GB", gpus = 8 }}
parallelism {{ zero_stage = 3 }}
training {{ precision = bf16, global_batch = 256 sequences, micro_batch = 1, recompute = full }}
emit huggingface {{ {options} }}
"""
HOSTILE = "-c it's $(touch here)/`touch here`;&"


def launch_of(options: str) -> str:
    solution = api.solve("-", text=NAMED.format(options=options))
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    written, problems = render(solution)
    assert not problems, problems
    return written["launch.sh"]


@pytest.mark.parametrize("trainer", ["trl", "transformers"])
def test_the_model_of_the_trainers_is_compared_before_they_start(trainer: str, tmp_path: Path) -> None:
    """Where it cannot be, that is said, and they start: here nothing is installed that could make a model."""
    script = launch_of(f'trainer = {trainer}, model = "{HOSTILE}", dataset = "c/d"')
    shape = "num_hidden_layers=32 hidden_size=4096 num_attention_heads=32 num_key_value_heads=8 vocab_size=128256"
    assert f" 8030261248 {shape} >&2" in script
    (tmp_path / "launch.sh").write_text(script)
    (tmp_path / "torch.py").write_text("raise ImportError('none here')\n")
    (tmp_path / "torchrun").write_text("#!/usr/bin/env bash\necho started\n")
    (tmp_path / "torchrun").chmod(0o755)
    done = subprocess.run(
        ["bash", "launch.sh", *(["train.py"] if trainer == "transformers" else [])], cwd=tmp_path, check=True,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin:/usr/local/bin", "PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout == "started\n" and not (tmp_path / "here").exists()
    assert f"launch.sh: {HOSTILE} is not compared with the plan: ImportError: none here" in done.stderr


def test_a_script_that_is_written_compares_the_model_itself() -> None:
    assert "is not compared" not in launch_of("script = written")


def test_scores_that_balance_experts_are_counted_where_the_plan_counts_them() -> None:
    """Parameters to some models of transformers, buffers to others."""
    text = NAMED.format(options='trainer = trl, dataset = "c/d"').replace("llama-3-8b", "deepseek-v3")
    text = text.replace("gpus = 8", "gpus = 1024").replace("256 seq", "1024 seq")
    written, problems = render(api.solve("-", text=f"{text}waive fits\n"))
    assert not problems and 'if name.endswith("e_score_correction_bias")' in written["launch.sh"]
    assert "e_score" not in launch_of('trainer = trl, dataset = "c/d"')
