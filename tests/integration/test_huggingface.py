"""transformers and TRL accept the emitted arguments, change and ignore none of them, and train what was planned."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.integration.plans import Files, quantity, written
from tests.integration.real import PROGRAMS, environment, needs, read
from tests.integration.test_training import launch
from tests.integration.watching import SHOWN, agrees, watched

pytestmark = [pytest.mark.integration, pytest.mark.slow]

WHAT = 'model = "a/b", dataset = "c/d", output = "runs"'
BODY = """model "{model}"
dataset {{ tokens = 1B, sequence_length = 2048 tokens }}
hardware {{ gpu = "H100-SXM5-80GB", gpus = {gpus} }}
training {{ global_batch = {gpus} * 4 sequences, recompute = full{training} }}
{more}
emit huggingface {{ {options}{what} }}
"""


def plan(more: str, model: str = "llama-7b", gpus: int = 8, options: str = "", training: str = "") -> Files:
    return written(BODY.format(model=model, gpus=gpus, more=more, options=options, training=training, what=WHAT))


TRL = "trainer = trl, "
PLANS: dict[str, Files] = {
    "llama7b": lambda folder: _with_trainer(folder),  # noqa: PLW0108 - defined below
    "zero_3": plan("parallelism { zero_stage = 3, framework = deepspeed }"),
    "zero_2_offload": plan("parallelism { zero_stage = 2, framework = deepspeed, offload = optimizer }"),
    "fsdp": plan("parallelism { zero_stage = 3 }"),
    "fsdp_offload": plan("parallelism { zero_stage = 3, offload = all }"),
    "hsdp": plan("parallelism { zero_stage = 3, replicas = 8 }", gpus=64),
    "moe": plan("parallelism { zero_stage = 3 }", model="mixtral-8x7b", gpus=32),
    "fp16": plan("parallelism { zero_stage = 3 }", training=", precision = fp16"),
    "tf32_compiled": plan("parallelism { zero_stage = 3 }", training=", precision = tf32, kernels = compiled"),
    "eight_bit_adam": plan("model.layers = 4\nparallelism { zero_stage = 0 }", training=", optimizer = adamw_8bit"),
    "liger": plan("parallelism { zero_stage = 3 }", training=", kernels = fused, loss = linear"),
    "trl": plan("parallelism { zero_stage = 3 }", options=TRL),
    "trl_zero_3": plan("parallelism { zero_stage = 3, framework = deepspeed }", options=TRL),
    "trl_context": plan("parallelism { zero_stage = 3, framework = deepspeed, context = 8 }", gpus=64, options=TRL),
    "lora": plan("parallelism { zero_stage = 0 }\nadapter { method = lora, rank = 32 }", options=TRL),
    "lora_zero_3": plan("parallelism { zero_stage = 3, framework = deepspeed }\nadapter { method = lora, embeddings = "
                        "true }", options=TRL),
    "qlora": plan('adapter { method = qlora, rank = 64, targets = ["q_proj", "v_proj"], dropout = 0.1 }', gpus=1,
                  options=TRL),
}  # fmt: skip


def _with_trainer(folder: Path) -> Path:
    """The plan of the README, for the Trainer instead."""
    text = (Path(__file__).parents[2] / "plans" / "llama7b.plan").read_text(encoding="utf-8")
    text = text.replace("emit deepspeed, accelerate, report", f"emit deepspeed, huggingface {{ {WHAT} }}, report")
    return written(text.replace("tensor     = ? in [1, 2, 4, 8]", "tensor     = 1"))(folder)


@pytest.mark.parametrize("name", PLANS)
def test_every_argument_is_taken_as_it_is(name: str, tmp_path: Path) -> None:
    needs("transformers", "deepspeed", "accelerate")
    folder = PLANS[name](tmp_path)
    file = folder / "sft.yaml"
    if file.exists():
        needs("trl", "peft")
    else:
        file = folder / "training_args.json"
    filled = tmp_path / "filled.json"
    seen = read("read_trainer.py", file, filled)
    assert seen["changed"] == [] and seen["unread"] == []
    precision, micro = quantity(folder, "training.precision"), quantity(folder, "training.micro_batch")
    assert seen["mixed_precision"] == (precision if precision in ("bf16", "fp16") else "no")
    assert seen["batch"] == micro
    arguments = yaml.safe_load(file.read_text())
    assert arguments["gradient_accumulation_steps"] * micro * quantity(folder, "data_parallel") == quantity(
        folder, "global_batch_sequences"
    )
    assert arguments["max_steps"] == quantity(folder, "steps")
    assert arguments["save_steps"] == quantity(folder, "checkpoint_interval_steps")
    if quantity(folder, "parallelism.framework") == "deepspeed":
        found = read("read_deepspeed.py", filled, str(quantity(folder, "hardware.gpus")))
        assert found["ignored"] == [] and "auto" not in filled.read_text()
        assert found["train_batch_size"] == quantity(folder, "global_batch_sequences")
        assert (found["micro_batch"], found["stage"]) == (micro, quantity(folder, "parallelism.zero_stage"))
        assert found["clipping"] == quantity(folder, "training.gradient_clipping")
    else:
        sharded = quantity(folder, "parallelism.framework") == "fsdp"
        assert (seen["fsdp"] or {}).get("fsdp_version") == (2 if sharded else None)
    if quantity(folder, "adapter.method") != "none":
        rank, _, _, targets = seen["adapter"]
        assert rank == quantity(folder, "adapter.rank")
        assert targets == ("all-linear" if name != "qlora" else ["q_proj", "v_proj"])
        assert seen["four_bits"] == (quantity(folder, "adapter.method") == "qlora")


GROUPS = {
    "hsdp": ("parallelism { zero_stage = 3, replicas = 8 }", [8, 8, 1]),
    "context": ("parallelism { zero_stage = 3, framework = deepspeed, context = 8 }", [1, 8, 8]),
}


@pytest.mark.parametrize("name", GROUPS)
def test_accelerate_takes_the_groups_of_ranks(name: str, tmp_path: Path) -> None:
    """What no argument says, `launch.sh` says to Accelerate within the Trainer."""
    needs("accelerate")
    more, sizes = GROUPS[name]
    folder = plan(more, gpus=64)(tmp_path)
    code = (
        "from accelerate.parallelism_config import ParallelismConfig as P; p = P(); "
        "print(p.dp_replicate_size, p.dp_shard_size, p.sp_size, p.total_size)"
    )
    exports = [
        line
        for line in (folder / "launch.sh").read_text().splitlines()
        if line.startswith(("export PARA", "export ACC"))
    ]
    script = "\n".join([*exports, 'exec "$0" -c "$1"'])
    done = subprocess.run(
        ["bash", "-c", script, sys.executable, code], env=environment(), capture_output=True, text=True, check=True
    )
    assert list(map(int, done.stdout.split())) == [*sizes, 64]


TINY = (
    """
