"""What a fine-tune's files leave unsaid: the defaults of the trainer, never those of pre-training."""

from __future__ import annotations

import json

import pytest

from llmplan.read.values import Member, Written
from tests.read.told import fates, of, reading, said, usual

TRL = "model_name_or_path: Qwen/Qwen2.5-7B\ndataset_name: a/b\noutput_dir: out\n"
TRAINER = "model_name_or_path: Qwen/Qwen2.5-7B\nper_device_train_batch_size: 2\noutput_dir: out\n"


@pytest.mark.parametrize(
    ("files", "packed"),
    [
        ({"a.yaml": "model_name_or_path: a/b\nstage: sft\ncutoff_len: 8\npacking: true\n"}, True),
        ({"a.yaml": "model_name_or_path: a/b\nstage: pt\ncutoff_len: 8\n"}, True),
        ({"a.yaml": "model_name_or_path: a/b\nstage: sft\ncutoff_len: 8\n"}, False),
        ({"a.yaml": "base_model: a/b\nmicro_batch_size: 1\nsequence_len: 8\nsample_packing: true\n"}, True),
        ({"a.yaml": "base_model: a/b\nmicro_batch_size: 1\nsequence_len: 8\npad_to_sequence_len: true\n"}, "full"),
        (
            {"a.sh": "python sft.py --model_name_or_path a/b --per_device_train_batch_size 1 --max_length 8 --packing"},
            True,
        ),
        ({"a.sh": "python run_clm.py --model_name_or_path a/b --per_device_train_batch_size 1 --block_size 8"}, True),
        ({"a.sh": "trl sft --model_name_or_path a/b --max_length 8 --packing"}, True),
        ({"a.sh": "trl sft --model_name_or_path a/b --max_length 8"}, False),
        ({"a.sh": "swift sft --model a/b --max_length 8 --packing true"}, True),
    ],
)
def test_packed_rows_are_of_one_length(files: dict[str, str], packed: bool | str) -> None:
    assert said(of(files), "dataset.batching") == ("packed" if packed is True else packed or None)


def test_axolotl_pads_unless_told() -> None:
    found = of({"a.yaml": "base_model: a/b\nmicro_batch_size: 1\nsequence_len: 8\n"})
    assert usual(found, "dataset.batching") == "padded"


def test_trl_recomputes_in_bf16_on_short_sequences() -> None:
    found = reading(sft_yaml=TRL)
    paths = ("training.recompute", "training.precision", "dataset.sequence_length", "training.learning_rate")
    assert [usual(found, path) for path in paths] == [Member("full"), Member("bf16"), 1024, 0.00002]
    assert said(found, "training.task") == "finetune"


def test_the_trainer_does_not_recompute() -> None:
    found = reading(args_yaml=TRAINER)
    assert usual(found, "training.recompute") == "none" and usual(found, "training.precision") == "fp32"


@pytest.mark.parametrize("text", [TRL, TRAINER])
def test_what_no_file_says_of_the_updates_is_the_trainers(text: str) -> None:
    found = reading(args_yaml=text)
    paths = ("training.weight_decay", "training.beta2", "training.warmup", "training.rate_schedule")
    assert [usual(found, path) for path in paths] == [0, 0.999, 0, "linear"]


@pytest.mark.parametrize(
    ("line", "warmup"),
    [
        ("warmup_ratio: 0.03", "ceil(0.03 * steps)"),
        ("warmup_steps: 0.1", "ceil(0.1 * steps)"),
        ("warmup_steps: 50", 50),
    ],
)
def test_a_warm_up_may_be_a_share(line: str, warmup: object) -> None:
    found = said(reading(args_yaml=f"{TRAINER}{line}\n"), "training.warmup")
    assert (str(found) if isinstance(found, Written) else found) == warmup


def test_a_schedule_of_its_own_falls_to_zero() -> None:
    found = reading(args_yaml=f"{TRAINER}lr_scheduler_type: cosine\n")
    assert said(found, "training.rate_schedule") == "cosine" and usual(found, "training.lowest_rate") == 0


