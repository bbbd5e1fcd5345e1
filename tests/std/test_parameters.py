"""Parameters of the catalog's models and of families that it does not hold, exact to the integer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llmplan.catalog.entries import listing
from llmplan.catalog.views import Column, View
from llmplan.check import ir
from llmplan.check.library import build, library_files
from tests.std.answers import number, solve

# All and active parameters of each model of the catalog.
COUNTS: dict[str, tuple[int, int]] = json.loads(
    (Path(__file__).parent / "data" / "parameters.json").read_text(encoding="utf-8")
)["models"]
TERMS = ("embedding", "attention", "mixer", "mlp", "experts", "router", "norms", "head", "prediction")

# The same for families by their hyper-parameters alone.
FAMILIES = {
    "falcon-7b": (
        """layers = 32, hidden = 4544, heads = 71, kv_heads = 1, head_dim = 64, ffn = 18_176, vocab = 65_024,
        tied_embeddings = true, norm = layernorm, layer_norms = 1, parallel_block = true""",
        6_921_720_704,
    ),
    "phi-2": (
        """layers = 32, hidden = 2560, heads = 32, ffn = 10_240, vocab = 51_200, norm = layernorm,
        layer_norms = 1, parallel_block = true, qkv_bias = true, output_bias = true, mlp_bias = true,
        head_bias = true""",
        2_779_683_840,
    ),
    "qwen3-0.6b": (
        """layers = 28, hidden = 1024, heads = 16, kv_heads = 8, head_dim = 128, ffn = 3072, vocab = 151_936,
        gated_mlp = true, tied_embeddings = true, qk_norm = per_head""",
        596_049_920,
    ),
    "olmo-2-7b": (
        """layers = 32, hidden = 4096, heads = 32, ffn = 11_008, vocab = 100_352, gated_mlp = true,
        qk_norm = full""",
        7_298_617_344,
    ),
    "starcoder2-15b": (
        """layers = 40, hidden = 6144, heads = 48, kv_heads = 4, ffn = 24_576, vocab = 49_152,
        norm = layernorm, qkv_bias = true, output_bias = true, mlp_bias = true""",
        15_957_889_024,
    ),
}


def test_every_model_is_counted() -> None:
    """Here, or by its name on the Hub in `tests/load/test_architectures.py`."""
    scope, _ = build(library_files())
    data = Path(__file__).parents[1] / "load" / "data" / "architectures.json"
    counted = {row["name"] for row in json.loads(data.read_text(encoding="utf-8"))["rows"]}
    elsewhere = {
        name
        for name, entry in scope.entries["model"].items()
        for field, setting in entry.settings
        if field == "hub"
        and isinstance(setting.value, ir.Text)
        and str(setting.value.pieces[0]).rpartition("/")[2] in counted
    }
    assert sorted({*COUNTS, *elsewhere}) == sorted(scope.entries["model"])


@pytest.fixture(scope="module")
def figures() -> dict[str, list[object]]:
    """All and active parameters of every entry, and the sum of the terms."""
    terms = " + ".join([*(f"model.params_{term}" for term in TERMS), "tower.params_total", "projector.params_total"])
    columns = (
        Column("all", "model.params_total"),
        Column("active", "model.params_active"),
        Column("terms", terms),
    )
    _, rows = listing(View("counts", "model", columns), build(library_files())[0])
    return {name: [cell.value for cell in cells] for name, cells in rows}


@pytest.mark.parametrize("name", COUNTS)
def test_catalog(name: str, figures: dict[str, list[object]]) -> None:
    total, active = COUNTS[name]
    assert figures[name] == [total, active, total]


@pytest.mark.parametrize("name", FAMILIES)
def test_family(name: str) -> None:
    fields, count = FAMILIES[name]
    assert number(solve(f"model {{ {fields} }}"), "model.params_total") == count


def test_parts_of_gpt2() -> None:
    solution = solve('model "gpt2"\n')
    # Token and position table; the head is the token table.
    assert number(solution, "model.params_embedding") == 39_383_808
    assert number(solution, "model.params_matmul") == 12 * 12 * 768**2 + 50_257 * 768


def test_parts_of_a_model_with_experts() -> None:
    solution = solve('model "deepseek-v3"\n')
    assert number(solution, "model.params_experts") == 653_908_770_816
    assert number(solution, "model.params_embedding") == number(solution, "model.params_head") == 926_679_040
    # 58 layers have a router over 256 experts with a score each; the first three have none.
    assert number(solution, "model.params_router") == 58 * 256 * (7168 + 1)


def test_prediction_of_a_further_token() -> None:
    # The released checkpoint holds the block with copies of embedding and head.
    solution = solve('model "glm-4.5-air" { prediction_layers = 1 }\n')
    copies = 2 * 151_552 * 4096
    assert number(solution, "model.params_total") + copies == 110_468_824_832
    # The block has one more layer, the product that joins two streams, and the head once more.
    plain = solve('model "glm-4.5-air"\n')
    more = number(solution, "model.params_matmul") - number(plain, "model.params_matmul")
    layer = number(plain, "model.expert_layer_matmul")
    assert more == layer + 2 * 4096**2 + number(plain, "model.head_weights")


def test_experts_by_their_hyper_parameters_alone() -> None:
    # No layer without experts, so that no width of one is needed.
    solution = solve("""model { layers = 32, hidden = 4096, heads = 32, kv_heads = 8, gated_mlp = true, vocab = 32_000,
        experts = 8, experts_per_token = 2, expert_ffn = 14_336 }""")
    assert number(solution, "model.params_total") == 46_702_792_704
    assert number(solution, "model.params_active") == 12_879_925_248


@pytest.mark.slow
def test_names_that_people_use() -> None:
    scope, _ = build(library_files())
    for name, entry in {
        "LLaMA 7B": "llama-7b",
        "Llama-3.1-405B": "llama-3.1-405b",
        "Qwen3-30B-A3B": "qwen3-30b-a3b",
        "GPT 39.1B": "megatron-39.1b",
        "GPT-3 175B": "gpt3-175b",
        "GPT-OSS-120B": "gpt-oss-120b",
        "Mistral-7B-v0.1": "mistral-7b",
        "Gemma-2-9B": "gemma-2-9b",
        "Qwen2.5-7B": "qwen2.5-7b",
    }.items():
        assert scope.find_entry("model", name)[0] == entry


def test_params_alone() -> None:
    solution = solve("model { params = 7B }\ndataset.tokens = 1T\n")
    assert number(solution, "model.params_total") == 7e9
    assert number(solution, "model.params_matmul") == 7e9
    assert number(solution, "flops_6nd") == 4.2e22
    assert number(solution, "train_flops") == 4.2e22
    assert solution.values["model.hidden"].value is None
