"""Entries with fields overridden: what the answer calls them, and what is said where sizes do not go together."""

from __future__ import annotations

import pytest

from llmplan import api
from tests.emit.samples import answer

PLAN = """model "llama-13b" {{ {fields} }}
dataset {{ tokens = 1T, sequence_length = 2048 }}
hardware {{ gpu = "{gpu}", gpus = 64 }}
minimize time
"""


def solve(fields: str, gpu: str = "A100-SXM4-80GB"):
    return api.solve("-", text=PLAN.format(fields=fields, gpu=gpu))


@pytest.mark.slow
def test_an_answer_names_what_differs_from_the_entry():
    assert "train llama-13b with 48 layers on 1T tokens" in answer(solve("layers = 48"))
    assert "train llama-13b on 1T tokens" in answer(solve(""))


@pytest.mark.slow
def test_a_size_that_another_makes_impossible_names_what_to_give_beside_it():
    (error,) = [one for one in solve("hidden = 6144").diagnostics if one.severity == "error"]
    assert error.code == "E0402"
    hints = [hint.text for hint in error.hints]
    assert hints[0] == "give `model.heads` beside `model.hidden`: `model { heads = … }`"
    assert any("model.head_dim" in hint for hint in hints)
    assert not any("baichuan" in hint or "from llama-13b" in hint for hint in hints)


@pytest.mark.slow
def test_a_figure_that_an_entry_lacks_is_named_in_the_error():
    bare = 'entry gpu "Bare" { memory = 24 GB, peak_bf16 = 100 TFLOP/s }\n'
    found = api.solve("-", text=bare + PLAN.format(fields="", gpu="Bare")).diagnostics
    (error,) = [one for one in found if one.severity == "error"]
    assert '"Bare" has no bandwidth' in error.message
    assert error.hints[0].text.startswith("add `gpu { bandwidth = … }`")


@pytest.mark.slow
def test_a_shape_of_ones_own_without_a_gate_is_remarked_on():
    shape = "model { layers = 40, hidden = 5120, heads = 40, ffn = 13824, vocab = 32000"
    plan = PLAN.format(fields="", gpu="A100-SXM4-80GB").replace('model "llama-13b" { ', shape)
    found = api.solve("-", text=plan)
    assert found.values["model.params"].text == "10.18B parameters"
    assert any(
        one.message.startswith("gated_mlp is false with a feed-forward width of 13,824") for one in found.diagnostics
    )
    gated = api.solve("-", text=plan.replace("vocab = 32000", "vocab = 32000, gated_mlp = true"))
    assert not any("gated_mlp" in one.message for one in gated.diagnostics)


@pytest.mark.slow
def test_options_of_a_pipeline_change_its_time_or_are_refused():
    """An option that silently does nothing is worse than none."""

    def solved(options: str):
        return api.solve(
            "-",
            text=PLAN.format(fields="", gpu="A100-SXM4-80GB")
            + "training.global_batch = 2048 sequences\n"  # which 4 stages of Megatron-LM can interleave
            + f"parallelism {{ framework = megatron, pipeline = 4{options} }}\n",
        )

    plain = solved("").values["time"].value
    assert solved(", schedule = zero_bubble").values["time"].value < plain
    assert solved(", schedule = interleaved, virtual_pipeline = 2").values["time"].value < plain
    for refused, rule in (
        (", schedule = interleaved, virtual_pipeline = 1", "interleaved_pipeline"),
        (", schedule = dualpipe", "schedule_modelled"),
    ):
        found = solved(refused)
        assert found.status == "infeasible" and rule in [one.name for one in found.requirements if one.holds is False]