def test_the_name_beside_a_config_is_that_of_the_weights() -> None:
    config = json.dumps({"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": 8})
    found = of({"args.yaml": TRAINER, "config.json": config})
    assert said(found, "model", "huggingface.model") == ("config.json", "Qwen/Qwen2.5-7B")
    assert said(reading(args_yaml=TRAINER), "huggingface.model") is None


def test_weights_in_16_bits_count_where_nothing_casts_them() -> None:
    text = f"{TRAINER}torch_dtype: bfloat16\nbf16: true\n"
    assert said(reading(args_yaml=text), "training.parameter_dtype") == "bf16"
    assert said(reading(args_yaml=f"{text}fsdp: full_shard\n"), "training.parameter_dtype") is None


def test_two_precisions_contradict_each_other() -> None:
    found = reading(args_yaml=f"{TRAINER}bf16: true\nfp16: true\n")
    assert [one.why for one in found.contradictions] == ["bf16 and fp16 are both true, which the Trainer refuses"]


def test_samples_of_megatron_are_pretrained_on() -> None:
    text = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 8 --micro-batch-size 1"
    found = of({"run.sh": f"{text} --train-samples 100 --seq-length 16\n"})
    assert said(found, "training.task", "dataset.samples") == ("pretrain", 100)
    assert said(of({"run.sh": f"{text} --train-samples 100 --finetune\n"}), "training.task") == "finetune"


PEFT = f"{TRAINER}use_peft: true\nlora_r: 8\n"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (PEFT, "lora_modules_to_save: [embed_tokens, lm_head]"),
        ("base_model: a/b\nsequence_len: 8\nadapter: lora\n", "lora_modules_to_save:\n  - embed_tokens\n  - lm_head"),
        ("model_name_or_path: a/b\nfinetuning_type: lora\ncutoff_len: 8\n", "additional_target: embed_tokens,lm_head"),
        ("model: a/b\ntuner_type: lora\n", "modules_to_save: [embed_tokens]"),
    ],
)
def test_tables_that_are_trained_in_full_beside_adapters(text: str, key: str) -> None:
    assert said(reading(args_yaml=f"{text}{key}\n"), "adapter.embeddings") is True
    other = reading(args_yaml=f"{text}{key.partition(':')[0]}: [norm]\n")
    assert said(other, "adapter.embeddings") is None
    assert fates(other)[key.partition(":")[0]] == "unmodelled"


KERNELS = ("training.kernels", "training.loss", "training.attention")
LF = "model_name_or_path: a/b\nfinetuning_type: full\ncutoff_len: 8\n"
AXOLOTL = "base_model: a/b\nsequence_len: 8\n"


@pytest.mark.parametrize(
    ("text", "kernels"),
    [
        (f"{TRAINER}use_liger_kernel: true", ("fused", "linear", None)),
        (
            f"{TRAINER}use_liger_kernel: true\nliger_kernel_config:\n  fused_linear_cross_entropy: false",
            ("fused", None, None),
        ),
        (f"{TRAINER}use_liger_kernel: true\nliger_kernel_config:\n  swiglu: false", (None, "linear", None)),
        (f"{TRAINER}use_liger_kernel: false", (None, None, None)),
        (f"{TRAINER}torch_compile: true", ("compiled", "compiled", None)),
        (f"{TRL}torch_compile: true", ("compiled", None, None)),
        (f"{LF}enable_liger_kernel: true\nflash_attn: fa2", ("fused", "linear", "flash")),
        (f"{LF}enable_liger_kernel: true\nstage: dpo", ("fused", None, None)),
        (f"{LF}flash_attn: disabled", (None, None, "standard")),
        (
            f"{AXOLOTL}liger_rms_norm: true\nliger_glu_activation: true\nliger_fused_linear_cross_entropy: true",
            ("fused", "linear", None),
        ),
        (f"{AXOLOTL}cut_cross_entropy: true\nflash_attention: true", (None, "linear", "flash")),
        (f"{AXOLOTL}attn_implementation: eager\ntorch_compile: true", ("compiled", "compiled", "standard")),
        ("model: a/b\ntuner_type: full\nuse_liger_kernel: true\nattn_impl: flash_attn", ("fused", "linear", "flash")),
    ],
)
def test_kernels_are_those_that_the_files_choose(text: str, kernels: tuple[object, ...]) -> None:
    assert said(reading(args_yaml=f"{text}\n"), *KERNELS) == kernels


