"""Published records as cases: what a record maps to, and what is predicted for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import cases
from benchmarks.read.case import reading, settings
from benchmarks.read.plain import measured_of, plain
from benchmarks.read.record import Inexpressible, Record
from llmplan.backtest.base import Base
from llmplan.backtest.case import case as case_of
from llmplan.backtest.case import cases as cases_of
from llmplan.backtest.predict import Outcome
from llmplan.backtest.predict import predict as predict_case
from llmplan.backtest.summary import counted, out_of_memory, statistics

FILE = Path(__file__).parent / "data" / "records.jsonl"
RECORDS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
BY_ID = {record["id"]: record for record in RECORDS}


def predict(base: Base, record: dict[str, object]) -> Outcome:
    return predict_case(base, case_of(plain(base, record), str(record["id"])))


@pytest.fixture(scope="module")
def base() -> Base:
    return Base.of()


@pytest.mark.parametrize(
    ("name", "within"),
    [
        ("mem-tinyllama-1.1b-s2048-b4-bf16_pure-full-flash", 0.0001),
        ("mlm-ci-gpt3_mcore_te_tp2_pp2_resume_torch_dist-h100", 0.01),
        ("mlm-ci-gpt3_mcore_te_tp2_pp2_resume_torch_dist_cross_entropy_loss_fusion-h100", 0.01),
        ("mlm-ci-gpt3_mcore_te_tp1_pp4_vp1-h100", 0.01),
        ("mlm-ci-gpt3_mcore_te_tp2_pp2_mla-h100", 0.01),
        ("mbcard-qwen3-30b-a3b-pretrain_performance-h100", 0.03),
        ("bloom-pre-h14336-l70-n48-tp4-pp12-mb2-gb2048-a64-0228", 0.04),
        ("nanotron-8.86b-n2", 0.04),
        ("titan-nvfp4doc-qwen3-8b-bf16", 0.04),
    ],
)
def test_memory_of_measured_runs(base: Base, name: str, within: float) -> None:
    assert abs(predict(base, BY_ID[name]).error["memory_gb"]) < within


FINETUNED = Path(__file__).parents[2] / "benchmarks" / "data" / "finetune.jsonl"


def finetuned(which: str) -> list[dict[str, object]]:
    """Published runs with adapters whose name has a word in it."""
    records = [json.loads(line) for line in FINETUNED.read_text(encoding="utf-8").splitlines()]
    return [record for record in records if which in record["id"]]


@pytest.mark.parametrize("which", ["qwen-7b-chat-int", "yi-6b-chat-512"])
def test_memory_with_adapters(base: Base, which: str) -> None:
    assert all(abs(predict(base, case).error["memory_gb"]) < 0.06 for case in finetuned(which))


@pytest.mark.slow
def test_memory_with_adapters_over_all(base: Base) -> None:
    outcomes = [predict(base, case) for case in finetuned("swift")]
    sizes = sorted(abs(o.error["memory_gb"]) for o in outcomes if "memory_gb" in o.error)
    assert len(sizes) == 79 and sizes[39] < 0.05 and sizes[71] < 0.20
    assert not any(o.fits for o in outcomes if o.case.out_of_memory)


def test_the_longest_sequences_that_fit_are_near_the_limit(base: Base) -> None:
    for case in finetuned("gb-transformers")[1:]:  # the first names no sequence that fits
        found = base.values(settings(case, base.knows))
        assert 0.85 < found.number("memory.needed") / found.number("gpu.memory") < 1.05


def test_full_fine_tuning_of_a_model_loaded_in_16_bits(base: Base) -> None:
    # ms-swift's table has 73.4 to 73.6 GiB for up to 1,024 tokens: 8 bytes a parameter, and a copy in the update.
    case = finetuned("swift-lora-qwen-7b-chat-512")[0] | {"task": "sft"}
    found = base.values(settings(case, base.knows))
    assert found.number("memory.reserved") == pytest.approx(73.5 * 2**30, rel=0.03)


def test_a_run_that_ran_out_of_memory_does_not_fit(base: Base) -> None:
    found = predict(base, BY_ID["bloom-pre-h14336-l72-n48-tp2-pp6-mb2-gb2048-a64-0225"])
    assert found.case.out_of_memory and found.fits is False


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("litgpt-inf-phi-1.5-1.3b-none-g1", "the length of question and answer is not stated"),
        ("mlm-ci-mixtral_8x7b_alltoall_tp2pp4ep4_release-h100", "the number of GPUs is not stated"),
    ],
)
def test_what_cannot_be_expressed_says_why(base: Base, name: str, why: str) -> None:
    assert predict(base, BY_ID[name]).skipped == why


def changed(name: str, **keys: object) -> dict[str, object]:
    """A record with other values; those of `model` and `parallel` are merged."""
    case: dict[str, object] = dict(BY_ID[name])
    for key, value in keys.items():
        case[key] = {**BY_ID[name][key], **value} if isinstance(value, dict) else value
    return case


BLOOM = "bloom-pre-h14336-l70-n48-tp4-pp12-mb2-gb2048-a64-0228"
BRIDGE = "mbcard-qwen3-30b-a3b-pretrain_performance-h100"


def test_gpt_in_megatron_has_the_vocabulary_of_gpt2(base: Base) -> None:
    unsaid = changed(BLOOM, model={"vocab": None})
    assert settings(unsaid, base.knows)["model.vocab"] == "50257"
    with pytest.raises(Inexpressible, match="vocabulary"):
        settings(changed(BRIDGE, model={"vocab": None}), base.knows)


def test_formats_by_the_recipes_of_a_framework(base: Base) -> None:
    members = base.program.scope.enums["Dtype"].members

    def formats(case: dict[str, object], *names: str) -> list[str]:
        values = base.values(settings(case, base.knows))
        return [members[int(values.number(f"training.{name}_dtype"))] for name in names]

    latent = changed(BRIDGE, model={"attention_kind": "mla", "name": "deepseek-v2-lite"})
    assert formats(latent, "gradient", "optimizer") == ["bf16", "bf16"]
    own = changed("mlm-ci-gpt3_mcore_te_tp2_pp2_resume_torch_dist-h100", parallel={"data_sharding": "fsdp_full"})
    assert formats(own, "parameter", "gradient", "master") == ["bf16", "fp32", "fp32"]


@pytest.mark.parametrize(
    ("adapter", "detail", "targets", "dropout"),
    [
        ({"targets": ["q_proj", "v_proj"]}, None, '["q_proj", "v_proj"]', None),
        (
            {"targets": ["c_attn", "c_proj", "w1", "w2"]},
            None,
            '["c_attn", "c_proj", "gate_proj", "up_proj"]',
            None,
        ),
        ({"targets": ["*_proj"], "dropout": 0.05}, None, None, "0.05"),
        ({}, "litgpt", '["query_key_value"]', "0.05"),
        ({}, None, None, None),
    ],
)
def test_targets_of_adapters(
    base: Base, adapter: dict[str, object], detail: str | None, targets: str | None, dropout: str | None
) -> None:
    stated = {"settings": {"adapter": adapter}, "framework_detail": detail, "task": "lora"}
    found = settings(changed(BRIDGE, **stated), base.knows)
    assert (found.get("adapter.targets"), found.get("adapter.dropout")) == (targets, dropout)
    base.values(found)


def with_settings(name: str, stated_by: dict[str, str] | None = None, **sections: object) -> dict[str, object]:
    """A record with other settings and no others."""
    return dict(BY_ID[name]) | {"settings": {**sections, "stated_by": stated_by or {}}}


def test_what_nobody_stated_counts_as_missing() -> None:
    said = {"software": {"loss": "chunked", "kernels": "eager"}}
    record = Record(with_settings(BRIDGE, {"software.loss": "framework default"}, **said))
    assert record.said("software.loss") is None and record.said("software.kernels") == "eager"
    assert record.said("layout.replicas") is None


def test_prose_is_never_read(base: Base) -> None:
    for case in RECORDS:
        told = case | {"notes": "LAST rank, hybrid Mamba, rank 64 on c_attn, expert TP 7, pure bfloat16, fusion off"}
        try:
            assert settings(told, base.knows) == settings(case, base.knows)
            assert reading(told) == reading(case)
        except Inexpressible:
            continue


@pytest.mark.parametrize(
    ("sections", "path", "value"),
    [
        (
            {"site": {"internode_gbit_per_gpu": 50, "gpus_per_node": 4}},
            "hardware.internode_bandwidth",
            "50 Gbit/s/GPU",
        ),
        ({"site": {"internode_gbit_per_gpu": 50, "gpus_per_node": 4}}, "hardware.gpus_per_node", "4"),
        ({"layout": {"zero_group": 4}}, "parallelism.replicas", "4"),
        ({"recompute": {"granularity": "full"}}, "training.recompute", "full"),
        ({"recompute": {"granularity": "selective", "modules": []}}, "training.recompute_core", "false"),
        ({"software": {"attention_kernel": "flash2"}}, "training.flash_kernel", "ampere"),
        ({"software": {"gradient_dtype": "fp32"}}, "training.gradient_dtype", "fp32"),
        ({"moe": {"routing": "forced"}}, "training.expert_imbalance", "1"),
    ],
)
def test_settings_are_inputs(base: Base, sections: dict[str, object], path: str, value: str) -> None:
    case = with_settings(BRIDGE, **sections)
    found = settings(case, base.knows)
    assert found[path] == value
    base.values(found)


def test_chunks_that_a_recipe_does_not_state_hold_two_layers(base: Base) -> None:
    case = with_settings(BRIDGE, layout={"interleaving": "unstated"})
    case["parallel"] = {**BY_ID[BRIDGE]["parallel"], "pp": 4, "vpp": None, "dp": 2, "ep": 1}
    case["model"] = {**BY_ID[BRIDGE]["model"], "layers": 48}
    assert settings(case, base.knows)["parallelism.virtual_pipeline"] == "6"


def test_the_least_recompute_that_fits_is_taken_where_nothing_says_it(base: Base) -> None:
    case = with_settings(BRIDGE) | {"framework": "other", "recompute": None}
    found = predict(base, case)
    assert found.case.apart == "recompute = none" and found.fits
    assert counted([found], apart=True) == [found] and counted([found]) == []
    suspect = predict(base, BY_ID[BRIDGE] | {"suspect": "contradicts its source"})
    assert suspect.case.apart == "contradicts its source" and counted([suspect]) == []


def test_a_model_that_answers(base: Base) -> None:
    # Weights in 16 bits, and of each of 32 x 1000 tokens keys and values of 24 layers of 32 heads.
    case = changed("litgpt-inf-phi-1.5-1.3b-none-g1", seq_len=1000, micro_batch=32)
    found = predict(base, case)
    params = base.values(settings(case, base.knows)).number("model.params")
    assert found.predicted["memory_gb"] == pytest.approx((2 * params + 2 * 2 * 24 * 2048 * 32_000) / 1e9)
    assert (found.case.memory_kind, found.fits) == ("inference", None)
    eight = changed("litgpt-inf-phi-1.5-1.3b-none-g1", seq_len=1000, precision="int8")
    assert "tables in 16 bits" in (predict(base, eight).skipped or "")


def test_a_damaged_record_is_listed(base: Base) -> None:
    case = BY_ID["mbcard-qwen3-30b-a3b-pretrain_performance-h100"]
    damaged = case | {"model": case["model"] | {"moe": {"experts": 8}}}
    assert (predict(base, damaged).skipped or "").startswith("the record is damaged")


def test_gib_are_not_gb() -> None:
    # 1.3301 GiB as printed, 1428171264 bytes in the record.
    case = BY_ID["mlm-ci-gpt3_mcore_te_tp2_pp2_resume_torch_dist-h100"]
    assert measured_of(case)["memory_gb"] == pytest.approx(case["memory_bytes"] / 1e9, rel=1e-4)


def test_a_reading_of_the_last_rank_is_of_the_last_stage() -> None:
    assert reading(BY_ID["mlm-ci-gpt3_mcore_te_tp1_pp4_vp1-h100"]).stage == "last"
    assert reading(BY_ID["bloom-pre-h14336-l70-n48-tp4-pp12-mb2-gb2048-a64-0228"]).stage == ""


def test_nothing_that_was_measured_is_read(base: Base) -> None:
    for case in RECORDS:
        blind = case | {"measured": {"memory_gb": 1, "memory_kind": case["measured"].get("memory_kind")}}
        try:
            assert settings(blind, base.knows) == settings(case, base.knows)
        except Inexpressible:
            continue


def test_cases_do_not_touch_each_other(base: Base) -> None:
    first, second = RECORDS[0], RECORDS[4]
    alone = Base.of()
    assert predict(base, first) == predict(alone, first)
    predict(base, second)
    assert predict(base, first) == predict(alone, first)


def test_statistics_of_errors(base: Base) -> None:
    outcomes = [predict(base, case) for case in RECORDS]
    counted = statistics(outcomes, "memory_gb")
    assert counted is not None and counted.count == 9
    assert counted.median <= counted.mean + 0.05 and counted.worst_case in BY_ID
    assert out_of_memory(outcomes)["seen"] == out_of_memory(outcomes)["ran_out"] == 1
    assert statistics([], "memory_gb") is None


def test_records_are_printed_as_cases(base: Base) -> None:
    text = "\n".join(cases.lines([FILE]))
    assert [predict_case(base, case) for case in cases_of(text.encode())] == [predict(base, r) for r in RECORDS]


def test_a_record_without_layers_is_skipped_and_the_others_are_read(base: Base, tmp_path: Path) -> None:
    cut = json.loads(json.dumps(BY_ID[BRIDGE] | {"id": "cut"}))
    del cut["model"]["layers"], cut["settings"]
    cut |= {"recompute": None}
    file = tmp_path / "records.jsonl"
    file.write_text("\n".join(["{", json.dumps(cut), '{"id": "bare"}', json.dumps(BY_ID[BRIDGE])]), encoding="utf-8")
    broken, second, bare, sound = (predict_case(base, c) for c in cases_of("\n".join(cases.lines([file])).encode()))
    assert broken.case.id == "records.jsonl:1" and broken.skipped.startswith("not JSON")
    assert "layers" in second.skipped and bare.skipped.startswith("the record is damaged")
    assert sound.skipped == ""
