"""What single changes of a solved plan would bring: each row is found again by solving with that change."""

from __future__ import annotations

import functools
import itertools

import pytest

from llmplan import api
from llmplan.emit.solution_json import as_json
from llmplan.units.amount import percent

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
    solution = solved(text)
    there = api.solve(
        "test.plan",
        text=text,
        settings=[*answer(solution, lever.name), (lever.name, lever.statement.partition(" = ")[2])],
    )
    shown = {row.text: row.amount.exact() for row in there.shown}
    for moved in lever.results:
        now = solution.values.get(moved.name)
        assert now is None or now.value == pytest.approx(moved.before.number, rel=1e-12)
        after = there.values.get(moved.name)
        text = after.text if after is not None else shown[moved.name]
        assert moved.after.exact() == text, (lever.statement, moved.name)
        assert after is None or after.value == pytest.approx(moved.after.number, rel=1e-9)
    rules = [*there.requirements, *(one for one in there.preferences if one.weight)]
    failed = {one.name for one in rules if one.holds is False}
    named = {broken.name for broken in lever.breaks}
    assert named - set(there.values) <= failed
    assert there.status == ("solved" if named <= {one.name for one in there.preferences} else "infeasible")


def check_again(text, lever):
    there = api.solve("test.plan", text=text, settings=[(lever.name, lever.statement.partition(" = ")[2])])
    assert there.values[lever.unknown].text == lever.solved.exact()
    for moved in lever.solved_results:
        assert there.values[moved.name].text == moved.after.exact()


@pytest.mark.parametrize("text", [ASKED, GIVEN, SPLIT, ONE_CARD])
@pytest.mark.slow
def test_solving_with_a_change_gives_the_figures_of_its_row(text):
    levers = solved(text).levers
    assert len(levers) >= 4
    for lever in levers:
        check(text, lever)
        if lever.solved:
            check_again(text, lever)


@pytest.mark.slow
def test_solving_with_a_change_gives_its_figures():
    levers = solved(ASKED).levers
    check(ASKED, levers[1])
    check_again(ASKED, next(lever for lever in levers if lever.anew))


def test_rows_are_sorted_few_and_legal_where_they_are_said_to_be_best():
    levers = solved(ASKED).levers
    costs = [next(moved.after.number for moved in lever.results if moved.name == "cost") for lever in levers]
    assert all(after >= before * (1 - 1e-3) for before, after in itertools.pairwise(costs))
    assert 6 <= len(levers) <= 12
    best = [lever for lever in levers if lever.best]
    assert len(best) == 3 and all(lever.legal for lever in best)
    assert {lever.purpose for lever in best} == {"change", "safe", "entry"}


@pytest.mark.slow
def test_what_is_safe_is_the_nearest_that_is():
    (safe,) = (lever for lever in solved(ASKED).levers if lever.purpose == "safe")
    assert safe.name == "hardware.gpus" and safe.chance >= 0.9
    rest = answer(solved(ASKED), "hardware.gpus")

    def verdict(gpus):
        there = api.solve("test.plan", text=ASKED, settings=[*rest, ("hardware.gpus", str(gpus))])
        return next(one.verdict for one in there.requirements if one.name == "deadline")

    assert verdict(safe.amount.value) == "safe" and verdict(safe.amount.value - 8) != "safe"


@pytest.mark.slow
def test_of_another_entry_it_is_said_how_sure_it_is():
    (entry,) = (lever for lever in solved(ASKED).levers if lever.purpose == "entry")
    there = api.solve("test.plan", text=ASKED, settings=[(entry.name, f'"{entry.text}"')])
    (deadline,) = (one for one in there.requirements if one.name == "deadline")
    assert entry.chance == pytest.approx(deadline.chance) and percent(entry.chance) == percent(deadline.chance)
    bands = {moved.name: moved.band for moved in entry.solved_results}
    assert (
        bands["time"].exact()
        == f"{there.values['time'].model_low / 86400:.4g} .. {there.values['time'].model_high / 86400:.4g} days"
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


def test_what_the_library_declares_is_tried():
    rows = {lever.statement: lever for lever in solved(PAINT).levers}
    # Black and four coats gain nothing and break a requirement.
    assert set(rows) == {
        "paint.colour = white", "paint.coats = 2", "paint.price = 20 USD", "paint.price = 80 USD", "paint.lid = black",
    }  # fmt: skip
    price = rows["paint.price = 20 USD"].results
    assert [None if moved.same else moved.by.exact() for moved in price] == [None, "-60 USD"]
    assert next(iter(rows)) == "paint.price = 20 USD"
    assert set(list(rows)[-2:]) == {"paint.price = 80 USD", "paint.lid = black"}


def test_a_change_that_gains_and_breaks_says_what():
    text = PAINT.replace("coats: Int in 1..9 = 3", "coats: Int in 1..9 = 2") + "require thick: paint.coats >= 2\n"
    (row,) = (lever for lever in solved(text).levers if lever.statement == "paint.coats = 1")
    (broken,) = row.breaks
    assert (
        broken.name == "thick" and broken.sides is not None and [str(one) for one in broken.sides] == ["1", ">=", "2"]
    )
    assert not row.legal and not row.best


def test_json_has_them_beside_the_files():
    document = as_json(solved(PAINT), ["report.md"])
    assert list(document)[-2:] == ["levers", "files"]
    first = document["levers"][0]
    assert first["statement"] == "paint.price = 20 USD" and first["to"] == 20 and first["unit"] == "USD"
    assert first["results"]["bill"] == {"from": 120, "to": 60, "unit": "USD"} and first["breaks"] == []
