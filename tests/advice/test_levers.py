"""What single changes of a solved plan would bring: each row is found again by solving with that change."""

from __future__ import annotations

import functools

import pytest
from attrs import evolve

from llmplan import api
from llmplan.answer.schema.advice import Redecided
from llmplan.emit.solution_json import as_json
from llmplan.present.blocks import plain
from llmplan.present.words.en import Words
from llmplan.units.amount import Amount, percent

ASKED = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = ? }
training { precision = bf16, global_batch = 4M tokens, micro_batch = ?, recompute = ? }
parallelism.zero_stage = ?
require deadline: time <= 30 days
minimize hardware.gpus
emit deepspeed
"""
GIVEN = ASKED.replace("gpus = ?", "gpus = 128").replace("minimize hardware.gpus", "minimize cost\nshow gpu_hours")
SPLIT = """model "llama-3.1-70b"
dataset { tokens = 100B, sequence_length = 8192 }
hardware { gpu = "H100-SXM5-80GB", gpus = 256 }
parallelism { framework = megatron, tensor = 4, pipeline = ?, zero_stage = 1 }
training { global_batch = 256 sequences, micro_batch = 1, recompute = ? }
minimize time
"""
ONE_CARD = """model "llama-3.1-8b"
adapter.method = lora
hardware { gpu = "A100-SXM4-80GB", gpus = 1 }
dataset { tokens = 50M, sequence_length = 2048 }
training.global_batch = 32 sequences
require cheap: cost <= 60 USD
"""
PAINT = """
enum Colour { white, grey, black }
kind paint {
    @lever
    colour: Colour = grey
    @lever
    coats: Int in 1..9 = 3 ? in 1..9
    @lever(1/2, 2)
    price: USD in 0 USD..1000 USD = 40 USD
    @lever(black)
    lid: Colour = white
}
@compared(2, 1)
quantity bill: USD = paint.coats * paint.price * match paint.lid { white => 1, _ => 2 }
@compared(1, 2)
quantity days_needed: day = paint.coats * match paint.colour { white => 1 day, grey => 2 days, black => 3 days }
require dry: days_needed <= 6 days else "dry after {days_needed in days}"
show bill
"""


@functools.cache
def solved(text):
    found = api.solve("test.plan", text=text)
    assert found.status == "solved", found.diagnostics
    return found


def answer(solution, but):
    """The unknowns at their answer, as `--set` takes them."""
    return [(one.path, one.value.text) for one in solution.unknowns if one.path != but]


def check(text, lever):
    """Solving with a change gives the figures of its row; of what is sure all else is as in the answer."""
    change = (lever.name, lever.statement.partition(" = ")[2])
    sure = lever.purpose in ("meets", "safe")
    there = api.solve("test.plan", text=text, settings=[*(answer(solved(text), lever.name) if sure else ()), change])
    assert there.status == "solved"
    shown = {row.text: row.amount.exact() for row in there.shown}
    for moved in lever.results:
        now = solved(text).values.get(moved.name)
        assert now is None or now.value == pytest.approx(moved.before.number, rel=1e-12)
        after = there.values.get(moved.name)
        assert moved.after.exact() == (after.text if after is not None else shown[moved.name]), lever.statement
        assert after is None or after.value == pytest.approx(moved.after.number, rel=1e-9)
    if lever.solved:
        assert there.values[lever.unknown].text == lever.solved.exact()
    judged = {one.name: one for one in there.requirements}
    for one in lever.judged:
        assert judged[one.name].verdict == one.verdict
        assert judged[one.name].chance == pytest.approx(one.chance, abs=1e-6)


@pytest.mark.parametrize("text", [ASKED, GIVEN, SPLIT, ONE_CARD])
@pytest.mark.slow
def test_solving_with_a_change_gives_the_figures_of_its_row(text):
    levers = solved(text).levers
    assert levers
    for lever in levers:
        check(text, lever)


def test_solving_with_a_change_gives_its_figures():
    check(PAINT, solved(PAINT).levers[0])


SORTS = ("switch", "setting", "count", "entry")


def test_rows_stand_in_classes_and_another_entry_comes_last():
    levers = solved(ASKED).levers
    sorts = [SORTS.index(lever.sort) for lever in levers]
    assert sorts == sorted(sorts) and sorts.count(3) == 1 and sorts[0] == 0
    assert levers[-1].purpose == "entry" and levers[-1].source
    assert {lever.purpose for lever in levers if lever.best} >= {"safe", "entry"}


CLOSED = """model "llama-3.1-405b"
dataset { tokens = 15.6T, sequence_length = 8192 }
hardware { gpu = "H100-SXM5-80GB", gpus = 16384 }
training { global_batch = 16M tokens, micro_batch = 1 }
parallelism { tensor = 8, pipeline = 16, zero_stage = 1 }
"""
SMALL = """model "llama-3.1-8b"
dataset { tokens = 100B, sequence_length = 8192 }
hardware { gpu = "H100-SXM5-80GB", gpus = 64 }
training.global_batch = 512 sequences
minimize time
"""
DEEP = """model "llama-3.1-70b"
dataset { tokens = 100B, sequence_length = 8192 }
hardware { gpu = "H100-SXM5-80GB", gpus = 256 }
training.global_batch = 512 sequences
parallelism { framework = torchtitan, tensor = 8, pipeline = 4, schedule = gpipe }
minimize time
"""
PLANTED = [
    (f"{SMALL}parallelism.tensor = 8\n", "parallelism.tensor = 2"),  # with a quarter of the micro-batch
    (CLOSED, "parallelism.virtual_pipeline = 8"),
    (DEEP, "parallelism.schedule = one_f_one_b"),
    (f"{SMALL}parallelism.pipeline = 8\n", "parallelism.pipeline = "),
    (f"{SMALL}parallelism {{ pipeline = 8, framework = megatron, zero_stage = 1 }}\n", "parallelism.pipeline = 2"),
    (f"{SMALL}parallelism.zero_stage = 3\n", "parallelism.zero_stage = "),
    (f"{SMALL}training.loss = upcast\n", "parallelism.context = 2"),  # which spares more than another loss
    (f"{SMALL}training.attention = standard\n", "training.attention = "),
    (f"{GIVEN}training.kernels = eager\n", "training.kernels = "),
    (f"{GIVEN}training.attention = standard\n", "training.attention = "),
]


@pytest.mark.parametrize(
    ("text", "first"), [PLANTED[0], *(pytest.param(*one, marks=pytest.mark.slow) for one in PLANTED[1:])]
)
def test_a_slow_default_is_the_first_lever(text, first):
    lever = solved(text).levers[0]
    assert lever.statement.startswith(first) and lever.sort == "switch" and not lever.changes
    time = next(moved for moved in lever.results if moved.name == "time")
    assert time.after.number < 0.98 * time.before.number


def test_what_changes_the_numerics_says_so():
    (lever,) = (one for one in solved(CLOSED).levers if one.name == "training.precision")
    assert lever.changes == "the numerics" and lever.sort == "setting"


@pytest.mark.slow
def test_what_is_safe_is_the_nearest_that_is():
    (safe,) = (lever for lever in solved(ASKED).levers if lever.purpose == "safe")
    assert safe.name == "hardware.gpus" and safe.chance >= 0.9
    rest = answer(solved(ASKED), "hardware.gpus")

    def verdict(gpus):
        there = api.solve("test.plan", text=ASKED, settings=[*rest, ("hardware.gpus", str(gpus))])
        deadline = next(one.verdict for one in there.requirements if one.name == "deadline")
        return deadline if there.status == "solved" else "no"  # such as for a batch too far from the one asked for

    assert verdict(safe.amount.value) == "safe" and verdict(safe.amount.value - 8) != "safe"


@pytest.mark.slow
def test_of_another_entry_it_is_said_how_sure_it_is():
    (entry,) = (lever for lever in solved(ASKED).levers if lever.purpose == "entry")
    there = api.solve("test.plan", text=ASKED, settings=[(entry.name, f'"{entry.text}"')])
    (deadline,) = (one for one in there.requirements if one.name == "deadline")
    assert entry.chance == pytest.approx(deadline.chance) and percent(entry.chance) == percent(deadline.chance)
    bands = {moved.name: moved.band for moved in entry.results}
    assert (
        bands["time"].exact()
        == f"{there.values['time'].model_low / 86400:.4g} – {there.values['time'].model_high / 86400:.4g} days"
    )
    # No run on it was measured: its band is wider than that of the answer.
    ends = [(one.values["time"].model_high / one.values["time"].model_low) for one in (solved(ASKED), there)]
    assert ends[1] > 2 * ends[0]


def test_a_change_of_what_was_measured_says_nothing_of_bands():
    assert not any(moved.band for lever in solved(ASKED).levers if lever.purpose == "change" for moved in lever.results)


@pytest.mark.slow
def test_an_entry_is_proposed_by_its_own_price_alone():
    (entry,) = (lever for lever in solved(ASKED).levers if lever.purpose == "entry")
    assert entry.statement == f'hardware.gpu = "{entry.text}"' and entry.solved
    priced = ASKED.replace("gpus = ?", "gpus = ?, price = 2 USD/GPU/hour")
    assert not any(lever.purpose == "entry" for lever in solved(priced).levers)


def test_a_plan_without_anything_to_compare_has_none():
    assert solved("let x = ? in 1..3\nminimize x\nrequire x >= 2\n").levers == ()


def test_what_the_library_declares_is_tried_and_what_is_worse_is_left_out():
    rows = {lever.statement: lever for lever in solved(PAINT).levers}
    # Black and four coats gain nothing, twenty more dollars neither.
    assert set(rows) == {"paint.coats = 2", "paint.price = 20 USD", "paint.colour = white"}
    price = rows["paint.price = 20 USD"].results
    assert [None if moved.same else moved.by.exact() for moved in price] == [None, "-60 USD"]


def test_a_change_that_breaks_a_requirement_has_no_row():
    text = PAINT.replace("coats: Int in 1..9 = 3", "coats: Int in 1..9 = 2") + "require thick: paint.coats >= 2\n"
    assert "paint.coats = 1" not in [lever.statement for lever in solved(text).levers]


def test_json_has_them_beside_the_files():
    document = as_json(solved(PAINT), ["report.md"])
    assert list(document)[-2:] == ["levers", "files"]
    first = document["levers"][0]
    assert first["statement"] == "paint.price = 20 USD" and first["to"] == 20 and first["unit"] == "USD"
    assert first["results"]["bill"] == {"from": 120, "to": 60, "unit": "USD"} and first["class"] == "setting"


BUYER = """model "llama-3.1-8b"
dataset { tokens = 1T, sequence_length = 8192 }
hardware { gpu = "H100-SXM5-80GB", gpus = ? }
training.global_batch = 512 sequences
require budget: cost <= 160 kUSD
minimize time
"""
QUOTES = """
entry gpu "quote A" like "H100-SXM5-80GB" { price = 2.10 USD/GPU/hour }
entry gpu "quote B" like "H200-SXM-141GB" { price = 2.95 USD/GPU/hour }
model "llama-3.1-8b"
dataset { tokens = 1T, sequence_length = 8192 }
hardware { gpu = ? in ["quote A", "quote B"], gpus = 64 }
training.global_batch = 512 sequences
minimize cost
"""


def row(text, statement):
    return next(lever for lever in solved(text).levers if lever.statement == statement)


@pytest.mark.slow
def test_a_row_names_the_machines_that_another_solution_takes():
    lever = row(BUYER, "parallelism.tensor = 4")
    (gpus,) = (one for one in lever.decided if one.name == "hardware.gpus")
    assert (gpus.before.exact(), gpus.after.exact(), gpus.sort) == ("256 GPUs", "512 GPUs", "count")
    assert plain(Words().decided(lever)).startswith("512 GPUs instead of 256 GPUs, micro-batch 4 sequences instead")
    document = next(one for one in as_json(solved(BUYER), ())["levers"] if one["name"] == lever.name)
    changed = {"name": "hardware.gpus", "from": {"value": 256, "unit": "GPU"}, "to": {"value": 512, "unit": "GPU"}}
    assert {**changed, "class": "count"} in document["decided"]


@pytest.mark.slow
def test_a_row_names_another_card_that_is_chosen():
    lever = row(QUOTES, "training.precision = fp8")
    assert "quote B instead of quote A" in plain(Words().decided(lever))


def test_a_layout_of_many_changes_is_named_as_one():
    def change(name, sort):
        return Redecided(name, Amount(1, None, None), Amount(2, None, None), sort)

    layout = tuple(change(f"parallelism.{name}", "switch") for name in ("tensor", "pipeline", "zero_stage"))
    lever = evolve(solved(PAINT).levers[0], decided=(*layout, change("training.precision", "setting")))
    assert plain(Words().decided(lever)) == "precision 2 instead of 1, with another layout"
    assert plain(Words().decided(evolve(lever, decided=layout[:2]))) == "tensor 2 instead of 1, pipeline 2 instead of 1"


@pytest.mark.slow
def test_a_change_that_makes_a_requirement_less_likely_is_not_first_and_says_so():
    levers = solved(BUYER).levers
    (budget,) = (one for one in solved(BUYER).requirements if one.name == "budget")
    riskier = [lever for lever in levers if lever.chance is not None and lever.chance < budget.chance - 0.02]
    assert riskier and levers[0] not in riskier
    assert all(f"instead of {percent(budget.chance)}" in Words().likely(lever) for lever in riskier)
    assert not any(
        "instead of" in Words().likely(lever)
        for lever in levers
        if lever.chance is not None and lever.chance > budget.chance
    )


WORSE = """
kind work {
    @lever
    hours: Int in 1..9 = 5 ? in 1..9
}
quantity low: Real = 0.8
quantity high: Real = 1.25
@within(low, high)
quantity speed: Real = 1
@compared(1, 1)
quantity effort: Real = work.hours
quantity result: Real = work.hours * speed
require enough: result >= 3.7
"""


def test_a_change_to_a_worse_verdict_has_no_row():
    judged = {one.name: one for one in solved(WORSE).requirements}
    assert judged["enough"].verdict == "safe"
    assert {lever.statement for lever in solved(WORSE).levers if lever.purpose == "change"} == set()


@pytest.mark.slow
def test_a_change_that_only_saves_memory_has_a_row_where_memory_is_asked_for():
    """A screen, a report and JSON all have the same rows."""

    def spare(text: str) -> set[str]:
        rows = [row for row in solved(text).levers if row.purpose == "change"]
        return {row.name for row in rows if all(one.same for one in row.results if one.name in ("time", "cost"))}

    used = solved(GIVEN).values["memory.total"].amount.number / 1e9
    assert spare(GIVEN) == set() != spare(f"{GIVEN}require small: memory.total <= {used + 1:.1f} GB\n")


NODES = ASKED.replace("gpus = ?", "nodes = ?").replace("hardware.gpus", "hardware.nodes")
TOKENS = GIVEN.replace("tokens = 1T", "tokens = ?").replace("minimize cost", "maximize dataset.tokens")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "name"),
    [(NODES, "hardware.gpus"), (TOKENS, "dataset.tokens"), (f"{ASKED}require b: time <= 29 days\n", "hardware.gpus")],
)
def test_the_value_that_meets_a_deadline_is_named_whatever_is_asked(text, name):
    """Also where the library computes what is asked from a lever, where it may be any number, and of two deadlines."""
    meets, safe = (next(one for one in solved(text).levers if one.purpose == purpose) for purpose in ("meets", "safe"))
    assert meets.name == safe.name == name and 0.5 <= meets.chance < 0.9 <= safe.chance
    rest = [one for one in answer(solved(text), name) if one[0] != "hardware.nodes"]
    there = api.solve("test.plan", text=text, settings=[(name, safe.text), *rest])
    assert there.status == "solved" and all(rule.verdict == "safe" for rule in there.requirements if rule.chance)


def test_without_a_question_no_change_makes_a_run_much_slower_for_less_money() -> None:
    text = (
        'model "llama-3.2-3b"\ndataset { tokens = 3T, sequence_length = 4096 }\nhardware { gpu = "B200", gpus = 8 }\n'
    )
    levers = api.solve("-", text=text).levers
    moved = [one for lever in levers for one in lever.results if one.name in ("wall_time", "wall_cost")]
    assert moved and all(one.after.number <= 1.01 * one.before.number for one in moved)


def test_a_run_that_trains_on_less_is_no_gain() -> None:
    """With so many steps, half the batch is half the tokens."""
    text = """model "llama-7b"
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
dataset.sequence_length = 2048
training { steps = 1000, global_batch = 512 sequences, micro_batch = 1, precision = bf16, recompute = none }
parallelism { zero_stage = 3, framework = fsdp }
minimize wall_time
"""
    answer = api.solve("a.plan", text=text)
    assert answer.levers and "training.global_batch" not in [lever.name for lever in answer.levers]
