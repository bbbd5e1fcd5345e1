"""Configurations where a command takes a plan: judged as they are, changed where they stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llmplan.cli import run
from llmplan.read.edited import inserted

FSDP = """distributed_type: FSDP
fsdp_config: {fsdp_version: 2, fsdp_reshard_after_forward: true}
mixed_precision: bf16
num_processes: 8
"""
ARGUMENTS = {
    "model_name_or_path": "meta-llama/Llama-3.1-8B",
    "dataset_name": "a/b",
    "output_dir": "out",
    "bf16": True,
    "per_device_train_batch_size": 1,
    "gradient_checkpointing": True,
    "max_length": 4096,
    "max_steps": 100,
}
LLAMAFACTORY = "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\nfinetuning_type: full\n"
AXOLOTL = "base_model: meta-llama/Llama-3.1-8B\noptimizer: adamw_torch\n"
LORA = ARGUMENTS | {"use_peft": True, "lora_r": 16, "use_liger_kernel": True, "eval_strategy": "steps"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_run_is_judged_by_the_files_that_it_has(capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever llmplan could write for it."""
    Path("args.json").write_text(json.dumps(ARGUMENTS | {"optim": "adafactor"}))
    Path("fsdp.yaml").write_text(FSDP)
    assert run(["check", "args.json", "fsdp.yaml", "--gpu", "H100"]) == 0
    assert run(["compile", "args.json", "fsdp.yaml", "--gpu", "H100", "-o", "out"]) == 3
    assert "huggingface_update" in capsys.readouterr().err


