"""What configurations mean: keys, precedence, defaults, contradictions and fates."""

from __future__ import annotations

import pytest

from tests.read.told import fates, of, reading, said, usual

DS = '{"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}}}'
ARGS = "per_device_train_batch_size: 4\nmodel_name_or_path: meta-llama/Llama-3.1-8B\nbf16: true\noutput_dir: out\n"


def test_auto_is_what_the_other_file_says() -> None:
    found = reading(ds_json=DS, args_yaml=ARGS)
    assert said(found, "training.micro_batch", "parallelism.zero_stage", "parallelism.offload") == (4, 3, "parameters")
    assert said(found, "parallelism.framework", "training.precision") == ("deepspeed", "bf16")


def test_a_default_is_no_statement() -> None:
    found = reading(args_yaml=ARGS)
    assert said(found, "training.learning_rate") is None and usual(found, "training.learning_rate") == 5e-05
    assert usual(found, "training.recompute") == "none"


def test_a_default_through_a_product_stays_one() -> None:
    found = of({"run.sh": "torchrun --nproc_per_node 8 train.py --per_device_train_batch_size 4 --output_dir x"})
    assert said(found, "hardware.gpus") == 8
    assert usual(found, "training.global_batch") == 32 and found.found["training.global_batch"].release.startswith(
        "trans"
    )


def test_the_command_line_is_over_the_file() -> None:
    script = "accelerate launch --num_processes 4 train.py --per_device_train_batch_size 2 --output_dir x"
    found = of({"a.yaml": "distributed_type: FSDP\nnum_processes: 8\n", "run.sh": script})
    assert said(found, "hardware.gpus", "training.micro_batch") == (4, 2)


def test_two_files_of_a_kind_that_differ_contradict_each_other() -> None:
    found = reading(a_json=DS, b_json=DS.replace("3", "2"))
    (one,) = found.contradictions
    assert {one.first.items[0].file, one.second.items[0].file} == {"a.json", "b.json"}
    assert not reading(a_json=DS, b_json=DS).contradictions


def test_a_batch_that_is_no_product_is_refused() -> None:
    text = '{"train_batch_size": 24, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 1}'
    found = of({"ds.json": text, "run.sh": "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json"})
    (one,) = found.contradictions
    assert "train_batch_size" in one.why


def test_the_last_of_two_options_wins_without_a_word() -> None:
    found = of(
        {"run.sh": "torchrun --nproc_per_node 2 t.py --output_dir x --max_steps 5 --max_steps 7 --learning_rate 1"}
    )
    assert said(found, "training.steps") == 7 and not found.contradictions


def test_variables_that_no_plan_says_are_told_and_others_are_the_scripts_own() -> None:
    script = "MAX_PIXELS=1003520 HF_HOME=/x swift sft --model a/b --dataset d --num_train_epochs 1 --freeze_vit true"
    found = fates(of({"run.sh": script}))
    assert found["MAX_PIXELS"] == found["freeze_vit"] == "unmodelled" and "HF_HOME" not in found


def test_a_cut_of_the_data_is_told() -> None:
    found = reading(args_yaml=ARGS + "max_train_samples: 100\neval_steps: 10\n")
    assert fates(found)["max_train_samples"] == "unmodelled" and fates(found)["eval_steps"] == "free"


def test_placeholders_and_null_say_nothing() -> None:
    found = reading(args_yaml=ARGS.replace("4", "<N>") + "max_steps: -1\nlearning_rate: null\nnum_train_epochs: ???\n")
    assert said(found, "training.micro_batch", "training.steps", "dataset.epochs") == (None, None, None)
    assert "training.micro_batch" not in found.found  # a default would stand for what somebody fills in


def test_a_word_that_no_plan_has_is_named_and_never_the_nearest() -> None:
    found = reading(args_yaml=ARGS + "optim: galore_adamw\n")
    assert fates(found)["optim"] == "unmodelled"
    assert said(found, "training.optimizer") is None


