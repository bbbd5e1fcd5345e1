"""Where a key's value stands in a line of a file."""

from __future__ import annotations

import pytest

from llmplan.read.edited import inserted, located, shown_key

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


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("MBS=4\nrun --micro-batch-size $MBS \\", "MBS=2\nrun --micro-batch-size $MBS \\"),
        (
            'export MBS="4" TP=4\nrun --micro-batch-size "${MBS}"',
            'export MBS="2" TP=4\nrun --micro-batch-size "${MBS}"',
        ),
        ("\nrun --micro-batch-size ${MBS:-4}", "\nrun --micro-batch-size ${MBS:-2}"),
        ("MBS=4; TP=4\nrun --micro-batch-size=$MBS", "MBS=2; TP=4\nrun --micro-batch-size=$MBS"),
        ("MBS=4\nrun --micro-batch-size $MBS --batch $((MBS * 8))", None),
        ("MBS=4; MBS=8\nrun --micro-batch-size $MBS", None),
        ("MBS=$X\nrun --micro-batch-size $MBS", None),
        ("XMBS=4\nrun --micro-batch-size $MBS", None),
    ],
)
def test_the_value_of_a_variable(text: str, after: str | None) -> None:
    found = located(text, "micro-batch-size", "4", 2)
    assert (None if found is None else f"{text[: found[0]]}2{text[found[1] :]}") == after


@pytest.mark.parametrize(
    ("file", "text", "key", "value", "line", "after"),
    [
        ("a.json", '{\n  "a": 1\n}\n', "optim", "adamw_8bit", 0, '{\n  "optim": "adamw_8bit",\n  "a": 1\n}\n'),
        ("a.json", "{}", "x.y", "2", 0, '{"x": {"y": 2}}'),
        ("a.json", '{"x": {"z": 1}}', "x.y", "2", 0, None),
        ("a.yaml", "a: 1", "bf16", "true", 0, "a: 1\nbf16: true\n"),
        ("a.yml", "x:\n  z: 1\nb: 2\n", "x.y", "2", 0, "x:\n  y: 2\n  z: 1\nb: 2\n"),
        ("a.yml", "b: 2\n", "x.y", "2", 0, None),
        ("a.toml", "[x]\nz = 1\n", "x.y", "full", 0, '[x]\ny = "full"\nz = 1\n'),
        ("a.toml", "[w]\nz = 1\n", "x.y", "2", 0, "[w]\nz = 1\n\n[x]\ny = 2\n"),
        ("a.sh", "run a.py \\\n  --x 1 \\\n  --z 2\n", "--y", "3", 2, "run a.py \\\n  --x 1 --y 3 \\\n  --z 2\n"),
        ("a.sh", "run a.py --z 2\n", "--y", "true", 1, "run a.py --z 2 --y\n"),
        ("a.sh", "run a.py --z 2 | tee log\n", "--y", "3", 1, None),
        ("a.py", "f(z=2)\n", "y", "3", 0, None),
    ],
)
def test_a_key_that_the_file_lacks(file: str, text: str, key: str, value: str, line: int, after: str | None) -> None:
    found = inserted(file, text, key, value, line)
    assert (None if found is None else text[: found[0]] + found[1] + text[found[0] :]) == after


ONE_LINE = '{"fp16":{"enabled":true},"bf16":{"enabled":false},"train_batch_size":128}'


@pytest.mark.parametrize(
    ("line", "key", "value", "shown"),
    [
        (ONE_LINE, "bf16.enabled", "false", 'enabled":false'),
        (ONE_LINE, "fp16.enabled", "true", 'enabled":true'),
        (ONE_LINE, "train_batch_size", "128", 'train_batch_size":128'),
        ("python a.py --per-device-batch 4 --x 4", "per_device_batch", "4", "--per-device-batch 4"),
        ("python a.py --batch $N", "batch", "4", "--batch"),
        ("    stage: 3", "zero_optimization.stage", "3", "stage: 3"),
        ("python a.py", "batch", "4", None),
    ],
)
def test_a_key_in_a_line_of_several(line: str, key: str, value: str, shown: str | None) -> None:
    at = shown_key(line, key, value)
    assert shown == (None if at is None else line[slice(*at)])
