"""The pages of targets say which values each key of a file is made of."""

from __future__ import annotations

from generator.placed import placed

from llmplan.emit.targets import load


def keys(target: str, file: str) -> dict[str, tuple[str, ...]]:
    return dict(placed(load()[0][target])[file])


def test_a_key_has_the_names_of_its_line_or_of_its_condition() -> None:
    found = keys("megatron", "megatron.args")
    assert found["--num-layers"] == ("model.layers",)
    assert found["--swiglu"] == ("model.activation",)
    assert found["--save"] == ("megatron.checkpoints",)
    assert found["--overlap-param-gather"] == ("parallelism.data_overlap", "parallelism.zero_stage")
    assert "adapter.method" not in {name for names in found.values() for name in names}


def test_json_and_yaml_have_keys_too() -> None:
    assert "training.micro_batch" in keys("deepspeed", "ds_config.json")["train_micro_batch_size_per_gpu"]
    assert "parallelism.reshard" in keys("accelerate", "accelerate.yaml")["fsdp_reshard_after_forward"]


def test_toml_has_tables_and_python_arguments() -> None:
    found = keys("torchtitan", "torchtitan.toml")
    assert found["training.seq_len"] == ("dataset.sequence_length",)
    assert found["model.converters"][0] == "training.precision" and "optimizer.name" in found
    assert keys("torchtitan", "torchtitan_model.py")["n_layers"] == ("model.layers",)