def test_each_key_has_a_fate() -> None:
    found = reading(args_yaml=ARGS + "weight_decay: 0.1\nlogging_steps: 5\nneftune_noise_alpha: 5\nodd_key: 1\n")
    assert fates(found) == {
        "per_device_train_batch_size": "mapped", "model_name_or_path": "mapped", "bf16": "mapped",
        "output_dir": "carried", "weight_decay": "carried", "logging_steps": "carried",
        "neftune_noise_alpha": "unmodelled", "odd_key": "unknown",
    }  # fmt: skip


def test_a_parent_gives_way_to_its_child() -> None:
    parent = (
        "policy:\n  train_micro_batch_size: 2\n  precision: bfloat16\ncluster:\n  num_nodes: 1\n  gpus_per_node: 8\n"
    )
    child = "defaults: parent.yaml\npolicy:\n  train_micro_batch_size: 1\ncluster:\n  num_nodes: 4\n"
    found = reading(parent_yaml=parent, child_yaml=child)
    assert said(found, "training.micro_batch", "hardware.gpus", "training.precision") == (1, 32, "bf16")
    assert not found.contradictions


def test_without_its_parent_what_a_file_leaves_out_is_unknown() -> None:
    text = "defaults: parent.yaml\npolicy:\n  train_global_batch_size: 1\ncluster:\n  num_nodes: 4\n"
    found = reading(child_yaml=text)
    assert "training.recompute" not in found.found and said(found, "training.global_batch") == 1


def test_pointers_are_followed() -> None:
    text = "variables:\n  n: 2048\nmax_seq_len: ${variables.n}\nmax_duration: 100ba\nseed: ${variables.odd}\n"
    found = reading(a_yaml=text)
    assert said(found, "dataset.sequence_length", "training.steps") == (2048, 100)


def test_a_script_that_prepares_data_is_no_launch() -> None:
    launch = "torchrun --nproc_per_node 2 train.py --per_device_train_batch_size 1 --lr 1"
    script = f"python prepare.py --out x --max_length 7\n{launch}"
    found = of({"run.sh": script})
    assert said(found, "training.micro_batch", "hardware.gpus") == (1, 2)


def test_slurm_names_nodes_and_the_card() -> None:
    launch = "srun torchrun --nnodes $SLURM_NNODES --nproc_per_node 4 t.py --lr 1"
    script = f"#!/bin/bash\n#SBATCH -N 2\n#SBATCH --gres=gpu:a100:4\n{launch}\n"
    found = of({"job.sh": script})
    assert said(found, "hardware.nodes", "hardware.gpus", "hardware.gpu") == (2, 8, "a100")


@pytest.mark.parametrize(
    "start", ["accelerate launch --use_deepspeed --num_processes 8", "torchrun --nproc_per_node 8"]
)
def test_a_batch_of_deepspeed_must_be_the_trainers(start: str) -> None:
    text = '{"train_batch_size": 128, "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto"}'
    options = "--per_device_train_batch_size 2 --gradient_accumulation_steps 4 --deepspeed ds.json --output_dir o"
    found = of({"ds.json": text, "run.sh": f"{start} train.py {options}"})
    assert [one.path for one in found.contradictions] == ["training.micro_batch"]
    agreed = of({"ds.json": text.replace("128", "64"), "run.sh": f"{start} train.py {options}"})
    assert not agreed.contradictions and said(agreed, "training.global_batch") == 64


def test_the_two_sides_of_swift_have_defaults_of_their_own() -> None:
    options = "--model Qwen/Qwen2.5-7B --max_length 8192 --tensor_model_parallel_size 4"
    found = of({"run.sh": f"NPROC_PER_NODE=8 megatron sft {options}"})
    assert "adapter.method" not in found.found and usual(found, "training.recompute") == "selective"
    found = of({"run.sh": "NPROC_PER_NODE=4 swift sft --model Qwen/Qwen2.5-7B --max_length 2048"})
    paths = ("adapter.method", "training.recompute", "training.global_batch")
    assert [usual(found, path) for path in paths] == ["lora", "full", 16]


