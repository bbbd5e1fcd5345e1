"""What would make an infeasible plan feasible: each change is applied to the text and solved again."""

from __future__ import annotations

import functools
import json
import math
import subprocess
import sys

import pytest
from attrs import evolve

from llmplan import api
from llmplan.advice.freed_values import Blocked
from llmplan.advice.ledger import SHARES
from llmplan.advice.order import first
from llmplan.check.ir import Member
from llmplan.emit.solution_json import as_json
from llmplan.present.blocks import plain
from llmplan.present.context import Context
from llmplan.present.sentence import sentences
from tests import told
from tests.hanging import ends
from tests.thorough import sample

DEADLINE = """model "llama-7b"
dataset {
    tokens = 1T
    sequence_length = 2048
}
hardware {
    gpu = "A100-SXM4-80GB"
    gpus = 88
}
training.global_batch = 4M tokens
training.precision = bf16
assume mfu = 40%
require deadline: time <= 3 days
minimize time
"""

MEMORY = """model "llama-7b"
dataset.sequence_length = 2048
hardware {
    gpu = "A100-SXM4-80GB"
    gpus = 8
}
parallelism.framework = deepspeed
parallelism.zero_stage = 1
training {
    precision = bf16
    global_batch = 64 sequences
    micro_batch = 8
    recompute = none
}
require small: memory.total <= 70 GB
"""


@functools.cache
def solved(text):
    return api.solve("test.plan", text=text)


def diagnosis(plans, text):
    solution = solved(text)
    (found,) = (d for d in solution.diagnostics if d.code == "E0402")
    return solution, found


def edited(text, edit):
    return text[: edit.span.start] + edit.text + text[edit.span.end :]


HURRIED = """
import itertools, sys, time
hours = itertools.count(0, 3600)
for clock in ("monotonic", "perf_counter", "process_time", "time"):
    setattr(time, clock, lambda: float(next(hours)))
from llmplan.__main__ import main
sys.argv[1:] = ["solve", "-", "--json"]
main()
"""


