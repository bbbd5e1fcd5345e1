"""torchtitan: every value that time or memory depends on is a key, or is refused by a requirement with a name."""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from llmplan import api
from tests.emit import telling
from tests.emit.telling import KNOWN, SEEDS, files, is_written, started, unsaid

DENSE = """model "llama-3-8b"
dataset { tokens = 100B, sequence_length = 8192 tokens }
hardware { gpu = "H100-SXM5-80GB", gpus = 64 }
parallelism { tensor = 2, pipeline = 2, zero_stage = 3 }
training { global_batch = 256 sequences, micro_batch = 1, recompute = full }
emit torchtitan
"""
EXPERTS = """model "qwen3-30b-a3b"
dataset { tokens = 100B, sequence_length = 4096 tokens }
hardware { gpu = "H100-SXM5-80GB", gpus = 64 }
parallelism { tensor = 2, expert = 8, zero_stage = 3 }
training { global_batch = 256 sequences, micro_batch = 1, recompute = selective }
emit torchtitan
"""
PLANS = {"dense": DENSE, "plain": DENSE.replace("pipeline = 2, ", ""), "experts": EXPERTS}


def keys(plan: str, *settings: tuple[str, str]) -> dict[str, Any]:
    """By table and key the values of the configuration, and by name the arguments of the model."""
    tomllib = pytest.importorskip("tomllib")  # since Python 3.11
    written = files(plan, *settings)
    config = tomllib.loads(written["torchtitan.toml"])
    return dict(_flat(config)) | {
        f"planned.{name}": value for name, value in model(written["torchtitan_model.py"]).items()
    }


