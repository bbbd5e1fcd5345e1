"""What optimizers keep, by hand: Muon's matrices and Adafactor's rows and columns, whole and split."""

from __future__ import annotations

import pytest

from llmplan.backtest.base import Base, Values

ONE_CARD = {
    "parallelism.framework": "ddp",
    "parallelism.zero_stage": "0",
    "hardware.gpus": "1",
    "dataset.sequence_length": "2048 tokens",
    "training.micro_batch": "1",
    "training.recompute": "none",
    "training.precision": "fp32",
}
HIDDEN, FFN, VOCAB, LAYERS, KEYS = 4096, 14_336, 128_256, 32, 1024
MATRICES = LAYERS * (2 * HIDDEN**2 + 2 * HIDDEN * KEYS + 3 * HIDDEN * FFN)
TABLES = 2 * VOCAB * HIDDEN
PADDED = 128_512  # rows of a table of tokens in Megatron, a multiple of 128 on each of four ranks
NORMS = (2 * LAYERS + 1) * HIDDEN


@pytest.fixture(scope="module")
def base() -> Base:
    return Base.of()


def llama(base: Base, optimizer: str, **inputs: str) -> Values:
    made = {path.replace("__", "."): value for path, value in inputs.items()}
    return base.values(ONE_CARD | {"model": "llama-3-8b", "training.optimizer": optimizer} | made)


@pytest.mark.parametrize(("optimizer", "numbers"), [("adamw", 2), ("adam", 2), ("sgd", 1), ("lion", 1)])
def test_numbers_of_every_parameter(base: Base, optimizer: str, numbers: int) -> None:
    assert llama(base, optimizer).number("memory.optimizer") == 4 * numbers * (MATRICES + TABLES + NORMS)


def test_muon_keeps_one_of_matrices_and_two_of_all_else(base: Base) -> None:
    found = llama(base, "muon")
    assert found.number("model.layer_matrices") == MATRICES == 6_979_321_856
    assert found.number("memory.optimizer") == 4 * (MATRICES + 2 * (TABLES + NORMS))
    assert found.number("checkpoint_size") == 4 * (MATRICES + TABLES + NORMS) + 4 * (MATRICES + 2 * (TABLES + NORMS))


def test_muon_under_tensor_and_data_parallelism(base: Base) -> None:
    split = {"hardware__gpus": "8", "parallelism__framework": "megatron", "training__precision": "bf16"}
    found = llama(base, "muon", **split, parallelism__tensor="4", parallelism__zero_stage="1")
    # An fp32 copy, and Muon's or AdamW's numbers, of a quarter, shared by two. Norms are whole on each.
    rest = 2 * PADDED * HIDDEN / 4 + NORMS
    assert found.number("memory.optimizer") == 4 * (MATRICES / 4 + rest) / 2 + 4 * (MATRICES / 4 + 2 * rest) / 2


def test_muon_of_experts(base: Base) -> None:
    found = base.values(ONE_CARD | {"model": "mixtral-8x7b", "training.optimizer": "muon"})
    layer = 2 * 4096**2 + 2 * 4096 * 1024 + 8 * 3 * 4096 * 14_336 + 4096 * 8
    rest = 2 * 32_000 * 4096 + 65 * 4096
    assert found.number("memory.optimizer") == 4 * (32 * layer + 2 * rest)


def test_adafactor_keeps_rows_and_columns(base: Base) -> None:
    found = llama(base, "adafactor")
    attention = 2 * (HIDDEN + HIDDEN) + 2 * (HIDDEN + KEYS)
    block = 3 * (HIDDEN + FFN)
    assert found.number("memory.optimizer") == 4 * (LAYERS * (attention + block) + 2 * (VOCAB + HIDDEN) + NORMS)


def test_adafactor_under_tensor_parallelism_splits_one_of_the_two(base: Base) -> None:
    split = {"hardware__gpus": "4", "parallelism__framework": "megatron", "training__precision": "bf16"}
    found = llama(base, "adafactor", **split, parallelism__tensor="4", training__master_dtype="none")
    attention = 4 * HIDDEN + (2 * HIDDEN + 2 * KEYS) / 4
    block = 3 * (HIDDEN + FFN / 4)
    numbers = LAYERS * (attention + block) + 2 * (PADDED / 4 + HIDDEN) + NORMS
    assert found.number("memory.optimizer") == 4 * numbers


def test_adafactor_of_biases_positions_and_tied_tables(base: Base) -> None:
    found = base.values(ONE_CARD | {"model": "gpt2", "training.optimizer": "adafactor"})
    vectors = 12 * (4 * 768 + 3072 + 768) + (2 * 12 + 1) * 2 * 768
    lines = 12 * (4 * 2 * 768 + 2 * (768 + 3072)) + (50_257 + 768) + (1024 + 768)
    assert found.number("memory.optimizer") == 4 * (lines + vectors)


def test_adafactor_of_experts_and_latents(base: Base) -> None:
    found = base.values(ONE_CARD | {"model": "deepseek-v2-lite", "training.optimizer": "adafactor"})
    # 16 heads of 128 + 64, values of 128, a latent of 512; 64 experts of 1408 and 2 shared ones, the first layer dense.
    attention = (2048 + 16 * 192) + (2048 + 576) + (512 + 16 * 256) + (16 * 128 + 2048)
    experts = (2048 + 64) + 3 * (2048 + 2816) + 64 * 3 * (2048 + 1408)
    lines = 27 * attention + 3 * (2048 + 10_944) + 26 * experts + 2 * (102_400 + 2048)
    vectors = 27 * (2 * 2048 + 512) + 2048
    assert found.number("memory.optimizer") == 4 * (lines + vectors)


def test_stages_of_a_pipeline_keep_their_own(base: Base) -> None:
    split = {"hardware__gpus": "2", "parallelism__pipeline": "2", "parallelism__framework": "megatron"}
    found = llama(base, "muon", **split)
    half = MATRICES / 2 + 2 * LAYERS * HIDDEN
    assert found.number("memory.optimizer_numbers", "first") == half + TABLES
    assert found.number("memory.optimizer_numbers", "last") == half + TABLES + 2 * HIDDEN


def test_a_model_of_parameters_only(base: Base) -> None:
    start = ONE_CARD | {"model.params": "1B params"}
    for optimizer, numbers in (("muon", 1), ("adafactor", 0), ("adamw", 2)):
        found = base.values(start | {"training.optimizer": optimizer})
        assert found.number("memory.optimizer_of", "first") == 4e9 * numbers


def test_adapters_are_matrices(base: Base) -> None:
    lora = {"adapter__method": "lora", "adapter__targets": '["q_proj"]', "adapter__rank": "8"}
    params = LAYERS * 8 * 2 * HIDDEN
    assert llama(base, "muon", **lora).number("memory.optimizer") == 4 * params
    with_tables = llama(base, "muon", **lora, adapter__embeddings="true").number("memory.optimizer")
    assert with_tables == 4 * (params + 2 * (TABLES + HIDDEN))


def test_offloaded_states_are_on_the_host(base: Base) -> None:
    start = {"parallelism__framework": "deepspeed", "parallelism__offload": "optimizer", "training__precision": "bf16"}
    found = llama(base, "muon", **start, hardware__gpus_per_node="1")
    params = MATRICES + TABLES + NORMS
    assert found.number("memory.host") == pytest.approx(1.5 * (8 * params + 4 * (2 * params - MATRICES)))
