"""Out-of-memory messages of all releases, and the allocations that they mean."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from llmplan import failures
from llmplan.cli import run
from llmplan.request import Request
from llmplan.why.allocations import allocations
from llmplan.why.matching import diagnose
from llmplan.why.message import find

pytestmark = pytest.mark.usefixtures("no_advice")

GIB, MIB = 2**30, 2**20
PLAN = """model "llama-7b"
dataset { sequence_length = 2048 }
training { micro_batch = 1, global_batch = 32 sequences, precision = bf16, recompute = none }
parallelism { zero_stage = 2, framework = deepspeed }
hardware { gpu = "A100-SXM4-40GB", gpus = 4 }
show memory.total
"""
MODERN = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.28 GiB. GPU 0 has a total capacity of 39.39 GiB "
    "of which 3.10 GiB is free. Including non-PyTorch memory, this process has 36.28 GiB memory in use. Of the "
    "allocated memory 31.38 GiB is allocated by PyTorch, and 1.10 GiB is reserved by PyTorch but unallocated."
)


OLD = "Tried to allocate 2.00 GiB (GPU 0; 10.00 GiB total capacity; 7.00 GiB already allocated; 1.00 GiB free; {})"
NEW = (
    "Tried to allocate 2.00 GiB. GPU {} has a total {} of 10.00 GiB of which 1.00 GiB is free. {}Of the allocated "
    "memory 7.00 GiB is allocated by PyTorch, {}and 1.50 GiB is reserved by PyTorch but unallocated."
)
GRAPHS = "with 30.00 MiB allocated in private pools (e.g., CUDA Graphs), "
MESSAGES = {
    "1.3": f"RuntimeError: CUDA out of memory. {OLD.format('1.50 GiB cached')}",
    "1.4 to 2.0": f"RuntimeError: CUDA out of memory. {OLD.format('8.50 GiB reserved in total by PyTorch')} If",
    "2.1": "torch.cuda.OutOfMemoryError: CUDA out of memory. "
    + NEW.format(0, "capacty", "Process 12 has 8.90 GiB memory in use. ", ""),
    "HIP, graphs": f"torch.OutOfMemoryError: HIP out of memory. {NEW.format('', 'capacity', '', GRAPHS)}",
}


@pytest.mark.parametrize("text", MESSAGES.values(), ids=MESSAGES)
@pytest.mark.parametrize("prefix", ["", "[rank3]: ", "(RayTrainWorker pid=12, ip=10.0.0.1) "])
def test_messages_of_all_releases(text: str, prefix: str) -> None:
    found = find(["a line", f"{prefix}{text}"])
    assert found is not None and found.tried is not None and found.total is not None
    assert (found.tried.bytes, found.total.bytes) == (2 * GIB, 10 * GIB)
    assert found.free is not None and found.free.bytes == GIB
    assert found.allocated is not None and found.allocated.bytes == 7 * GIB
    assert found.reserved is not None and found.reserved.bytes == round(8.5 * GIB)


def test_a_frame_that_another_rank_interrupts() -> None:
    lines = [
        '  File "a.py", line 1, in forward',
        "Traceback (most recent call last):",
        "    x = self.lm_head(h)",
        MODERN,
    ]
    found = find(lines)
    assert found is not None and found.tried is not None and found.frames == ()


def test_mutated_tracebacks_are_read_without_an_error() -> None:
    frame = '  File "/a/b.py", line 12, in forward\n    x = self.lm_head(h)\nTraceback (most recent call last):\n'
    pieces = [*MESSAGES.values(), MODERN, frame, "Process 1 has 9 GiB memory in use", "oom-kill", "\x1b", "9" * 99]
    source = random.Random(7)
    for _ in range(400):
        text = "".join(source.choices([*pieces, "\n", " "], k=source.randrange(1, 9)))
        for _ in range(source.randrange(4)):
            at = source.randrange(len(text) or 1)
            text = text[:at] + source.choice(pieces) + text[at + source.randrange(30) :]
        message = find(text.splitlines())
        if message is not None:
            diagnose(message, {"memory.total": 1e9, "gpu.memory": 4e9}, ())


def test_a_message_over_several_lines_with_its_frames() -> None:
    lines = [
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in f',
        "    x = dequantize_4bit(B)",
        *MODERN.split(". "),
    ]
    found = find(lines)
    assert found is not None and found.tried is not None and found.allocated is not None
    assert found.frames == ("f: x = dequantize_4bit(B)",)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("CUDA error: out of memory", "elsewhere"),
        ("CUBLAS_STATUS_ALLOC_FAILED when calling", "elsewhere"),
        ("exitcode: -9 (pid: 7)", "host"),
        ("exitcode  : -9 (pid: 7)", "host"),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.", "host"),
        (
            "RuntimeError: [enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes",
            "host",
        ),
    ],
)
def test_what_is_no_allocation_of_pytorch_is_said(text: str, cause: str) -> None:
    found = failures.explain([text], None)
    assert found.diagnosis is not None and found.diagnosis.causes == (cause,) and not found.diagnosis.told


def test_the_process_itself_among_those_of_a_container() -> None:
    """Its number there is not the driver's, so that PyTorch names it as another one."""
    text = (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 8.00 GiB. GPU 0 has a total capacity of 79.15 "
        "GiB of which 5.26 GiB is free. Process 41 has 73.88 GiB memory in use. Of the allocated memory 70.10 GiB is "
        "allocated by PyTorch, and 2.50 GiB is reserved by PyTorch but unallocated."
    )
    found = find([text])
    assert found is not None and found.own is not None and found.others == 0
    other = find([text.replace("Process 41", "Process 40 has 12.00 GiB memory in use. Process 41")])
    assert other is not None and other.others == 12 * GIB