def test_a_compiler_that_accelerate_brings() -> None:
    text = "distributed_type: MULTI_GPU\nnum_processes: 8\ndynamo_config:\n  dynamo_backend: INDUCTOR\n"
    assert said(reading(a_yaml=text), "training.kernels") == "compiled"
    assert said(reading(a_yaml=text.replace("INDUCTOR", "'NO'")), "training.kernels") is None


def test_a_warm_up_as_a_share_is_the_steps_of_the_launch_beside_it() -> None:
    launch = "export LLMPLAN_MICRO_BATCH=2\nexport LLMPLAN_WARMUP_STEPS=47\ntorchrun --nproc_per_node 8 train.py"
    found = of({"args.json": '{"per_device_train_batch_size": 2, "warmup_steps": 0.1002}', "launch.sh": launch})
    assert said(found, "training.warmup") == 47 and not found.contradictions


def test_a_script_of_unsloth() -> None:
    text = (
        "from unsloth import FastLanguageModel\nlength = 4096\n"
        "model, _ = FastLanguageModel.from_pretrained(model_name='unsloth/Meta-Llama-3.1-8B', max_seq_length=length)\n"
        "model = FastLanguageModel.get_peft_model(model, r=32, target_modules=['q_proj'], lora_alpha=16)\n"
        "SFTTrainer(model=model, args=TrainingArguments(per_device_train_batch_size=2, optim='adamw_8bit'))\n"
    )
    found = reading(a_py=text)
    paths = ("model", "dataset.sequence_length", "adapter.method", "adapter.rank", "adapter.targets")
    assert said(found, *paths) == ("unsloth/Meta-Llama-3.1-8B", 4096, "qlora", 32, ("q_proj",))
    assert usual(found, "stack") == "unsloth-2026.10" and usual(found, "training.recompute") == "full"


def test_the_model_that_a_trainer_is_given_by_name() -> None:
    found = reading(a_py="import trl\nSFTTrainer('Qwen/Qwen2.5-0.5B', args=SFTConfig(max_seq_length=512))\n")
    assert said(found, "model", "dataset.sequence_length") == ("Qwen/Qwen2.5-0.5B", 512)


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        (f"{PEFT}load_in_8bit: true", ("lora", 1, 4)),
        (f"{PEFT}load_in_4bit: true", ("qlora", 0.5625, None)),  # its scales are not quantised
        (f"{PEFT}load_in_4bit: true\nuse_bnb_nested_quant: true", ("qlora", None, None)),
        (f"{AXOLOTL}adapter: lora\nload_in_8bit: true", ("lora", 1, 2)),
        ("model_name_or_path: a/b\nfinetuning_type: lora\ncutoff_len: 8\nquantization_bit: 8", ("lora", 1, 2)),
        ("model_name_or_path: a/b\nfinetuning_type: lora\ncutoff_len: 8\nquantization_bit: 4", ("qlora", None, 2)),
        ("model: a/b\ntuner_type: lora\nquant_bits: 8", ("lora", 1, 4)),
        ("model: a/b\ntuner_type: lora", ("lora", None, None)),
    ],
)
def test_frozen_weights_in_8_bits(text: str, bits: tuple[object, ...]) -> None:
    assert said(reading(args_yaml=f"{text}\n"), "adapter.method", "adapter.base_bytes", "adapter.rest_bytes") == bits


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("qlora.py --lora_r 64 --bits 4 --source_max_len 16 --target_max_len 512", ("qlora", 64, 528)),
        ("qlora.py --lora_r 64 --bits 16 --full_finetune True --model_max_length 512", (None, None, 512)),
        ("train_mem.py --lora_enable True --lora_r 128 --model_max_length 2048", ("lora", 128, 2048)),
        ("train_mem.py --lora_enable False --lora_r 128 --model_max_length 2048", (None, None, 2048)),
        ("main.py --zero_stage 3 --lora_dim 128 --max_seq_len 512", ("lora", 128, 512)),
        ("trl/scripts/sft.py --lora_r 16 --max_length 512", (None, None, 512)),
        ("trl/scripts/sft.py --use_peft --lora_r 16 --max_length 512", ("lora", 16, 512)),
    ],
)
def test_adapters_of_scripts_that_many_copied(options: str, expected: tuple[object, ...]) -> None:
    found = of(
        {"run.sh": f"torchrun --nproc_per_node 8 {options} --model_name_or_path a/b --per_device_train_batch_size 1"}
    )
    assert said(found, "adapter.method", "adapter.rank", "dataset.sequence_length") == expected


