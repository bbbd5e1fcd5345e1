"""Switches of the software that make a plan feasible together, and the words of files for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan import api
from llmplan.cli import run

TITAN = """[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 4
seq_len = 8192
steps = 1000
[parallelism]
fsdp_reshard_after_forward = "never"
[activation_checkpoint]
mode = "none"
"""
AXOLOTL = """base_model: meta-llama/Llama-3.1-8B
sequence_len: 8192
micro_batch_size: 2
gradient_accumulation_steps: 4
optimizer: adamw_torch_fused
bf16: true
gradient_checkpointing: true
fsdp_config:
  fsdp_version: 2
  reshard_after_forward: false
  transformer_layer_cls_to_wrap: LlamaDecoderLayer
"""
PLAN = """model "llama-3.1-8b"
stack "torchtitan-0.2"
dataset.sequence_length = 8192
training { steps = 1000, micro_batch = 4, global_batch = 32 sequences, recompute = none }
parallelism { framework = torchtitan, zero_stage = 2 }
hardware { gpu = "A100-SXM4-80GB", gpus = 8 }
emit torchtitan
"""


def test_two_switches_where_one_moves_far() -> None:
    solution = api.solve("-", text=PLAN)
    assert solution.status == "infeasible"
    sets = [(one, *one.beside) for one in solution.relaxations if one.beside]
    assert sets and all(part.sort == "switch" for part in sets[0])
    settings = [(part.name, part.statement.partition(" = ")[2]) for part in sets[0]]
    assert api.solve("-", text=PLAN, settings=settings).status == "solved"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _told(name: str, text: str, gpu: str, capsys: pytest.CaptureFixture[str]) -> str:
    Path(name).write_text(text)
    assert run(["solve", name, "--gpus", "8", "--gpu", gpu]) == 3
    return capsys.readouterr().err


def test_a_change_that_moves_the_batch_is_told_with_the_key_that_moves_it_back(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = _told("a.toml", TITAN, "A100-80GB", capsys)
    assert "training.local_batch_size: 4 →" in told and told.count("+ training.global_batch_size: 32") >= 1


def test_nothing_is_offered_that_the_software_cannot_do(capsys: pytest.CaptureFixture[str]) -> None:
    told = _told("a.yaml", AXOLOTL, "H100", capsys)
    assert "1: `a.yaml:10 fsdp_config.reshard_after_forward: false → true`" in told
    assert "+ tensor_parallel_size: 2, a.yaml:4 gradient_accumulation_steps: 4 → 8" in told
    assert "pipeline" not in told
