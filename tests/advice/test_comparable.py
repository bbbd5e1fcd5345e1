"""Entries whose prices have different bases: said wherever they are compared, and nowhere else."""

from __future__ import annotations

import pytest

from llmplan import api

PLAN = """model "llama-7b"
dataset {{ tokens = 100B, sequence_length = 2048 }}
hardware {{ gpu = {gpu}, gpus = 8 }}
training {{ micro_batch = 1, recompute = full, global_batch = 4M tokens }}
parallelism.zero_stage = 1
{more}
"""
OPEN = '? in ["H100-SXM5-80GB", "MI300X"]'
SWEEP = 'minimize time\nsweep hardware.gpu in ["H100-SXM5-80GB", {other}]'


def remarks(found) -> list[str]:
    return [one.message for one in found if one.code == "W0618"]


def swept(other: str, more: str = "") -> list[str]:
    text = PLAN.format(gpu='"H100-SXM5-80GB"', more=SWEEP.format(other=f'"{other}"') + more)
    return remarks(api.sweep("-", text=text)[1])


def test_a_sweep_over_a_list_price_and_a_median_says_so():
    (said,) = swept("MI300X")
    assert "`cost`" in said and "median for MI300X" in said and "list for H100-SXM5-80GB" in said


@pytest.mark.parametrize(
    ("other", "more"),
    [
        ("B200", ""),
        ("MI300X", "\nhardware.price = 2 USD/GPU/hour"),
        pytest.param(
            "MI300X", '\namend gpu "MI300X" { price = 3.45 USD/GPU/hour, price_basis = list }', marks=pytest.mark.slow
        ),
    ],
)
def test_prices_of_one_sort_are_no_remark(other, more):
    assert swept(other, more) == []


def test_an_entry_without_a_price_is_none_that_is_compared():
    assert swept("H20") == []


@pytest.mark.slow
def test_a_front_and_advice_say_so_too():
    front = api.solve("-", text=PLAN.format(gpu=OPEN, more="pareto cost, time"))
    one = api.solve("-", text=PLAN.format(gpu='"MI300X"', more="require cost <= 10 USD\nminimize time"))
    assert front.status == "solved" and remarks(front.diagnostics)
    named = [text for change in one.relaxations if change.name == "hardware.gpu" for text in change.texts]
    assert bool(remarks(one.diagnostics)) == bool(named)


@pytest.mark.slow
def test_the_sort_must_be_a_field_of_the_same_kind(tmp_path):
    from llmplan.check import library

    texts = library.library_files()
    name = "plans/std/kinds.plan"
    texts[name] = texts[name].replace("@comparable(price_basis)", "@comparable(price_bases)")
    (wrong,) = [one for one in library.load(texts)[2] if one.severity == "error"]
    assert wrong.code == "E0310" and "price_bases" in wrong.message
