"""Files that the files name and that nobody gave: told, and no verdict without a configuration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

CONFIG = '{"model_type": "llama", "num_hidden_layers": 4, "hidden_size": 256, "num_attention_heads": 4,'
CONFIG += '"num_key_value_heads": 4, "intermediate_size": 512, "vocab_size": 1000}'
LAUNCH = "--model_name_or_path . --bf16 --per_device_train_batch_size 2 --max_length 128 --max_steps 9 --output_dir o"
DS = '{"zero_optimization": {"stage": 2}}'


@pytest.fixture
def asked(llmplan: Callable[..., Outcome], tmp_path: Path) -> Callable[[str, dict[str, str]], Outcome]:
    def ask(command: str, files: dict[str, str]) -> Outcome:
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        card = ["--gpu", "A100-SXM4-80GB"] if command != "import" else []
        return llmplan(command, *(tmp_path / name for name in files), *card)

    return ask


Ask = Callable[[str, dict[str, str]], Outcome]


@pytest.mark.parametrize(
    ("script", "key", "name"),
    [
        (f"torchrun --nproc_per_node 2 sft.py {LAUNCH} --deepspeed conf/ds.json", "deepspeed", "conf/ds.json"),
        (f"accelerate launch --num_processes 2 --config_file a.yaml sft.py {LAUNCH}", "config_file", "a.yaml"),
        ("llamafactory-cli train full/sft.yaml", "llamafactory-cli", "full/sft.yaml"),
        ("torchrun --nproc_per_node 2 -m torchtitan.train --job.config_file t.toml", "job.config_file", "t.toml"),
        ("deepspeed --num_gpus 2 train.py --deepspeed_config ds.json", "deepspeed_config", "ds.json"),
    ],
)
def test_a_configuration_that_was_not_given_is_told(script: str, key: str, name: str, asked: Ask) -> None:
    files = {"run.sh": script, "config.json": CONFIG}
    verdict = asked("check", files)
    assert verdict.code == 1 and f"error[E0519]: `{key}` names `{name}`, which was not given" in verdict.err
    read = asked("import", files)
    assert read.code == 0 and f"warning[E0519]: `{key}` names `{name}`, which was not given" in read.err


def test_what_was_given_or_is_written_is_not_missing(asked: Ask) -> None:
    launch = f"torchrun --nproc_per_node 2 sft.py {LAUNCH} --deepspeed conf/ds.json"
    given = asked("check", {"run.sh": launch, "ds.json": DS, "config.json": CONFIG})
    assert "E0519" not in given.err
    written = f"cat > conf/ds.json <<EOF\n{DS}\nEOF\n{launch}"
    assert "E0519" not in asked("check", {"run.sh": written, "config.json": CONFIG}).err


def test_a_script_that_another_starts(asked: Ask) -> None:
    files = {"job.sh": "#!/bin/bash\n#SBATCH --nodes=2\nsrun bash inner.sh\n"}
    told = "warning[E0519]: the script `inner.sh` is run here, and was not given: what it says is not read"
    assert told in asked("import", files).err
    files["inner.sh"] = f"torchrun --nproc_per_node 2 sft.py {LAUNCH}\n"
    assert "E0519" not in asked("import", files).err


def test_data_and_built_in_words_are_no_configurations(asked: Ask) -> None:
    script = f"swift sft --model Qwen/Qwen3-8B --deepspeed zero3 --dataset data.json {LAUNCH}"
    assert "E0519" not in asked("import", {"run.sh": script}).err


@pytest.mark.parametrize("command", ["solve", "import"])
@pytest.mark.parametrize(
    ("said", "message"),
    [
        (["--gpu", "H99"], "error[E0207]: the catalog has no gpu `H99`"),
        (["--gpu", "A100-SXM4-80GB", "--set", 'model="llama-9b"'], "error[E0207]: the catalog has no model `llama-9b`"),
        (
            ["--gpu", "A100-SXM4-80GB", "--set", "training.recompute=3"],
            "error[E0511]: `training.recompute`: it has no value `3`",
        ),
    ],
)
def test_what_the_command_line_says_is_never_dropped(
    llmplan: Callable[..., Outcome], tmp_path: Path, command: str, said: list[str], message: str
) -> None:
    (tmp_path / "config.json").write_text(CONFIG)
    (tmp_path / "run.sh").write_text(f"torchrun --nproc_per_node 2 sft.py {LAUNCH}\n")
    outcome = llmplan(command, tmp_path / "run.sh", tmp_path / "config.json", *said)
    assert outcome.code == 1 and message in outcome.err


def test_notes_and_logs_in_a_folder_are_no_configurations(llmplan: Callable[..., Outcome], tmp_path: Path) -> None:
    for folder, length in (("a", 128), ("b", 64)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "config.json").write_text(CONFIG)
        run = f"torchrun --nproc_per_node 2 sft.py {LAUNCH.replace('128', str(length))}\n"
        (tmp_path / folder / "run.sh").write_text(run)
        for name in ("requirements.txt", "train.log", "notes.md"):
            (tmp_path / folder / name).write_text("torch\n")
    outcome = llmplan("diff", tmp_path / "a", tmp_path / "b", "--gpu", "A100-SXM4-80GB")
    assert outcome.code == 0 and "dataset.sequence_length" in outcome.out


def test_pictures_and_notes_beside_configurations_are_not_read(asked: Ask) -> None:
    launch = f"torchrun --nproc_per_node 2 sft.py {LAUNCH}"
    files = {"memory.svg": "<svg>: a: b\n", "report.md": "# --tokens 1", "solution.json": "{}", "run.sh": launch}
    found = asked("import", {**files, "config.json": CONFIG})
    assert found.code == 0 and "micro_batch = 2" in found.out
    assert found.err.startswith("not read, as it is no configuration: ") and found.err.count(".svg") == 1
