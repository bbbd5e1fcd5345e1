"""Entries with fields overridden: what the answer calls them, and what is said where sizes do not go together."""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.emit.answer import answer

PLAN = """model "llama-13b" {{ {fields} }}
dataset {{ tokens = 1T, sequence_length = 2048 }}
hardware {{ gpu = "{gpu}", gpus = 64 }}
minimize time
"""


def solve(fields: str, gpu: str = "A100-SXM4-80GB"):
    return api.solve("-", text=PLAN.format(fields=fields, gpu=gpu))


def test_an_answer_names_what_differs_from_the_entry():
    assert "train llama-13b with 48 layers on 1T tokens" in answer(solve("layers = 48"))
    assert "train llama-13b on 1T tokens" in answer(solve(""))


@pytest.mark.slow
def test_a_size_that_another_makes_impossible_names_what_to_give_beside_it():
    (error,) = [one for one in solve("hidden = 6144").diagnostics if one.severity == "error"]
    assert error.code == "E0402"
    hints = [hint.text for hint in error.hints]
    assert hints[0] == "1: give `model.heads` beside `model.hidden`: `model { heads = … }`"
    assert any("model.head_dim" in hint for hint in hints)
    assert not any("baichuan" in hint or "from llama-13b" in hint for hint in hints)


@pytest.mark.slow
def test_a_link_that_the_catalog_lacks_is_named_in_the_error():
    (error,) = [one for one in solve("", "RTX-4090").diagnostics if one.severity == "error"]
    assert '"RTX-4090" has no internode_bandwidth' in error.message
    assert error.hints[0].text.startswith("1: add `hardware { internode_bandwidth = … }`")
