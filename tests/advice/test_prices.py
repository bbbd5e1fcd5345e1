"""What preferences of the library cost: the figures are those of the plan without them."""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.emit.solution_json import as_json
from llmplan.present import screen
from llmplan.present.blocks import plain
from llmplan.present.context import Context
from llmplan.present.why import why
from llmplan.present.words.en import Words

LARGE = """model "llama-3.1-405b"
dataset { tokens = 12T, sequence_length = 8192 }
hardware { gpu = "H100-SXM5-80GB", gpus = 12288 }
parallelism { tensor = 8, pipeline = 16, virtual_pipeline = 1, zero_stage = 1 }
parallelism { first_stage_layers = 7, last_stage_layers = 7 }
training { global_batch = 1536 sequences, micro_batch = 1, recompute = ? }
minimize time
"""


@pytest.mark.slow
def test_a_preference_that_costs_much_is_named_with_its_price():
    solution = api.solve("test.plan", text=LARGE)
    without = api.solve("test.plan", text=LARGE, settings=[("training.recompute", "none")])
    (price,) = solution.prices
    assert price.name == "fits_surely" and price.objective == "time"
    for moved in price.results:
        assert moved.before.number == pytest.approx(solution.values[moved.name].value)
        assert moved.after.number == pytest.approx(without.values[moved.name].value)
    assert [(one.name, one.before.exact(), one.after.exact()) for one in price.decided] == [
        ("training.recompute", "full", "none")
    ]
    (fits,) = (one for one in without.requirements if one.name == "fits")
    assert price.risk.name == "fits" and price.risk.chance == pytest.approx(fits.chance, abs=1e-6)
    said = "`fits_surely` costs 51.9 days and 61M USD: without it recompute none, `fits` with 30%"
    context = Context(solution, Words())
    reasons = next(block for block in why(context).blocks if block.name == "reasons")
    assert said in [plain(line) for line in reasons.lines]
    assert f"preferences that cost\n  {said}" in screen.render(context, 200)
    (document,) = as_json(solution, ())["prices"]
    assert document["risk"]["name"] == "fits" and document["results"]["time"]["unit"] == "s"


@pytest.mark.slow
def test_a_preference_that_costs_nothing_has_no_price():
    assert api.solve("test.plan", text=LARGE.replace("recompute = ?", "recompute = ? in [full]")).prices == ()


def test_a_preference_of_the_author_has_no_price():
    text = "let x = ? in 1..9\nprefer large: x >= 5 weight 1\nminimize x\n"
    solution = api.solve("test.plan", text=text)
    assert solution.values["x"].value == 5 and solution.prices == ()