def test_a_card_that_is_not_the_plans_is_told() -> None:
    text = (
        "CUDA out of memory. Tried to allocate 8.00 GiB (GPU 0; 39.39 GiB total capacity; 38.00 GiB already allocated; "
    )
    text += "1.00 GiB free; 38.20 GiB reserved in total by PyTorch)"
    plan = 'model "llama-7b"\ndataset.sequence_length = 2048\nhardware { gpu = "H100-SXM5-80GB", gpus = 8 }\n'
    plan += "training { micro_batch = 2, global_batch = 64 sequences, recompute = none }\nparallelism.zero_stage = 2\n"
    found = failures.explain([text], Request("-", plan))
    assert found.diagnosis is not None and found.diagnosis.causes[0] == "another"


def test_a_log_without_a_message() -> None:
    assert failures.explain(["loss 2.1", "loss 2.0"], None).diagnosis is None


def explained(text: str, *frames: str, plan: str = PLAN) -> failures.Failure:
    lines = [part for frame in frames for part in ('  File "x.py", line 1, in f', f"    {frame}")]
    return failures.explain([*lines, text], Request("a.plan", plan))


def names(found: failures.Failure) -> list[str]:
    assert found.diagnosis is not None
    return [match.allocation.name.partition(".")[2] for match in found.diagnosis.matches]


@pytest.mark.advice
def test_the_fp32_copy_of_a_partition_and_what_avoids_it() -> None:
    found = explained(MODERN, "self.initialize_optimizer_states()")
    assert names(found)[0] == "zero_partition_fp32"
    assert found.diagnosis is not None and found.diagnosis.matches[0].proof == "size and frame"
    assert found.diagnosis.pieces == 5 and found.diagnosis.causes == ()
    assert found.solution is not None and found.solution.status == "infeasible" and len(found.changes) == 3


@pytest.mark.parametrize(
    ("tried", "frames", "name"),
    [
        ("500.00 MiB", (), "embedding_fp32"),
        ("43.00 MiB", (), "mlp_activation"),
        ("250.00 MiB", ("logits = logits.float()",), "logits_fp32"),
        ("512.00 MiB", (), "attention_scores"),
    ],
)
def test_sizes_are_those_that_pytorch_asks_for(tried: str, frames: tuple[str, ...], name: str) -> None:
    text = f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {tried}."
    assert names(explained(text, *frames))[0] == name


def test_a_size_rests_on_what_the_plan_says() -> None:
    """Without the batch no allocation of its tokens is told, unless a whole number of samples explains it."""
    text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {}."
    open_ = PLAN.replace("micro_batch = 1", "micro_batch = ?")
    odd = explained(text.format("302.00 MiB"), plan=open_)
    assert odd.diagnosis is not None and not odd.diagnosis.told
    whole = explained(text.format("750.00 MiB"), plan=open_)
    assert whole.diagnosis is not None
    assert [match.samples for match in whole.diagnosis.matches] == [6, 3]


def test_what_comes_before_any_term() -> None:
    def causes(text: str) -> tuple[str, ...]:
        found = failures.explain([f"CUDA out of memory. {text}"], None).diagnosis
        assert found is not None
        return found.causes

    sizes = "Tried to allocate {} (GPU 0; 8.00 GiB total capacity; {} already allocated; {} free; {} reserved in total)"
    assert causes(sizes.format("1.00 GiB", "5.00 GiB", "0.50 GiB", "7.00 GiB")) == ("fragmented",)
    assert causes(sizes.format("1.00 GiB", "2.00 GiB", "5.00 GiB", "2.10 GiB")) == ("limited",)
    assert causes(sizes.format("20.00 MiB", "7.00 GiB", "1.00 MiB", "7.00 GiB")) == ("block",)


