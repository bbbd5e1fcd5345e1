"""What is said of a failure: frames decide between moments, and nothing is said that the log speaks against."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan import failures
from llmplan.cli import run
from llmplan.request import Request
from llmplan.why.message import find
from tests.test_schemas import faults

pytestmark = pytest.mark.usefixtures("no_advice")

LLAMA_70B = """model "llama-3.1-70b"
dataset {{ sequence_length = 2048 }}
training {{ micro_batch = 1, global_batch = 128 sequences, precision = bf16 }}
parallelism {{ zero_stage = 3, framework = deepspeed }}
hardware {{ gpu = "{}", gpus = 32 }}
show memory.total
"""
MEGATRON = """model "llama-3.1-70b"
dataset { sequence_length = 8192 }
training { micro_batch = 1, global_batch = 128 sequences, precision = bf16 }
parallelism { tensor = 4, pipeline = 2, zero_stage = 1, framework = megatron }
hardware { gpu = "H100-SXM5-80GB", gpus = 16 }
show memory.total
"""
VICUNA = """model "llama-2-7b"
dataset.sequence_length = 4096
training { micro_batch = 2, global_batch = 128 sequences, recompute = full }
parallelism { zero_stage = 3, framework = fsdp }
hardware { gpu = "A100-SXM4-80GB", gpus = 4 }
show memory.total
"""
SIZES = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {}. GPU 0 has a total capacity of {} GiB of which "
    "0.40 GiB is free. Including non-PyTorch memory, this process has {} GiB memory in use. Of the allocated memory {} "
    "GiB is allocated by PyTorch, and {} is reserved by PyTorch but unallocated."
)


def log(message: str, *frames: tuple[str, str]) -> list[str]:
    traced = [part for name, code in frames for part in (f'  File "x.py", line 1, in {name}', f"    {code}")]
    return ["Traceback (most recent call last):", *traced, message]


UPDATE = ("_multi_tensor_adamw", "exp_avg_sq_sqrt = torch._foreach_sqrt(device_exp_avg_sqs)")
BUFFER = ("_allocate_buffers_for_parameters", "ParamAndGradBuffer(")
SAVE = ("get_state_dict", "state_dict = model._zero3_consolidated_16bit_state_dict()")
GATHER = ("all_gather_coalesced", "flat_tensor = torch.empty(partition_sz * world_size,")
SOFTMAX = ("forward", "attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32)")


@pytest.mark.parametrize(
    ("tried", "frames", "plan", "name", "moment"),
    [
        ("896.00 MiB", (UPDATE,), LLAMA_70B.format("A100-SXM4-80GB"), "optimizer_step_matrix", "update"),
        ("32.86 GiB", (BUFFER,), MEGATRON, "gradient_buffer_of_ends", "start"),
        ("1.96 GiB", (SAVE, GATHER), LLAMA_70B.format("A100-SXM4-80GB"), "checkpoint_gather_16bit", "save"),
    ],
)
def test_an_allocation_of_another_moment_than_the_frames_is_not_first(
    tried: str, frames: tuple[tuple[str, str], ...], plan: str, name: str, moment: str
) -> None:
    found = failures.explain(log(SIZES.format(tried, 79.1, 78.6, 75.1, "12.00 MiB"), *frames), Request("-", plan))
    assert found.diagnosis is not None
    first = found.diagnosis.matches[0]
    assert (first.allocation.name, first.allocation.moment) == (f"allocation.{name}", moment)
    assert first.proof == "size and frame" and found.diagnosis.pieces is None


def test_a_size_of_another_moment_follows_what_the_frames_show() -> None:
    """The frames are of an update whose temporary has another size: a matrix that is loaded is not the answer."""
    text = SIZES.format("448.00 MiB", 79.1, 78.6, 75.1, "12.00 MiB")
    found = failures.explain(log(text, UPDATE), Request("-", LLAMA_70B.format("A100-SXM4-80GB")))
    assert found.diagnosis is not None
    assert found.diagnosis.matches[0].allocation.moment == "update"
    assert "size" in {one.proof for one in found.diagnosis.matches}


def test_what_is_loaded_to_be_quantised() -> None:
    text = SIZES.format("448.00 MiB", 23.64, 23.34, 22.8, "12.34 MiB")
    frames = (("<module>", "model = AutoModel.from_pretrained(name)"), ("_quantize", "w = self.data.contiguous()"))
    found = failures.explain(log(text, *frames), None).diagnosis
    assert found is not None and found.matches[0].allocation.name == "allocation.weight_before_quantising"


def test_pieces_too_few_to_decide() -> None:
    text = SIZES.format("148.00 MiB", 23.65, 14.1, 13.5, "154.21 MiB").replace("0.40 GiB", "87.06 MiB")
    found = failures.explain([text.replace("Including", "Process 3 has 9.45 GiB memory in use. Including")], None)
    assert found.diagnosis is not None and found.diagnosis.causes == ("others",)


def said(tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: list[str], plan: str) -> str:
    (tmp_path / "log").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "a.plan").write_text(plan, encoding="utf-8")
    assert run(["why", str(tmp_path / "log"), *([str(tmp_path / "a.plan")] if plan else [])]) == 0
    return " ".join(capsys.readouterr().out.split())


def test_why_no_change_is_suggested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = SIZES.format("1.96 GiB", 79.1, 78.6, 75.1, "12.00 MiB")
    told = said(tmp_path, capsys, log(text, SAVE, GATHER), LLAMA_70B.format("A100-SXM4-80GB"))
    assert "no change is suggested: as the plan has it the run fits" in told
    assert "while a checkpoint is saved" in told and "give the log with it" not in told
    bare = said(tmp_path, capsys, [text], LLAMA_70B.format("A100-SXM4-80GB"))
    assert "give the log with it" in bare


def test_attention_that_the_traceback_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = said(tmp_path, capsys, log(SIZES.format("4.00 GiB", 79.2, 78, 72.58, "1.83 GiB"), SOFTMAX), VICUNA)
    assert "the traceback shows `training.attention = standard`" in told
    assert "changes that avoid it training.attention = flash" in told


def test_others_that_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [SIZES.format(size, 79.1, 78.6, 75.1, "12.00 MiB") for size in ("1000.00 MiB", "3.91 GiB", "2.00 GiB")]
    told = said(tmp_path, capsys, [f"[rank{at}]: {line}" for at, line in enumerate(lines)], "")
    assert "2 other messages follow in the log" in told and "tried to allocate 3.91 GiB, 2.00 GiB" in told
    document = failures.as_json(failures.explain(lines, None), ())
    assert [one["gpu"] for one in document["also"]] == [0, 0] and faults("why", document) == []


def test_the_message_that_is_explained_best_is_taken() -> None:
    """The first one is of a size that no allocation has."""
    lines = [SIZES.format(size, 79.1, 78.6, 75.1, "12.00 MiB") for size in ("1.37 GiB", "3.91 GiB")]
    found = failures.explain(lines, Request("-", LLAMA_70B.format("A100-SXM4-80GB")))
    assert found.diagnosis is not None and found.diagnosis.message.tried is not None
    first = find(lines)
    assert first is not None and found.diagnosis.message.tried != first.tried
    assert [one.tried for one in found.diagnosis.message.also] == [first.tried]


def test_the_variable_that_the_log_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = SIZES.format("7.83 GiB", 191.98, 187.4, 150.31, "34.20 GiB").replace("CUDA", "HIP")
    told = said(tmp_path, capsys, [text], "")
    assert "PYTORCH_HIP_ALLOC_CONF=expandable_segments:True" in told and "CUDA_ALLOC" not in told