def refused(texts: dict[str, str]) -> list[str]:
    return [one.why.partition(",")[0] for one in of(texts).contradictions if one.why]


@pytest.mark.parametrize(
    ("config", "options", "why"),
    [
        ('"gradient_clipping": 0.5', "", "gradient_clipping of DeepSpeed is not max_grad_norm (1 unless given)"),
        ('"gradient_clipping": 0.5', "--max_grad_norm 0.5", ""),
        ('"gradient_clipping": "auto"', "--max_grad_norm 0.5", ""),
        (
            '"gradient_accumulation_steps": 2',
            "",
            "gradient_accumulation_steps of DeepSpeed is not the Trainer's (1 unless given)",
        ),
    ],
)
def test_the_trainer_refuses_what_deepspeed_says_otherwise(config: str, options: str, why: str) -> None:
    ds = f'{{"zero_optimization": {{"stage": 2}}, {config}}}'
    train = f"train.py --per_device_train_batch_size 2 --deepspeed ds.json --output_dir o {options}"
    assert refused({"ds.json": ds, "run.sh": f"torchrun --nproc_per_node 8 {train}"}) == [why] * bool(why)


@pytest.mark.parametrize("line", ["gradient_checkpointing: true", "dataset_name: a/b"])
def test_the_trainer_refuses_to_checkpoint_twice(line: str) -> None:
    accelerate = "distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  fsdp_activation_checkpointing: true\n"
    assert len(refused({"a.yaml": accelerate, "b.yaml": f"{ARGS}{line}\n"})) == 1
    assert not refused({"a.yaml": accelerate, "b.yaml": f"{ARGS}{line}\ngradient_checkpointing: false\n"})


def test_options_of_a_launch_are_over_torchtitans_file() -> None:
    toml = (
        "[model]\nname = 'llama3'\nflavor = '8B'\n[training]\nsteps = 1000\nseq_len = 8192\n"
        "[parallelism]\ntensor_parallel_degree = 1\n"
    )
    options = "--job.config_file a.toml --training.steps 500 --parallelism.tensor_parallel_degree=2 --compile.enable"
    found = of({"a.toml": toml, "run.sh": f"torchrun --nproc_per_node=8 -m torchtitan.train {options}"})
    paths = ("training.steps", "parallelism.tensor", "training.kernels", "dataset.sequence_length", "hardware.gpus")
    assert said(found, *paths) == (500, 2, "compiled", 8192, 8) and not found.contradictions
    found = of({"a.toml": toml, "run.sh": "NGPU=4 CONFIG_FILE=./a.toml ./run_train.sh --training.steps 500"})
    assert said(found, "training.steps", "hardware.gpus") == (500, 4)


def test_the_written_script_is_told_beside_what_trains_in_it() -> None:
    """Its options are torchtitan's, or the file itself calls the Trainer: neither hides what was started."""
    toml = "[training]\nsteps = 1000\n[parallelism]\ntensor_parallel_degree = 1\n"
    start = "torchrun --nproc_per_node=8 llmplan_train.py"
    found = of({"a.toml": toml, "run.sh": f"{start} --job.config_file a.toml --training.steps 500 --training.other 1"})
    assert not found.ambiguous and said(found, "torchtitan.script", "training.steps") == ("written", 500)
    assert [fate.item.key for fate in found.fates if fate.fate == "unknown"] == ["training.other"]
    calls = "from transformers import Trainer\n\ntrainer = Trainer(model=model, args=args)\ntrainer.train()\n"
    found = of({"a.yaml": ARGS, "llmplan_train.py": calls, "run.sh": start})
    assert not found.ambiguous and said(found, "huggingface.script") == "written"