SHARED = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.28 GiB. GPU {} has a total capacity of {} GiB of "
    "which {} is free. {}Of the allocated memory {} is allocated by PyTorch, and {} is reserved by PyTorch but "
    "unallocated."
)
OWN = "Including non-PyTorch memory, this process has {} memory in use. "
NOT_SAID = "17179869184.00 GiB"


def named(*sizes: str) -> str:
    return "".join(f"Process {number} has {size} memory in use. " for number, size in enumerate(sizes, 1))


def others(*lines: str) -> float:
    found = find(lines)
    assert found is not None
    return found.others / GIB


def test_its_own_process_is_not_another_one_where_a_container_hides_its_number() -> None:
    """PyTorch then calls its own process `Process 1`."""
    alone = SHARED.format(0, 79.11, "5.22 GiB", named("73.88 GiB"), "71.10 GiB", "1.90 GiB")
    assert others(alone) == 0
    found = failures.explain([alone], None).diagnosis
    assert found is not None and found.causes == () and found.message.own is not None
    assert found.message.own.bytes == round(73.88 * GIB)
    beside = SHARED.format(0, 79.11, "5.22 GiB", named("30.00 GiB", "43.88 GiB"), "26.10 GiB", "1.90 GiB")
    assert others(beside) == pytest.approx(43.88)
    cut = "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.11 GiB of which 1.00 GiB is"
    assert others(f"{cut} free. {named('30.00 GiB', '48.00 GiB')}") == pytest.approx(30)


def test_all_that_are_named_are_others_where_its_own_process_is_not_among_them() -> None:
    by_itself = f"{named('20.00 GiB', '21.00 GiB')}{OWN.format('37.00 GiB')}"
    assert others(SHARED.format(0, 79.11, "1.11 GiB", by_itself, "35.00 GiB", "1.00 GiB")) == pytest.approx(41)
    assert others(SHARED.format(0, 79.11, "4.11 GiB", named("60.00 GiB"), "13.00 GiB", "1.00 GiB")) == pytest.approx(60)
    assert others(SHARED.format(0, 79.11, "0.11 GiB", named("1.00 GiB"), "70.00 GiB", "1.00 GiB")) == pytest.approx(1)


def test_one_process_for_all_that_is_used_is_not_this_one_alone() -> None:
    """As a published message of a sandbox has it."""
    text = SHARED.format(0, 94.97, "186.38 MiB", named("94.77 GiB"), "1.24 GiB", "20.00 MiB")
    assert others(text) == pytest.approx(93.51, abs=0.01)


def test_a_size_that_the_driver_does_not_know_is_none() -> None:
    """As under WSL: PyTorch prints the number that stands for it."""
    text = SHARED.format(0, "4.00", "0 bytes", f"{OWN.format(NOT_SAID)}{named(NOT_SAID)}", "3.20 GiB", "44.14 MiB")
    assert others(text) == 0
    found = find([text])
    assert found is not None and found.own is None


def test_messages_of_two_ranks_are_not_one() -> None:
    first, second = (
        SHARED.format(gpu, 79.11, "5.22 GiB", named("73.88 GiB"), "71.10 GiB", "1.90 GiB") for gpu in (0, 1)
    )
    assert others(f"[rank0]: {first}", f"[rank1]: {second}") == 0


def test_each_allocation_has_a_moment_that_is_told() -> None:
    from llmplan.present.words.en.failure import _MOMENTS

    assert len(allocations()) > 20 and {one.moment for one in allocations()} <= set(_MOMENTS)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, plan = tmp_path / "a.log", tmp_path / "a.plan"
    log.write_text(f"step 1\n{MODERN}\n", encoding="utf-8")
    plan.write_text(PLAN, encoding="utf-8")
    assert run(["why", str(log), str(plan)]) == 0
    told = capsys.readouterr().out
    assert "6.28 GiB is the fp32 copy" in told and "optimizer" in told
    log.write_text("all is well\n", encoding="utf-8")
    assert run(["why", str(log)]) == 1
    assert run(["why", str(tmp_path / "missing.log")]) == 2


def test_the_flat_weights_of_zero_2_are_not_buckets_of_ddp() -> None:
    lines = [
        "Traceback (most recent call last):",
        '  File "/x/deepspeed/runtime/zero/stage_1_and_2.py", line 301, in __init__',
        "    self.bit16_groups_flat.append(flattened_buffer.to(get_accelerator().current_device_name()))",
        MODERN.replace("6.28 GiB", "12.55 GiB"),
    ]
    found = failures.explain(lines, Request("-", PLAN))
    assert found.diagnosis is not None
    first, *_ = found.diagnosis.matches
    assert (first.allocation.name, first.proof) == ("allocation.zero_flat_weights", "size and frame")


