"""Advice on random plans: what an infeasible plan is told first makes everything hold, and levers give their figures.

Each test is named by its seed; see `tests/thorough.py`.
"""

from __future__ import annotations

import random

import pytest

from llmplan import api
from llmplan.cli import rewrite
from tests import told
from tests.thorough import SEED, THOROUGH, many

MODELS = ("llama-7b", "llama-3.1-8b", "llama-2-70b", "qwen3-30b-a3b")
CARDS = ("A100-SXM4-80GB", "H100-SXM5-80GB", "A100-SXM4-40GB")
CONFLICTS = {
    "deadline": "require deadline: time <= {} hours",
    "budget": "require budget: cost <= {} USD",
    "memory": "require small: memory.total <= {} GB",
}


def seeds(few: int) -> list[object]:
    """Numbers of plans, most of them for the long run."""
    numbers = range(SEED, SEED + many(few, 16, 300))
    return [pytest.param(one, marks=[pytest.mark.slow] * (one - SEED >= few)) for one in numbers]


def random_plan(make: random.Random) -> str:
    gpus = make.choice(("8", "64", "256", "? in [8, 16, 32, 64]"))
    lines = [
        f'model "{make.choice(MODELS)}"',
        f"dataset {{ tokens = {make.choice((1, 20, 300))}B, sequence_length = {make.choice((2048, 4096))} }}",
        f'hardware {{ gpu = "{make.choice(CARDS)}", gpus = {gpus} }}',
        f"training.global_batch = {make.choice((256, 1024))} sequences",
        f"training.micro_batch = {make.choice(('1', '4', '?'))}",
        f"parallelism.zero_stage = {make.choice(('3', '? in 2..3'))}",
        *make.sample(("minimize cost", "minimize time", "show cost"), 1),
    ]
    return "\n".join(lines) + "\n"


def impossible(seed: int) -> str:
    """A plan with one, two or three bounds that it cannot meet."""
    make = random.Random(f"conflicts {seed}")
    names = make.sample(sorted(CONFLICTS), 1 + seed % 3)
    limits = {"deadline": make.choice((0.5, 2)), "budget": make.choice((1, 20)), "memory": make.choice((1, 3))}
    return random_plan(make) + "".join(f"{CONFLICTS[name].format(limits[name])}\n" for name in names)


@pytest.mark.quick(1)
@pytest.mark.parametrize("seed", seeds(2))
def test_the_headline_applied_makes_everything_hold_and_is_the_first_fix(seed: int) -> None:
    text = impossible(seed)
    solution = api.solve("test.plan", text=text)
    if solution.status == "solved":
        pytest.skip("feasible")
    assert solution.status == "infeasible", text
    changes = rewrite.changes(solution.diagnostics)
    assert len(changes) == len(solution.relaxations)
    for change, record in zip(changes, solution.relaxations):
        assert change.text.endswith(told.change(record))
    for change in changes[: 5 if THOROUGH else 1]:
        assert api.solve("test.plan", text=rewrite.edited(text, [change])).status == "solved", (text, change.text)


@pytest.mark.quick(1)
@pytest.mark.parametrize("seed", seeds(2))
def test_each_lever_solved_again_gives_its_figures_and_the_first_is_never_worse(seed: int) -> None:
    text = random_plan(random.Random(f"levers {seed}"))
    solution = api.solve("test.plan", text=text)
    if solution.status != "solved":
        pytest.skip("not feasible")
    changes = [one for one in solution.levers if one.purpose in ("change", "entry")]
    for lever in changes if THOROUGH else changes[:1]:
        there = api.solve("test.plan", text=text, settings=[(lever.name, lever.statement.partition(" = ")[2])])
        assert there.status == "solved", (text, lever.statement)
        for moved in lever.results:
            if moved.name in there.values:
                assert there.values[moved.name].value == pytest.approx(moved.after.number, rel=1e-9), lever.statement
    aim = next((one.text for one in solution.objectives), "")
    for lever in changes[:1]:
        for moved in lever.results:
            assert moved.name != aim or moved.after.number <= moved.before.number * (1 + 1e-3), (text, lever.statement)
