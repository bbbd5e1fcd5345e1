"""A name of an entry counts for the entry as it is, and not for one that a plan has changed."""

from __future__ import annotations

import pytest

from llmplan import api
from tests import told

PLAN = """dataset { tokens = 1B, sequence_length = 2048 tokens }
hardware { gpu = "A100-SXM4-80GB", gpus = 8 }
training { global_batch = 64 sequences, micro_batch = 2, recompute = full }
parallelism { zero_stage = 3 }
"""
HUB = "huggyllama/llama-7b"
slow = pytest.mark.slow


@pytest.mark.parametrize(
    ("model", "hub"),
    [
        ('model "llama-7b"', HUB),
        ('model "llama-7b" { layers = 16 }', None),
        pytest.param(
            'model "llama-7b" { layers = 32, kv_heads = 32, activation = silu }', HUB, marks=slow
        ),  # what it is
        pytest.param('model "llama-7b" { max_context = 4096 }', HUB, marks=slow),  # the weights are the same
        pytest.param('model "llama-7b" { kv_heads = 8 }', None, marks=slow),
        pytest.param('model "llama-7b" { activation = gelu }', None, marks=slow),
        pytest.param('model "llama-7b" { layers = ? in [16, 32] }\nmaximize model.params', None, marks=slow),
        pytest.param('model "llama-7b" { layers = 16, hub = "a/b" }', "a/b", marks=slow),
        pytest.param('entry model "mine" like "llama-7b" { layers = 16 }\nmodel "mine"', None, marks=slow),
        pytest.param('entry model "mine" like "llama-7b" { max_context = 4096 }\nmodel "mine"', HUB, marks=slow),
        pytest.param(
            'entry model "mine" like "llama-7b" { layers = 16, hub = "a/b" }\nmodel "mine"', "a/b", marks=slow
        ),
        (
            'model "someone/Llama-7B-Instruct"',
            "someone/Llama-7B-Instruct",
        ),  # of that shape, and with weights of its own
        pytest.param('model "someone/Llama-7B" { layers = 16 }', None, marks=slow),
        pytest.param('model "llama-7b-instruct"', None, marks=slow),  # whose?
        pytest.param('model "llama-7b-instruct" { hub = "a/b" }', "a/b", marks=slow),
    ],
)
def test_a_name_is_that_of_the_entry_as_it_is(model: str, hub: str | None) -> None:
    solution = api.solve("-", text=f"{model}\n{PLAN}")
    assert solution.status == "solved", [found.message for found in solution.diagnostics]
    assert solution.values["model.hub"].value == hub


@slow
def test_by_set_and_by_scenario() -> None:
    text = f'model "llama-7b"\n{PLAN}scenario "small" {{ model.layers = 16 }}\n'
    assert api.solve("-", text=text, settings=(("model.layers", "16"),)).values["model.hub"].value is None
    assert api.solve("-", text=text, scenario="small").values["model.hub"].value is None
    assert api.solve("-", text=text).values["model.hub"].value == HUB


@pytest.mark.parametrize(
    ("name", "shown"), [("someone/llama-7b", "someone/llama-7b"), ("llama-7b-instruct", "not given")]
)
def test_a_text_is_shown(name: str, shown: str) -> None:
    solution = api.solve("-", text=f'model "{name}"\nshow model.hub\n')
    assert [(row.text, told.shown(row)) for row in solution.shown] == [("model.hub", shown)]
    assert ("W0608" in [one.code for one in solution.diagnostics]) == (shown == "not given")
