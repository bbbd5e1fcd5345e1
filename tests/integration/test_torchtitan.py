"""torchtitan 0.2.2 reads the emitted configuration, changes no key, and builds and splits the planned model from it."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from llmplan.answer.schema.solution import Solution
from tests.emit.test_torchtitan import drawn
from tests.integration import answers
from tests.integration.answers import Answer, feasible, refusals, solved_all, value
from tests.integration.plans import ROOT
from tests.integration.real import read_each
from tests.thorough import examples

pytestmark = [pytest.mark.integration, pytest.mark.slow]

real = pytest.mark.skipif(
    importlib.util.find_spec("torchtitan") is None, reason="torchtitan is not installed: .ci/run does it"
)


def plan(*what: Any, options: str = "", **more: Any) -> str:
    return answers.plan(f'torchtitan {{ assets = "t", {options} }}', *what, **more)


EAGER = "recompute = none, kernels = eager, loss = upcast"
BF16 = "recompute = none, parameter_dtype = bf16, master_dtype = none, reduce_dtype = fp32"
PLANS = {
    "llama7b": (ROOT / "plans" / "llama7b.plan").read_text(encoding="utf-8").replace(
        "deepspeed, accelerate", "torchtitan"),
    "interleaved": plan("llama-3-70b", 512, "tensor = 8, pipeline = 4, virtual_pipeline = 5, zero_stage = 2"),
    "uneven": plan("llama-3.1-405b", 1024, "tensor = 8, pipeline = 16, zero_stage = 2", "recompute = full"),
    "one_f_one_b": plan("llama-3-70b", 512, "tensor = 8, pipeline = 4, zero_stage = 3", "recompute = selective"),
    "gpipe": plan("llama-7b", 16, "pipeline = 2, schedule = gpipe, zero_stage = 2", length=2048),
    "experts": plan("qwen3-30b-a3b", 64, "expert = 8, zero_stage = 3", "recompute = full"),
    "split_experts": plan("qwen3-30b-a3b", 64, "tensor = 2, expert = 8, expert_tensor = 2, zero_stage = 3"),
    "lent_ranks": plan("qwen3-30b-a3b", 64, "tensor = 4, expert = 8, zero_stage = 3", "recompute = selective"),
    "tensor_experts": plan("qwen3-30b-a3b", 64, "tensor = 4, expert_tensor = 4, zero_stage = 3"),
    "mixtral": plan("mixtral-8x7b", 128, "expert = 8, zero_stage = 3"),
    "all_experts": plan("deepseekmoe-16b", 64, "expert = 8, zero_stage = 3").replace(
        '"deepseekmoe-16b"', '"deepseekmoe-16b" { dense_layers = 0 }'),
    "latent": plan("deepseek-v3", 1024,
                   "expert = 64, pipeline = 4, first_stage_layers = 16, last_stage_layers = 13, zero_stage = 2",
                   options="like = deepseek_671b", batch=4096),
    "latent_small": plan("deepseek-v2-lite", 64, "expert = 8, tensor = 2, zero_stage = 3", "recompute = full",
                         options="like = deepseek_16b"),
    "long": plan("llama-3.1-8b", 64, "tensor = 4, context = 8, zero_stage = 3", "recompute = full", batch=32,
                 length=131_072),
    "long_experts": plan("qwen3-30b-a3b", 64, "context = 8, expert = 8, zero_stage = 3", "recompute = full", batch=32,
                         length=131_072),
    "hybrid": plan("llama-3-8b", 64, "zero_stage = 3, replicas = 8"),
    "fp8": plan("llama-2-13b", 128, "tensor = 2, zero_stage = 3", "precision = fp8, recompute = none",
                options="recipe = tensorwise"),
    "fp8_experts": plan("qwen3-30b-a3b", 64, "expert = 8, zero_stage = 3", "precision = fp8, recompute = none"),
    "mxfp8": plan("llama-2-13b", 128, "zero_stage = 3", "precision = mxfp8, recompute = none", gpu="B200-SXM-180GB"),
    "bf16": plan("llama-7b", 16, "zero_stage = 3", BF16, length=2048),
    "tensor_alone": plan("llama-7b", 8, "tensor = 8, zero_stage = 0", BF16, length=2048),
    "tf32": plan("llama-7b", 16, "tensor = 2, zero_stage = 3",
                 "precision = tf32, attention = standard, recompute = none", length=2048),
    "fp32": plan("llama-7b", 16, "zero_stage = 3", "precision = fp32, attention = standard, recompute = none",
                 length=2048),
    "eager": plan("llama-7b", 16, "zero_stage = 2", EAGER, length=2048),
    "offload": plan("llama-7b", 16, "zero_stage = 3, offload = all", length=2048),
    "some_layers": plan("llama-7b", 16, "zero_stage = 3", "recompute = full, recompute_layers = 8", length=2048),
    "asynchronous": plan("llama-3-8b", 64, "tensor = 8, tensor_overlap = true, zero_stage = 3"),
    "norms": plan("qwen3-8b", 16, "zero_stage = 3, tensor = 2"),
    "tied": plan("qwen3-0.6b", 16, "zero_stage = 3, tensor = 2") + "waive torchtitan_tied\n",
    "one": plan("qwen3-0.6b", 1, "zero_stage = 0"),
    "narrow": plan("llama-7b", 16, "zero_stage = 3", length=2048).replace('"llama-7b"', '"llama-7b" { ffn = 4096 }'),
    "wide": plan("llama-7b", 16, "zero_stage = 3", length=2048).replace('"llama-7b"', '"llama-7b" { ffn = 28_672 }'),
    "options": plan("llama-7b", 16, "zero_stage = 3",
                    "optimizer = adam, recompute = none, update = foreach, rate_schedule = wsd",
                    length=2048,
                    options='pretrained = "a/b", dataset_path = "/data", trace_interval = 100'),
}  # fmt: skip
REFUSED = {
    "distributed optimizer": plan("llama-3-8b", 64, "zero_stage = 1, framework = megatron"),
    "plain data parallelism": plan("llama-3-8b", 64, "zero_stage = 0"),
    "qlora": plan("llama-3-8b", 8, "zero_stage = 3") + "adapter.method = qlora\n",
    "stages of experts": plan("qwen3-30b-a3b", 64, "pipeline = 4, expert = 8, zero_stage = 2"),
    "latents": plan("deepseek-v3", 512, "expert = 64, zero_stage = 3"),
    "windows": plan("llama-4-scout", 64, "expert = 8, zero_stage = 3", length=16_384),
    "sinks": plan("gpt-oss-20b", 64, "expert = 8, zero_stage = 3"),
    "8-bit optimizer": plan("llama-3-8b", 64, "zero_stage = 3", "recompute = none, optimizer = adamw_8bit"),
}


def accepted(asked: Mapping[str, Answer], folder: Path) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """What torchtitan makes of each answer on its first and on its last rank; it refuses none and changes no key."""
    cases = []
    for name, (solution, files) in asked.items():
        ranks = int(value(solution, "hardware.gpus"))
        cases += [
            {"folder": str(written(folder / name, files)), "ranks": ranks, "rank": rank} for rank in (0, ranks - 1)
        ]
    found = read_each("read_torchtitan.py", cases=cases, folder=folder)
    wrong = [
        (seen.get("error", seen.get("wrong")), case)
        for case, seen in zip(cases, found, strict=True)
        if seen.get("wrong") != []
    ]
    assert wrong == []
    return dict(zip(asked, zip(found[::2], found[1::2], strict=True), strict=True))


def written(place: Path, files: Mapping[str, str]) -> Path:
    place.mkdir(exist_ok=True)
    for file in ("torchtitan.toml", "torchtitan_model.py"):
        (place / file).write_text(files[file], encoding="utf-8")
    return place


@real
def test_the_configuration_is_accepted_and_the_model_is_the_planned_one(tmp_path: Path) -> None:
    asked = solved_all(PLANS)
    for name, seen in accepted(asked, tmp_path).items():
        agree(name, asked[name][0], *seen)
        eight_bits = {"fp8": "quantize.linear.float8", "mxfp8": "quantize.linear.mx"}
        wanted = eight_bits.get(value(asked[name][0], "training.precision"))
        linear = [one for one in seen[0]["converters"] if one.startswith("quantize.linear.")]
        assert linear == [wanted] * (wanted is not None), name


def agree(name: str, solution: Solution, first: Mapping[str, Any], last: Mapping[str, Any]) -> None:
    """What torchtitan will do is what the plan says."""

    def said(path: str) -> Any:
        return value(solution, path)

    assert first["parameters"] == said("model.params_counted") - bias(solution), name
    if not said("torchtitan.latent") and not said("model.experts"):
        assert first["width"] == said("model.ffn"), name
    chunks = said("parallelism.virtual_pipeline")
    assert len(first["layers"]) == len(last["layers"]) == chunks, name
    assert sum(first["layers"]) == said("parallelism.first_stage_layers"), name
    assert sum(last["layers"]) == said("parallelism.last_stage_layers"), name
    if said("parallelism.offload") == "none":
        size = {"fp32": 4, "bf16": 2}[said("training.parameter_dtype")]
        # Where ranks do not divide a tensor, the first one has more of it: at most a row, or a whole expert.
        ranks, rows = (
            said("data_parallel") // said("parallelism.replicas"),
            said("model.experts") or said("model.hidden"),
        )
        more = -(-rows // ranks) * ranks / rows - 1
        assert size * first["local"] == pytest.approx(said("memory.weights_of[first]"), rel=max(0.01, more)), name
        if said("parallelism.pipeline") > 1:
            assert size * last["local"] == pytest.approx(said("memory.weights_of[last]"), rel=0.01), name
    assert first["batches"] == said("grad_accum"), name
    assert first["schedule"] == {
        "one_f_one_b": "Schedule1F1B" if said("parallelism.pipeline") > 1 else "", "gpipe": "ScheduleGPipe",
        "interleaved": "ScheduleInterleaved1F1B",
    }[said("parallelism.schedule")], name  # fmt: skip
    assert first["initial"] == {"fp32": "torch.float32", "bf16": "torch.bfloat16"}[said("training.parameter_dtype")], (
        name
    )
    # Release 0.3 lets FSDP cast also where it does not shard.
    sharded = said("data_parallel") * said("parallelism.context") > 1 or said("torchtitan.python")
    assert first["reduced"] == ["torch.float32"] * sharded, name
    computed = "torch.float32" if said("training.precision") in ("fp32", "tf32") else "torch.bfloat16"
    assert first["computed"] == [computed] * sharded, name
    if said("data_parallel") * said("parallelism.context") > 1:
        assert first["given_up"] is said("parallelism.reshard"), name
    layers = sum(first["layers"])
    recomputed = {"none": 0, "selective": layers, "full": min(layers, said("training.recompute_layers"))}[
        said("training.recompute")
    ]
    assert first["recomputed"] == recomputed, name
    assert (first["compiled"] > 0) is (said("training.kernels") == "compiled"), name
    degrees = {
        "data_parallel_replicate_degree": "replicas", "tensor_parallel_degree": "tensor",
        "pipeline_parallel_degree": "pipeline",
        "context_parallel_degree": "context", "expert_parallel_degree": "expert",
    }  # fmt: skip
    assert {key: first["parallelism"][key] for key in degrees} == {
        key: said(f"parallelism.{path}") for key, path in degrees.items()
    }, name
    assert first["parallelism"]["data_parallel_shard_degree"] * said("parallelism.replicas") == said("data_parallel"), (
        name
    )
    training = first["training"]
    assert training["local_batch_size"] == said("training.micro_batch") * (
        said("grad_accum") if said("parallelism.pipeline") > 1 else 1
    ), name
    assert training["seq_len"] == said("dataset.sequence_length") and training["steps"] == said("steps"), name
    assert training["global_batch_size"] == said("global_batch_sequences"), name
    assert training["max_norm"] == said("training.gradient_clipping"), name
    assert first["optimizer"]["lr"] == pytest.approx(said("training.learning_rate")), name
    assert first["optimizer"]["weight_decay"] == said("training.weight_decay"), name
    assert first["scheduler"]["warmup_steps"] == said("training.warmup"), name
    assert first["checkpoint"]["enable"] and first["checkpoint"]["interval"] == said("checkpoint_interval_steps"), name


def bias(solution: Solution) -> int:
    """The score that balances experts is a buffer in torchtitan."""
    counted = value(solution, "model.router_score_bias") and value(solution, "model.experts")
    return (value(solution, "model.layers") - value(solution, "model.dense_layers")) * counted if counted else 0


SMALL = """model "{model}" {{ layers = 3, hidden = 128, heads = 8, kv_heads = 4, ffn = 320, vocab = 512{more} }}
dataset {{ tokens = 1B, sequence_length = 256 tokens }}
hardware {{ gpu = "H100-SXM5-80GB", gpus = 2 }}
training {{ global_batch = 64 sequences, micro_batch = 1, recompute = none }}
parallelism.zero_stage = 3
emit torchtitan {{ assets = "t" }}
"""
SHAPE = {
    "num_hidden_layers": 3, "hidden_size": 128, "num_attention_heads": 8, "num_key_value_heads": 4,
    "intermediate_size": 320,
    "vocab_size": 512, "max_position_embeddings": 256, "rms_norm_eps": 1e-5, "initializer_range": 0.2,
    "tie_word_embeddings": False,
}  # fmt: skip
STRETCHED = {
    "rope_type": "llama3", "rope_theta": 500_000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}  # fmt: skip
EXPERTS = SHAPE | {
    "head_dim": 32, "rms_norm_eps": 1e-6, "rope_parameters": {"rope_type": "default", "rope_theta": 1_000_000.0},
    "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 96,
}  # fmt: skip
REFERENCES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": (
        SMALL.format(model="llama-3-8b", more=""),
        {"name": "LlamaForCausalLM",
         "config": SHAPE | {"rope_parameters": {"rope_type": "default", "rope_theta": 500_000.0}}},
    ),
    "stretched": (
        SMALL.format(model="llama-3.1-8b", more=", rope_original_context = 64 tokens"),
        {"name": "LlamaForCausalLM", "config": SHAPE | {"rope_parameters": STRETCHED}},
    ),
    "epsilon": (
        SMALL.format(model="llama-7b", more=", norm_epsilon = 0.1"),
        {"name": "LlamaForCausalLM",
         "config": SHAPE | {"rms_norm_eps": 0.1, "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0}}},
    ),
    "qwen": (
        SMALL.format(model="qwen3-8b", more=", head_dim = 32"),
        {"name": "Qwen3ForCausalLM",
         "config": SHAPE | {"head_dim": 32, "rms_norm_eps": 1e-6,
                            "rope_parameters": {"rope_type": "default", "rope_theta": 1_000_000.0}}},
    ),
    "tied": (
        SMALL.format(model="qwen3-0.6b", more=", head_dim = 32") + "waive torchtitan_tied\n",
        {"name": "Qwen3ForCausalLM",
         "config": SHAPE | {"head_dim": 32, "rms_norm_eps": 1e-6, "tie_word_embeddings": True,
                            "rope_parameters": {"rope_type": "default", "rope_theta": 1_000_000.0}}},
    ),
    "chosen": (
        SMALL.format(model="qwen3-30b-a3b",
                     more=", head_dim = 32, experts = 8, experts_per_token = 2, expert_ffn = 96"),
        {"name": "Qwen3MoeForCausalLM", "config": EXPERTS | {"norm_topk_prob": True}},
    ),
    "all": (
        SMALL.format(model="qwen3-30b-a3b",
                     more=", head_dim = 32, experts = 8, experts_per_token = 2, expert_ffn = 96, "
                          "routing = softmax_all"),
        {"name": "Qwen3MoeForCausalLM", "config": EXPERTS | {"norm_topk_prob": False}},
    ),
}  # fmt: skip


@real
def test_the_same_model_trains(tmp_path: Path) -> None:
    """With the same weights the logits are those of transformers."""
    asked = solved_all({name: text for name, (text, _) in REFERENCES.items()})
    cases = [
        {"folder": str(written(tmp_path / name, files)), "reference": REFERENCES[name][1]}
        for name, (_, files) in asked.items()
    ]
    found = dict(zip(REFERENCES, read_each("read_torchtitan.py", cases=cases, folder=tmp_path), strict=True))
    assert {name: seen["apart"] for name, seen in found.items() if not seen["apart"] < 1e-4} == {}


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_cannot_do_is_refused_by_name(name: str) -> None:
    assert refusals("torchtitan", REFUSED[name]) != []


@real
def test_answers_of_searches_are_accepted(tmp_path: Path) -> None:
    accepted(feasible([drawn(seed) for seed in range(examples(40))]), tmp_path)
