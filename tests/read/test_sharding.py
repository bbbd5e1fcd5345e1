"""How weights are split over ranks: the words of FSDP, DeepSpeed and Accelerate, on command lines and in files."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from llmplan import api, importing
from llmplan.answer.schema.advice import FileEdit
from tests.read.told import of, reading, said, usual

SPLIT = ("parallelism.framework", "parallelism.zero_stage", "parallelism.replicas", "parallelism.offload")
SYNC = "parallelism.sync_each_batch"
TRAIN = "train.py --model_name_or_path a/b --per_device_train_batch_size 2 --output_dir o"
NODES = "--num_machines 2 --num_processes 16"
FSDP1 = (
    "distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 1\n  fsdp_sharding_strategy: FULL_SHARD\n"
)


@pytest.mark.parametrize(
    ("options", "split"),
    [
        ("--use_fsdp", ("fsdp", 3, None, "none")),
        ("--use_fsdp --fsdp_sharding_strategy NO_SHARD", ("fsdp", 0, None, "none")),
        ("--use_fsdp --fsdp_sharding_strategy 2", ("fsdp", 2, None, "none")),
        ("--use_fsdp --fsdp_sharding_strategy HYBRID_SHARD", ("fsdp", 3, 2, "none")),
        ("--use_fsdp --fsdp_sharding_strategy HYBRID_SHARD_ZERO2", ("fsdp", 2, 2, "none")),
        ("--use_fsdp --fsdp_offload_params true", ("fsdp", 3, None, "all")),
        ("--use_fsdp --fsdp_version 2 --fsdp_reshard_after_forward false", ("fsdp", 2, None, "none")),
        ("--use_deepspeed --zero_stage 3 --offload_param_device cpu", ("deepspeed", 3, None, "parameters")),
        ("--use_deepspeed --zero_stage 1 --offload_optimizer_device none", ("deepspeed", 1, None, "none")),
        ("--multi_gpu", ("ddp", 0, None, None)),
    ],
)
def test_options_of_accelerate_launch(options: str, split: tuple[object, ...]) -> None:
    assert said(of({"run.sh": f"accelerate launch {options} {NODES} {TRAIN}"}), *SPLIT) == split


@pytest.mark.parametrize(
    ("options", "more", "each"),
    [
        ("--use_fsdp", "", False),
        ("--multi_gpu", "--fsdp full_shard", False),
        ("--use_fsdp", """--accelerator_config '{"gradient_accumulation_kwargs": {"sync_each_batch": true}}'""", True),
        ("--use_fsdp", """--accelerator_config '{"gradient_accumulation_kwargs": {"num_steps": 2}}'""", False),
        ("--use_fsdp", "--accelerator_config a.json", False),
        ("--multi_gpu", "", None),
        ("--use_deepspeed --zero_stage 2", "", None),
    ],
)  # fmt: skip
def test_the_trainer_keeps_gradients_whole_under_fsdp_unless_told(options: str, more: str, each: bool | None) -> None:
    found = of({"run.sh": f"accelerate launch {options} {NODES} {TRAIN} {more}"})
    assert (usual(found, SYNC) if each is False else said(found, SYNC)) is each


def test_the_trainers_own_file_says_so() -> None:
    text = "model_name_or_path: a/b\nper_device_train_batch_size: 1\noutput_dir: o\nfsdp: full_shard\n"
    nested = "accelerator_config:\n  gradient_accumulation_kwargs:\n    sync_each_batch: true\n"
    assert usual(of({"a.yaml": text}), SYNC) is False and said(of({"a.yaml": text + nested}), SYNC) is True


def test_no_option_is_made_up_for_what_stands_inside_another_key(tmp_path: Path) -> None:
    launch = tmp_path / "run.sh"
    launch.write_text(f"accelerate launch --use_fsdp {NODES} {TRAIN}")
    found = importing.imported([str(launch)])
    assert found.files is not None and found.files.edits({SYNC: True}) == ()
    (tmp_path / "a.yaml").write_text("model_name_or_path: a/b\nper_device_train_batch_size: 1\nfsdp: full_shard\n")
    found = importing.imported([str(tmp_path / "a.yaml")])
    assert found.files is not None and [one.key for one in found.files.edits({SYNC: True})] == [
        "accelerator_config.gradient_accumulation_kwargs.sync_each_batch"
    ]


def test_other_trainers_keep_them_too() -> None:
    axolotl = "base_model: a/b\nfsdp_version: 2\nfsdp_config:\n  reshard_after_forward: true\nmicro_batch_size: 1\n"
    assert usual(of({"a.yaml": axolotl}), SYNC) is False
    assert usual(of({"a.yaml": FSDP1, "l.yaml": "model_name_or_path: a/b\nstage: sft\ncutoff_len: 8\n"}), SYNC) is False
    assert SYNC not in of({"a.yaml": FSDP1}).found


def test_what_a_launch_leaves_out_is_accelerates() -> None:
    found = of({"run.sh": f"accelerate launch --use_deepspeed {NODES} {TRAIN}"})
    assert usual(found, "parallelism.zero_stage") == 2
    found = of({"run.sh": f"accelerate launch {NODES} {TRAIN}"})
    assert (usual(found, SPLIT[0]), usual(found, SPLIT[1])) == ("ddp", 0)
    found = of({"run.sh": f"accelerate launch --config_file other.yaml {NODES} {TRAIN}"})
    assert not {*SPLIT[:2]} & {*found.found}


def test_options_of_a_launch_are_over_its_file() -> None:
    launch = f"accelerate launch --fsdp_sharding_strategy NO_SHARD --mixed_precision bf16 {TRAIN}"
    found = of({"a.yaml": FSDP1, "run.sh": launch})
    assert said(found, *SPLIT[:2], "hardware.gpus", "training.precision") == ("fsdp", 0, 8, "bf16")
    found = of({"a.yaml": FSDP1, "run.sh": f"accelerate launch --multi_gpu {TRAIN}"})
    assert said(found, *SPLIT[:2]) == ("ddp", 0)


def test_settings_of_a_launch_for_deepspeed() -> None:
    options = "--use_deepspeed --gradient_accumulation_steps 4 --gradient_clipping 0.5 --num_processes 8"
    found = of({"run.sh": f"accelerate launch {options} train.py --config c"})
    assert said(found, "read.accumulation", "training.gradient_clipping", "hardware.gpus") == (4, 0.5, 8)


def test_megatron_by_accelerate() -> None:
    options = "--use_megatron_lm --megatron_lm_tp_degree 2 --megatron_lm_pp_degree 4 --num_processes 16"
    found = of({"run.sh": f"accelerate launch {options} --megatron_lm_use_distributed_optimizer true {TRAIN}"})
    assert said(found, SPLIT[0], "parallelism.tensor", "parallelism.pipeline", SPLIT[1]) == ("megatron", 2, 4, 1)


@pytest.mark.parametrize(
    ("lines", "split"),
    [
        ("fsdp: [full_shard, auto_wrap]", ("fsdp", 3, None, "none")),
        ("fsdp: [shard_grad_op, auto_wrap, offload]", ("fsdp", 2, None, "all")),
        ("fsdp:\n  - no_shard\n  - auto_wrap", ("fsdp", 0, None, "none")),
        ("fsdp: [hybrid_shard]\nfsdp_config:\n  fsdp_offload_params: true", ("fsdp", 3, "hardware.nodes", "all")),
        ("fsdp_version: 2\nfsdp_config:\n  reshard_after_forward: false", ("fsdp", 2, None, "none")),
    ],
)
@pytest.mark.parametrize(
    "base", ["base_model: a/b\nsequence_len: 8\n", "per_device_train_batch_size: 1\noutput_dir: o\n"]
)
def test_words_of_axolotl_and_of_the_trainer(base: str, lines: str, split: tuple[object, ...]) -> None:
    if "fsdp_version" in lines and "output_dir" in base:
        lines = lines.replace("fsdp_version: 2", "fsdp: true")
    assert said(reading(a_yaml=f"{base}{lines}\n"), *SPLIT) == split


@pytest.mark.parametrize(
    ("words", "split"),
    [
        ("'full_shard auto_wrap offload'", ("fsdp", 3, None, "all")),
        ("hybrid_shard_zero2 auto_wrap", ("fsdp", 2, 2, "none")),
        ("no_shard", ("fsdp", 0, None, "none")),
    ],
)
def test_words_of_the_trainer_as_options(words: str, split: tuple[object, ...]) -> None:
    assert said(of({"run.sh": f"torchrun --nnodes 2 --nproc_per_node 8 {TRAIN} --fsdp {words}"}), *SPLIT) == split


def test_the_file_that_fsdp_config_names() -> None:
    text = '{"transformer_layer_cls_to_wrap": ["A"], "activation_checkpointing": true, "fsdp_offload_params": true}'
    found = of(
        {"fsdp.json": text, "run.sh": f"torchrun --nproc_per_node 8 {TRAIN} --fsdp full_shard --fsdp_config fsdp.json"}
    )
    assert said(found, *SPLIT, "training.recompute") == ("fsdp", 3, None, "all", "full")


@pytest.mark.parametrize(
    ("line", "split"),
    [
        ("deepspeed: examples/deepspeed/ds_z2_offload_config.json", (2, "optimizer")),
        ("deepspeed: examples/deepspeed/ds_z3_config.json", (3, "none")),
        ("deepspeed: my/ds_z3.json", (None, None)),
    ],
)
def test_the_configurations_that_llamafactory_brings(line: str, split: tuple[object, ...]) -> None:
    found = reading(a_yaml=f"model_name_or_path: a/b\nfinetuning_type: full\ncutoff_len: 8\n{line}\n")
    assert (usual(found, SPLIT[1]), usual(found, SPLIT[3])) == split


def test_the_configurations_that_axolotl_brings() -> None:
    text = "base_model: a/b\nsequence_len: 8\ndeepspeed: deepspeed_configs/"
    found = [reading(a_yaml=f"{text}{name}.json\n") for name in ("zero2", "zero3_bf16", "zero3_bf16_cpuoffload_params")]
    assert [(usual(one, SPLIT[1]), usual(one, SPLIT[3])) for one in found] == [
        (2, "optimizer"),
        (3, "none"),
        (3, "parameters"),
    ]


def test_a_verdict_needs_the_file_that_says_how_weights_are_split(tmp_path) -> None:
    file = tmp_path / "train.sh"
    launch = (
        f"torchrun --nproc_per_node 8 {TRAIN.replace('a/b', 'Qwen/Qwen2.5-7B')} --max_length 512 --deepspeed ds.json"
    )
    file.write_text(launch, encoding="utf-8")
    messages = [one.message for one in importing.imported([str(file)], whole=True).diagnostics if one.code == "E0519"]
    assert messages == ["`deepspeed` names `ds.json`, which was not given"]
    (tmp_path / "ds.json").write_text('{"zero_optimization": {"stage": 3}}', encoding="utf-8")
    given = importing.imported([str(file), str(tmp_path / "ds.json")], whole=True)
    assert not any("split" in one.message or one.code == "W0623" for one in given.diagnostics)


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("zero2", (2, "none")),
        ("zero2_offload", (2, "optimizer")),
        ("zero3_offload", (3, "all")),
        ("my.json", (None, None)),
    ],
)
def test_the_configurations_that_swift_brings(name: str, split: tuple[object, ...]) -> None:
    found = of(
        {"run.sh": f"NPROC_PER_NODE=4 swift sft --model a/b --train_type full --max_length 8 --deepspeed {name}"}
    )
    assert said(found, SPLIT[1], SPLIT[3]) == split and said(found, SPLIT[0]) == "deepspeed"


def test_groups_of_deepspeed_with_a_copy_of_the_weights() -> None:
    text = '{"zero_optimization": {"stage": 3, "zero_hpz_partition_size": 8}, "train_micro_batch_size_per_gpu": 1}'
    found = of({"ds.json": text, "run.sh": f"deepspeed --num_nodes 4 --num_gpus 8 {TRAIN} --deepspeed ds.json"})
    assert said(found, "parallelism.replicas") == 4


def test_a_gpu_for_each_task_of_slurm() -> None:
    job = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\n#SBATCH --gpus-per-task=1\n"
    found = of({"job.sh": f"{job}srun python {TRAIN}\n"})
    assert said(found, "hardware.gpus", "hardware.gpus_per_node", "hardware.nodes") == (8, 4, 2)


def test_fsdp_1_sums_no_gradients_on_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it would train is wrong: neither are such files fine, nor is that a cure."""
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(f"{FSDP1}  fsdp_offload_params: true\nmixed_precision: bf16\n")
    accelerator = """--accelerator_config '{"gradient_accumulation_kwargs": {"sync_each_batch": true}}'"""
    base = "accelerate launch --config_file a.yaml train.py --model_name_or_path Qwen/Qwen2.5-7B --output_dir o"
    more = "--per_device_train_batch_size 1 --gradient_accumulation_steps 8 --block_size 2048 --bf16 true"
    found = of({"run.sh": f"{base} {more}", "a.yaml": Path("a.yaml").read_text()})
    assert said(found, "parallelism.flat_shards") is True and usual(found, SYNC) is False
    Path("run.sh").write_text(f"{base} {more} {accelerator}")
    card = importing.settings("A100-SXM4-80GB", None)
    solution = api.solve(importing.question(importing.imported(["run.sh", "a.yaml"], card, whole=True)))
    failed = [rule.name for rule in solution.requirements if rule.holds is False]
    assert (solution.status, failed) == ("infeasible", ["accelerate_flat_accumulation"])


MEGATRON = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-heads 8"


@pytest.mark.parametrize(
    ("options", "stage"),
    [
        ("--data-parallel-sharding-strategy optim", 0),
        ("--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params", 3),
        ("--use-distributed-optimizer", 1),
    ],
)
def test_megatrons_strategy_is_that_of_its_own_fsdp(options: str, stage: int) -> None:
    found = of({"run.sh": f"{MEGATRON} --seq-length 128 --micro-batch-size 1 {options}"})
    assert (said(found, "parallelism.zero_stage") or 0) == stage


def test_a_new_switch_of_a_command_has_no_value(tmp_path: Path) -> None:
    launch = tmp_path / "run.sh"
    launch.write_text(f"{MEGATRON} --seq-length 128 --micro-batch-size 1")
    files = importing.imported([str(launch)]).files
    assert files is not None
    (edit,) = files.edits({"parallelism.zero_stage": Fraction(1)})
    told = FileEdit(edit.key, edit.before, edit.after, "run.sh", edit.line).text
    assert told == "run.sh:1 + --use-distributed-optimizer"