def test_deepspeed_of_its_examples() -> None:
    train = "main.py --model_name_or_path a/b --per_device_train_batch_size 1 --learning_rate 1e-5"
    found = of({"run.sh": f"deepspeed {train} --zero_stage 3 --offload --dtype bf16 --deepspeed"})
    paths = ("parallelism.framework", "parallelism.zero_stage", "parallelism.offload", "training.precision")
    assert said(found, *paths) == ("deepspeed", 3, "all", "bf16")


def test_a_configuration_of_deepspeed_that_is_not_given_is_still_deepspeeds() -> None:
    found = of({"run.sh": "torchrun --nproc_per_node 8 train.py --per_device_train_batch_size 1 --deepspeed z3.json"})
    assert said(found, "parallelism.framework") == "deepspeed" and "parallelism.zero_stage" not in found.found


@pytest.mark.parametrize(
    ("files", "batch"),
    [
        ({"a.yaml": TRL + "eval_strategy: steps\n"}, 8),  # the Trainer's, whatever the batch of training
        ({"a.yaml": TRAINER + "do_eval: true\nper_device_eval_batch_size: 3\n"}, 3),
        ({"a.yaml": TRAINER + "per_device_eval_batch_size: 3\n"}, None),
        ({"a.yaml": TRAINER + "evaluation_strategy: 'no'\nper_device_eval_batch_size: 3\n"}, None),
        ({"a.yaml": "model_name_or_path: a/b\nstage: sft\ncutoff_len: 8\neval_strategy: epoch\n"}, 8),
        ({"a.yaml": "base_model: a/b\nmicro_batch_size: 2\nsequence_len: 8\nval_set_size: 0.05\n"}, 2),
        ({"a.yaml": "base_model: a/b\nmicro_batch_size: 2\nsequence_len: 8\neval_batch_size: 4\n"}, None),
        ({"a.sh": "swift sft --model a/b --max_length 8 --split_dataset_ratio 0.01"}, 1),
    ],
)
def test_what_evaluates_has_a_batch(files: dict[str, str], batch: int | None) -> None:
    assert said(of(files), "training.evaluation_batch") == batch


@pytest.mark.parametrize(("kind", "loss"), [("nll", "upcast"), ("dft", "upcast"), ("chunked_nll", "linear")])
def test_the_loss_that_trl_is_told(kind: str, loss: str) -> None:
    assert said(reading(sft_yaml=f"{TRL}use_peft: false\npacking: true\nloss_type: {kind}\n"), "training.loss") == loss


@pytest.mark.parametrize(
    ("options", "gpus"),
    [
        ("-- --num_processes 8 --main_process_port 29501", 8),
        ("--launcher torchrun -- --nproc_per_node=4 --nnodes=2", 8),
        ("--launcher accelerate -- --num_processes 4", 4),
    ],
)
def test_axolotl_passes_options_to_its_launcher(options: str, gpus: int) -> None:
    axolotl = "base_model: a/b\nsequence_len: 8\nmicro_batch_size: 1\n"
    found = of({"a.yaml": axolotl, "run.sh": f"axolotl train a.yaml {options}\n"})
    assert said(found, "hardware.gpus") == gpus
    assert {one.item.key for one in found.fates if one.fate == "unknown"} == set()


AXOLOTL = "base_model: a/b\nmicro_batch_size: 1\nsequence_len: 8\n"


@pytest.mark.parametrize(
    ("liger", "cut", "loss"),
    [("false", "true", "linear"), ("true", "false", "linear"), ("false", "false", None), (None, "true", "linear")],
)
def test_either_of_two_kernels_avoids_the_logits(liger: str | None, cut: str, loss: str | None) -> None:
    """The usual pair of Axolotl: one of the two is switched off."""
    first = "" if liger is None else f"liger_fused_linear_cross_entropy: {liger}\n"
    assert said(of({"a.yaml": f"{AXOLOTL}{first}cut_cross_entropy: {cut}\n"}), "training.loss") == loss


