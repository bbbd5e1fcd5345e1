"""The frames of a process are found whatever launchers and collectors of logs put before its lines."""

from __future__ import annotations

import json

import pytest

from llmplan.why.message import Message, find

MESSAGE = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {}. GPU {} has a total capacity of 79.10 GiB of "
    "which 1.02 GiB is free."
)


def traceback(code: str, tried: str = "18.56 GiB", gpu: int = 5) -> list[str]:
    return [
        "Traceback (most recent call last):",
        '  File "/w/train.py", line 88, in <module>',
        "    main()",
        '  File "/w/model.py", line 107, in forward',
        f"    {code}",
        "        ^^^^^^^^^^^^",
        MESSAGE.format(tried, gpu),
    ]


LOGITS = ("<module>: main()", "forward: logits = logits.float()")
PREFIXES = [
    "",
    "worker-3: ",
    "10.0.0.4: ",
    "gpu04.cluster.local: ",
    "[rank3]: ",
    "[rank: 5] ",
    "[default3]:",
    "[default3]:[rank11]: ",
    "11: [rank11]: ",
    " 3: ",
    "[pod/llama-worker-0/pytorch] ",
    "trainer-1  | ",
    "[1,5]<stderr>:",
    "[1,mpirank:5,algo-2]<stderr>:",
    "(head, rank=0, pid=2843) ",
    "(RayTrainWorker pid=12, ip=10.0.0.1) ",
    '{"log":"',
]
TIMES = [
    "2025-08-14T09:11:1{}.1234{}Z stderr F ",
    "2024-09-05T11:20:3{}.11{}Z ",
    "Sep  5 11:20:3{} node4 train[12]: ",
    "2025-05-02 12:00:0{},12{} - ERROR - ",
    "[2024-09-05T11:20:3{}Z] ",
    "[2024-09-05 11:20:3{}+02:00] [rank1]: ",
]


def found(lines: list[str]) -> Message:
    message = find(lines)
    assert message is not None and message.tried is not None
    return message


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("before", ["", "  0%|          | 0/1875 [00:00<?, ?it/s]"])
def test_a_prefix_is_seen_by_where_the_traceback_stands(prefix: str, before: str) -> None:
    lines = [f"{prefix}{line}" for line in traceback("logits = logits.float()")]
    message = found(["step 1", f"{before}{lines[0]}", *lines[1:]])
    assert message.frames == LOGITS and message.text.startswith("torch.OutOfMemoryError")


@pytest.mark.parametrize("prefix", TIMES)
def test_times_that_differ_from_line_to_line(prefix: str) -> None:
    lines = [prefix.format(at, at) + line for at, line in enumerate(traceback("logits = logits.float()"))]
    assert found(lines).frames == LOGITS


def test_colours_and_records_of_collectors() -> None:
    lines = traceback("logits = logits.float()")
    assert found([f"\x1b[31m{line}\x1b[0m" for line in lines]).frames == LOGITS
    assert found([json.dumps({"log": f"{line}\n", "stream": "stderr"}) for line in lines]).frames == LOGITS
    assert found([json.dumps({"level": "error", "message": "\n".join(lines)})]).frames == LOGITS
    assert found(['{"log": 3}', '{"log"}', "[" * 9, "{" * 100_000 + "}", *lines]).frames == LOGITS


def test_interleaved_ranks_keep_their_own_frames() -> None:
    one = [f"[rank0]: {line}" for line in traceback("logits = logits.float()")]
    other = [f"[rank1]: {line}" for line in traceback("x = self.mlp(x)", "2.00 GiB", 1)]
    mixed = [line for pair in zip(one, other, strict=True) for line in pair]
    message = found(mixed)
    assert message.frames == LOGITS
    assert [(also.gpu, also.frames[-1]) for also in message.also] == [(1, "forward: x = self.mlp(x)")]


def test_a_rank_without_a_traceback_has_no_frames_of_another() -> None:
    lines = [f"[rank0]: {line}" for line in traceback("logits = logits.float()")[:-1]]
    assert found([*lines, f"[rank3]: {MESSAGE.format('1.00 GiB', 3)}"]).frames == ()
    assert found([*lines, MESSAGE.format("1.00 GiB", 3)]).frames == LOGITS


def test_a_later_traceback_replaces_an_earlier_one() -> None:
    first = [f"worker-3: {line}" for line in traceback("import flash_attn")[:-1]]
    second = [f"worker-3: {line}" for line in traceback("logits = logits.float()")]
    assert found([*first, "worker-3: ImportError: none", *second]).frames == LOGITS


def test_a_repeated_message_is_told_once_and_others_are_kept() -> None:
    lines = [f"[rank{gpu}]: {MESSAGE.format(size, gpu)}" for gpu, size in ((0, "1002.00 MiB"), (1, "3.91 GiB"))]
    message = found([*lines, *lines])
    assert message.gpu == 0 and [one.gpu for one in message.also] == [1]


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("CUDA out of memory. Tried to allocate 2.00 GiB.", "PYTORCH_CUDA_ALLOC_CONF"),
        ("HIP out of memory. Tried to allocate 2.00 GiB.", "PYTORCH_HIP_ALLOC_CONF"),
        ("CUDA out of memory. Tried to allocate 2.00 GiB. Set PYTORCH_ALLOC_CONF=", "PYTORCH_ALLOC_CONF"),
    ],
)
def test_the_variable_of_the_allocator(text: str, setting: str) -> None:
    assert found([f"torch.OutOfMemoryError: {text}"]).setting == setting


def test_many_processes_are_bounded() -> None:
    lines = [f"node{at}-{'x' * (at % 90)}: {line}" for at in range(3_000) for line in traceback("a = b")[:5]]
    message = found([*lines, *(f"last: {line}" for line in traceback("logits = logits.float()"))])
    assert message.frames == LOGITS
