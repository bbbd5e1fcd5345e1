"""What set a solved value: the claim is checked by solving with the next better value."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from llmplan.answer.derivation import derive
from llmplan.present import derivation
from llmplan.present.blocks import plain
from llmplan.solve.diagnose.blocking import beyond
from llmplan.solve.passes import requirements_of, solve
from llmplan.system.evaluate import evaluate
from tests import told
from tests.solve.systems import brute_force, systems
from tests.thorough import examples

PLAN = """model "llama-7b"
dataset {
    tokens = 1T
    sequence_length = 2048
}
hardware {
    gpu = "A100-SXM4-80GB"
    gpus = ?
}
parallelism.zero_stage = ? in 0..3
training {
    precision = bf16
    global_batch = 2048 sequences
    micro_batch = 2
    recompute = none
}
require deadline: time <= 30 days
minimize hardware.gpus
"""


@pytest.mark.slow
def test_explain_says_which_requirement_set_it_and_what_the_next_value_violates(plans):
    solution = plans.solve(PLAN)
    gpus = next(unknown for unknown in solution.unknowns if unknown.path == "hardware.gpus")
    assert gpus.set_by == ("deadline",)
    beyond = told.beyond(gpus.beyond)
    fewer = beyond.removeprefix("With ").split(" ")[0]
    assert int(fewer) < gpus.value.value
    again = plans.solve(PLAN, settings=[("hardware.gpus", fewer)])
    assert again.status == "infeasible"
    assert again.values["time"].text in beyond and " over" in beyond
    step = derive(solution, "hardware.gpus", 0)[0]
    assert any(
        plain(line).startswith("binding constraint: deadline. With ") for line in derivation.solved(step, told.WORDS)
    )


HELD = """let x = ? in 1..9
require enough: x >= 2
prefer roomy: x >= 5 else "room for {x} only" weight 1
minimize x
"""


def test_what_a_preference_alone_holds_back_is_said_to_be_set_by_it(plans):
    (answer,) = plans.solve(HELD).unknowns
    assert (
        answer.value.value == 5
        and answer.set_by == ("roomy",)
        and told.beyond(answer.beyond) == "With 4: room for 4 only"
    )
    (lower,) = plans.solve(HELD.replace("x >= 2", "x >= 5")).unknowns
    assert lower.value.value == 5 and lower.set_by == ("enough",)


@given(systems())
@settings(max_examples=examples(80), deadline=None)
@pytest.mark.slow
def test_what_lies_beyond_is_infeasible_for_every_choice_of_the_others(system):
    outcome = solve(system)
    if outcome.status != "solved":
        return
    required = requirements_of(system)
    _, _, _, failing = brute_force(system)
    assert failing
    for unknown in range(len(system.unknowns)):
        found = beyond(system, required, outcome.point, unknown)
        if found is None:
            continue
        values = evaluate(system.graph, found.point, [c.node for c in required])
        assert found.point[unknown] == found.value
        if found.unmet:  # feasible, and held back by preferences
            assert found.violated == () and all(values[c.node] == 1.0 for c in required)
            continue
        assert found.violated == tuple(i for i, c in enumerate(required) if values[c.node] != 1.0) != ()
