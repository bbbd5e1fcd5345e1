"""Derivations: the formula as written, the numbers under it, where each came from."""

from __future__ import annotations

import json
import re

import pytest

from llmplan import api
from llmplan.answer.derivation import derive
from llmplan.emit.steps_json import as_json
from llmplan.present import derivation as render
from llmplan.present.blocks import plain
from tests import told

pytestmark = pytest.mark.usefixtures("no_advice")

PLAN = """\
let most = 2 * 15 days
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
gpu { memory = 70 GiB }
assume mfu = 40%
quantity spare: byte = gpu.memory - 10 GiB
require enough: spare >= 50 GiB because "the job needs it"
show most
"""


def steps(plans, name: str, depth: int = 2, text: str = PLAN):
    solution, found = api.explain(plans.path, name, text=text, depth=depth)
    assert found, solution.diagnostics
    return found


def told_of(step) -> str:
    return plain(render.value(step, told.WORDS))


def test_a_quantity(plans):
    first, memory = steps(plans, "spare")
    assert (first.name, first.formula, first.depth) == ("spare", "gpu.memory - 10 GiB", 0)
    assert first.numbers.endswith("- 10 GiB") and "gpu.memory" not in first.numbers
    assert (memory.name, memory.depth) == ("gpu.memory", 1)
    assert memory.origin is not None and memory.origin.layer == "plan" and memory.origin.place.endswith(":3")
    assert [other.layer for other in memory.others] == ["entry"]


def test_depth(plans):
    assert [step.depth for step in steps(plans, "spare", 0)] == [0]


def test_a_let_an_assumption_and_a_requirement(plans):
    (most,) = steps(plans, "most")
    assert told_of(most) == "30 days"
    mfu = steps(plans, "mfu", 0)[0]
    assert mfu.origin is not None and mfu.origin.layer == "assumed"
    assert [other.layer for other in mfu.others] == ["formula"]
    enough = steps(plans, "enough", 0)[0]
    assert enough.role == "requirement" and "≥" in render.numbers(enough, told.WORDS)


def test_a_requirement_as_planned_has_its_counterpart_on_the_calendar_and_both_chances(plans):
    text = 'model "llama-7b"\ndataset { tokens = 1T, sequence_length = 2048 }\n'
    text += 'hardware { gpu = "A100-SXM4-80GB", gpus = 128 }\ntraining { global_batch = 4M tokens, micro_batch = 1 }\n'
    found = steps(plans, "deadline", 1, f"{text}require deadline: time <= 30 days\n")
    assert [step.name for step in found] == ["deadline", "time", "wall_time"]
    planned, calendar = map(plain, render.solved(found[0], told.WORDS))
    assert re.fullmatch(r"as planned: (safe|likely|tight|no) \d+%", planned)
    shown = r"on the calendar: wall_time <= 30 days \([\d.]+ days (≤|>) 30 days\), (safe|likely|tight|no) \d+%"
    assert re.fullmatch(shown, calendar)
    (first, *_) = steps(plans, "deadline", 0, f"{text}require deadline: wall_time <= 30 days\n")
    verdict, also = map(plain, render.solved(first, told.WORDS))
    assert verdict == f"verdict: {calendar.rpartition(', ')[2]}" and also == planned


def test_every_format(plans):
    found = steps(plans, "spare")
    text, markdown = render.text(found, told.WORDS), render.as_markdown(found, told.WORDS)
    assert text.startswith("spare = ") and "= gpu.memory - 10 GiB" in text and "set in the plan" in text
    assert "**`spare`**" in markdown
    assert json.dumps(as_json(found))


@pytest.mark.slow
def test_every_name_of_a_plan_can_be_explained(plans):
    solution = plans.solve(PLAN, limit=10**8)
    for name in solution.values:
        assert steps(plans, name, 0)[0].name == name
        break  # one solve a name would take long; the rest is derived from the same solution
    for name in solution.values:
        derived = derive(solution, name, 1)
        assert derived and derived[0].name == name
        render.text(derived, told.WORDS), render.as_markdown(derived, told.WORDS), as_json(derived)


def test_ranges_and_certainty(plans):
    text = "let price = 2 USD..3 USD..5 USD\nlet total = 10 * price\nrequire likely: total <= 40 USD\n"
    solution = plans.solve(text)
    (total, *_), (likely, *_) = derive(solution, "total", 0), derive(solution, "likely", 0)
    assert told_of(total) == "30 USD (20 – 50 USD)"
    assert told_of(likely) == "holds at the expected values, not in the worst case"


def test_members_of_enums_are_no_siblings(plans):
    text = "kind box {\n    a: Int = 3\n    b: Int = 4\n}\nenum Side { a, other }\nquantity box.side: Side = a\n"
    solution = plans.solve(
        text + "quantity box.sum: Int = if box.side in [a, other] then box.b + 1 else 0\nshow box.sum\n"
    )
    (step, *_) = derive(solution, "box.sum", 0)
    assert step.numbers == "if a in [a, other] then 4 + 1 else 0"


def test_an_indexed_formula_stands_with_its_members(plans):
    solution = plans.solve(
        """enum Stage { first, last }
quantity part[s: Stage]: Int = match s { first => 2, last => 3 }
quantity whole[s: Stage]: Int = part[s] + (if s == first then part[last] else 0)
show whole[first]
"""
    )
    steps = {step.name: step for step in derive(solution, "whole[first]", 1)}
    step = steps["whole[first]"]
    assert step.formula == "part[first] + (if first == first then part[last] else 0)"
    assert step.numbers == "2 + (if first == first then 3 else 0)"
