"""Laws of screens, reports and pictures on random plans: one figure has one text, marks agree, nothing is too long.

Each test is named by its seed; see `tests/thorough.py`.
"""

from __future__ import annotations

import random
import re
from functools import lru_cache

import pytest

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.emit.render import render
from llmplan.present import screen
from llmplan.present.charts.deadline import deadline
from llmplan.present.charts.memory import memory
from llmplan.present.charts.run import run
from llmplan.present.context import Context
from llmplan.present.words import words_of
from tests.advice.test_random_advice import random_plan
from tests.thorough import SEED, many

MOST_LINES, MOST_BYTES = 120, 9_000
REQUIRED = (
    "require deadline: time <= 40 days",
    'require deadline: wall_time <= 6 weeks because "the grant ends"',
    "require budget: wall_cost <= 200_000 USD",
    "require room: memory.total <= 60 GB",
)
FURTHER = (
    "show mfu",
    "sweep training.micro_batch in [1, 2, 4]",
    'scenario "cheap" { hardware.price = 1 USD/GPU/hour }',
)


@lru_cache(maxsize=4)
def solved(seed: int) -> Solution:
    make = random.Random(f"reports {seed}")
    lines = [*make.sample(REQUIRED, make.randint(0, 2)), *make.sample(FURTHER, make.randint(0, 1))]
    text = random_plan(make) + "".join(f"{one}\n" for one in lines) + "emit report\n"
    return api.solve("test.plan", text=text, tables=True)


@lru_cache(maxsize=4)
def files(seed: int) -> dict[str, str]:
    written, problems = render(solved(seed))
    assert not problems
    return written


SEEDS = [
    pytest.param(one, marks=[pytest.mark.slow] * (one - SEED >= 1)) for one in range(SEED, SEED + many(1, 12, 300))
]


@pytest.fixture(params=SEEDS)
def seed(request: pytest.FixtureRequest) -> int:
    if solved(request.param).status == "error":
        pytest.skip("its parts contradict each other")
    return request.param


def test_a_report_is_a_few_screens(seed: int) -> None:
    text = files(seed)["report.md"]
    assert text.count("\n") <= MOST_LINES and len(text.encode()) <= MOST_BYTES


def test_no_two_pictures_have_the_same_description(seed: int) -> None:
    text = files(seed)["report.md"]
    described = re.findall(r"!\[([^\]]*)\]\((\w+)\.svg\)", text)
    assert len({words for words, _ in described}) == len(described)
    assert {f"{name}.svg" for _, name in described} == {name for name in files(seed) if name.endswith(".svg")}


def test_a_figure_has_one_text_on_screen_in_the_report_and_in_pictures(seed: int) -> None:
    solution = solved(seed)
    if solution.status != "solved":
        pytest.skip("not feasible")
    context = Context(solution, words_of())
    shown = screen.render(context, 200)
    rows = [row for row in files(seed)["report.md"].splitlines() if row.startswith("| ")]
    for name, subject in (("wall_time", "time"), ("wall_cost", "cost"), ("memory.total", "memory of the fullest GPU")):
        value = context.find(name)
        if value is None:
            continue
        said = context.words.money(context.like(name, value.amount))
        number = said.split()[0]
        assert re.search(rf"(?m)^  {re.escape(name)} +{re.escape(said)}( |$)", shown), (name, said)
        (row,) = (row for row in rows if re.match(rf"\| ([^|]*\()?{subject}\)?, ", row))
        assert re.search(rf"\| {re.escape(number)} \(", row), (row, number)
    chart, wall = run(context), context.find("wall_time")
    if chart is not None and wall is not None:
        assert chart.whole.text == context.like("wall_time", wall.amount).short()


def test_what_exceeds_the_capacity_or_breaks_a_rule_is_marked(seed: int) -> None:
    chart = memory(Context(solved(seed), words_of()))
    if chart is None or chart.limit is None:
        pytest.skip("nothing is drawn")
    for bar in chart.bars[1:]:
        assert bar.end <= chart.limit.value or bar.faults, bar
    neighbours = {
        (one.name.rpartition(".")[2], one.amount.exact()): one for one in solved(seed).neighbours if one.amount
    }
    for bar in chart.bars[1:]:
        one = next(one for (name, text), one in neighbours.items() if bar.label == f"{name} {text}")
        assert ("✗" in bar.faults) == bool(one.breaks)
        over = bar.end > chart.limit.value
        assert ("⚠" in bar.faults) == (not one.breaks and (bool(one.misses) or over))


def test_ticks_of_a_count_are_values_that_it_may_have(seed: int) -> None:
    chart = deadline(Context(solved(seed), words_of()))
    if chart is None or not chart.counted:
        pytest.skip("no count is drawn")
    values = {point.at / chart.x.size for point in solved(seed).curve.points}
    assert set(chart.x.ticks) <= values and chart.y.span[0] <= 0
