"""JSON, YAML, TOML, options and Python calls: keys with their places, values as they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan import importing
from llmplan.read import flags, python_calls, toml, tree
from llmplan.read.document import Document, Unreadable
from llmplan.read.flags import Word
from tests.hanging import ends


def values(document: Document) -> dict[str, object]:
    return {name: item.items if item.items is not None else item.text for name, item in document.items.items()}


def test_json_with_comments_and_trailing_commas() -> None:
    (found,) = tree.documents("a", '{ // why\n "a": {"b": 5e8, /* x */ "c": [1, 2,],},\n "d-e": "auto", "f": null}')
    assert values(found) == {"a.b": "5e8", "a.c": ("1", "2"), "d_e": "auto", "f": None}
    assert found.items["d_e"].line == 3 and found.syntax == "json"


def test_yaml_keeps_what_is_written() -> None:
    text = "a: 2e-6\nb: 1_000\nc: no\nd: ~\ne: '8'\nf: {}\ng: [x, y]\nh:\n- i: 1\n- i: 2\n"
    (found,) = tree.documents("a", text)
    assert values(found) == {
        "a": "2e-6", "b": "1_000", "c": "no", "d": None, "e": "8", "f": None, "g": ("x", "y"), "h.0.i": "1",
        "h.1.i": "2",
    }  # fmt: skip
    assert found.items["e"].quoted and not found.items["c"].quoted


def test_documents_of_a_stream_anchors_and_merges() -> None:
    found = tree.documents("a", "x: &x {a: 1, b: 2}\ny:\n  <<: *x\n  b: 3\n---\nz: 1\n")
    assert [values(one) for one in found] == [{"x.a": "1", "x.b": "2", "y.a": "1", "y.b": "3"}, {"z": "1"}]


@pytest.mark.parametrize("text", ["!!python/object/apply:os.system [x]", "a: !!python/name:os.system x", "a: !ENV x"])
def test_no_tag_is_built(text: str) -> None:
    try:
        tree.documents("a", text)
    except Unreadable:
        pass


def test_a_billion_laughs_is_bounded() -> None:
    text = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
    )
    with pytest.raises(Unreadable):
        tree.documents("a", text)


@pytest.mark.parametrize("text", ["[" * 5_000, "{a: " * 5_000, "a: [", "a\n\tb: 1\n c", "\x00"])
def test_what_is_no_yaml_says_why(text: str) -> None:
    with pytest.raises(Unreadable):
        tree.documents("a", text)


def test_toml_has_places() -> None:
    (found,) = toml.documents("a", "[training]\nsteps = 10\n# c\nlocal_batch_size = 2\n[parallelism]\ntensor = 4\n")
    assert values(found) == {"training.steps": "10", "training.local_batch_size": "2", "parallelism.tensor": "4"}
    assert found.items["training.local_batch_size"].line == 4


def test_options_in_their_forms() -> None:
    text = "--a 1 --b=2 --c --d x y -N 4 --e -1 k.l=3 +m=4 n=[5,6]"
    words = [Word(word, 1) for word in text.split()]
    found = flags.document("flags", "a", words)
    assert values(found) == {
        "a": "1", "b": "2", "c": "true", "d": ("x", "y"), "N": "4", "e": "-1", "k.l": "3", "m": "4", "n": ("5", "6"),
    }  # fmt: skip


def test_an_override_ends_the_values_of_an_option() -> None:
    words = [Word(word, 1) for word in ("--recipe", "r", "model.seq_length=8")]
    assert values(flags.document("flags", "a", words)) == {"recipe": "r", "model.seq_length": "8"}


def test_python_calls_are_read_and_never_run(tmp_path) -> None:
    made = tmp_path / "made"
    text = (
        f"import os\nos.system('touch {made}')\nBATCH = 4\n"
        "args = TrainingArguments(per_device_train_batch_size=BATCH, bf16=True, learning_rate=2e-5, x=f())\n"
        "peft = LoraConfig(r=8, target_modules=['q_proj'])\n"
    )
    found = {}
    for document in python_calls.documents("a.py", text):
        found |= values(document)
    assert found["per_device_train_batch_size"] == "4" and found["bf16"].lower() == "true"
    assert found["learning_rate"] == "2e-05" or found["learning_rate"] == "2e-5"
    assert found["LoraConfig.r"] == "8" and not made.exists()


def test_python_is_calculated_from_constants() -> None:
    text = (
        "import os\nSIZE = '7B'\nBATCH = 64\nMICRO = int(os.environ.get('MICRO', '4'))\nACC = BATCH // MICRO // 8\n"
        "common = {'bf16': True}\nargs = TrainingArguments(\n    per_device_train_batch_size=MICRO,\n"
        "    gradient_accumulation_steps=ACC, model=f'Qwen/Qwen2.5-{SIZE}', learning_rate=2 * 1e-5,\n"
        "    fsdp_config={'activation_checkpointing': True}, epochs=cli.epochs, dtype=torch.bfloat16,\n"
        "    rest=1 // 0, large=9 ** 9 ** 9, name=f'{run()}', **common)\n"
    )
    (document,) = python_calls.documents("a.py", text)
    found = values(document)
    assert found["per_device_train_batch_size"] == "4" and found["gradient_accumulation_steps"] == "2"
    assert (found["model"], found["learning_rate"], found["bf16"]) == ("Qwen/Qwen2.5-7B", "2e-05", "true")
    assert found["fsdp_config.activation_checkpointing"] == "true" and found["dtype"] == "bfloat16"
    assert not any(document.items[name].known for name in ("epochs", "rest", "large", "name"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.sh", "#!/bin/sh\n#SBATCH --nodes=4\n" + "\n" * 40 + "torchrun a.py --lr 1\n"),
        ("hosts", "# all\n" + "\n" * 40 + "a slots=8\n\nb slots=x\n"),
        ("a.sh", "'" * 60_000),
        ("a", "\n" * 60_000 + "x"),
    ],
)
def test_repetition_costs_no_more_than_its_length(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text)
    with ends():
        importing.imported([name], whole=True)