def test_keys_that_have_standard_names() -> None:
    found = of({"a.yaml": AXOLOTL + "lora_mlp_kernel: true\nlora_o_kernel: false\nembeddings_skip_upcast: true\n"})
    keys = ("lora_mlp_kernel", "lora_o_kernel", "embeddings_skip_upcast")
    assert [fates(found)[key] for key in keys] == ["unmodelled", "free", "unmodelled"]
    factory = "model_name_or_path: a/b\nstage: sft\ncutoff_len: 8\noverwrite_cache: true\nuse_unsloth_gc: true\n"
    told = {one.item.key: (one.fate, one.why) for one in of({"a.yaml": factory}).fates}
    assert told["overwrite_cache"][0] == "free"
    assert told["use_unsloth_gc"] == ("unmodelled", "checkpoints that wait in host memory")


def test_an_optimizer_that_torchtune_is_given_on_the_command_line() -> None:
    files = {
        "a.yaml": "model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\n"
        "optimizer:\n  _component_: torch.optim.AdamW\n  lr: 2e-5\nbatch_size: 2\n",
        "run.sh": "tune run full_finetune_single_device --config a.yaml optimizer=bitsandbytes.optim.PagedAdamW8bit",
    }
    assert said(of(files), "training.optimizer") == "adamw_8bit"


LIGHTNING = """trainer:
  devices: 8
  max_steps: 10
  strategy:
    class_path: lightning.pytorch.strategies.FSDPStrategy
    init_args:
      sharding_strategy: {}
      cpu_offload: {}
model:
  init_args:
    model_name: meta-llama/Llama-3.1-8B
data:
  init_args:
    batch_size: 2
    max_length: 4096
"""


@pytest.mark.parametrize(("way", "stage"), [("FULL_SHARD", 3), ("SHARD_GRAD_OP", 2), ("NO_SHARD", 0)])
def test_a_strategy_of_lightning_by_its_class(way: str, stage: int) -> None:
    found = of({"a.yaml": LIGHTNING.format(way, "false")})
    paths = ("parallelism.framework", "parallelism.zero_stage", "dataset.sequence_length", "model")
    assert said(found, *paths) == ("fsdp", stage, 4096, "meta-llama/Llama-3.1-8B")
    assert said(found, "parallelism.offload") is None
    assert said(of({"a.yaml": LIGHTNING.format(way, "true")}), "parallelism.offload") == "all"


JOB = """apiVersion: batch/v1
kind: Job
spec:
  template:
    spec:
      nodeSelector:
        {}: {}
      containers:
      - name: train
        resources:
          limits:
            nvidia.com/gpu: 8
"""
GKE = "cloud.google.com/gke-accelerator"
MACHINE = "node.kubernetes.io/instance-type"


@pytest.mark.parametrize(
    ("label", "name", "card"),
    [
        (GKE, "nvidia-h100-80gb", "H100-SXM5-80GB"),
        (GKE, "nvidia-h100-mega-80gb", "H100-SXM5-80GB"),
        (GKE, "nvidia-h200-141gb", "H200-SXM-141GB"),
        (GKE, "nvidia-b200", "B200"),
        (GKE, "nvidia-a100-80gb", "A100-SXM4-80GB"),
        (GKE, "nvidia-tesla-a100", "A100-SXM4-40GB"),
        (GKE, "nvidia-l4", "L4"),
        (GKE, "nvidia-tesla-v100", "V100-SXM2-16GB"),
        (GKE, "nvidia-tesla-t4", "T4"),
        ("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3", "NVIDIA-H100-80GB-HBM3"),
        (MACHINE, "p4d.24xlarge", "A100-SXM4-40GB"),
        (MACHINE, "p4de.24xlarge", "A100-SXM4-80GB"),
        (MACHINE, "p5.48xlarge", "H100-SXM5-80GB"),
        (MACHINE, "p5en.48xlarge", "H200-SXM-141GB"),
        (MACHINE, "m5.large", None),
    ],
)
def test_the_cards_of_a_label(label: str, name: str, card: str | None) -> None:
    assert said(of({"job.yaml": JOB.format(label, name)}), "hardware.gpu") == card
