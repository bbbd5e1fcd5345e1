"""What optimizers keep, by hand: Muon's matrices, Adafactor's rows, squares of SOAP and Shampoo, whole and split."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from llmplan.backtest.base import Base, Values
from llmplan.check.library import load

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


def squares(rows: float, columns: float, longest: int, block: int = 0, both: bool = False) -> float:
    """The squares of the rows and of the columns of one matrix, block by block."""

    def cut(side: float) -> list[float]:
        return [side] if not block else [block] * int(side // block) + ([side % block] if side % block else [])

    def kept(side: float, across: float) -> bool:
        return side <= longest and not (both and across > longest)

    total = 0.0
    for m in cut(rows):
        for n in cut(columns):
            total += (m**2 if kept(rows, columns) else 0) + (n**2 if kept(columns, rows) else 0)
    return total


def layer(tensor: int = 1) -> list[tuple[float, float]]:
    """The matrices of a layer of Llama-3-8B on one of so many ranks: output, queries, keys, values, gate, up, down."""
    attention = [(HIDDEN, HIDDEN / tensor), (HIDDEN / tensor, HIDDEN), *[(KEYS / tensor, HIDDEN)] * 2]
    return [*attention, *[(FFN / tensor, HIDDEN)] * 2, (HIDDEN, FFN / tensor)]


def test_soap_keeps_two_moments_and_two_squares_of_each_side_up_to_10_000(base: Base) -> None:
    found = llama(base, "soap")
    matrices = [*layer() * LAYERS, *[(VOCAB, HIDDEN)] * 2]
    numbers = 2 * (MATRICES + TABLES + NORMS) + 2 * sum(squares(*shape, 10_000) for shape in matrices)
    assert found.number("memory.optimizer") == 4 * numbers
    assert found.number("checkpoint_size") == 4 * (MATRICES + TABLES + NORMS) + 4 * numbers


def test_soap_under_tensor_parallelism_keeps_squares_of_its_part(base: Base) -> None:
    split = {"hardware__gpus": "4", "parallelism__tensor": "4", "parallelism__vocab_parallel": "true"}
    found = llama(base, "soap", **split)
    sides = sum(squares(*shape, 10_000) for shape in layer(4)) * LAYERS + 2 * HIDDEN**2
    numbers = 2 * (MATRICES + TABLES) / 4 + 2 * NORMS + 2 * sides
    assert found.number("memory.optimizer") == pytest.approx(4 * numbers, rel=2e-3)  # the table is padded


def test_shampoo_cuts_matrices_into_blocks_and_leaves_those_with_a_side_over_8192(base: Base) -> None:
    found = llama(base, "shampoo")
    matrices = [*layer() * LAYERS, *[(VOCAB, HIDDEN)] * 2]
    sides = sum(squares(*shape, 8192, 512, both=True) for shape in matrices)
    assert sides == LAYERS * (64 * 2 * 512**2 * 2 + 16 * 2 * 512**2 * 2)
    assert found.number("memory.optimizer") == 4 * (2 * (MATRICES + TABLES + NORMS) + 2 * sides)


def test_a_plan_sets_blocks_and_longest_side(base: Base) -> None:
    found = llama(base, "shampoo", optimizer__block_size="1000", optimizer__longest_side="20_000")
    sides = LAYERS * sum(squares(*shape, 20_000, 1000, both=True) for shape in layer())
    assert found.number("memory.optimizer") == 4 * (2 * (MATRICES + TABLES + NORMS) + 2 * sides)


def test_soap_of_experts_and_latents(base: Base) -> None:
    found = base.values(ONE_CARD | {"model": "deepseek-v2-lite", "training.optimizer": "soap"})
    attention = [(2048, 2048), (16 * 192, 2048), (576, 2048), (16 * 256, 512)]
    dense = [(10_944, 2048)] * 2 + [(2048, 10_944)]
    experts = [(64, 2048), *[(2816, 2048)] * 2, (2048, 2816), *[(1408, 2048)] * 128, *[(2048, 1408)] * 64]
    matrices = [*attention * 27, *dense, *experts * 26, *[(102_400, 2048)] * 2]
    numbers = 2 * found.number("model.params_total") + 2 * sum(squares(*shape, 10_000) for shape in matrices)
    assert found.number("memory.optimizer") == 4 * numbers


def test_the_time_of_products_with_squares(base: Base) -> None:
    found = llama(
        base, "soap", hardware__gpu="H100-SXM5-80GB", dataset__tokens="1B", training__global_batch="8 sequences"
    )
    flops = 0.0
    for m, n in [*layer() * LAYERS, *[(VOCAB, HIDDEN)] * 2]:
        sides = [side for side in (m, n) if side <= 10_000]
        flops += sum(4 * 2 * m * n * side + 14 / 30 * side**3 for side in sides)
    assert found.number("step.update_flops") == pytest.approx(flops)
    seconds = flops / (found.number("gpu.peak_fp32") * found.number("gpu.matmul_ceiling"))
    assert found.number("step.update_products") == pytest.approx(seconds)
    without = llama(base, "adamw", hardware__gpu="H100-SXM5-80GB")
    assert without.number("step.update_products") == 0
    assert found.number("step.optimizer") > seconds


def test_what_is_in_no_matrix_is_updated_by_another(base: Base) -> None:
    for optimizer, elsewhere in (("adamw", 2), ("muon", 2), ("adafactor", 1), ("soap", 2), ("shampoo", 2), ("lion", 1)):
        assert llama(base, optimizer).number("training.states_elsewhere") == elsewhere
    # A plan's own number holds for all that the optimizer updates, not for what another does.
    assert llama(base, "adamw", optimizer__per_number="3").number("training.states_elsewhere") == 3
    assert llama(base, "muon", optimizer__per_number="3").number("training.states_elsewhere") == 2


@pytest.mark.parametrize(
    ("optimizer", "dtype", "master"),
    [("adamw", "fp32", "fp32"), ("adamw_8bit", "int8", "none"), ("lion", "fp32", "fp32"), ("soap", "fp32", "fp32")],
)
def test_formats_follow_from_the_entry(base: Base, optimizer: str, dtype: str, master: str) -> None:
    found = llama(base, optimizer, parallelism__framework="megatron", training__precision="bf16")
    members = found.lowering.scope.enums["Dtype"].members
    assert members[int(found.number("training.optimizer_dtype"))] == dtype
    assert members[int(found.number("training.master_dtype"))] == master


def test_no_formula_and_no_template_asks_which_optimizer_it_is() -> None:
    """So that none of them can pass over a new one: they read its fields."""
    root = Path(__file__).parents[2]
    names = "|".join(load()[0].entries["optimizer"])
    asking = re.compile(
        r"match training\.optimizer|training\.optimizer\"?\)? *(==|!=|in\b)"
        rf"|\boptimizer *(==|!=|in) *[\[(]?\"?({names})\b|[\"']({names})[\"'] *:"
    )
    planted = ("match training.optimizer {", "training.optimizer in [adamw]", 'value("training.optimizer") == "sgd"')
    assert all(asking.search(text) for text in (*planted, "if optimizer == muon then", '{"adamw": "AdamW"}'))
    files = [*root.glob("plans/std/*.plan"), *root.glob("templates/*/*.plan"), *root.glob("templates/*/*.j2")]
    found = {str(file): asking.search(file.read_text(encoding="utf-8")) for file in files}
    assert len(files) > 40 and {name: hit[0] for name, hit in found.items() if hit} == {}


def test_every_field_of_an_optimizer_is_read() -> None:
    root = Path(__file__).parents[2]
    files = [*root.glob("plans/std/*.plan"), *root.glob("templates/*/*.plan"), *root.glob("templates/*/*.j2")]
    texts = "\n".join(file.read_text(encoding="utf-8") for file in files)
    fields = load()[0].kinds["optimizer"]
    assert [name for name in fields if f"optimizer.{name}" not in texts and f"kept.{name}" not in texts] == []