@pytest.mark.parametrize(
    ("micro_batch", "allocated", "causes"),
    [(1, "18.00", ("fragmented",)), (48, "31.38", ("too large",)), (1, "38.00", ("unlike", "fragmented"))],
)
def test_fragmentation_does_not_decide_where_the_plan_needs_more_than_there_is(
    micro_batch: int, allocated: str, causes: tuple[str, ...]
) -> None:
    plan = PLAN.replace("micro_batch = 1", f"micro_batch = {micro_batch}").replace("32 sequences", "384 sequences")
    plan = plan.replace("gpus = 4", "gpus = 8").replace("recompute = none", "recompute = full")
    log = MODERN.replace("31.38", allocated).replace("1.10 GiB is reserved", "7.10 GiB is reserved")
    found = explained(log, plan=plan.replace("zero_stage = 2", "zero_stage = 3")).diagnosis
    assert found is not None and found.causes == causes


def test_another_process_that_holds_most_comes_before_fragmentation() -> None:
    log = MODERN.replace("Including", "Process 7 has 21.00 GiB memory in use. Including").replace("36.28", "15.28")
    log = log.replace("31.38", "8.38").replace("1.10 GiB is reserved", "6.60 GiB is reserved")
    plan = PLAN.replace("zero_stage = 2", "zero_stage = 3").replace("recompute = none", "recompute = full")
    found = explained(log, plan=plan).diagnosis
    assert found is not None and [one for one in found.causes if one in ("others", "fragmented")] == [
        "others",
        "fragmented",
    ]


def test_an_evaluation_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sft.yaml").write_text(
        "model_name_or_path: meta-llama/Llama-3.1-8B\noutput_dir: out\nbf16: true\nper_device_train_batch_size: 1\n"
        "max_length: 4096\nuse_peft: true\nlora_r: 16\nuse_liger_kernel: true\neval_strategy: steps\n"
    )
    Path("log").write_text(
        "Traceback (most recent call last):\n"
        '  File "/x/transformers/trainer.py", line 3001, in _maybe_log_save_evaluate\n'
        "    metrics = self._evaluate(trial, ignore_keys_for_eval)\n"
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 15.66 GiB. GPU 0 has a total capacity of 23.64 "
        "GiB of which 2.11 GiB is free.\n"
    )
    assert run(["why", "log", "sft.yaml", "--gpus", "1", "--gpu", "RTX-4090"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "in an evaluation: told by its size and the traceback" in said


def test_an_engine_that_takes_its_share_at_its_start() -> None:
    found = find(
        [
            (
                "ValueError: Free memory on device (10.2/79.1 GiB) on startup is less than desired GPU memory "
                "utilization (0.9, 71.19 GiB). Decrease GPU memory utilization."
            )
        ]
    )
    assert found is not None and found.engine and found.free is not None and found.free.bytes == round(10.2 * GIB)
    assert diagnose(found, {}, ()).causes == ("engine",)


FRAGMENTED = NEW.format(0, "capacity", "", "").replace("7.00 GiB is", "4.00 GiB is").replace("1.50 GiB", "4.50 GiB")


@pytest.mark.parametrize("grows", [False, True])
def test_pieces_that_grow_already_are_not_advised(
    tmp_path: Path, grows: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    log, script = tmp_path / "log", tmp_path / "run.sh"
    log.write_text(f"torch.OutOfMemoryError: CUDA out of memory. {FRAGMENTED}\n")
    variable = "export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:512,expandable_segments:True\n" if grows else ""
    script.write_text(
        f"{variable}torchrun --nproc_per_node 1 a.py --model_name_or_path gpt2 --per_device_train_batch_size 1 "
        "--max_length 64\n"
    )
    assert run(["why", str(log), str(script), "--gpu", "A100-80GB"]) == 0
    assert ("expandable_segments" in capsys.readouterr().out) is not grows


def test_files_that_contradict_each_other_leave_the_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, one, other = tmp_path / "log", tmp_path / "a.json", tmp_path / "b.yaml"
    log.write_text(f"{MODERN}\n")
    one.write_text(
        '{"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true}, "zero_optimization": {"stage": 2}}'
    )
    other.write_text("per_device_train_batch_size: 1\nmodel_name_or_path: gpt2\n")
    assert run(["why", str(log), str(one), str(other), "--gpu", "A100-80GB", "--gpus", "8"]) == 0
    told = capsys.readouterr()
    assert "6.28 GiB" in told.out and "E0510" in told.err