def test_torchtitan_sends_to_experts_by_deepep_where_it_is_told() -> None:
    toml = "[training]\nsteps = 1\n[parallelism]\nexpert_parallel_degree = 8\nexpert_parallel_comm_backend = "
    found = [said(reading(a_toml=f"{toml}'{told}'\n"), "parallelism.dispatcher") for told in ("standard", "deepep")]
    assert found == [None, "deepep"]


def test_nothing_is_compiled_by_torchtitan_unless_told() -> None:
    toml = "[training]\nsteps = 1\n[parallelism]\ntensor_parallel_degree = 1\n"
    stacks = [usual(reading(a_toml=f"{toml}[compile]\nenable = {told}\n"), "stack") for told in ("false", "true")]
    assert stacks == ["torchtitan-0.2", "torchtitan-0.2-compiled"]
    found = reading(a_toml=f"{toml}[compile]\nenable = true\ncomponents = ['loss']\n")
    assert said(found, "training.kernels", "training.loss") == (None, "compiled")


def test_what_megatron_leaves_out_of_experts_is_megatrons() -> None:
    shape = "--num-layers 8 --hidden-size 64 --num-attention-heads 8 --num-experts 8 --micro-batch-size 1"
    options = f"{shape} --tensor-model-parallel-size 4 --expert-model-parallel-size 2 --moe-layer-freq '([0]*3+[1]*5)'"
    found = of({"run.sh": f"torchrun --nproc_per_node 8 pretrain_gpt.py {options}"})
    paths = (
        "parallelism.expert_tensor",
        "model.experts_per_token",
        "model.routing",
        "model.dense_layers",
        "model.expert_ffn",
    )
    assert said(found, *paths) == (4, 2, "softmax_chosen", 3, 256)
    other = of({"run.sh": f"torchrun --nproc_per_node 8 pretrain_gpt.py {shape} --expert-tensor-parallel-size 1"})
    assert said(other, "parallelism.expert_tensor") == 1


def test_an_array_that_nothing_sets_is_no_word() -> None:
    launch = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 8 --micro-batch-size 1"
    script = f'{launch} --use-distributed-optimizer ${{EXTRA[@]}} --bf16 "${{MORE[@]}}" --seq-length 16'
    found = of({"run.sh": script})
    assert said(found, "parallelism.zero_stage", "training.precision") == (1, "bf16")
    found = of({"run.sh": f"source ./env.sh\n{script}"})
    assert said(found, "parallelism.zero_stage") is None  # the file may set it


@pytest.mark.parametrize(
    ("command", "file", "micro"),
    [
        ("llamafactory-cli train a.yaml learning_rate=1e-5 per_device_train_batch_size=4", "finetuning_type: lora", 4),
        ("accelerate launch -m axolotl.cli.train a.yaml --micro-batch-size 4", "base_model: a/b\nsequence_len: 8", 4),
        (
            "accelerate launch run_sft.py a.yaml --per_device_train_batch_size=4 --x 1",
            "learning_rate: 1\nnum_train_epochs: 1",
            4,
        ),
        ("trl sft --config a.yaml --per_device_train_batch_size 4", "learning_rate: 1\nnum_train_epochs: 1", 4),
        (
            "tune run full_finetune_distributed --config a.yaml batch_size=4",
            "model:\n  _component_: torchtune.models.llama3.llama3_8b",
            4,
        ),
    ],
)
def test_options_behind_a_file_are_over_it(command: str, file: str, micro: int) -> None:
    before = (
        "micro_batch_size"
        if "base_model" in file
        else "batch_size"
        if "_component_" in file
        else "per_device_train_batch_size"
    )
    found = of({"a.yaml": f"{file}\n{before}: 1\n", "run.sh": command})
    assert said(found, "training.micro_batch") == micro and not found.contradictions