model {{ layers = 2, hidden = 32, heads = 4, ffn = 64, gated_mlp = true, vocab = 64 }}
dataset {{ tokens = 1024, sequence_length = 16 }}
hardware {{ gpu = "RTX-4090", gpus = 2, gpus_per_node = 2 }}
parallelism {{ zero_stage = 0 }}
training {{ precision = bf16, micro_batch = 2, global_batch = 8 sequences, recompute = full, warmup = 2 }}
training {{ checkpoint_interval = 1 hour, gradient_clipping = 0.01 }}
adapter {{ method = lora, rank = 4, targets = ["q_proj", "v_proj"] }}
emit huggingface {{ trainer = trl, model = "{folder}/model", dataset = "{folder}/data", output = "{folder}/out" }}
huggingface {{ log_every = 1, workers = 0 }}
"""
    + SHOWN
)


def test_adapters_are_trained_by_two_processes(tmp_path: Path) -> None:
    needs("torch", "transformers", "trl", "peft", "datasets")
    subprocess.run([sys.executable, str(PROGRAMS / "make_llama.py"), str(tmp_path)], check=True, env=environment())
    folder = written(TINY.format(folder=tmp_path))(tmp_path)
    command = ["bash", str(folder / "launch.sh"), "--use_cpu", "true", "--log_level", "info"]
    variables = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    code, said = launch(command, **variables, **watched(tmp_path / "watched"))
    assert code == 0, said[-4000:]
    agrees(folder, tmp_path / "watched")
    steps = quantity(folder, "steps")
    assert "Total train batch size (w. parallel, distributed & accumulation) = 8" in said
    adapter = json.loads((tmp_path / "out" / "adapter_config.json").read_text())
    assert (adapter["r"], adapter["lora_alpha"], sorted(adapter["target_modules"])) == (4, 8, ["q_proj", "v_proj"])
    # Two layers, two matrices each, with as many rows as columns.
    assert f"Number of trainable parameters = {2 * 2 * 4 * (32 + 32)}" in said.replace(",", "")
    assert quantity(folder, "adapter.params") == 2 * 2 * 4 * (32 + 32)
    state = json.loads((tmp_path / "out" / f"checkpoint-{int(steps)}" / "trainer_state.json").read_text())
    assert (state["global_step"], state["max_steps"], state["train_batch_size"]) == (steps, steps, 2)
    rates = [line["learning_rate"] for line in state["log_history"] if "learning_rate" in line]
    assert max(rates) == pytest.approx(quantity(folder, "training.learning_rate"))
    # Started again it has nothing left to do: it goes on from the last checkpoint.
    code, said = launch(command, **variables)
    assert code == 0 and f"Loading model from {tmp_path}/out/checkpoint-{int(steps)}" in said, said[-4000:]


def test_all_weights_are_fine_tuned_by_two_processes(tmp_path: Path) -> None:
    needs("torch", "transformers", "trl", "datasets")
    subprocess.run([sys.executable, str(PROGRAMS / "make_llama.py"), str(tmp_path)], check=True, env=environment())
    plan = TINY.format(folder=tmp_path).replace("tokens = 1024", "tokens = 1536")
    plan = "".join(line for line in plan.splitlines(keepends=True) if not line.startswith("adapter"))
    folder = written(plan)(tmp_path)
    command = ["bash", str(folder / "launch.sh"), "--use_cpu", "true", "--log_level", "info"]
    variables = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    code, said = launch(command, **variables, **watched(tmp_path / "watched"))
    assert code == 0, said[-4000:]
    agrees(folder, tmp_path / "watched")
    trained = int(quantity(folder, "model.params_total"))
    assert f"Number of trainable parameters = {trained}" in said.replace(",", "")
    state = json.loads((tmp_path / "out" / "checkpoint-12" / "trainer_state.json").read_text())
    assert (state["global_step"], state["max_steps"]) == (12, quantity(folder, "steps"))


SMALL = (
    """
