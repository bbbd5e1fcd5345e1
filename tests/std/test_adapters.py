"""Adapters: counts that PEFT and papers print, by target; what targets keep of activations; names."""

from __future__ import annotations

import pytest

from llmplan.backtest.base import Base, Refused

ONE_CARD = {
    "parallelism.framework": "ddp",
    "parallelism.zero_stage": "0",
    "hardware.gpus": "1",
    "dataset.sequence_length": "2048 tokens",
    "training.micro_batch": "1",
    "training.recompute": "none",
    "training.precision": "bf16",
    "adapter.method": "lora",
}
MLP = ("gate_proj", "up_proj", "down_proj")
ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")


@pytest.fixture(scope="module")
def base() -> Base:
    return Base.of()


def listed(names: tuple[str, ...]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def counted(base: Base, model: str, rank: int, names: tuple[str, ...]) -> float:
    inputs = {"model": model, "adapter.rank": str(rank), "adapter.targets": listed(names)}
    return base.values(ONE_CARD | inputs).number("adapter.params")


# What PEFT's `print_trainable_parameters` prints in its documents, model cards and papers.
@pytest.mark.parametrize(
    ("model", "rank", "names", "printed"),
    [
        ("llama-2-7b", 8, ("q_proj", "v_proj"), 4_194_304),
        ("llama-2-7b", 64, ("all-linear",), 159_907_840),
        ("llama-2-7b", 16, (*ATTENTION, *MLP), 39_976_960),
        ("mistral-7b", 8, ("q_proj", "v_proj"), 3_407_872),
        ("llama-3-8b", 16, ("all-linear",), 41_943_040),
        ("opt-6.7b", 16, ("q_proj", "v_proj"), 8_388_608),
        ("gpt2", 8, ("c_attn",), 294_912),
        ("bloom-7.1b", 16, ("query_key_value",), 7_864_320),
        ("falcon-7b", 16, ("query_key_value",), 4_718_592),
    ],
)
def test_printed_counts(base: Base, model: str, rank: int, names: tuple[str, ...], printed: int) -> None:
    assert counted(base, model, rank, names) == printed


# By hand: rank x (in + out) for each layer.
@pytest.mark.parametrize(
    ("model", "names", "widths"),
    [
        ("llama-3-8b", ("q_proj",), 32 * (4096 + 4096)),
        ("llama-3-8b", ("k_proj",), 32 * (4096 + 1024)),
        ("llama-3-8b", ("v_proj",), 32 * (4096 + 1024)),
        ("llama-3-8b", ("o_proj",), 32 * (4096 + 4096)),
        ("llama-3-8b", ("gate_proj",), 32 * (4096 + 14_336)),
        ("llama-3-8b", ("down_proj",), 32 * (14_336 + 4096)),
        ("llama-3-8b", ("lm_head",), 128_256 + 4096),
        ("llama-3-8b", ("embed_tokens", "lm_head"), 2 * (128_256 + 4096)),
        ("gemma-7b", ("o_proj",), 28 * (16 * 256 + 3072)),
        ("phi-3-mini", ("qkv_proj", "gate_up_proj"), 32 * (3072 + 3 * 3072 + 3072 + 2 * 8192)),
        ("gpt2", ("c_attn", "c_proj", "c_fc"), 12 * (768 + 3 * 768 + 768 + 768 + 2 * (768 + 3072))),
        ("bloom-560m", ("dense_h_to_4h", "dense_4h_to_h"), 24 * 2 * (1024 + 4096)),
        ("chatglm3-6b", ("dense_h_to_4h",), 28 * (4096 + 2 * 13_696)),
        ("mixtral-8x7b", ("w1", "w2", "w3"), 32 * 8 * 3 * (4096 + 14_336)),
        # Latent attention: 16 heads of 128 + 64, latent of 512; 64 experts of 1408 and 2 shared ones beside them.
        ("deepseek-v2-lite", ("q_proj",), 27 * (2048 + 16 * 192)),
        ("deepseek-v2-lite", ("kv_a_proj_with_mqa", "kv_b_proj"), 27 * (2048 + 576 + 512 + 16 * 256)),
        ("deepseek-v2-lite", ("up_proj",), 2048 + 10_944 + 26 * (64 * (2048 + 1408) + 2048 + 2816)),
        ("deepseek-v3", ("q_a_proj", "q_b_proj"), 61 * (7168 + 1536 + 1536 + 128 * 192)),
    ],
)
def test_widths_by_hand(base: Base, model: str, names: tuple[str, ...], widths: int) -> None:
    assert counted(base, model, 4, names) == 4 * widths


def test_all_linear_are_the_matrices_one_by_one(base: Base) -> None:
    for model in ("llama-3-8b", "opt-6.7b", "mixtral-8x7b", "bert-base"):
        assert counted(base, model, 8, ("all-linear",)) == counted(base, model, 8, (*ATTENTION, *MLP))


def test_a_matrix_is_counted_once(base: Base) -> None:
    once = counted(base, "llama-3-8b", 8, ("q_proj",))
    assert counted(base, "llama-3-8b", 8, ("q_proj", "q_proj", "query")) == once
    assert counted(base, "llama-3-8b", 8, ("all-linear", "q_proj")) == counted(base, "llama-3-8b", 8, ("all-linear",))


def test_a_matrix_that_the_model_lacks_counts_for_nothing(base: Base) -> None:
    assert counted(base, "opt-6.7b", 8, ("q_proj", "gate_proj")) == counted(base, "opt-6.7b", 8, ("q_proj",))
    assert counted(base, "llama-3-8b", 8, ("q_a_proj", "kv_b_proj")) == 0
    assert counted(base, "llama-3-8b", 8, ()) == 0


def test_an_unknown_name_is_refused(base: Base) -> None:
    with pytest.raises(Refused, match="no projection `q_prj`"):
        counted(base, "llama-3-8b", 8, ("q_prj",))


def test_targets_and_memory(base: Base) -> None:
    def total(names: tuple[str, ...], term: str) -> float:
        return base.values(
            ONE_CARD | {"model": "llama-2-7b", "adapter.rank": "8", "adapter.targets": listed(names)}
        ).number(term)

    # 4 bytes of weight, 4 of gradient and 8 of AdamW for each number.
    few, all_of_them = total(("q_proj", "v_proj"), "adapter.params"), total(("all-linear",), "adapter.params")
    for term, size in (("memory.weights", 4), ("memory.gradients", 4), ("memory.optimizer", 8)):
        added = total(("all-linear",), term) - total(("q_proj", "v_proj"), term)
        assert added == pytest.approx(size * (all_of_them - few))


# Bytes of a token and layer that adapters add to frozen products: their inputs, 16 bits a number.
@pytest.mark.parametrize(
    ("names", "dropout", "kept"),
    [
        (("o_proj",), 0, 0),  # reads the output of attention, which is kept anyway
        (("q_proj", "v_proj"), 0, 2 * 4096),
        (("gate_proj",), 0, 2 * 4096),
        (("down_proj",), 0, 2 * 11_008),
        (("all-linear",), 0, 2 * 4096 + 2 * 4096 + 2 * 11_008),
        # With dropout each has a copy of its own and a mask of one byte.
        (("q_proj", "v_proj"), 0.05, 2 * 3 * 4096),
        (("query_key_value",), 0.05, 3 * 4096),
        (("o_proj",), 0.05, 3 * 4096),
        (("all-linear",), 0.05, 6 * 3 * 4096 + 3 * 11_008),
    ],
)
def test_inputs_that_adapters_keep(base: Base, names: tuple[str, ...], dropout: float, kept: int) -> None:
    def layer(names: tuple[str, ...]) -> float:
        inputs = {"model": "llama-2-7b", "adapter.targets": listed(names), "adapter.dropout": str(dropout)}
        return base.values(ONE_CARD | inputs).number("memory.layer_activations")

    assert layer(names) - layer(()) == kept


def test_a_checkpoint_holds_what_is_trained(base: Base) -> None:
    whole = {"model": "llama-7b", "parallelism.zero_stage": "0"}
    found = base.values(whole | {"adapter.method": "qlora", "adapter.rank": "16"})
    assert found.number("checkpoint_size") == found.number("adapter.params") * (4 + 2 * 4)
    assert base.values(whole).number("checkpoint_size") > 80e9


def test_frozen_weights_have_no_gradients_of_their_own(base: Base) -> None:
    """4 operations a parameter where the same model in full takes 6; what adapters add is small."""
    whole = ONE_CARD | {"model": "llama-2-7b", "adapter.method": "none"}
    full, few = (base.values(whole | {"adapter.method": method}) for method in ("none", "lora"))
    spared = full.number("flops_per_token") - few.number("flops_per_token")
    assert spared == 2 * full.number("model.params_matmul") - 6 * few.number("adapter.params")
    for name in ("hardware_flops_per_token", "counted_flops_per_token"):
        assert full.number(name) - few.number(name) == spared


@pytest.mark.slow
def test_adapters_are_planned_by_the_rules_of_what_trains_them(base: Base) -> None:
    from llmplan import api

    text = """model "llama-3.1-8b"
dataset { tokens = 50M, sequence_length = 2048 }
hardware { gpu = "RTX-4090", gpus = 1 }
adapter.method = qlora
minimize time
"""
    solution = api.solve("-", text=text)
    assert solution.values["parallelism.framework"].value == "deepspeed"
    assert any("train adapters" in one.why for one in solution.assumptions)