@pytest.mark.parametrize(
    ("options", "path", "value"),
    [
        ("--bf16 --grad-reduce-in-bf16", "training.gradient_dtype", "bf16"),
        ("--bf16", "training.gradient_dtype", None),
        ("--fp16", "training.gradient_dtype", "fp16"),
        ("--fp16 --accumulate-allreduce-grads-in-fp32", "training.gradient_dtype", None),
        ("--cross-entropy-loss-fusion", "training.loss", "fused"),
        ("--cross-entropy-loss-fusion --cross-entropy-fusion-impl te", "training.loss", "in_place"),
        ("--bf16 --fp8-format e4m3 --fp8-recipe mxfp8", "training.precision", "mxfp8"),
        ("--use-precision-aware-optimizer --exp-avg-dtype bf16", "training.optimizer_dtype", "bf16"),
        (
            "--recompute-granularity selective --recompute-modules core_attn moe_act",
            "training.recompute_experts",
            False,
        ),
        ("--recompute-granularity selective --recompute-modules mlp moe", "training.recompute_experts", True),
        ("--recompute-granularity selective --recompute-modules mlp", "training.recompute_core", False),
        ("--overlap-grad-reduce", "parallelism.data_overlap", True),
        ("--no-gradient-accumulation-fusion", "training.gradient_fusion", False),
    ],
)
def test_formats_and_kernels_of_megatron(options: str, path: str, value: object) -> None:
    launch = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 8 --micro-batch-size 1"
    assert said(of({"run.sh": f"{launch} {options}"}), path) == value


def test_litgpt_adapts_by_its_command() -> None:
    found = of({"run.sh": "litgpt finetune_lora meta-llama/Llama-3.2-1B --train.micro_batch_size 4 --devices 4"})
    assert said(found, "model", "adapter.method", "training.recompute") == ("meta-llama/Llama-3.2-1B", "lora", "full")
    found = of({"run.sh": "litgpt pretrain pythia-14m --train.micro_batch_size 4 --devices 4"})
    assert said(found, "adapter.method", "training.recompute") == (None, "none")


def test_what_a_python_file_gives_deepspeed_and_accelerate() -> None:
    calls = "TrainingArguments(per_device_train_batch_size=2, deepspeed=config)\nAccelerator(mixed_precision='fp16')\n"
    config = "config = {'zero_optimization': {'stage': 2, 'offload_optimizer': {'device': 'cpu'}}}\n"
    found = reading(a_py=f"import x\n{config}{calls}")
    paths = ("parallelism.framework", "parallelism.zero_stage", "parallelism.offload", "training.precision")
    assert said(found, *paths) == ("deepspeed", 2, "optimizer", "fp16") and not found.ambiguous


def test_a_text_that_nothing_says_has_no_part() -> None:
    text = "model_name_or_path: a/b\nper_device_train_batch_size: 2\nfsdp_config:\n  offload_params: true\n"
    found = reading(a_yaml=f"{text}output_dir: o\n")
    assert said(found, "parallelism.offload") is None  # FSDP is not on


def test_every_second_layer_is_half_of_them() -> None:
    toml = "[training]\nsteps = 1\n[parallelism]\ntensor_parallel_degree = 1\n"
    toml = f"{toml}[activation_checkpoint]\nmode = 'selective'\n"
    paths = ("training.recompute", "training.recompute_layers")
    assert said(reading(a_toml=f"{toml}selective_ac_option = '2'\n"), *paths) == ("full", "floor(model.layers / 2)")
    assert said(reading(a_toml=toml), *paths) == ("full", "floor(model.layers / 2)")
    assert said(reading(a_toml=f"{toml}selective_ac_option = 'op'\n"), *paths) == ("selective", None)
    tune = "model:\n  _component_: torchtune.models.llama3.llama3_8b\nenable_activation_checkpointing: true\n"
    assert said(reading(a_yaml=f"{tune}ac_mode: selective\nac_option: 2\n"), *paths) == (
        "full",
        "floor(model.layers / 2)",
    )


def test_all_options_of_a_launcher_that_trains_itself_are_its_own() -> None:
    found = of({"run.sh": "litgpt finetune_lora meta-llama/Llama-3.2-1B --devices 2"})
    assert said(found, "hardware.gpus", "training.recompute") == (2, "full")
    assert (usual(found, "training.micro_batch"), usual(found, "training.global_batch")) == (1, 16)


