"""Megatron-Bridge: every value that time or memory depends on is a key, or is refused by a named requirement."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import yaml

from llmplan import api
from tests.emit import telling
from tests.emit.telling import KNOWN, SEEDS, files, is_written, started, unsaid
from tests.emit.test_megatron import DENSE as MEGATRON
from tests.emit.test_megatron import EXPERTS as MEGATRON_EXPERTS

DENSE = MEGATRON.replace("emit megatron", "emit megatron_bridge")
EXPERTS = MEGATRON_EXPERTS.replace("emit megatron", "emit megatron_bridge")
PLANS = {"dense": DENSE, "experts": EXPERTS}


def document(plan: str, *settings: tuple[str, str]) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(files(plan, *settings)["bridge.yaml"])
    return read


def refusals(plan: str, *settings: tuple[str, str]) -> set[str]:
    """Its own requirements, and those of Megatron Core."""
    core = {f"core_{name}" for name in telling.refusals("megatron", plan, *settings) if not name.startswith("bridge_")}
    return telling.refusals("megatron_bridge", plan, *settings) | core


def test_the_file_is_the_plan() -> None:
    found = document(DENSE)
    assert [*found["model"].items()][:4] == [
        ("num_layers", 32), ("hidden_size", 4096), ("ffn_hidden_size", 14336), ("num_attention_heads", 32),
    ]  # fmt: skip
    assert found["model"]["layernorm_epsilon"] == 1e-05 and found["model"]["activation_func"] == "silu"
    assert found["train"] == {"micro_batch_size": 1, "global_batch_size": 256, "train_iters": 47684}
    assert found["optimizer"]["min_lr"] == pytest.approx(3e-5), "a number to every reader of YAML"
    assert found["optimizer"]["use_distributed_optimizer"] and found["ddp"]["overlap_param_gather"]
    assert found["scheduler"]["start_weight_decay"] == found["scheduler"]["end_weight_decay"] == 0.1
    assert found["dataset"] == {"seq_length": 8192} and found["tokenizer"]["vocab_size"] == 128_255
    assert found["comm_overlap"] is None and found["validation"]["eval_iters"] == 0


SAID: list[tuple[str, tuple[tuple[str, str], ...], dict[str, Any]]] = [
    ("dense", (("training.precision", "fp8"),), {"mixed_precision.bf16": True, "mixed_precision.fp8": "hybrid",
                                                 "mixed_precision.fp8_recipe": "tensorwise"}),
    ("dense", (("training.precision", "fp16"),), {"mixed_precision.fp16": True, "mixed_precision.bf16": None}),
    ("dense", (("training.precision", "tf32"),), {"mixed_precision.fp32": True}),
    ("dense", (("training.gradient_dtype", "bf16"),), {"mixed_precision.grad_reduce_in_fp32": False}),
    ("dense", (("training.recompute_layers", "8"),),
     {"model.recompute_method": "block", "model.recompute_num_layers": 4}),
    ("dense", (("training.recompute", "none"),), {"model.recompute_granularity": None}),
    ("dense", (("parallelism.virtual_pipeline", "2"),),
     {"model.virtual_pipeline_model_parallel_size": 2, "model.overlap_p2p_comm": True, "model.batch_p2p_comm": False}),
    ("dense", (("parallelism.zero_stage", "0"),),
     {"ddp.use_distributed_optimizer": False, "optimizer.use_distributed_optimizer": False,
      "ddp.overlap_param_gather": False}),
    ("dense", (("parallelism.replicas", "2"),), {"ddp.num_distributed_optimizer_instances": 2}),
    ("dense", (("parallelism.offload", "optimizer"),),
     {"optimizer.optimizer_cpu_offload": True, "optimizer.use_precision_aware_optimizer": True}),
    ("dense", (("training.optimizer_dtype", "bf16"),),
     {"optimizer.exp_avg_dtype": "torch.bfloat16", "optimizer.exp_avg_sq_dtype": "torch.bfloat16"}),
    ("dense", (("training.attention", "standard"),), {"model.attention_backend": "unfused"}),
    ("dense", (("training.loss", "in_place"),),
     {"model.cross_entropy_loss_fusion": True, "model.cross_entropy_fusion_impl": "te"}),
    ("dense", (("training.dropout", "0.1"),), {"model.hidden_dropout": 0.1, "model.attention_dropout": 0.1}),
    ("dense", (("model", '"gpt2-medium"'), ("model.vocab", "50_304"), ("model.norm_epsilon", "0.000_01"),
               ("dataset.sequence_length", "1024 tokens")),
     {"model.activation_func": "gelu", "model.bias_activation_fusion": True, "model.add_bias_linear": True,
      "model.position_embedding_type": "learned_absolute"}),
    ("dense", (("training.rate_schedule", "wsd"),), {"scheduler.lr_decay_style": "WSD"}),
    ("dense", (("training.optimizer", "sgd"),), {"optimizer.optimizer": "sgd", "optimizer.adam_beta1": None}),
    ("dense", (("model", '"llama-3.1-8b"'),), {"model.rope_scaling": True, "model.rope_scaling_factor": 8}),
    ("dense", (("model", '"qwen2.5-7b"'),), {"model.add_qkv_bias": True, "model.add_bias_linear": False}),
    ("dense", (("model", '"qwen3-8b"'),), {"model.qk_layernorm": True, "model.rotary_base": 1_000_000}),
    ("dense", (("model", '"mistral-7b"'),), {"model.window_size": [4095, 0]}),
    ("dense", (("megatron_bridge.data", '"0.3 a 0.7 b"'), ("megatron_bridge.tokenizer", '"me/mine"')),
     {"dataset.data_path": "0.3 a 0.7 b", "dataset.split": "100,0,0", "tokenizer.tokenizer_model": "me/mine",
      "tokenizer.tokenizer_type": "HuggingFaceTokenizer"}),
    ("dense", (("launch.log_to", "wandb"), ("launch.run_name", '"r"')), {"logger.wandb_exp_name": "r"}),
    ("experts", (), {"model.num_moe_experts": 8, "model.expert_model_parallel_size": 8,
                     "model.expert_tensor_parallel_size": 1, "model.recompute_modules": ["core_attn", "layernorm"]}),
    ("experts", (("model", '"deepseekmoe-16b"'), ("parallelism.pipeline", "1")),
     {"model.moe_layer_freq": [0] + [1] * 27, "model.moe_shared_expert_intermediate_size": 2816,
      "model.moe_router_pre_softmax": True}),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("plan", "settings", "expected"), SAID, ids=lambda value: str(value)[:50])
def test_what_a_plan_says_is_a_key(plan: str, settings: tuple[tuple[str, str], ...], expected: dict[str, Any]) -> None:
    found = document(PLANS[plan] + "waive fits\n", *settings)
    assert {name: found[name.split(".")[0]].get(name.split(".")[1]) for name in expected} == expected


REFUSED = [
    ("core_framework", "dense", (("parallelism.framework", "fsdp"),)),
    ("core_zero", "dense", (("parallelism.zero_stage", "2"),)),
    ("core_precision", "dense", (("training.precision", "fp32"),)),
    ("core_optimizer", "dense", (("training.optimizer", "adamw_8bit"),)),
    ("core_experts_sequence", "experts", (("parallelism.sequence_parallel", "false"),)),
    ("core_biases", "dense", (("model.mlp_bias", "true"),)),
    ("adapter", "dense", (("adapter.method", "lora"),)),
    ("latent", "experts", (("model", '"deepseek-v3"'),)),
    ("positions", "dense", (("model.positions", "none"),)),
    ("positions", "dense", (("model.positions", "learned"), ("model.learned_positions", "2048"))),
    ("states", "dense", (("training.optimizer_dtype", "fp8"),)),
    ("folders", "dense", (("megatron_bridge.checkpoints", '""'),)),
]


@telling.refused(REFUSED, quick="latent")
@pytest.mark.usefixtures("no_advice")
def test_what_no_key_says_is_refused(name: str, plan: str, settings: tuple[tuple[str, str], ...]) -> None:
    assert name in refusals(PLANS[plan] + "waive fits\n", *settings)


@pytest.mark.slow
@pytest.mark.usefixtures("no_advice")
def test_one_program_starts_the_run() -> None:
    (told,) = telling.solved(DENSE + "emit megatron\n").diagnostics
    assert "`megatron_bridge_alone`" in told.message


OWN = telling.UNKNOWN.format(stage=1, target="megatron_bridge")


@pytest.mark.slow
def test_a_model_is_not_trained_by_guesses() -> None:
    wanting = [d.message for d in api.check("-", text=OWN) if d.severity == "error"]
    assert len(wanting) == 2 and all(
        f"megatron_{name}_known" in " ".join(wanting) for name in ("activation", "epsilon")
    )
    assert refusals(OWN + KNOWN) == {"core_rope_known"}


def drawn(seed: int) -> str:
    """A plan for Megatron-Bridge with some knobs open."""
    models = ("llama-7b", "mixtral-8x7b", "llama-3.1-8b", "qwen3-30b-a3b")
    return telling.drawn("megatron_bridge", seed, models, "model.vocab = 65_536")


@SEEDS
def test_no_answer_of_a_search_is_refused(seed: int) -> None:
    is_written(drawn(seed))


@pytest.mark.slow
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize("plan", PLANS)
def test_every_input_is_said_or_refused(plan: str) -> None:
    """For experts those of the layout and of what is recomputed; the others are as without."""
    assert unsaid(PLANS[plan], ("bridge.yaml", "launch.sh"), every=plan == "dense") == []


def test_the_script_is_what_is_started(tmp_path: Path) -> None:
    written = files(DENSE)
    connections, words = started(written, "$CUDA_DEVICE_MAX_CONNECTIONS", "train.train_iters=5", folder=tmp_path)
    assert connections == "1"
    assert words[-2:] == [str(tmp_path / "bridge_train.py"), "train.train_iters=5"]
    assert ast.parse(written["bridge_train.py"]) and len(written["bridge_train.py"].splitlines()) <= 50


@pytest.mark.slow
@pytest.mark.parametrize("text", ["-x", "a'b\"c", "a: [b] #c", "!!python/object", "a\\nb", "* &a", "null", "1e5"])
def test_no_text_breaks_out_of_its_place(text: str) -> None:
    quoted = '"' + text.replace('"', '\\"') + '"'
    places = {"data": ("dataset", "data_path"), "tokenizer": ("tokenizer", "tokenizer_model"),
              "checkpoints": ("checkpoint", "save"), "pretrained": ("checkpoint", "pretrained_checkpoint"),
              "tensorboard": ("logger", "tensorboard_dir")}  # fmt: skip
    found = document(DENSE, *((f"megatron_bridge.{name}", quoted) for name in places))
    (wanted,) = {found[section][key] for section, key in places.values()}
    assert wanted == text.replace("\\n", "\n")
    assert set(found) == set(document(DENSE)), "no key is added"


@pytest.mark.parametrize("text", ["a()", "a b", "a;b", "-a", "os.system"])
@pytest.mark.slow
def test_a_recipe_is_the_name_of_a_function(text: str) -> None:
    (told,) = (d for d in api.check("-", text=DENSE + f'megatron_bridge.recipe = "{text}"\n') if d.severity == "error")
    assert "`megatron_bridge.recipe`" in told.message
