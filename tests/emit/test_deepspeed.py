"""What DeepSpeed's configuration says of experts, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llmplan import api
from llmplan.emit.render import render

PLAN = """dataset { tokens = 1B, sequence_length = 2048 tokens }
hardware { gpu = "A100-SXM4-80GB", gpus = 8 }
training { global_batch = 64 sequences, micro_batch = 2, recompute = full }
"""


@pytest.mark.parametrize(
    ("model", "stage", "option", "classes"),
    [
        ("olmoe-1b-7b", 3, "", ["OlmoeSparseMoeBlock"]),
        pytest.param(
            "mixtral-8x22b", 3, "", ["MixtralSparseMoeBlock"], marks=pytest.mark.slow
        ),  # by the one that it is like
        pytest.param("deepseekmoe-16b", 3, ' { leaf_module = "Mine" }', ["Mine"], marks=pytest.mark.slow),
        pytest.param("olmoe-1b-7b", 2, "", None, marks=pytest.mark.slow),
        pytest.param("llama-7b", 3, "", None, marks=pytest.mark.slow),
    ],
)
def test_experts_are_gathered_whole(model: str, stage: int, option: str, classes: list[str] | None) -> None:
    text = f'model "{model}" {{ layers = 2 }}\n{PLAN}parallelism.zero_stage = {stage}\nemit deepspeed{option}\n'
    solution = api.solve("-", text=text)
    files, problems = render(solution)
    assert not problems, problems
    said = json.loads(files["ds_config.json"])["zero_optimization"].get("leaf_module")
    assert said == (None if classes is None else {"classes": classes})


@pytest.mark.slow
def test_the_report_says_which_models_are_split() -> None:
    text = f'model "llama-7b" {{ layers = 2 }}\n{PLAN}parallelism {{ zero_stage = 3, tensor = 2 }}\nemit deepspeed\n'
    files, problems = render(api.solve("-", text=text))
    assert not problems, problems
    assert "tensor_parallel.partition_config" in files["report.md"] and "DeepSpeed 0.19.8" in files["report.md"]
    assert "the same batches" in files["report.md"]


def test_a_class_that_nobody_knows_is_asked_for() -> None:
    text = f'model "deepseekmoe-16b" {{ layers = 2 }}\n{PLAN}parallelism.zero_stage = 3\nemit deepspeed\n'
    solution = api.solve("-", text=text)
    assert solution.status == "infeasible"
    assert [found.name for found in solution.requirements if found.holds is False] == ["deepspeed_leaf"]


@pytest.mark.usefixtures("no_advice")
def test_what_deepspeed_does_not_offload_is_refused_before_anything_is_emitted() -> None:
    layout = "parallelism { framework = deepspeed, zero_stage = %s, offload = all }"
    text = f'model "llama-7b" {{ layers = 2 }}\n{PLAN}{layout}\n'
    solution = api.solve("-", text=text % 1)
    assert [one.name for one in solution.requirements if one.holds is False] == ["deepspeed_offload"]
    assert api.solve("-", text=text % "?").values["parallelism.zero_stage"].value == 3


# Experts that are split over ranks.

SPLIT = """model "deepseek-v2-lite"
dataset { tokens = 1B, sequence_length = 2048 tokens }
hardware { gpu = "H100-SXM5-80GB", gpus = 64 }
training { global_batch = 256 sequences, micro_batch = 1, recompute = none }
"""
RELEASE = "Install transformers 5.22, or another 5 before 5.23"


def written(text: str) -> tuple[dict[str, object], str]:
    """The configuration of a plan that is solved, and what its training script must do."""
    solution = api.solve("-", text=text)
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    files, problems = render(solution)
    assert not problems, problems
    return json.loads(files["ds_config.json"]), files["report.md"].partition("## What the training script must do")[
        2
    ].partition("\n## ")[0]


@pytest.mark.parametrize("emit", ["deepspeed", pytest.param("accelerate", marks=pytest.mark.slow)])
def test_experts_are_split_as_planned(emit: str) -> None:
    config, script = written(f"{SPLIT}parallelism {{ zero_stage = 3, expert = 8 }}\nemit {emit}\n")
    assert config["expert_parallel"] == {"enabled": True, "autoep_size": 8, "expert_tensor_parallel_size": 1}
    # DeepSpeed's own block takes the place of the one that would be gathered whole, and never leaves its experts out.
    assert isinstance(config["zero_optimization"], dict) and "leaf_module" not in config["zero_optimization"]
    assert "Split experts over 8 ranks" in script and RELEASE not in script


@pytest.mark.slow
def test_nothing_is_said_of_experts_that_stay_together() -> None:
    config, script = written(f"{SPLIT}parallelism.zero_stage = 3\nemit deepspeed\n")
    assert "expert_parallel" not in config and "Split experts" not in script


@pytest.mark.slow
def test_who_has_another_release_may_split_those_of_qwen() -> None:
    text = f"{SPLIT}parallelism {{ zero_stage = 1, expert = 8 }}\nemit deepspeed\n".replace(
        "deepseek-v2-lite", "qwen3-30b-a3b"
    )
    assert api.solve("-", text=text).status == "infeasible"
    config, script = written(f'{text}waive deepspeed_expert_router because "transformers 5.22 is installed"\n')
    assert "expert_parallel" in config and RELEASE in script


@pytest.mark.slow
def test_a_configuration_tells_the_architecture(tmp_path: Path) -> None:
    """Kimi K2 is read as a DeepSeek-V3, and is none to DeepSpeed."""
    sizes = {
        "hidden_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 16, "vocab_size": 32_000,
        "intermediate_size": 4096, "v_head_dim": 128,
        "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "kv_lora_rank": 256, "moe_intermediate_size": 512,
        "n_routed_experts": 16,
    }  # fmt: skip
    text = (
        SPLIT.replace('model "deepseek-v2-lite"', 'model from "config.json"')
        + "parallelism { zero_stage = 1, expert = 8 }\nemit deepspeed\n"
    )
    for type, failed in (("deepseek_v3", []), ("kimi_k2", ["deepspeed_expert"])):
        (tmp_path / "config.json").write_text(json.dumps({"model_type": type, **sizes}))
        solution = api.solve(str(tmp_path / "a.plan"), text=text)
        assert [found.name for found in solution.requirements if found.holds is False] == failed


@pytest.mark.parametrize("knobs", [
    "expert = ?",
    *(pytest.param(knobs, marks=pytest.mark.slow) for knobs in (
        "expert = ?, tensor = ?", "expert = ?, context = ?, zero_stage = ?",
        "expert = ?, expert_tensor = ?, pipeline = ?", "expert = ?, offload = ?",
    )),
])  # fmt: skip
@pytest.mark.parametrize("model", ["deepseek-v2-lite", pytest.param("mixtral-8x7b", marks=pytest.mark.slow)])
def test_no_search_ends_with_experts_that_cannot_be_split(model: str, knobs: str) -> None:
    solution = api.solve(
        "-",
        text=f"{SPLIT}parallelism {{ {knobs} }}\nemit deepspeed\nminimize time\n".replace("deepseek-v2-lite", model),
    )
    assert solution.status == "solved"
    _, problems = render(solution)
    assert not problems, problems
    split = solution.values["parallelism.expert"].value
    assert split == 1 if model == "mixtral-8x7b" else 64 % split == 0


@pytest.mark.slow
def test_a_copy_of_a_token_travels_to_each_of_its_experts() -> None:
    """Over nodes as many as there are experts, where DeepEP, as of Megatron-LM, sends one to each node; within a node
    there is no difference.
    """
    said = {}
    for framework, others in (("deepspeed", ""), ("megatron", ", dispatcher = deepep")):
        for expert in (8, 64):
            solution = api.solve(
                "-",
                text=f"{SPLIT}parallelism {{ zero_stage = 1, framework = {framework}, expert = {expert}{others} }}\n"
                f"emit report{', deepspeed' * (framework == 'deepspeed')}\n",
            )
            said[framework, expert] = float(solution.values["step.layer_traffic"].value)
    assert said["deepspeed", 8] == pytest.approx(said["megatron", 8])
    domains = 8 * (1 - (1 - 1 / 8) ** 6)
    assert said["deepspeed", 64] / said["megatron", 64] == pytest.approx(6 / domains, rel=0.1)


@pytest.mark.slow
def test_what_a_block_of_deepspeed_stores() -> None:
    """Of 6 copies of a token: the input, both first products and the activation on the way there, the output where it
    came from.
    """
    solution = api.solve(
        "-",
        text=f"{SPLIT}parallelism {{ zero_stage = 1, expert = 8 }}\ntraining.expert_imbalance = 1\nemit deepspeed\n",
    )
    assert solution.values["memory.routed_activations"].value == 4 * 64 + 6 * (2 * (2048 + 3 * 1408) + 2 * 2048 + 44)


@pytest.mark.slow
def test_a_fine_tune_on_samples_has_its_rate() -> None:
    """It was that of pre-training, 3e-4, for 106M tokens on a model that has seen trillions."""
    data = "dataset { samples = 52_000, sequence_length = 2048 tokens, epochs = 3 }"
    text = f'model "llama-3.1-8b"\n{data}\n{PLAN.partition(chr(10))[2]}parallelism.zero_stage = 3\n'
    files, problems = render(api.solve("-", text=f"{text}emit deepspeed, accelerate\n"))
    assert not problems, problems
    assert json.loads(files["ds_config.json"])["optimizer"]["params"]["lr"] == 2e-5
    for line in ("LLMPLAN_LEARNING_RATE=2e-05", "LLMPLAN_EPOCHS=3"):
        assert f"export {line}\n" in files["launch.sh"]
