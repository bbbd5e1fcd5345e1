"""Facts that a plan or an entry leaves out: an assumption that is said, or a note; never a false infeasibility."""

from __future__ import annotations

import pytest

from llmplan import api

PLAN = """model "llama-3.2-1b"
dataset { tokens = 100M, sequence_length = 2048 }
hardware { gpu = "RTX-3090", gpus = 8 }
training { task = finetune, global_batch = 64 sequences }
parallelism.zero_stage = 3
"""


def solved(text: str = PLAN, **settings: str) -> api.Solution:
    solution = api.solve(
        "-", text=text, settings=[(name.replace("__", "."), value) for name, value in settings.items()]
    )
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    return solution


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "gpu", ["RTX-3090", "RTX-A6000", "A40", "A100-PCIE-80GB", "H100-PCIE-80GB", "TPU-v5p", "TPU-v7x"]
)
def test_a_card_without_a_network_figure_gets_an_assumed_one(gpu: str) -> None:
    assert solved(hardware__gpu=gpu).values["time"].amount.finite
    assert "internode_advice" in {one.name for one in solved(hardware__gpu=gpu, hardware__gpus="16").assumptions}


def test_within_a_node_it_is_the_link_to_the_host() -> None:
    assert solved().values["internode_advice"].value == 25e9
    assert solved(hardware__gpus="16").values["internode_advice"].value == pytest.approx(100e9 / 8 / 8)


def test_an_own_card_without_links_is_planned() -> None:
    card = """entry gpu "OurCard" { memory = 96 GB, bandwidth = 4 TB/s, peak_bf16 = 400 TFLOP/s, tdp = 500 W }\n"""
    solution = solved(card + PLAN, hardware__gpu="OurCard", hardware__gpus="16")
    assert {"intranode_advice", "internode_advice"} <= {one.name for one in solution.assumptions}


def test_sequences_beyond_the_context_of_the_model_are_noted() -> None:
    def noted(length: str) -> list[str]:
        return [
            d.message
            for d in solved(
                PLAN + "parallelism.context = 8\n", dataset__sequence_length=length, hardware__gpu="B200"
            ).diagnostics
            if d.code == "W0606"
        ]

    assert any("262,144 tokens" in text and "by 2" in text for text in noted("256Ki"))
    assert not any("context" in text for text in noted("128Ki"))


def test_a_plan_that_is_answered_is_not_said_to_ask_for_nothing() -> None:
    assert "W0610" not in {d.code for d in solved().diagnostics}
    assert [d.code for d in api.check("-", text=PLAN)] == ["W0610"]