def _flat(table: dict[str, Any], at: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{at}{key}.")
        else:
            yield f"{at}{key}", value


def model(text: str) -> dict[str, Any]:
    """The arguments of all calls of a module, by name."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return {
        keyword.arg: keyword.value.value
        for call in calls
        for keyword in call.keywords
        if keyword.arg and isinstance(keyword.value, ast.Constant)
    }


def refusals(plan: str, *settings: tuple[str, str]) -> set[str]:
    return telling.refusals("torchtitan", plan, *settings)


def test_the_file_is_the_plan() -> None:
    found = keys(DENSE)
    assert (found["model.name"], found["model.flavor"], found["experimental.custom_import"]) == (
        "llama3",
        "planned",
        "torchtitan_model",
    )
    assert found["model.hf_assets_path"] == "./assets/hf/Meta-Llama-3-8B"
    assert (found["planned.dim"], found["planned.n_layers"], found["planned.n_kv_heads"]) == (4096, 32, 8)
    assert (found["planned.norm_eps"], found["planned.rope_theta"], found["planned.scaling_factor"]) == (
        1e-5,
        500_000,
        1,
    )
    assert found["parallelism.data_parallel_shard_degree"] == 16 and found["parallelism.tensor_parallel_degree"] == 2
    assert found["parallelism.fsdp_reshard_after_forward"] == "never"
    assert found["parallelism.pipeline_parallel_schedule"] == "1F1B"
    assert found["training.local_batch_size"] == 16 and found["parallelism.pipeline_parallel_microbatch_size"] == 1
    assert (found["training.global_batch_size"], found["training.steps"]) == (256, 47684)
    assert found["activation_checkpoint.mode"] == "full" and found["compile.components"] == ["model", "loss"]
    assert found["checkpoint.enable"] and found["checkpoint.interval"] > 0


KEYS: list[tuple[str, tuple[tuple[str, str], ...], dict[str, Any]]] = [
    ("plain", (), {"training.local_batch_size": 1, "parallelism.pipeline_parallel_schedule": None}),
    ("plain", (("training.precision", "fp8"),),
     {"model.converters": ["quantize.linear.float8"], "quantize.linear.float8.recipe_name": "rowwise"}),
    ("plain", (("training.precision", "tf32"), ("training.attention", "standard")),
     {"training.mixed_precision_param": "float32"}),
    ("plain", (("training.recompute_layers", "8"),),
     {"activation_checkpoint.mode": "selective", "activation_checkpoint.selective_ac_option": "4"}),
    ("plain", (("training.recompute", "selective"),), {"activation_checkpoint.selective_ac_option": "op"}),
    ("plain", (("training.recompute", "none"),), {"activation_checkpoint.mode": "none"}),
    ("dense", (("parallelism.virtual_pipeline", "2"),),
     {"parallelism.pipeline_parallel_schedule": "Interleaved1F1B",
      "parallelism.pipeline_parallel_layers_per_stage": 8}),
    ("dense", (("parallelism.first_stage_layers", "15"), ("parallelism.last_stage_layers", "17")),
     {"parallelism.pipeline_parallel_layers_per_stage": 17,
      "parallelism.pipeline_parallel_first_stage_less_layers": 2}),
    ("plain", (("parallelism.zero_stage", "2"),), {"parallelism.fsdp_reshard_after_forward": "never"}),
    ("plain", (("parallelism.reshard", "false"),), {"parallelism.fsdp_reshard_after_forward": "never"}),
    ("plain", (("parallelism.replicas", "4"),),
     {"parallelism.data_parallel_replicate_degree": 4, "parallelism.data_parallel_shard_degree": 8}),
    ("plain", (("parallelism.offload", "all"),), {"training.enable_cpu_offload": True}),
    ("plain", (("parallelism.context", "4"),), {"parallelism.context_parallel_degree": 4}),
    ("plain", (("parallelism.tensor_overlap", "true"),), {"parallelism.enable_async_tensor_parallel": True}),
    ("plain", (("training.kernels", "eager"), ("training.loss", "upcast")),
     {"compile.enable": False, "compile.components": []}),
    ("plain", (("training.parameter_dtype", "bf16"), ("training.master_dtype", "none"),
               ("training.reduce_dtype", "fp32")),
     {"training.dtype": "bfloat16"}),
    ("plain", (("training.update", "foreach"),), {"optimizer.implementation": "foreach"}),
    ("plain", (("model", '"llama-3.1-8b"'),),
     {"planned.scaling_factor": 8, "planned.original_max_position_embeddings": 8192}),
    ("plain", (("model", '"qwen3-8b"'),),
     {"model.name": "qwen3", "planned.qk_norm": True, "planned.hidden_dim": 12288}),
    ("plain", (("torchtitan.assets", '"a\\"b"'), ("torchtitan.pretrained", '"c"')),
     {"model.hf_assets_path": 'a"b', "checkpoint.initial_load_path": "c"}),
    ("experts", (),
     {"parallelism.expert_parallel_degree": 8, "parallelism.expert_tensor_parallel_degree": 1,
      "planned.num_experts": 128}),
    ("experts", (), {"planned.top_k": 8, "planned.route_norm": True, "planned.moe_inter_dim": 768}),
    ("experts", (("training.precision", "fp8"),),
     {"model.converters": ["quantize.linear.float8", "quantize.grouped_mm.float8"]}),
    ("experts",
     (("model", '"deepseek-v2-lite"'), ("torchtitan.like", "deepseek_16b"), ("parallelism.dispatcher", "deepep")),
     {"parallelism.expert_parallel_comm_backend": "deepep", "parallelism.expert_tensor_parallel_degree": 1}),
    ("experts", (("model", '"deepseek-v2-lite"'), ("torchtitan.like", "deepseek_16b")),
     {"model.name": "deepseek_v3", "planned.kv_lora_rank": 512, "planned.n_dense_layers": 1,
      "planned.num_expert_groups": None}),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("settings", [(), (("model", '"deepseek-v2-lite"'), ("torchtitan.like", "deepseek_16b"))])
def test_the_module_looks_as_written_by_hand(settings: tuple[tuple[str, str], ...]) -> None:
    text = files(EXPERTS + "waive fits\n", *settings)["torchtitan_model.py"]
    assert text.endswith("\n    ),\n)\n") and "\n\n\n" not in text
    assert not [line for line in text.splitlines() if line != line.rstrip()]


@pytest.mark.slow
@pytest.mark.parametrize(("plan", "settings", "expected"), KEYS, ids=lambda value: str(value)[:50])
def test_what_a_plan_says_is_a_key(plan: str, settings: tuple[tuple[str, str], ...], expected: dict[str, Any]) -> None:
    found = keys(PLANS[plan] + "waive fits\n", *settings)
    assert {name: found.get(name) for name in expected} == expected


REFUSED = [
    ("framework", "plain", (("parallelism.framework", "fsdp"),)),
    ("sharding", "plain", (("parallelism.zero_stage", "0"),)),
    ("reshard", "plain", (("parallelism.zero_stage", "2"), ("parallelism.reshard", "true"))),
    ("sync", "plain", (("parallelism.sync_each_batch", "false"),)),
    ("replicas", "plain", (("parallelism.replicas", "32"),)),
    ("adapter", "plain", (("adapter.method", "qlora"),)),
    ("precision", "plain", (("training.precision", "fp16"),)),
    ("attention", "plain", (("training.precision", "tf32"),)),
    ("attention", "plain", (("training.attention", "standard"),)),
    ("attention", "plain", (("training.flash_kernel", "ampere"),)),
    ("mxfp8", "plain", (("training.precision", "mxfp8"), ("hardware.gpu", '"B200-SXM-180GB"'))),
    ("float8_experts", "experts", (("training.precision", "fp8"), ("parallelism.context", "2"))),
    ("mixed_precision", "plain", (("hardware.gpus", "2"),)),
    ("optimizer", "plain", (("training.optimizer", "lion"),)),
    ("clipping", "plain", (("training.gradient_clipping", "0"),)),
    ("offload", "plain", (("parallelism.offload", "optimizer"),)),
    ("bucket", "plain", (("parallelism.reduce_bucket", "1M params"),)),
    ("micro_batches", "dense", (("parallelism.pipeline", "16"), ("training.global_batch", "16 sequences"))),
    ("micro_batches", "dense", (("parallelism.virtual_pipeline", "2"), ("training.global_batch", "80 sequences"))),
    ("stages", "dense",
     (("parallelism.first_stage_layers", "8"), ("parallelism.last_stage_layers", "24"),
      ("parallelism.virtual_pipeline", "2"))),
    ("schedule", "dense", (("parallelism.schedule", "zero_bubble"),)),
    ("pipeline", "dense", (("model", '"qwen3-8b"'),)),
    ("sequence_divides", "plain", (("dataset.sequence_length", "8190 tokens"),)),
    ("tensor_overlap", "plain", (("parallelism.tensor_overlap", "true"), ("training.kernels", "eager"))),
    ("fixed", "plain", (("parallelism.sequence_parallel", "false"),)),
    ("formats", "plain", (("training.gradient_dtype", "bf16"),)),
    ("kernels", "plain", (("training.cuda_graphs", "step"),)),
    ("loss", "plain", (("stack", '"torchtitan-0.3"'),)),
    ("recompute", "plain", (("training.recompute_layers", "12"),)),
    ("recompute", "dense", (("training.recompute_layers", "8"),)),
    ("selected", "plain", (("training.recompute", "selective"), ("training.recompute_norms", "true"))),
    ("dropout", "plain", (("training.dropout", "0.1"),)),
    ("lengths", "plain", (("dataset.batching", "padded"),)),
    ("rope", "plain", (("model", '"llama-3.2-3b"'),)),
    ("activation", "plain", (("model", '"gemma-7b"'),)),
    ("block", "plain", (("model", '"olmo-2-7b"'),)),
    ("plain", "plain", (("model", '"gemma-2-9b"'),)),
    ("positions", "plain", (("model", '"bloom-7.1b"'),)),
    ("biases", "plain", (("model", '"qwen2.5-7b"'),)),
    ("qk_norm", "plain", (("model.qk_norm", "full"),)),
    ("window", "plain", (("model.sliding_layers", "4"), ("model.sliding_window", "1024"))),
    ("vocab", "plain", (("model.vocab", "128_257"),)),
    ("groups", "plain", (("model.kv_heads", "1"),)),
    ("kept", "plain", (("torchtitan.checkpoints", "1"),)),
    ("like", "experts", (("model", '"deepseek-v2-lite"'),)),
    ("context", "experts",
     (("model", '"deepseek-v2-lite"'), ("torchtitan.like", "deepseek_16b"), ("parallelism.context", "2"))),
    ("routing", "experts", (("model.routing", "other"),)),
    ("routing", "experts", (("model.router_factor", "2"),)),
    ("layers_of_experts", "experts", (("model.dense_layers", "1"),)),
    ("shared", "experts", (("model.shared_experts", "1"), ("model.shared_gate", "true"))),
    ("expert_tensor", "experts", (("parallelism.expert", "1"),)),
    ("expert_ranks", "experts", (("hardware.gpus", "8"), ("parallelism.expert", "16"))),
    ("expert_overlap", "experts", (("parallelism.expert_overlap", "true"),)),
    ("dispatcher", "experts", (("parallelism.dispatcher", "deepep"),)),
    ("dispatcher", "experts",
     (("model", '"deepseek-v2-lite"'), ("torchtitan.like", "deepseek_16b"), ("parallelism.dispatcher", "hybridep"))),
    ("fused_experts", "experts", (("training.fused_experts", "true"),)),
]  # fmt: skip


@telling.refused(REFUSED, quick="sharding")
def test_what_no_key_says_is_refused(name: str, plan: str, settings: tuple[tuple[str, str], ...]) -> None:
    assert name in refusals(PLANS[plan] + "waive fits\n", ("torchtitan.assets", '"t"'), *settings)


OWN = telling.UNKNOWN.format(stage=3, target="torchtitan")


@pytest.mark.slow
def test_a_model_is_not_trained_by_guesses() -> None:
    wanting = " ".join(d.message for d in api.check("-", text=OWN) if d.severity == "error")
    assert all(f"torchtitan_{name}" in wanting for name in ("activation_known", "epsilon_known"))
    known = OWN.replace("emit torchtitan", 'emit torchtitan { assets = "tokenizer" }') + KNOWN
    assert refusals(known) == {"rope_known"}
    whole = "model { rope_base = 10_000, rope_scaling = none }\n"
    assert refusals(known + whole) == set()
    # torchtitan's own program reads a tokenizer; the script that is written reads tokens.
    assert refusals(OWN + KNOWN + whole) == {"assets"}
    assert refusals(OWN.replace("emit torchtitan", "emit torchtitan { script = written }") + KNOWN + whole) == set()
    experts = (("model.experts", "8"), ("model.experts_per_token", "2"), ("model.expert_ffn", "512"))
    assert "routing_known" in refusals(known, *experts)


FIXED = """parallelism { expert = 1, schedule = one_f_one_b, prefetch = true, keep_gathered = false, replicas = 1 }
parallelism { data_overlap = true }
parallelism { vocab_parallel = true, communication_dtype = fp32, offload = none, expert_overlap = false }
parallelism { sequence_parallel = true }
training { kernels = compiled, reduce_dtype = fp32, parameter_dtype = fp32, gradient_dtype = fp32 }
training { attention_8bit = false }
training { activation_offload = 0, task = pretrain, recompute_latents = false, flash_kernel = native }
training { loss = compiled, dropout = 0 }
training { optimizer_dtype = fp32, master_dtype = none, cuda_graphs = none, gradient_fusion = false }
training { attention = flash }
adapter.method = none
"""


@pytest.mark.slow
def test_what_is_said_by_no_key_is_no_warning() -> None:
    assert keys(DENSE + FIXED) == keys(DENSE)


@SEEDS
def test_no_answer_of_a_search_is_refused(seed: int) -> None:
    is_written(drawn(seed))


def drawn(seed: int) -> str:
    """A plan for torchtitan with some knobs open."""
    return telling.drawn("torchtitan", seed, ("llama-7b", "mixtral-8x7b", "llama-3.1-8b", "qwen3-30b-a3b", "qwen3-8b"))


@pytest.mark.slow
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize("plan", ["plain", "dense", "experts"])
def test_every_input_is_said_or_refused(plan: str) -> None:
    """For stages and experts those of the layout and of what is recomputed; the others are as without."""
    assert unsaid(PLANS[plan], ("torchtitan.toml", "torchtitan_model.py", "launch.sh"), every=plan == "plain") == []


def test_the_launcher_hands_the_file_over(tmp_path: Path) -> None:
    variables, words = started(
        files(DENSE), "$PYTORCH_ALLOC_CONF $PYTHONPATH", "--training.steps", "5", folder=tmp_path
    )
    assert variables == f"expandable_segments:True {tmp_path}"
    assert words[words.index("-m") :] == [
        "-m",
        "torchtitan.train",
        "--job.config_file",
        f"{tmp_path}/torchtitan.toml",
        "--training.steps",
        "5",
    ]


@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize(("release", "starts"), [("0.3.0", False), ("0.2.2", True), ("0.20.1", False), ("", True)])
def test_another_release_is_not_started(release: str, starts: bool, tmp_path: Path) -> None:
    stubs = {"torchrun": "echo started", "python3": f"echo {release}" if release else "exit 1"}
    for name, text in {"launch.sh": files(PLANS["plain"])["launch.sh"], **stubs}.items():
        (tmp_path / name).write_text(text if name == "launch.sh" else f"#!/usr/bin/env bash\n{text}\n")
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "NODE_RANK": "0", "MASTER_ADDR": "a"}
    done = subprocess.run(
        ["bash", str(tmp_path / "launch.sh")], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == ((0, "started\n") if starts else (2, "")), done.stderr
    assert starts or f"torchtitan {release} is installed, and torchtitan.toml is for 0.2" in done.stderr


@pytest.mark.usefixtures("no_advice")
@pytest.mark.slow
def test_that_no_data_is_named_is_said() -> None:
    for settings, wanted in (
        ((), False),
        ((("dataset.path", '"mine"'),), True),
        ((("torchtitan.dataset", '"c4"'),), True),
    ):
        solution = api.solve("-", text=DENSE, settings=settings)
        assert [one.holds for one in solution.preferences if one.name == "torchtitan_data"] == [wanted]
    assert keys(DENSE)["training.dataset"] == "c4"


DATA: list[tuple[tuple[tuple[str, str], ...], tuple[str, str | None]]] = [
    ((("dataset.path", '"corpus"'),), ("c4_test", "corpus")),
    ((("dataset.path", '"/data/a b"'),), ("c4_test", "/data/a b")),
    ((("torchtitan.dataset", '"org/name"'),), ("c4_test", "org/name")),
    ((("torchtitan.dataset", '"c4"'),), ("c4", None)),
    ((("torchtitan.dataset", '"c4_test"'),), ("c4_test", None)),
    ((("dataset.path", '"c4_validation"'),), ("c4_validation", None)),
    ((("torchtitan.dataset", '"mine"'), ("torchtitan.dataset_path", '"corpus"')), ("mine", "corpus")),
]
"""What a plan says of its data, with the name and the path that torchtitan is told: it refuses names that it lacks."""


@pytest.mark.parametrize(("settings", "told"), DATA)
def test_data_are_a_path_but_for_the_names_that_torchtitan_has(
    settings: tuple[tuple[str, str], ...], told: tuple[str, str | None]
) -> None:
    found = keys(DENSE, *settings)
    assert (found["training.dataset"], found.get("training.dataset_path")) == told


WRITTEN = DENSE.replace("emit torchtitan", "emit torchtitan { script = written }")


def test_a_script_is_written_on_request(tmp_path: Path) -> None:
    assert "llmplan_train.py" not in files(DENSE)
    written = files(WRITTEN)
    script = written["llmplan_train.py"]
    assert ast.parse(script) and len(script.splitlines()) <= 150
    assert f"PARAMETERS = {int(telling.solved(WRITTEN).values['model.params_total'].value)}\n" in script
    _, words = started(written, "$PYTHONPATH", "--training.steps", "5", folder=tmp_path)
    place = words.index(str(tmp_path / "llmplan_train.py"))
    assert words[place + 1] == "--job.config_file" and words[-2:] == ["--training.steps", "5"] and "-m" not in words
    assert 'dataset = ""\n' in written["torchtitan.toml"], "tokens are made up"
    named = files(WRITTEN, ("dataset.path", '"a b.npy"'))
    assert 'dataset = "a b.npy"\n' in named["torchtitan.toml"]