def test_a_change_that_needs_a_new_key_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    Path("lora.json").write_text(json.dumps(LORA, indent=2))
    command = ["solve", "lora.json", "--gpus", "1", "--gpu", "RTX-4090"]
    assert run(command) == 3
    assert "1: `lora.json: + per_device_eval_batch_size: 1`" in capsys.readouterr().err
    assert run([*command, "--fix", "--yes"]) == 0
    assert json.loads(Path("lora.json").read_text()) == {"per_device_eval_batch_size": 1, **LORA}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.sh", "NPROC_PER_NODE=8 swift sft --model Qwen/Qwen2.5-14B --train_type full --max_length 2048"),
        ("a.yaml", "model_name_or_path: Qwen/Qwen2.5-14B\nstage: sft\nfinetuning_type: full\ncutoff_len: 2048\n"),
        ("a.yaml", "base_model: Qwen/Qwen2.5-14B\nsequence_len: 2048\nmicro_batch_size: 1\noptimizer: adamw_torch\n"),
    ],
)
def test_what_shards_nothing_is_not_searched(name: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(name).write_text(text)
    assert run(["check", name, "--gpu", "A100-80GB", "--gpus", "8"]) == 3
    assert "fits no " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text", "change"),
    [
        (
            "a.yaml",
            f"{LLAMAFACTORY}cutoff_len: 4096\nbf16: true\nper_device_train_batch_size: 1\n",
            "deepspeed: examples/deepspeed/ds_z3_config.json",
        ),
        (
            "a.yaml",
            f"{AXOLOTL}sequence_len: 4096\nmicro_batch_size: 2\ngradient_checkpointing: true\nbf16: true\n",
            "deepspeed: deepspeed_configs/zero3_bf16.json",
        ),
        (
            "a.sh",
            "NPROC_PER_NODE=16 swift sft --model LLM-Research/Meta-Llama-3.1-8B --train_type full --max_length 4096\n",
            "--deepspeed zero3",
        ),
    ],
)
def test_what_comes_with_a_trainer_is_offered(
    name: str, text: str, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A key that changes several inputs at once, tried with all of them."""
    Path(name).write_text(text)
    assert run(["solve", name, "--gpus", "16", "--gpu", "H100"]) == 3
    assert f" + {change}`" in capsys.readouterr().err.replace(f"{name}:1 +", f"{name}: +").replace(": + ", " + ")


def test_accumulation_is_kept_where_no_file_counts_gpus(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text(
        "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\nper_device_train_batch_size: 2\n"
        "gradient_accumulation_steps: 8\ncutoff_len: 4096\n"
    )
    assert run(["import", "a.yaml", "--gpu", "H100"]) == 0
    assert "global_batch = 8 * micro_batch * data_parallel" in capsys.readouterr().out


MEGATRON = """torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 16 --hidden-size 2048 --ffn-hidden-size 8192 \\
  --num-attention-heads 32 --group-query-attention --num-query-groups 8 --seq-length 2048 \\
  --max-position-embeddings 2048 --swiglu --normalization RMSNorm --disable-bias-linear \\
  --position-embedding-type rope --rotary-base 500000 --micro-batch-size 1 --global-batch-size 64 --train-iters 1000 \\
  --lr 3e-4 --lr-decay-iters 900 --bf16 --use-distributed-optimizer --vocab-size 128256 --seed 7 \\
  --data-path my_text_document --tokenizer-type Llama2Tokenizer --tokenizer-model t.model --split 949,50,1 \\
  --eval-interval 100 --eval-iters 10
"""


def test_what_megatron_is_told_is_written_again(capsys: pytest.CaptureFixture[str]) -> None:
    """But for what no plan says, which is named."""
    Path("a.sh").write_text(MEGATRON)
    assert run(["compile", "a.sh", "--gpu", "H100", "-o", "out"]) == 0
    lines = Path("out/megatron.args").read_text().splitlines()
    assert {
        "--data-path my_text_document",
        "--split 949,50,1",
        "--tokenizer-type Llama2Tokenizer",
        "--tokenizer-model t.model",
        "--eval-interval 100",
        "--eval-iters 10",
        "--lr-decay-iters 900",
    } <= {*lines}
    assert "1 key of the files is not in what was written: seed" in capsys.readouterr().err


def test_a_folder_and_forms_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    Path("runs").mkdir()
    Path("runs/a.yaml").write_text(f"{AXOLOTL}sequence_len: 8192\nmicro_batch_size: 4\nbf16: true\n")
    machine = ["--gpu", "H200", "--gpus", "8"]
    assert run(["check", "runs", *machine]) == run(["solve", "runs", *machine]) == 3
    assert capsys.readouterr().out.startswith("runs: fits no ")
    assert run(["check", "runs", *machine, "--format", "json"]) == 3
    (found,) = [one for one in json.loads(capsys.readouterr().out)["diagnostics"] if one["code"] == "E0402"]
    assert any("`runs/a.yaml: + gradient_checkpointing: true`" in hint for hint in found["hints"])
    assert run(["import", "runs"]) == 0 and "sequence_length = 8192" in capsys.readouterr().out


def test_keys_that_go_together_alone(capsys: pytest.CaptureFixture[str]) -> None:
    batch = "--micro-batch-size 8 --recompute-granularity selective"
    Path("a.sh").write_text(
        MEGATRON.replace("--micro-batch-size 1", batch)
        .replace("--seq-length 2048", "--seq-length 4096")
        .replace("embeddings 2048", "embeddings 4096")
    )
    assert run(["solve", "a.sh", "--gpu", "A100-40GB"]) == 3
    err = capsys.readouterr().err
    assert "recompute-granularity: selective → full, a.sh:" in err and "+ --recompute-num-layers 1`" in err


def test_a_key_at_a_value_that_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text(f"{LLAMAFACTORY}cutoff_len: 4096\nbf16: true\nper_device_train_batch_size: 2\n")
    command = ["solve", "a.yaml", "--gpu", "H100", "--gpus", "1"]
    assert run(command) == 3
    told = [line.partition("help: ")[2] for line in capsys.readouterr().err.splitlines() if "`a.yaml:" in line]
    assert "finetuning_type: full → lora`, which changes" in told[0]
    assert not any("deepspeed" in one for one in told)  # on one GPU it runs with FORCE_TORCHRUN=1 alone
    assert run([*command, "--fix", "1", "--yes"]) == 0


def test_changes_together_keep_the_batch(capsys: pytest.CaptureFixture[str]) -> None:
    """Each half moved the same key back for itself; and one was a key that LLaMA-Factory has for Megatron alone."""
    Path("a.yaml").write_text(
        f"{LLAMAFACTORY}deepspeed: examples/deepspeed/ds_z3_config.json\ncutoff_len: 16384\nbf16: true\n"
        "per_device_train_batch_size: 4\ngradient_accumulation_steps: 2\ndisable_gradient_checkpointing: true\n"
    )
    command = ["solve", "a.yaml", "--gpu", "A100-SXM4-80GB", "--gpus", "4"]
    assert run(command) == 3
    told = capsys.readouterr()
    assert "disable_gradient_checkpointing: true → false" in told.err and "context_parallel" not in told.err
    assert "`deepspeed`" not in told.err  # what comes with the trainer is known
    assert run([*command, "--fix", "--yes", "--json"]) == 0
    assert "per_device_train_batch_size: 1\ngradient_accumulation_steps: 8" in Path("a.yaml").read_text()


def test_nothing_that_starts_the_run_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    Path("args.json").write_text(json.dumps({key: one for key, one in LORA.items() if key != "max_steps"}))
    assert run(["compile", "args.json", "--gpu", "H100", "--gpus", "4", "-o", "out"]) == 0
    assert "W0637" in capsys.readouterr().err


TRAINER = """accelerate launch --config_file fsdp.yaml train.py --model_name_or_path Qwen/Qwen3-32B --bf16 \\
  --per_device_train_batch_size 4 --max_length 4096 --max_steps 500 --learning_rate 1e-5 --gradient_checkpointing \\
  --dataset_name a/b --output_dir out
"""
FSDP2 = """distributed_type: FSDP
num_processes: 8
mixed_precision: bf16
fsdp_config:
  fsdp_version: 2
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
"""


def test_no_change_is_offered_that_would_fail(capsys: pytest.CaptureFixture[str]) -> None:
    """Optimizers of bitsandbytes do not take the shards of FSDP 2, and a script may not have every option."""
    Path("a.sh").write_text(TRAINER)
    Path("fsdp.yaml").write_text(FSDP2)
    command = ["solve", "a.sh", "fsdp.yaml", "--gpu", "H100"]
    assert run(command) == 0
    told = capsys.readouterr()
    assert (
        "+ --optim adamw_torch_8bit" in told.out and "use_peft" not in told.out and "W0606]: optimizers" not in told.err
    )
    Path("fsdp.yaml").write_text(FSDP2.replace("version: 2", "version: 1"))
    assert run(command) == 3
    assert "+ --optim adamw_bnb_8bit" in capsys.readouterr().err


def test_what_is_known_to_fail_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.sh").write_text(TRAINER.replace("--bf16", "--bf16 --optim paged_adamw_8bit"))
    Path("fsdp.yaml").write_text(FSDP2)
    assert run(["check", "a.sh", "fsdp.yaml", "--gpu", "H100"]) == 0
    assert "warning[W0606]: optimizers of bitsandbytes" in capsys.readouterr().err
    Path("b.sh").write_text(MEGATRON.replace("--lr 3e-4 ", ""))
    assert run(["compile", "b.sh", "--gpu", "H100", "-o", "out"]) == 0
    assert "warning[W0606]: no `--lr` is given" in capsys.readouterr().err
    assert {"--adam-beta2 0.999", "--lr-decay-style linear", "--lr-warmup-iters 0"} <= {
        *Path("out/megatron.args").read_text().splitlines()
    }


def test_a_configuration_of_deepspeed_alone_gets_no_key_for_its_trainer(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ds.json").write_text(
        '{"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}}'
    )
    machine = ["--gpu", "A100-SXM4-80GB", "--gpus", "4", "--set", "dataset.sequence_length=131072 tokens"]
    machine += ["--set", "training.global_batch=4 sequences"]
    assert run(["solve", "ds.json", "--set", "model=qwen3-32b", *machine]) == 3
    assert "sequence_parallel_size" not in "".join(capsys.readouterr())


def test_as_many_changes_as_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text(
        "base_model: meta-llama/Llama-3.1-70B\nsequence_len: 8192\nmicro_batch_size: 4\nbf16: true\n"
        "gradient_accumulation_steps: 4\nflash_attention: true\ndeepspeed: deepspeed_configs/zero2.json\n"
    )
    command = ["solve", "a.yaml", "--gpu", "H100", "--gpus", "8"]
    assert run(command) == 3
    (told,) = [line.partition("help: 1: ")[2] for line in capsys.readouterr().err.splitlines() if "help: 1:" in line]
    assert "zero2.json → deepspeed_configs/zero3_bf16_cpuoffload_all.json" in told
    assert "+ gradient_checkpointing: true" in told
    assert "micro_batch_size: 4 → 2, a.yaml:5 gradient_accumulation_steps: 4 → 8" in told
    assert run([*command, "--fix", "--yes"]) == 0
    assert run(["check", *command[1:]]) == 0


def test_what_a_comparison_needs_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """A file that another reads and that was not given: without it no result can be compared."""
    Path("a.sh").write_text("source ./model.sh\ntorchrun --nproc_per_node 8 pretrain_gpt.py --bf16 $MODEL\n")
    Path("b.sh").write_text("source ./model.sh\ntorchrun --nproc_per_node 8 pretrain_gpt.py --fp16 $MODEL\n")
    assert run(["diff", "a.sh", "b.sh", "--gpu", "H100"]) == 1
    told = capsys.readouterr()
    assert (
        "no file says the model" in told.err
        and "model.layers" not in told.err
        and "`./model.sh` is run here, and was not given" in told.err
    )


def test_options_of_a_launcher_stand_before_the_program() -> None:
    text = "srun accelerate launch --config_file a.yaml train.py --lr 1\n"
    forms = (("accelerate", "launch"), ("accelerate-launch",))
    at, words = inserted("a.sh", text, "--fsdp_offload_params", "true", 1, forms) or (0, "")
    assert text[:at] + words == "srun accelerate launch --fsdp_offload_params"
    assert inserted("a.sh", text * 2, "--x", "1", 1, forms) is None


def test_keys_that_a_launcher_or_a_trainer_needs_together(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text(f"{AXOLOTL}sequence_len: 2048\nmicro_batch_size: 1\nbf16: true\nadapter: qlora\n")
    assert run(["check", "a.yaml", "--gpu", "H100", "--gpus", "1"]) == 1
    assert "`adapter: qlora` without `load_in_4bit: true`" in capsys.readouterr().err


def test_what_no_file_says_opens_no_gate(capsys: pytest.CaptureFixture[str]) -> None:
    """A configuration of DeepSpeed alone does not say whether layers are recomputed."""
    Path("ds.json").write_text(
        '{"train_batch_size": 128, "train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true},'
        ' "zero_optimization": {"stage": 3}}'
    )
    command = ["check", "ds.json", "--gpu", "H100", "--gpus", "8", "--set", "dataset.sequence_length=4096"]
    command += ["--set", "model=qwen2.5-14b"]
    assert run(command) == 3
    assert "only with training.recompute = full, which no file says" in capsys.readouterr().out
    assert run([*command, "--set", "training.recompute=full"]) == 0


def test_a_file_that_lies_there_is_not_the_one_that_comes_with_the_software(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("a.yaml").write_text(f"{LLAMAFACTORY}deepspeed: ds_z3_config.json\ncutoff_len: 2048\nbf16: true\n")
    machine = ["--gpu", "H100", "--gpus", "8"]
    assert run(["check", "a.yaml", *machine]) == 0
    Path("ds_z3_config.json").write_text('{"zero_optimization": {"stage": 2}, "bf16": {"enabled": "auto"}}')
    assert run(["check", "a.yaml", *machine]) == 1
    assert "names `ds_z3_config.json`, which was not given" in capsys.readouterr().err


def test_levers_are_keys_of_files(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.sh").write_text(TRAINER)
    Path("fsdp.yaml").write_text(FSDP2)
    assert run(["solve", "a.sh", "fsdp.yaml", "--gpu", "H200", "--json"]) == 0
    levers = json.loads(capsys.readouterr().out)["levers"]
    own = [one for one in levers if one["name"].split(".")[0] in ("training", "parallelism", "adapter")]
    assert own and all(one["place"] for one in own), own


def test_settings_in_statements_are_not_dropped_in_silence(capsys: pytest.CaptureFixture[str]) -> None:
    Path("run.sh").write_text("torchrun --nproc_per_node 8 bridge.py\n")
    Path("bridge.py").write_text(
        "cfg = recipe()\ncfg.train.micro_batch_size = 2\ncfg.model.pipeline_model_parallel_size = 2\n"
    )
    command = ["run.sh", "bridge.py", "--gpu", "H100", "--set", "model=llama-3.1-8b"]
    assert run(["check", *command, "--set", "dataset.sequence_length=4096"]) == 1
    assert "`bridge.py` sets `micro_batch_size`, `pipeline_model_parallel_size`" in capsys.readouterr().err
    assert run(["import", *command]) == 0
    assert "warning[E0512]: `bridge.py` sets" in capsys.readouterr().err
    Path("bridge.py").write_text("import torch\nmodel.config.use_cache = False\ntokenizer.padding_side = 'left'\n")
    assert run(["import", *command]) == 0
    assert "E0512" not in capsys.readouterr().err


def test_a_verdict_that_another_release_turns_is_no_pass(capsys: pytest.CaptureFixture[str]) -> None:
    script = (
        "torchrun --nproc_per_node 8 run.py --model_name_or_path meta-llama/Llama-2-7b-hf --block_size 2048 --bf16 "
        "--per_device_train_batch_size 1 --gradient_checkpointing --max_steps 9 --output_dir x --learning_rate 1e-5"
    )
    Path("run.sh").write_text(script)
    assert run(["check", "run.sh", "--gpu", "A100-80GB"]) == 3
    assert "not with transformers-4, and no file names a release: `--set stack=" in capsys.readouterr().out
    assert run(["check", "run.sh", "--gpu", "A100-80GB", "--set", "stack=transformers-5"]) == 0


def test_memory_is_judged_where_the_speed_cannot_be(capsys: pytest.CaptureFixture[str]) -> None:
    Path("run.sh").write_text(
        "N=$(nvidia-smi -L | wc -l)\nFORCE_TORCHRUN=1 llamafactory-cli train --stage sft --finetuning_type lora "
        "--model_name_or_path Qwen/Qwen2.5-7B --cutoff_len 2048 --per_device_train_batch_size 1 "
        "--gradient_accumulation_steps $N --bf16 true"
    )
    assert run(["check", "run.sh", "--gpu", "H100", "--gpus", "8"]) == 0
    assert "fits safe" in capsys.readouterr().out


def test_an_option_with_a_blank_is_quoted() -> None:
    found = inserted("a.sh", "torchrun a.py --bf16\n", "--fsdp", "full_shard auto_wrap", 1)
    assert found is not None and found[1] == " --fsdp 'full_shard auto_wrap'"


def test_offload_of_megatron_comes_with_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    Path("run.sh").write_text(
        "torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --num-layers 80 --hidden-size 8192 --swiglu "
        "--ffn-hidden-size 28672 --num-attention-heads 64 --group-query-attention --num-query-groups 8 "
        "--seq-length 8192 --max-position-embeddings 8192 --micro-batch-size 1 --global-batch-size 128 --bf16 "
        "--train-iters 9 --lr 1e-5 --use-distributed-optimizer --use-flash-attn --vocab-size 128256 "
        "--tensor-model-parallel-size 8 --sequence-parallel --untie-embeddings-and-output-weights --mock-data"
    )
    assert run(["solve", "run.sh", "--gpu", "H100"]) == 3
    told = capsys.readouterr().err
    assert "--optimizer-cpu-offload, run.sh:1 + --use-precision-aware-optimizer" in told
    assert "--cpu-optimizer" not in told


TORCHTITAN = """[profiling]
enable_profiling = true
[model]
name = "llama3"
flavor = "8B"
[optimizer]
name = "AdamW"
lr = 0.0003
[training]
local_batch_size = 1
seq_len = 2048
max_norm = 1.00
steps = 1000
dataset = "c4"
[parallelism]
data_parallel_shard_degree = -1
[checkpoint]
enable = false
interval = 500
[activation_checkpoint]
mode = "full"
"""


def test_keys_that_have_another_value_in_what_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    """Told with both values; a number that is only spelled otherwise is the same, and `-1` is a choice left open."""
    Path("a.toml").write_text(TORCHTITAN)
    assert run(["compile", "a.toml", "--gpu", "H100", "--gpus", "8", "-o", "out"]) == 0
    told = " ".join(capsys.readouterr().err.partition("W0646")[2].split())
    assert "checkpoint.enable false → true" in told and "checkpoint.interval 500 → " in told
    assert "profiling.enable_profiling true → false" in told
    assert not any(key in told for key in ("max_norm", "steps", "lr", "seq_len", "shard_degree"))


def test_a_folder_of_configurations_is_compiled_too(capsys: pytest.CaptureFixture[str]) -> None:
    """As other commands take it; one with plans stays what it is."""
    Path("runs").mkdir()
    Path("runs/a.sh").write_text(MEGATRON)
    assert run(["compile", "runs", "--gpu", "H100", "-o", "out"]) == 0 and Path("out/megatron.args").is_file()
    assert run(["init", "a.plan", "--from", "runs"]) == 0 and "sequence_length = 2048" in Path("a.plan").read_text()
    Path("empty").mkdir()
    assert run(["compile", "empty", "-o", "out"]) == 2 and "no plan below empty" in capsys.readouterr().err
    Path("runs/b.plan").write_text('model "llama-7b"\n')
    assert run(["compile", "runs", "-o", "out"]) == 2 and "no plan below runs" in capsys.readouterr().err


def test_data_that_only_the_run_knows_are_data(capsys: pytest.CaptureFixture[str]) -> None:
    """Without them what is written trains on made-up tokens, and the run that was asked about does not."""
    Path("a.sh").write_text("DATA=$5\n" + MEGATRON.replace("my_text_document", "$DATA"))
    assert run(["solve", "a.sh", "--gpu", "H100"]) == 0
    assert "made-up" not in capsys.readouterr().err
    assert run(["compile", "a.sh", "--gpu", "H100", "-o", "out"]) == 0
    assert "made-up" in capsys.readouterr().err


def test_a_chance_that_is_too_small_is_said_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    """The figures hold at their expected values: beside the limit they would look as if nothing were wrong."""
    Path("lora.json").write_text(json.dumps(LORA | {"per_device_eval_batch_size": 1}))
    machine = ["--gpus", "1", "--gpu", "RTX-4090", "--set", "memory.least_chance=99.9%"]
    assert run(["solve", "lora.json", *machine]) == 3
    assert "No plan meets `fits` (a chance of " in capsys.readouterr().out
