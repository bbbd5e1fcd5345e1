"""Megatron-LM: every value that time or memory depends on is an argument, or is refused by a named requirement."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan import api
from tests.emit import telling
from tests.emit.telling import KNOWN, SEEDS, files, is_written, started, unsaid

DENSE = """model "llama-3-8b"
dataset { tokens = 100B, sequence_length = 8192 tokens }
hardware { gpu = "H100-SXM5-80GB", gpus = 64 }
parallelism { tensor = 2, pipeline = 2, zero_stage = 1 }
training { global_batch = 256 sequences, micro_batch = 1, recompute = full }
emit megatron
"""
EXPERTS = """model "mixtral-8x7b"
dataset { tokens = 100B, sequence_length = 4096 tokens }
hardware { gpu = "H100-SXM5-80GB", gpus = 64 }
parallelism { tensor = 2, pipeline = 4, expert = 8, zero_stage = 1 }
training { global_batch = 256 sequences, micro_batch = 1, recompute = selective, recompute_norms = true }
emit megatron
"""
PLANS = {"dense": DENSE, "experts": EXPERTS}
WAIVED = EXPERTS + "waive megatron_latent_queries\n"
"""For Megatron Core 0.16, whose latent attention is another than that of 0.19 where queries have no latent."""


def said(text: str) -> dict[str, str]:
    """By argument its values; comments and blank lines are none."""
    lines = (line.partition(" ") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: rest for name, _, rest in lines}


def arguments(plan: str, *settings: tuple[str, str]) -> dict[str, str]:
    return said(files(plan, *settings)["megatron.args"])


def refusals(plan: str, *settings: tuple[str, str]) -> set[str]:
    return telling.refusals("megatron", plan, *settings)


def test_the_file_is_the_plan() -> None:
    found = arguments(DENSE)
    assert {name: found[name] for name in list(found)[:4]} == {
        "--num-layers": "32", "--hidden-size": "4096", "--ffn-hidden-size": "14336", "--num-attention-heads": "32",
    }  # fmt: skip
    assert found["--norm-epsilon"] == "1e-05" and found["--rotary-base"] == "500000" and found["--swiglu"] == ""
    assert found["--num-query-groups"] == "8" and found["--untie-embeddings-and-output-weights"] == ""
    assert (found["--micro-batch-size"], found["--global-batch-size"], found["--train-iters"]) == ("1", "256", "47684")
    assert "--bf16" in found and "--fp16" not in found and "--grad-reduce-in-bf16" not in found
    assert {"--use-distributed-optimizer", "--sequence-parallel", "--overlap-param-gather"} <= set(found)
    assert found["--recompute-granularity"] == "full" and found["--recompute-num-layers"] == "1"


ARGUMENTS: list[tuple[str, tuple[tuple[str, str], ...], dict[str, str | None]]] = [
    ("dense", (("training.precision", "fp8"),), {"--bf16": "", "--fp8-recipe": "delayed", "--fp8-format": "hybrid"}),
    ("dense", (("training.precision", "fp16"),), {"--fp16": "", "--accumulate-allreduce-grads-in-fp32": ""}),
    ("dense", (("training.precision", "tf32"),), {"--bf16": None, "--fp16": None}),
    ("dense", (("training.recompute_layers", "8"),), {"--recompute-method": "block", "--recompute-num-layers": "4"}),
    ("dense", (("training.recompute", "none"),), {"--recompute-granularity": None}),
    ("dense", (("parallelism.virtual_pipeline", "2"),), {"--num-virtual-stages-per-pipeline-rank": "2"}),
    ("dense", (("parallelism.zero_stage", "0"),),
     {"--use-distributed-optimizer": None, "--overlap-param-gather": None}),
    ("dense", (("parallelism.replicas", "2"),), {"--num-distributed-optimizer-instances": "2"}),
    ("dense", (("parallelism.offload", "optimizer"),),
     {"--optimizer-cpu-offload": "", "--use-precision-aware-optimizer": ""}),
    ("dense", (("training.optimizer_dtype", "bf16"),), {"--exp-avg-dtype": "bf16", "--exp-avg-sq-dtype": "bf16"}),
    ("dense", (("training.attention", "standard"),), {"--attention-backend": "unfused"}),
    ("dense", (("training.flash_kernel", "ampere"),), {"--attention-backend": "flash"}),
    ("dense", (("training.loss", "fused"),),
     {"--cross-entropy-loss-fusion": "", "--cross-entropy-fusion-impl": "native"}),
    ("dense", (("training.dropout", "0.1"),), {"--hidden-dropout": "0.1", "--attention-dropout": "0.1"}),
    ("dense", (("model", '"llama-3.1-8b"'),), {"--use-rope-scaling": "", "--rope-scaling-factor": "8"}),
    ("dense", (("model", '"qwen2.5-7b"'),), {"--add-qkv-bias": "", "--disable-bias-linear": ""}),
    ("dense", (("model", '"qwen3-8b"'),), {"--qk-layernorm": "", "--rotary-base": "1000000"}),
    ("dense", (("model", '"mistral-7b"'),), {"--window-size": "(4095,0)"}),
    ("dense", (("megatron.data", '"0.3 a 0.7 b"'), ("megatron.tokenizer", '"me/mine"')),
     {"--data-path": "0.3 a 0.7 b", "--tokenizer-model": "me/mine", "--mock-data": None, "--split": "100,0,0"}),
    ("experts", (), {"--num-experts": "8", "--expert-model-parallel-size": "8", "--expert-tensor-parallel-size": "1"}),
    ("experts", (), {"--recompute-modules": "core_attn layernorm", "--moe-router-pre-softmax": None}),
    ("experts", (("parallelism.expert_overlap", "true"), ("parallelism.virtual_pipeline", "2")),
     {"--overlap-moe-expert-parallel-comm": ""}),
    ("experts", (("model", '"deepseekmoe-16b"'), ("parallelism.pipeline", "1")),
     {"--moe-layer-freq": "([0]*1+[1]*27)", "--moe-shared-expert-intermediate-size": "2816",
      "--moe-router-pre-softmax": "",
      "--multi-latent-attention": None, "--moe-router-topk-scaling-factor": None}),
    ("experts", (("model", '"deepseek-v3"'),),
     {"--q-lora-rank": "1536", "--kv-lora-rank": "512", "--qk-head-dim": "128", "--qk-pos-emb-head-dim": "64",
      "--v-head-dim": "128",
      "--qk-layernorm": "", "--rope-type": "yarn", "--rotary-scaling-factor": "40", "--mscale": "1",
      "--mscale-all-dim": "1",
      "--rotary-interleaved": None, "--no-rope-fusion": "", "--moe-router-pre-softmax": None,
      "--moe-router-score-function": "sigmoid",
      "--moe-router-enable-expert-bias": "", "--moe-router-num-groups": "8", "--moe-router-group-topk": "4",
      "--moe-router-topk-scaling-factor": "2.5", "--moe-layer-freq": "([0]*3+[1]*58)"}),
    ("unlike", (("model", '"deepseek-v2-lite"'), ("training.recompute_latents", "true")),
     {"--multi-latent-attention": "", "--q-lora-rank": None, "--mscale": "0.707", "--mscale-all-dim": "0.707",
      "--moe-router-pre-softmax": "", "--moe-router-score-function": None, "--moe-router-enable-expert-bias": None,
      "--moe-router-num-groups": None, "--moe-router-topk-scaling-factor": None,
      "--recompute-modules": "core_attn layernorm mla_up_proj"}),
    ("unlike", (("model", '"moonlight-16b-a3b"'),),
     {"--rope-type": "rope", "--rotary-scaling-factor": None, "--mscale": None,
      "--moe-router-topk-scaling-factor": "2.446"}),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("plan", "settings", "expected"), ARGUMENTS, ids=lambda value: str(value)[:50])
def test_what_a_plan_says_is_an_argument(
    plan: str, settings: tuple[tuple[str, str], ...], expected: dict[str, str | None]
) -> None:
    found = arguments({**PLANS, "unlike": WAIVED}[plan] + "waive fits\n", *settings)
    assert {name: found.get(name) for name in expected} == expected


REFUSED = [
    ("framework", "dense", (("parallelism.framework", "fsdp"),)),
    ("zero", "dense", (("parallelism.zero_stage", "2"),)),
    ("replicas", "dense", (("parallelism.replicas", "2"), ("parallelism.zero_stage", "0"))),
    ("adapter", "dense", (("adapter.method", "qlora"),)),
    ("precision", "dense", (("training.precision", "fp32"),)),
    ("optimizer", "dense", (("training.optimizer", "adamw_8bit"),)),
    ("offload", "dense", (("parallelism.offload", "all"),)),
    ("micro_batches", "dense", (("parallelism.virtual_pipeline", "2"), ("training.global_batch", "48 sequences"))),
    ("experts_sequence", "experts", (("parallelism.sequence_parallel", "false"),)),
    ("expert_width", "experts", (("parallelism.expert_tensor", "3"),)),
    ("rope", "dense", (("model", '"llama-3.2-3b"'),)),
    ("activation", "dense", (("model", '"gemma-7b"'),)),
    ("latent", "experts", (("model", '"deepseek-v3"'), ("model.rope_interleaved", "false"))),
    ("rope", "experts", (("model", '"deepseek-v3"'), ("model.rope_scaling", "linear"))),
    ("latent_queries", "experts", (("model", '"deepseek-v2-lite"'),)),
    ("yarn_known", "experts", (("model", '"kimi-k2"'),)),
    ("yarn", "experts", (("model", '"deepseek-v3"'), ("model.rope_beta_fast", "1"))),
    ("plain", "experts", (("model", '"deepseek-v3"'), ("model.prediction_layers", "1"))),
    ("positions", "dense", (("model", '"bloom-7.1b"'),)),
    ("block", "dense", (("model", '"olmo-2-7b"'),)),
    ("plain", "dense", (("model", '"gemma-2-9b"'),)),
    ("window", "dense", (("model.sliding_layers", "4"), ("model.sliding_window", "1024"))),
    ("vocab", "dense", (("model.vocab", "128_257"),)),
    ("biases", "dense", (("model.mlp_bias", "true"),)),
    ("qk_norm", "dense", (("model.qk_norm", "full"),)),
    ("loss", "dense", (("training.loss", "chunked"),)),
    ("kernels", "dense", (("training.kernels", "eager"),)),
    ("gradients", "dense", (("parallelism.communication_dtype", "bf16"),)),
    ("states", "dense", (("training.optimizer_dtype", "int8"),)),
    ("schedule", "dense", (("parallelism.schedule", "zero_bubble"),)),
    ("recompute_layers", "dense", (("training.recompute_layers", "7"),)),
    ("selected_layers", "dense", (("training.recompute", "selective"), ("training.recompute_layers", "8"))),
    ("attention_8bit", "dense", (("training.attention_8bit", "true"),)),
    ("activations_stay", "dense", (("training.activation_offload", "0.5"),)),
    ("lengths", "dense", (("dataset.batching", "padded"),)),
    ("expert_overlap", "experts", (("parallelism.expert_overlap", "true"),)),
    ("graphs", "experts", (("training.cuda_graphs", "step"),)),
    ("routing", "experts", (("model.routing", "other"),)),
    ("routing", "experts", (("model", '"deepseek-v2"'),)),
    ("routing", "experts", (("model", '"deepseek-v3"'), ("model.groups_per_token", "8"))),
    ("router_factor_known", "experts", (("model.routing", "sigmoid"),)),
]  # fmt: skip


@telling.refused(REFUSED, quick="zero")
def test_what_no_argument_says_is_refused(name: str, plan: str, settings: tuple[tuple[str, str], ...]) -> None:
    assert name in refusals(PLANS[plan] + "waive fits\n", *settings)


OWN = telling.UNKNOWN.format(stage=1, target="megatron")


@pytest.mark.slow
def test_a_model_is_not_trained_by_guesses() -> None:
    wanting = [d.message for d in api.check("-", text=OWN) if d.severity == "error"]
    assert len(wanting) == 2 and all(
        f"megatron_{name}_known" in " ".join(wanting) for name in ("activation", "epsilon")
    )
    assert refusals(OWN + KNOWN) == {"rope_known"}
    assert refusals(OWN + KNOWN + "model { rope_base = 10_000, rope_scaling = none }\n") == set()


@pytest.mark.slow
def test_steps_are_known_before_anything_is_solved() -> None:
    (found,) = (d for d in api.check("-", text=DENSE.replace("tokens = 100B, ", "")) if d.severity == "error")
    assert found.code == "E0406" and "`megatron_steps`" in found.message


@pytest.mark.slow
def test_experts_need_a_routing() -> None:
    experts = (("model.experts", "8"), ("model.experts_per_token", "2"), ("model.expert_ffn", "512"))
    assert "routing_known" in refusals(OWN + KNOWN, *experts)


FIXED = """parallelism { expert = 1, expert_tensor = 1, schedule = one_f_one_b, prefetch = true, keep_gathered = false }
parallelism { replicas = 1, vocab_parallel = true, reshard = false, communication_dtype = fp32, offload = none }
parallelism { expert_overlap = false }
training { kernels = fused, reduce_dtype = fp32, parameter_dtype = bf16, gradient_dtype = fp32, attention_8bit = false }
training { activation_offload = 0, task = pretrain, recompute_latents = false, flash_kernel = native, loss = compiled }
adapter.method = none
"""


@pytest.mark.slow
def test_what_is_said_by_no_argument_is_no_warning() -> None:
    assert arguments(DENSE + FIXED) == arguments(DENSE)


@SEEDS
def test_no_answer_of_a_search_is_refused(seed: int) -> None:
    is_written(drawn(seed))


def drawn(seed: int) -> str:
    """A plan for Megatron-LM with some knobs open."""
    models = ("llama-7b", "mixtral-8x7b", "llama-3.1-8b", "qwen3-30b-a3b", "gpt2-medium")
    return telling.drawn("megatron", seed, models, "model.vocab = 65_536")


@pytest.mark.slow
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize("plan", PLANS)
def test_every_input_is_said_or_refused(plan: str) -> None:
    """For experts those of the layout and of what is recomputed; the others are as without."""
    assert unsaid(PLANS[plan], ("megatron.args", "launch.sh"), every=plan == "dense") == []


@pytest.mark.parametrize("settings", [(), pytest.param((("megatron.data", '"0.3 a 0.7 b"'),), marks=pytest.mark.slow)])
def test_the_launcher_hands_the_arguments_over(settings: tuple[tuple[str, str], ...], tmp_path: Path) -> None:
    written = files(DENSE, *settings)
    connections, words = started(written, "$CUDA_DEVICE_MAX_CONNECTIONS", "--train-iters", "5", folder=tmp_path)
    words = words[words.index("pretrain_gpt.py") + 1 :]
    mine = [word for name, rest in said(written["megatron.args"]).items() for word in (name, *rest.split())]
    assert connections == "1"
    assert words == [*mine, "--train-iters", "5"]
    assert not settings or mine[mine.index("--data-path") + 4] == "b"


@pytest.mark.usefixtures("no_advice")
@pytest.mark.slow
def test_that_there_is_no_data_is_said() -> None:
    for settings, wanted in ((), False), ((("dataset.path", '"mine"'),), True), ((("megatron.data", '""'),), False):
        solution = api.solve("-", text=DENSE, settings=settings)
        assert [one.holds for one in solution.preferences if one.name == "megatron_data"] == [wanted]
    assert arguments(DENSE, ("dataset.path", '"mine"'))["--data-path"] == "mine"
    assert "--mock-data" in arguments(DENSE)
