"""DeepSpeed and Accelerate accept the emitted configurations for the planned ranks and ignore nothing in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan.check import library
from llmplan.check.ir import Text
from tests.integration.plans import ACCELERATE, DEEPSPEED, OPTIMIZERS, quantity
from tests.integration.real import needs, read

pytestmark = [pytest.mark.integration, pytest.mark.slow]


@pytest.mark.parametrize("name", DEEPSPEED)
def test_deepspeed_reads_every_key(name: str, tmp_path: Path) -> None:
    needs("deepspeed")
    folder = DEEPSPEED[name](tmp_path)
    seen = read("read_deepspeed.py", folder / "ds_config.json", str(quantity(folder, "hardware.gpus")))
    assert seen["ignored"] == []
    assert seen["stage"] == quantity(folder, "parallelism.zero_stage")
    assert seen["micro_batch"] == quantity(folder, "training.micro_batch")
    assert seen["accumulation"] == quantity(folder, "grad_accum")
    assert seen["clipping"] == quantity(folder, "training.gradient_clipping")
    # Without the groups of tensor parallelism, DeepSpeed counts each of their ranks.
    tensor = quantity(folder, "parallelism.tensor")
    assert seen["train_batch_size"] == quantity(folder, "global_batch_sequences") * tensor


def test_deepspeed_reads_where_the_nvme_is(tmp_path: Path) -> None:
    needs("deepspeed")
    folder = DEEPSPEED["nvme"](tmp_path)
    seen = read("read_deepspeed.py", folder / "ds_config.json", str(quantity(folder, "hardware.gpus")))
    assert seen["nvme"] == ["/local/nvme"] * 2
    assert seen["swap_buffer"] == quantity(folder, "memory.swap_buffer")
    assert seen["reuse_distance"] == 0


def test_experts_are_gathered_whole(tmp_path: Path) -> None:
    """The catalog's classes are those of transformers, and DeepSpeed finds one by its name."""
    needs("deepspeed", "transformers")
    entries = library.load()[0].entries["model"].values()
    settings = [setting.value for entry in entries for field, setting in entry.settings if field == "moe_block"]
    classes = [str(value.pieces[0]) for value in settings if isinstance(value, Text)]
    seen = read("read_leaf.py", DEEPSPEED["experts"](tmp_path) / "ds_config.json", *classes)
    assert seen == {"marked": ["OlmoeSparseMoeBlock"] * 2, "unknown": []} and len(classes) > 10


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_deepspeed_knows_the_optimizer(name: str, tmp_path: Path) -> None:
    needs("deepspeed")
    seen = read("read_deepspeed.py", OPTIMIZERS[name](tmp_path) / "ds_config.json", "88")
    assert seen["ignored"] == []


@pytest.mark.parametrize("name", ACCELERATE)
def test_accelerate_uses_every_key(name: str, tmp_path: Path) -> None:
    needs("accelerate", "deepspeed", *(["torchao"] if "float8" in name else []))
    folder = ACCELERATE[name](tmp_path)
    nodes = int(quantity(folder, "hardware.nodes"))
    seen = read(
        "read_accelerate.py", "--config_file", folder / "accelerate.yaml", "--machine_rank", str(nodes - 1),
        "--main_process_ip", "127.0.0.1", "train.py",
    )  # fmt: skip
    assert seen["unknown"] == [] and seen["unused"] == []
    assert (seen["nnodes"], seen["node_rank"]) == (nodes, nodes - 1)
    assert seen["nnodes"] * seen["nproc_per_node"] == quantity(folder, "hardware.gpus")
    environment = seen["environment"]
    if (folder / "ds_config.json").exists():
        assert environment["ACCELERATE_USE_DEEPSPEED"] == "true"
    else:
        groups = {
            name: int(environment.get(f"PARALLELISM_CONFIG_{name}_SIZE", 1))
            for name in ("DP_REPLICATE", "TP", "CP", "SP")
        }
        planned = {"DP_REPLICATE": "replicas", "TP": "tensor", "CP": "context"}
        if environment.get("FSDP_VERSION") == "1":
            # Groups are the nodes, by the strategy.
            named = [
                environment[f"FSDP_{key}"]
                for key in ("SHARDING_STRATEGY", "USE_ORIG_PARAMS", "BACKWARD_PREFETCH", "SYNC_MODULE_STATES")
            ]
            assert named == [
                {"flat2": "SHARD_GRAD_OP", "flat_replicas": "HYBRID_SHARD"}[name],
                "true",
                "BACKWARD_PRE",
                "true",
            ]
            del groups["DP_REPLICATE"], planned["DP_REPLICATE"]
        assert groups == {
            "SP": 1,
            **{name: quantity(folder, f"parallelism.{field}", 1) for name, field in planned.items()},
        }
        precision = quantity(folder, "training.precision")
        assert environment["ACCELERATE_MIXED_PRECISION"] == ("no" if precision == "fp32" else precision)
        scaled = [
            environment.get(f"ACCELERATE_FP8_{key}")
            for key in ("BACKEND", "ENABLE_FSDP_FLOAT8_ALL_GATHER", "PAD_INNER_DIM")
        ]
        assert precision != "fp8" or scaled == ["AO", "False", "True"]