@pytest.mark.slow
def test_the_answer_does_not_depend_on_the_clock(plans):
    command = [sys.executable, "-c", HURRIED]
    done = subprocess.run(command, input=MEMORY, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 3, done.stderr
    found = json.loads(done.stdout)
    assert found["relaxations"] == as_json(solved(MEMORY), ())["relaxations"]
    assert found["diagnostics"][-1]["notes"] == list(solved(MEMORY).diagnostics[-1].notes)


def test_what_is_too_much_to_try_is_said(plans):
    (found,) = (d for d in plans.solve(MEMORY, effort=1e-4).diagnostics if d.code == "E0402")
    (note,) = (note for note in found.notes if "not tried" in note)
    assert "training.recompute" in note


@pytest.mark.parametrize("text", [DEADLINE, MEMORY])
@pytest.mark.slow
def test_every_change_makes_the_plan_feasible(plans, text):
    solution, found = diagnosis(plans, text)
    assert len(solution.relaxations) >= 2
    edits = [hint.edits[0] for hint in found.hints if hint.edits]
    assert len(edits) >= 2
    for edit in edits:
        changed = edited(text, edit)
        assert plans.solve(changed).status == "solved", edit.text


@pytest.mark.slow
def test_an_ordered_input_becomes_the_nearest_value_that_works(plans):
    solution, _ = diagnosis(plans, DEADLINE)
    by_name = {relaxation.name: relaxation for relaxation in solution.relaxations}
    gpus = by_name["hardware.gpus"].values[0].number
    assert plans.solve(DEADLINE.replace("gpus = 88", f"gpus = {gpus:.0f}")).status == "solved"
    assert plans.solve(DEADLINE.replace("gpus = 88", f"gpus = {gpus - 8:.0f}")).status == "infeasible"
    mfu = by_name["dataset.tokens"].values[0].number
    assert plans.solve(DEADLINE.replace("1T", f"{mfu:.0f} tokens")).status == "solved"
    assert plans.solve(DEADLINE.replace("1T", f"{1.02 * mfu:.0f} tokens")).status == "infeasible"


@pytest.mark.slow
def test_a_bound_is_relaxed_to_the_best_that_the_plan_allows_in_its_own_unit(plans):
    solution, _ = diagnosis(plans, DEADLINE)
    deadline = next(r for r in solution.relaxations if r.name == "deadline")
    best = plans.solve(DEADLINE.replace("require deadline: time <= 3 days\n", "")).values["time"].value
    assert best <= deadline.values[0].number <= best * 1.01
    assert deadline.texts[0].endswith(" days")
    assert deadline.kind == "requirement"


@pytest.mark.slow
def test_of_a_choice_every_member_that_works_is_named(plans):
    solution, _ = diagnosis(plans, MEMORY)
    recompute = next(r for r in solution.relaxations if r.name == "training.recompute")
    for member in ("selective", "full"):
        works = plans.solve(MEMORY.replace("recompute = none", f"recompute = {member}")).status == "solved"
        assert works == (member in [one.value for one in recompute.values])
    assert math.isinf(recompute.change)


@pytest.mark.slow
def test_a_domain_that_the_author_wrote_may_be_widened(plans):
    text = MEMORY.replace("micro_batch = 8", "micro_batch = ? in [8, 16]")
    solution, _ = diagnosis(plans, text)
    micro_batch = next(r for r in solution.relaxations if r.name == "training.micro_batch")
    value = micro_batch.values[0].number
    assert plans.solve(MEMORY.replace("micro_batch = 8", f"micro_batch = {value:.0f}")).status == "solved"
    assert value < 8


@pytest.mark.slow
def test_a_let_and_an_assumption_are_changed_too(plans):
    text = DEADLINE.replace("3 days", "deadline").replace("require", "let deadline = 3 days\nrequire", 1)
    text = text.replace("require deadline:", "require on_time:")
    solution, found = diagnosis(plans, text)
    names = {relaxation.name for relaxation in solution.relaxations}
    assert "deadline" in names
    assert "mfu" not in names  # nothing up to 100% is fast enough
    assert "time <= deadline" in "\n".join(found.notes)


@pytest.mark.slow
def test_a_side_without_a_value_says_why(plans):
    text = DEADLINE.replace("bf16", "fp8").replace("assume mfu = 40%\n", "")
    _, found = diagnosis(plans, text)
    notes = "\n".join(found.notes)
    assert "undefined <=" not in notes
    assert "peak_fp8" in notes


def test_the_values_stand_under_the_requirement(plans):
    _, found = diagnosis(plans, DEADLINE)
    note = next(note for note in found.notes if "deadline" in note)
    _, text, mark, formula, numbers = note.split("\n")
    assert text.startswith("time <= 3 days") and mark == "|" and " = " in formula
    assert formula.index(" = ") + 3 == len(numbers) - len(numbers.lstrip())


@pytest.mark.parametrize(
    "text",
    [
        DEADLINE,
        pytest.param(MEMORY, marks=pytest.mark.slow),
        pytest.param(
            MEMORY.replace("small: memory.total <= 70 GB", "small: 70 GB <= memory.total <= 71 GB"),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            DEADLINE.replace("time <= 3 days", "time <= 3 days\nrequire cheap: cost <= 20_000 USD"),
            marks=pytest.mark.slow,
        ),
        pytest.param(DEADLINE.replace("gpus = 88", "gpus = 88\n    memory_reserve = 79 GB"), marks=pytest.mark.slow),
    ],
)
def test_looking_at_the_conflict_alone_first_loses_nothing(monkeypatch, text):
    quick = solved(text)
    monkeypatch.setattr(Blocked, "may_help", lambda *_: True)
    slow = api.solve("test.plan", text=text)
    assert quick.status == "infeasible" and quick.relaxations == slow.relaxations


@pytest.mark.slow
def test_it_takes_seconds_at_most(plans):
    wide = DEADLINE.replace("gpus = 88", "gpus = ?").replace("3 days", "1 min") + "training.micro_batch = ?\n"
    with ends():
        _, found = diagnosis(plans, wide)
    assert any(hint.edits for hint in found.hints)


def test_what_is_counted_is_not_rounded(plans):
    text = "let t = 500_000 tokens\nlet x = ? in 1..3\nrequire few: t * x <= 123_457 tokens\n"
    found = {one.name: tuple(value.value for value in one.values) for one in plans.solve(text).relaxations}
    assert found == {"t": (123_457,), "few": (500_000,)}


def test_a_sequence_is_no_longer_than_a_learned_table_of_positions(plans):
    text = 'model "gpt2-xl"\ndataset.sequence_length = 4096\nhardware { gpu = "A100-SXM4-80GB", gpus = 8 }\n'
    solution = plans.solve(text + "training { micro_batch = 1, recompute = full }\nparallelism.zero_stage = 3\n")
    assert solution.conflict == ("positions_reach",)
    assert {one.name: tuple(value.value for value in one.values) for one in solution.relaxations}[
        "dataset.sequence_length"
    ] == (1024,)


STRICT = [  # at an end, at zero, below zero, in units, with the number on either side
    "let x = ? in 1..3 step 1\nrequire r: x > 5\n",
    "let x = ? in (-3)..0 step 1\nrequire r: x > 5\n",
    "let x = ? in (-3)..(-2) step 1\nrequire r: x > 0\n",
    "let x = ? in 1.5..3.5\nrequire r: x > 5\n",
    "let x = ? in (-3.5)..(-2.5)\nrequire r: x < -7\n",
    "let x = ? in [1.23456789]\nrequire r: x == 5\n",
    "let x = ? in [-1.23456789]\nrequire r: 5 == x\n",
    "let x = ? in [1.23456789, 1.5]\nrequire r: 3 <= x * x\n",
    "let x = ? in 1..3 step 1\nrequire r: (x >= (5))\n",
    "let x = ? in 1..3 step 1\nlet y = 5\nrequire r: x > 5 when y >= 2\n",
    "let x = 3 GB\nrequire r: x < 3 GB\n",
    "let x = 3 days\nrequire r: x < 2 hours\n",
    "let x = 3 days\nrequire r: 2 hours > x\n",
    "let x = 0\nrequire r: x < 0\n",
    "let x = 0.0\nrequire r: 0 < x\n",
    "let x = 0 GB\nrequire r: x > 0 GB\n",
    "let x = -2.5\nrequire r: x < -3.1\n",
    "let x = -2.5\nrequire r: x > -2.5\n",
    "let x = -2.5\nrequire r: x >= -1.5\n",
    "let x = 45%\nrequire r: x < 30%\n",
    "let x = 123_456 tokens\nrequire r: x < 100_000 tokens\n",
    "let x = 1_234_567 tokens\nrequire r: x <= 1_234_566 tokens\n",
    "let x = 7.123456789e-9\nrequire r: x == 3e-9\n",
]


@pytest.mark.parametrize("text", sample(STRICT, 8))
def test_what_is_shown_works_and_is_one_number(plans, text):
    solution = plans.solve(text)
    (found,) = (d for d in solution.diagnostics if d.code == "E0402")
    assert solution.relaxations
    edits = {hint.text.partition(": ")[2]: hint.edits for hint in found.hints}
    for one in solution.relaxations:
        (edit,) = edits[told.change(one)]
        for shown, value in zip(one.texts, one.values):
            bare = shown.replace(",", "_")
            assert one.name != "r" or bare in one.condition
            assert plans.value(bare) == value.value
            changed = edited(text, edit).replace(edit.text, bare) if len(one.texts) > 1 else edited(text, edit)
            assert plans.solve(changed).status == "solved", changed


def test_a_bound_in_parentheses_keeps_them(plans):
    (one,) = plans.solve("let x = ? in 1..3 step 1\nrequire r: ((x) >= (5))\n").relaxations
    assert one.condition == "((x) >= (3))"


@pytest.mark.slow
def test_the_bound_that_is_shown_is_near(plans):
    for text, bound in [("require r: x > 5", 2.0), ("require r: 5 < x", 2.0), ("require r: x >= 5", 3.0)]:
        (one,) = plans.solve(f"let x = ? in 1..3 step 1\n{text}\n").relaxations
        assert one.values[0].number == bound
    (one,) = plans.solve("let x = ? in 1.5..3.5\nrequire r: x > 5\n").relaxations
    assert 3.4 < one.values[0].number < 3.5


COLOURS = """
enum Colour {{ {members} }}
kind paint {{ colour: Colour = m0 }}
paint {{ colour = m0 }}
require bright: (match paint.colour {{ {arms} }}) >= {least}
"""


def coloured(count, least):
    members = ", ".join(f"m{i}" for i in range(count))
    return COLOURS.format(members=members, arms=", ".join(f"m{i} => {i}" for i in range(count)), least=least)


def test_a_choice_with_a_single_member_is_no_cure(plans):
    (one,) = plans.solve(f"let x = ? in 1..3 step 1\n{coloured(1, 2)}require r: x >= 2\n").clashes
    assert one.names == ("bright",)


@pytest.mark.slow
def test_each_other_member_is_applied_and_solved_before_it_is_shown(plans, monkeypatch):
    text = coloured(4, 2)
    (found,) = (one for one in plans.solve(text).relaxations if one.name == "paint.colour")
    assert found.texts == ("m2", "m3")
    for member in found.texts:
        assert plans.solve(text, settings=[("paint.colour", member)]).status == "solved"

    cured = Blocked.cured

    def but_not_m2(self, program, effort, thin=False):
        won = program.winner("paint.colour")
        return won[1].value != Member("Colour", 2) and cured(self, program, effort, thin)

    monkeypatch.setattr(Blocked, "cured", but_not_m2)
    (found,) = (one for one in plans.solve(text).relaxations if one.name == "paint.colour")
    assert found.texts == ("m3",)


@pytest.mark.slow
def test_of_many_members_some_are_shown_and_it_is_said(plans):
    solution = plans.solve(coloured(30, 2))
    (found,) = (one for one in solution.relaxations if one.name == "paint.colour")
    assert found.texts == tuple(f"m{i}" for i in range(2, 18))
    (error,) = (one for one in solution.diagnostics if one.code == "E0402")
    assert "smaller changes may suffice: not every value of paint.colour was tried with each" in error.notes


@pytest.mark.slow
def test_no_other_model_is_advice_but_another_accelerator_may_be():
    text = DEADLINE.replace("time <= 3 days", "time <= 20 days")
    names = {one.name for one in solved(text).relaxations}
    assert "model" not in names and {"hardware.gpu", "hardware.gpus"} <= names


SMALL_CARDS = """model "llama-2-7b"
dataset { tokens = 1B, sequence_length = 2048 tokens }
hardware { gpu = "RTX-4090", gpus = 2 }
training { global_batch = 64 sequences, micro_batch = 1, recompute = full }
parallelism { framework = fsdp, zero_stage = 3 }
"""


@pytest.mark.slow
def test_who_trains_further_may_train_adapters_and_who_trains_a_model_is_told_no_such_thing():
    further = solved(f"{SMALL_CARDS}training.task = finetune\nshow time\n").relaxations
    assert next(one for one in further if one.name == "adapter.method").statement == "adapter.method = lora"
    names = [one.name for one in solved(f"{SMALL_CARDS}show time\n").relaxations]
    assert names and "adapter.method" not in names


@pytest.mark.slow
def test_a_plan_that_can_be_is_told_nothing_of_adapters():
    told = solved(f"{SMALL_CARDS}training.task = finetune\nparallelism.offload = all\nshow time\n")
    assert told.status == "solved" and not any(one.name == "adapter.method" for one in told.levers)


@pytest.mark.parametrize(
    ("decorator", "code"),
    [
        ("@cure(nowhere)", "E0310"),
        ("@cure(many)", "E0310"),
        ("@cure(helps, helps)", "E0310"),
        ("@cure", "E0310"),
        ("@cure(helps)", None),
    ],
)
def test_a_cure_names_what_is_true_or_false(decorator, code):
    text = f"""enum Colour {{ red, green }}
quantity helps: Bool = true
quantity many: Real = 2
kind paint {{
    @lever {decorator}
    colour: Colour = red
}}
"""
    found = api.check("own.plan", text=text)
    assert [one.code for one in found if one.severity == "error"] == ([code] if code else [])


LARGE = """model "llama-2-70b"
dataset { tokens = 1T, sequence_length = 4096 }
hardware { gpu = "H100-SXM5-80GB", gpus = 64 }
training.global_batch = 4M tokens
assume mfu = 40%
require deadline: time <= 30 days
require budget: cost <= 500K USD
"""


def with_edits(text, edits):
    for edit in sorted(edits, key=lambda edit: -edit.span.start):
        text = edited(text, edit)
    return text


@pytest.mark.slow
def test_where_two_bounds_fail_the_pair_that_cures_is_named(plans):
    solution, found = diagnosis(plans, LARGE)
    pairs = [{one.name, *(other.name for other in one.beside)} for one in solution.relaxations]
    assert {"deadline", "budget"} in pairs
    at = pairs.index({"hardware.gpus", "budget"})
    pair, hint = solution.relaxations[at], found.hints[at]
    assert hint.text.startswith(f"{at + 1}: `{pair.statement}` instead of 64 GPUs and `require budget: cost <= ")
    assert plans.solve(with_edits(LARGE, hint.edits)).status == "solved"


@pytest.mark.parametrize("text", [DEADLINE, MEMORY, LARGE])
@pytest.mark.slow
def test_the_best_changes_come_first_and_other_questions_last(plans, text):
    solution, found = diagnosis(plans, text)
    numbered = [hint.text for hint in found.hints if hint.text.partition(":")[0].isdecimal()]
    assert [text.partition(": ")[2] for text in numbered] == [told.change(one) for one in solution.relaxations]
    assert [text.partition(":")[0] for text in numbered] == [str(number) for number in range(1, len(numbered) + 1)]
    keys = [first(one) for one in solution.relaxations]
    assert len(keys) <= 5 and keys == sorted(keys)
    asked = [one.question for one in solution.relaxations]
    assert asked == sorted(asked)
    others = [hint for hint in found.hints if not hint.text.partition(":")[0].isdecimal()]
    assert all(hint.text.startswith("for `") and " alone: " in hint.text and not hint.edits for hint in others)
    assert bool(others) == (text == LARGE)


CONFLICTS = [
    LARGE,
    LARGE.replace("assume mfu = 40%\n", "training.micro_batch = 64\n"),
    LARGE.replace("gpus = 64", "gpus = 8").replace("assume mfu = 40%\n", ""),
]


@pytest.mark.parametrize("text", [pytest.param(one, marks=pytest.mark.slow) for one in CONFLICTS])
def test_the_headline_makes_everything_hold_and_is_the_first_fix(plans, text):
    solution, found = diagnosis(plans, text)
    best = solution.relaxations[0]
    said = " ".join(map(plain, sentences(Context(solution))))
    for part in (best, *best.beside):
        assert (part.condition or part.values[0].short()) in said
    assert found.hints[0].text == f"1: {told.change(best)}"
    assert plans.solve(with_edits(text, found.hints[0].edits)).status == "solved"


@pytest.mark.slow
def test_another_card_and_another_number_of_them_are_found_together(plans):
    text = LARGE.replace("assume mfu = 40%\n", "").replace("500K", "1_300_000").replace("H100-SXM5-80GB", "RTX-4090")
    solution, found = diagnosis(plans, text)
    pairs = [one for one in solution.relaxations if {one.name, *(o.name for o in one.beside)} == CARDS]
    assert pairs
    number = solution.relaxations.index(pairs[0])
    assert plans.solve(with_edits(text, found.hints[number].edits)).status == "solved"


CARDS = {"hardware.gpu", "hardware.gpus"}


def test_nothing_is_claimed_where_no_joint_change_is_known(plans):
    text = "".join(f"let {x} = ? in 1..3 step 1\nrequire {x} > 5 and {x} < 9\n" for x in "xy")
    solution = plans.solve(text, effort=1e-4)
    assert solution.status == "infeasible" and not solution.relaxations
    assert "No change was found that makes all of them hold." in " ".join(map(plain, sentences(Context(solution))))


OPTIMIZER = """model "llama-7b"
dataset {{ tokens = 1B, sequence_length = 2048 }}
hardware {{ gpu = "H100-SXM5-80GB", gpus = 64 }}
training {{ optimizer = {optimizer}, micro_batch = 1, recompute = full }}
parallelism {{ {layout} }}
"""


@pytest.mark.parametrize(
    ("optimizer", "layout", "emit", "wanted"),
    [
        ("muon", "framework = torchtitan", "emit torchtitan\n", {"adam", "adamw"}),
        ("muon", "framework = megatron, zero_stage = 1", "emit megatron\n", {"adamw", "sgd"}),
    ],
)
def test_of_optimizers_all_that_the_framework_takes_are_named(optimizer, layout, emit, wanted):
    solution = api.solve("-", text=OPTIMIZER.format(optimizer=optimizer, layout=layout) + emit)
    (cure,) = (one for one in solution.relaxations if one.name == "training.optimizer")
    assert set(cure.texts) == wanted


@pytest.mark.slow
def test_optimizers_that_would_do_are_sorted_by_what_they_gain():
    text = OPTIMIZER.format(optimizer="soap", layout="framework = fsdp, zero_stage = 3")
    solution = api.solve("-", text=text)
    (cure,) = (one for one in solution.relaxations if one.name == "training.optimizer")
    assert {"adamw", "adamw_8bit", "lion", "adafactor"} <= set(cure.texts) and "shampoo" not in cure.texts
    times = [
        api.solve("-", text=text.replace("soap", one) + "show time\n").values["step.optimizer"].value
        for one in cure.texts
    ]
    assert times == sorted(times) and times[0] < times[-1]


def test_where_the_optimizer_is_not_what_fails_only_those_worth_trying_are_named():
    text = OPTIMIZER.format(optimizer="adamw", layout="framework = megatron, zero_stage = 0")
    solution = api.solve("-", text=text)
    assert solution.conflict == ("fits",)
    (cure,) = (one for one in solution.relaxations if one.name == "training.optimizer")
    assert cure.texts == ("adamw_8bit",)


LIKELY = """
kind work {
    hours: Int in 1..9 = 5
}
quantity low: Real = 0.8
quantity high: Real = 1.25
@within(low, high)
quantity speed: Real = 1
quantity needed: h = 10 h * work.hours / speed
"""


@pytest.mark.parametrize(
    ("required", "cure"),
    [
        ("require soon: chance(needed <= 20 h) >= 80%\n", "require soon: chance(needed <= 57.4 h) >= 80%"),
        ("require soon: 80% <= chance(1_200 min >= needed)\n", "require soon: 80% <= chance(3_450 min >= needed)"),
        ("require late: chance(needed >= 90 h) >= 80%\n", "require late: chance(needed >= 43.6 h) >= 80%"),
        ("let most = 20 h\nrequire soon: chance(needed <= most) >= 80%\n", "let most = 57.4 h"),
    ],
)
def test_of_a_required_chance_the_bound_inside_is_relaxed_and_not_the_chance(required, cure):
    solution = api.solve("test.plan", text=LIKELY + required)
    assert solution.status == "infeasible"
    bounds = [one for one in solution.relaxations if one.name != "work.hours"]
    assert [one.statement for one in bounds] == [cure]
    old = required.splitlines()[0] if required.startswith("let") else required
    cured = api.solve("test.plan", text=LIKELY + required.replace(old.rstrip("\n"), cure))
    assert cured.status == "solved"


@pytest.mark.parametrize(
    "required",
    [
        "let p = 80%\nrequire soon: chance(needed <= 20 h) >= p\n",
        "require soon: chance(1 h <= needed <= 20 h) >= 80%\n",
    ],
)
def test_a_chance_that_asks_for_nothing_is_never_proposed(required):
    solution = api.solve("test.plan", text=LIKELY + required)
    assert solution.status == "infeasible"
    assert not [one.statement for one in solution.relaxations if one.name in ("p", "soon")]


def test_the_conflicts_share_what_their_own_cures_may_cost(plans, monkeypatch):
    text = "let a = ? in [1, 2]\nlet b = ? in [1, 2]\nrequire first: a >= 3\nrequire second: b >= 4\n"
    assert all(clash.cures for clash in plans.solve(text).clashes)
    monkeypatch.setitem(SHARES, "conflicts", evolve(SHARES["conflicts"], points=2))
    first_of_them, second = plans.solve(text).clashes
    assert first_of_them.cures and not second.cures


def test_a_script_that_accelerate_does_not_write_for_a_framework_is_cured_by_another():
    """Accelerate starts several frameworks, and writes the script for those that need no file of another kind."""
    plan = """model "llama-3.1-8b"
dataset { tokens = 1B, sequence_length = 2048 }
hardware { gpu = "H100-SXM5-80GB", gpus = 8 }
parallelism { zero_stage = 3 }
training { global_batch = 64 sequences, micro_batch = 1, precision = bf16, recompute = full }
emit accelerate { script = written }
"""
    solution = solved(plan)
    assert "accelerate_script_framework" in [one.name for one in solution.requirements if one.holds is False]
    (cure,) = (one for one in solution.relaxations if one.name == "parallelism.framework")
    assert "fsdp" in cure.texts
    assert solved(plan.replace("zero_stage = 3", "zero_stage = 3, framework = fsdp")).status == "solved"