RUN = "torchrun --nproc_per_node 8 run.py --model_name_or_path a/b --learning_rate 5e-5 --output_dir x --bf16"


@pytest.mark.parametrize(
    ("script", "stack"),
    [
        (f"{RUN} --evaluation_strategy steps", "transformers-4"),
        (f"pip install -q transformers==4.49.0 peft\n{RUN}", "transformers-4"),
        (f"python3 -m pip install 'transformers[torch]==5.1.0'\n{RUN}", "transformers-5"),
        ("pip install trl==0.15.2\ntrl sft --model_name_or_path a/b --dataset_name d --output_dir x", "trl-1.6"),
        ("trl sft --model_name_or_path a/b --dataset_name d --output_dir x --max_seq_length 1024", "trl-1.6"),
        ("pip install trl==1.9\ntrl sft --model_name_or_path a/b --dataset_name d --output_dir x", "trl-1.7"),
    ],
)
def test_the_release_is_what_is_installed_or_has_the_keys(script: str, stack: str) -> None:
    assert said(of({"run.sh": script}), "stack") == stack
    assert usual(of({"run.sh": RUN}), "stack") == "transformers-5"


DS_OF_TRAINER = {
    "betas": ('"optimizer": {"type": "AdamW", "params": {"betas": [0.9, 0.95]}}', "--adam_beta2 0.95"),
    "weight_decay": ('"optimizer": {"type": "AdamW", "params": {"weight_decay": 0.1}}', "--weight_decay 0.1"),
    "warmup": ('"scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 9}}', "--warmup_steps 9"),
    "eps": ('"optimizer": {"type": "AdamW", "params": {"eps": 1e-6}}', "--adam_epsilon 1e-6"),
}


@pytest.mark.parametrize(("part", "option"), DS_OF_TRAINER.values(), ids=DS_OF_TRAINER)
def test_what_deepspeed_has_is_what_the_trainer_has(part: str, option: str) -> None:
    ds = f'{{"bf16": {{"enabled": true}}, "zero_optimization": {{"stage": 2}}, {part}}}'
    run = f"{RUN} --deepspeed ds.json"
    (one,) = of({"run.sh": run, "ds.json": ds}).contradictions
    assert "Trainer" in one.why
    assert not of({"run.sh": f"{run} {option}", "ds.json": ds}).contradictions
    assert len(of({"run.sh": f"{run} {option}".replace(" --bf16", ""), "ds.json": ds}).contradictions) == 1


def test_flash_attention_wants_a_card_that_has_it() -> None:
    script = f"#SBATCH --gres=gpu:V100-SXM2-32GB:8\n{RUN} --attn_implementation "
    flash, plain = (of({"run.sh": f"{script}{name}"}) for name in ("flash_attention_2", "sdpa"))
    assert "V100" in str(said(plain, "hardware.gpu")) and not plain.contradictions
    assert [one for one in flash.contradictions if "Ampere" in one.why]


def test_batches_that_do_not_multiply_are_told_in_numbers() -> None:
    ds = '{"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 8, "train_batch_size": 512, "a": 1}'
    options = "--per_device_train_batch_size 2 --gradient_accumulation_steps 8 --deepspeed ds.json"
    sh = f"deepspeed --num_gpus 16 train.py {options}"
    found = of({"ds.json": ds, "run.sh": sh})
    assert [one.told.rpartition(": ")[2] for one in found.contradictions] == ["512 ≠ 2 × 8 × 16 = 256"]


def test_a_share_of_warmup_is_of_the_steps_until_the_lowest_rate() -> None:
    run = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 4 --hidden-size 64 --train-iters 500"
    shared = f"{run} --lr-warmup-fraction .001"
    assert said(of({"run.sh": f"{shared} --lr-decay-iters 430000"}), "training.warmup") == 430
    assert said(of({"run.sh": shared}), "training.warmup") == "ceil(0.001 * steps)"
