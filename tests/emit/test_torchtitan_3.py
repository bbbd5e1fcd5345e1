"""torchtitan 0.3, which is configured in Python: what a plan says is an argument there, or is refused by name."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from llmplan import api
from tests.emit import telling
from tests.emit.called import arguments
from tests.emit.telling import SEEDS, files, is_written, started, unsaid
from tests.emit.test_torchtitan import DATA, DENSE, EXPERTS

RELEASE = 'emit torchtitan { release = "0.3" }'
PLANS = {
    "dense": DENSE.replace("emit torchtitan", RELEASE),
    "plain": DENSE.replace("pipeline = 2, ", "").replace("emit torchtitan", RELEASE),
    "experts": EXPERTS.replace("emit torchtitan", RELEASE),
}
Settings = tuple[tuple[str, str], ...]


def keys(plan: str, *settings: tuple[str, str]) -> dict[str, Any]:
    written = files(plan, *settings)
    assert "torchtitan.toml" not in written
    return arguments(written["torchtitan_config.py"]) | {
        f"planned.{path}": value for path, value in arguments(written["torchtitan_model.py"]).items()
    }


def refusals(plan: str, *settings: tuple[str, str]) -> set[str]:
    return telling.refusals("torchtitan", plan, *settings)


def test_the_file_is_the_plan() -> None:
    found = keys(PLANS["dense"])
    expected = {
        "planned.dim": 4096, "planned.layers.n_layers": 32, "planned.layers.n_kv_heads": 8,
        "planned.layers.hidden_dim": 14336, "planned.layers.rope.theta": 500_000,
        "model_spec.attn_backend": "flex", "hf_assets_path": "./assets/hf/Meta-Llama-3-8B",
        "parallelism.data_parallel_shard_degree": 16, "parallelism.tensor_parallel_degree": 2,
        "parallelism.fsdp_reshard_after_forward": "never", "parallelism.pipeline_parallel_schedule": "1F1B",
        "training.local_batch_size": 16, "parallelism.pipeline_parallel_microbatch_size": 1,
        "training.global_batch_size": 256, "training.steps": 47684, "training.disable_cuda_graphs": True,
        "activation_checkpoint": ["FullAC"], "compile.components": ["model"], "loss": ["ChunkedLossWrapper"],
        "loss.loss_fn.global_vocab_size": 128_256, "checkpoint.enable": True,
    }  # fmt: skip
    assert {name: found.get(name) for name in expected} == expected
    assert "norm.eps = 1e-05" in files(PLANS["dense"])["torchtitan_model.py"]


KEYS: list[tuple[str, Settings, dict[str, Any]]] = [
    ("plain", (), {"training.local_batch_size": 1, "parallelism.pipeline_parallel_schedule": None}),
    ("plain", (("training.precision", "fp8"),),
     {"model_spec.converters": ["Float8LinearConverter"], "model_spec.converters.recipe_name": "rowwise"}),
    ("plain", (("training.precision", "tf32"),), {"training.mixed_precision_param": "float32"}),
    ("plain", (("training.recompute", "selective"),), {"activation_checkpoint": ["SelectiveAC"]}),
    ("plain", (("training.recompute", "none"),), {"activation_checkpoint": None}),
    ("dense", (("parallelism.virtual_pipeline", "2"),),
     {"parallelism.pipeline_parallel_schedule": "Interleaved1F1B",
      "parallelism.pipeline_parallel_layers_per_stage": 8}),
    ("dense", (("model", '"qwen3-8b"'),), {"planned.enable_weight_tying": False, "planned.layers.head_dim": 128}),
    ("plain", (("parallelism.replicas", "4"),),
     {"parallelism.data_parallel_replicate_degree": 4, "parallelism.data_parallel_shard_degree": 8}),
    ("plain", (("parallelism.offload", "all"),), {"training.enable_cpu_offload": True}),
    ("plain", (("parallelism.context", "4"),), {"parallelism.context_parallel_degree": 4}),
    ("plain", (("parallelism.tensor_overlap", "true"),), {"compile.enable_async_tensor_parallel": True}),
    ("plain", (("training.kernels", "eager"), ("training.loss", "upcast")),
     {"compile.enable": False, "compile.components": [], "loss": ["CrossEntropyLoss"]}),
    ("plain", (("training.loss", "compiled"),), {"compile.components": ["model", "loss"]}),
    ("plain", (("training.cuda_graphs", "step"),), {"training.disable_cuda_graphs": False}),
    ("plain", (("stack", '"torchtitan-0.3"'),),
     {"training.disable_cuda_graphs": False, "compile.enable": False, "loss": ["ChunkedLossWrapper"]}),
    ("plain", (("training.parameter_dtype", "bf16"), ("training.master_dtype", "none"),
               ("training.reduce_dtype", "fp32")),
     {"training.dtype": "bfloat16"}),
    ("plain", (("training.update", "foreach"),), {"optimizer.implementation": "foreach"}),
    ("plain", (("training.optimizer", "adam"), ("training.beta2", "0.9")),
     {"optimizer.param_groups.optimizer_name": "Adam"}),
    ("plain", (("model", '"llama-3.1-8b"'),),
     {"planned.layers.rope.scaling": "llama", "planned.layers.rope.scaling_factor": 8}),
    ("plain", (("torchtitan.assets", '"a\\"b"'), ("torchtitan.pretrained", '"c"')),
     {"hf_assets_path": 'a"b', "checkpoint.initial_load_path": ["os.path.abspath"]}),
    ("plain", (("torchtitan.pretrained", '"gs://a/c"'),), {"checkpoint.initial_load_path": "gs://a/c"}),
    ("experts", (),
     {"parallelism.expert_parallel_degree": 8, "planned.layers.num_experts": 128, "planned.layers.top_k": 8,
      "planned.layers.moe_hidden_dim": 768}),
    ("experts", (("training.precision", "fp8"),),
     {"model_spec.converters": ["Float8LinearConverter", "Float8GroupedExpertsConverter"],
      "model_spec.converters.filter_fqns": ["lm_head", "router.gate"]}),
    ("experts", (("parallelism.dispatcher", "deepep"),), {"model_spec.moe_comm_backend": "deepep"}),
    ("experts", (("parallelism.dispatcher", "hybridep"), ("training.precision", "fp8")),
     {"model_spec.moe_comm_backend": "hybridep"}),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("plan", "settings", "expected"), KEYS, ids=lambda value: str(value)[:50])
def test_what_a_plan_says_is_an_argument(plan: str, settings: Settings, expected: dict[str, Any]) -> None:
    found = keys(PLANS[plan] + "waive fits\n", *settings)
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "lines"),
    [
        ((), ["layer.moe.router.route_norm = True"]),
        ((("model.routing", "softmax_all"),), ["layer.moe.router.route_norm = False"]),
        ((("model.qk_norm", "none"),), ["layer.attention.qk_norm = None"]),
        ((("model.shared_experts", "1"),), ["layer.moe.shared_experts = make_ffn_config(", "hidden_dim=768,"]),
    ],
)
def test_layers_are_given_what_the_builder_does_not_take(settings: Settings, lines: list[str]) -> None:
    given = (("torchtitan.assets", '"t"'), *settings)
    text = files(PLANS["experts"] + "waive fits\n", *given)["torchtitan_model.py"]
    assert [line for line in lines if line not in text] == [], text


REFUSED: list[tuple[str, str, Settings]] = [
    ("latent", "experts", (("model", '"deepseek-v2-lite"'), ("torchtitan.like", "deepseek_16b"))),
    ("expert_parts", "experts", (("parallelism.expert_tensor", "2"),)),
    ("expert_parts", "experts", (("parallelism.expert", "1"),)),
    ("tied_stages", "dense", (("model", '"qwen3-0.6b"'),)),
    ("recipe", "plain", (("training.precision", "fp8"), ("torchtitan.recipe", "tensorwise"))),
    ("graphs", "dense", (("training.cuda_graphs", "step"),)),
    ("graphs", "experts", (("training.cuda_graphs", "step"),)),
    ("exchange", "experts", (("parallelism.dispatcher", "deepep"), ("training.precision", "fp8"))),
    ("exchange", "experts", (("parallelism.dispatcher", "allgather"),)),
    ("fused_experts", "experts", (("training.fused_experts", "true"),)),
    ("chunks", "plain", (("training.loss", "fused"),)),
    ("flex", "plain", (("training.attention", "standard"),)),
    ("flex", "plain", (("training.flash_kernel", "native"),)),
    ("all_layers", "plain", (("training.recompute_layers", "8"),)),
    ("precision", "plain", (("training.precision", "fp16"),)),
    ("sharding", "plain", (("parallelism.zero_stage", "0"),)),
]


@telling.refused(REFUSED, quick="latent")
def test_what_no_argument_says_is_refused(name: str, plan: str, settings: Settings) -> None:
    assert name in refusals(PLANS[plan] + "waive fits\n", ("torchtitan.assets", '"t"'), *settings)


@SEEDS
def test_no_answer_of_a_search_is_refused(seed: int) -> None:
    is_written(drawn(seed))


def drawn(seed: int) -> str:
    """A plan for torchtitan 0.3 with some knobs open."""
    models = ("llama-7b", "mixtral-8x7b", "llama-3.1-8b", "qwen3-30b-a3b", "qwen3-8b")
    return telling.drawn("torchtitan", seed, models).replace("emit torchtitan", RELEASE)


@pytest.mark.slow
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize("plan", ["plain", "dense", "experts"])
def test_every_input_is_said_or_refused(plan: str) -> None:
    """For stages and experts those of the layout and of what is recomputed; the others are as without."""
    names = ("torchtitan_config.py", "torchtitan_model.py", "launch.sh")
    assert unsaid(PLANS[plan], names, every=plan == "plain") == []


def test_the_launcher_hands_the_module_over(tmp_path: Path) -> None:
    written = files(PLANS["dense"])
    variables, words = started(written, "$PYTHONPATH", "--training.steps", "5", folder=tmp_path)
    assert variables == str(tmp_path)
    assert words[words.index("-m") :] == [
        "-m", "torchtitan.train", "--module", "torchtitan_config", "--config", "planned", "--training.steps", "5",
    ]  # fmt: skip
    assert '"$release" != 0.3.*' in written["launch.sh"] and "pip install torchtitan==0.3.0" in written["launch.sh"]


def test_buffers_of_an_exchange_hold_a_micro_batch() -> None:
    text = files(PLANS["experts"], ("parallelism.dispatcher", "deepep"))["torchtitan_model.py"]
    plan = telling.solved(PLANS["experts"]).values
    tokens = plan["training.micro_batch"].value * plan["dataset.sequence_length"].value
    assert f"dispatcher.num_max_tokens_per_rank = {tokens:.0f}\n" in text
    assert "num_max_tokens_per_rank" not in files(PLANS["experts"])["torchtitan_model.py"]


def test_a_script_is_written_on_request(tmp_path: Path) -> None:
    plan = PLANS["dense"].replace('"0.3"', '"0.3", script = written')
    assert "llmplan_train.py" not in files(PLANS["dense"])
    written = files(plan)
    script = written["llmplan_train.py"]
    assert ast.parse(script) and len(script.splitlines()) <= 150
    assert f"PARAMETERS = {int(telling.solved(plan).values['model.params_total'].value)}\n" in script
    _, words = started(written, "$PYTHONPATH", "--training.steps", "5", folder=tmp_path)
    place = words.index(str(tmp_path / "llmplan_train.py"))
    assert words[place + 1 :] == [
        "--module", "torchtitan_config", "--config", "planned", "--training.steps", "5",
    ]  # fmt: skip
    assert "-m" not in words
    assert keys(plan)["dataloader.dataset"] == "", "tokens are made up"
    assert keys(plan, ("dataset.path", '"a b.npy"'))["dataloader.dataset"] == "a b.npy"
    assert keys(plan)["checkpoint.last_save_model_only"] is False


@pytest.mark.parametrize(("settings", "told"), DATA)
def test_data_are_a_path_but_for_the_names_that_torchtitan_has(
    settings: Settings, told: tuple[str, str | None]
) -> None:
    found = keys(PLANS["plain"], *settings)
    assert (found["dataloader.dataset"], found.get("dataloader.dataset_path")) == told


def test_an_unknown_release_is_an_error() -> None:
    found = api.check("-", text=PLANS["plain"].replace('"0.3"', '"0.9"'))
    assert [d.code for d in found] == ["E0207"] and "`0.9`" in found[0].message, found


@pytest.mark.slow
@pytest.mark.parametrize("plan", PLANS)
def test_the_modules_look_as_written_by_hand(plan: str) -> None:
    written = files(PLANS[plan] + "waive fits\n")
    for name in ("torchtitan_config.py", "torchtitan_model.py"):
        text = written[name]
        assert text.endswith("\n") and "\n\n\n\n" not in text and not text.endswith("\n\n"), name
        assert not [line for line in text.splitlines() if line != line.rstrip()]
