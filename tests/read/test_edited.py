"""Where a key's value stands in a line of a file."""

from __future__ import annotations

import pytest

from llmplan.read.edited import located

LINES = {
    '  "train_micro_batch_size_per_gpu": 16,': ("train_micro_batch_size_per_gpu", "16"),
    '"zero_optimization": {"stage": 2, "x": 22}': ("zero_optimization.stage", "2"),
    "per_device_train_batch_size: 16  # 16 fits": ("per_device_train_batch_size", "16"),
    "optim: 'adamw_torch'": ("optim", "adamw_torch"),
    "micro_batch_size = 4": ("training.micro_batch_size", "4"),
    "torchrun train.py --per_device_train_batch_size 16 --x 16 \\": ("per_device_train_batch_size", "16"),
    "  --micro-batch-size=4": ("micro_batch_size", "4"),
    "trainer = SFTConfig(max_length=2048, x=2048)": ("max_length", "2048"),
}
ELSEWHERE = {
    "micro_batch_size: ${MICRO}": ("micro_batch_size", "4"),
    "a_stage: 2": ("stage", "2"),
    "stage: 20": ("stage", "2"),
    "stage: 2.5": ("stage", "2"),
    "{stage: 2}, {stage: 2}": ("stage", "2"),
    "": ("stage", "2"),
}


@pytest.mark.parametrize("line", LINES)
def test_the_value_behind_the_key(line: str) -> None:
    key, value = LINES[line]
    text = f"first\r\n{line}\r\nlast"
    found = located(text, key, value, 2)
    assert found is not None and text[slice(*found)] == value
    assert text[: found[0]].count(value) == line[: line.index(value)].count(value)


@pytest.mark.parametrize("line", ELSEWHERE)
def test_a_value_from_elsewhere_or_twice_has_no_place(line: str) -> None:
    assert located(f"first\n{line}", *ELSEWHERE[line], 2) is None
    assert located("stage: 2", "stage", "2", 5) is None