model {{ layers = 2, hidden = 32, heads = 4, ffn = 64, gated_mlp = true, vocab = 64 }}
dataset {{ tokens = 1024, sequence_length = 16 }}
hardware {{ gpu = "RTX-4090", gpus = 2, gpus_per_node = 2 }}
parallelism {{ {layout} }}
training {{ precision = bf16, micro_batch = 2, global_batch = 8 sequences, recompute = full, warmup = 2 }}
training {{ learning_rate = 0.02, gradient_clipping = 0.1 }}
emit huggingface {{ model = "a", dataset = "b", output = "{folder}/out", log_every = 1, workers = 0 }}
"""
    + SHOWN
)
LAYOUTS = {
    "ddp": ("zero_stage = 0", "MULTI_CPU"),
    "zero_2": ("zero_stage = 2, framework = deepspeed", "DEEPSPEED"),
    "zero_3": ("zero_stage = 3, framework = deepspeed", "DEEPSPEED"),
    "fsdp_3": ("zero_stage = 3", "FSDP"),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_trainer_trains_what_was_planned(name: str, tmp_path: Path) -> None:
    needs("torch", "transformers", "accelerate", "deepspeed")
    layout, kind = LAYOUTS[name]
    folder = written(SMALL.format(layout=layout, folder=tmp_path))(tmp_path)
    (tmp_path / "reports").mkdir()
    command = ["bash", str(folder / "launch.sh"), str(PROGRAMS / "train_by_trainer.py"), str(tmp_path / "reports")]
    code, said = launch(command, **watched(tmp_path / "watched"))
    assert code == 0, said[-4000:]
    agrees(folder, tmp_path / "watched")
    for rank in range(2):
        seen = json.loads((tmp_path / "reports" / f"rank-{rank}.json").read_text())
        assert (seen["kind"], seen["world"], seen["batch"], seen["total"]) == (kind, 2, [[2, 16]], 8)
        assert seen["steps"] == quantity(folder, "steps") and max(seen["rates"]) == pytest.approx(0.02)
        assert sum(seen["losses"][-2:]) < sum(seen["losses"][:2])
        if kind == "DEEPSPEED":
            assert seen["engine"] == [2, 2, 0.1, int(name[-1]), "torch.bfloat16"]
        assert seen["recomputes"] is (kind != "FSDP")
