"""No text whatever gives a traceback or takes long: random bytes, mutated plans, snippets that strain.

`LLMPLAN_FUZZ=100000` tries as many mutants; see `tests/thorough.py`.
"""

from __future__ import annotations

import os
import random

import pytest

from llmplan import api
from llmplan.diagnostics import render_text
from llmplan.load.files import Unreadable
from tests.errors.mutations import SNIPPETS, mutants
from tests.hanging import ends
from tests.thorough import SEED, examples

COUNT = int(os.environ.get("LLMPLAN_FUZZ", examples(300, 0.02)))


@pytest.fixture
def survives(tmp_path):
    """Checks and solves a text; whatever is said of it must be renderable."""
    path = str(tmp_path / "mutant.plan")

    def run(text: str) -> None:
        with ends():
            outcome(text)

    def outcome(text: str) -> None:
        found = api.check(path, text=text)
        render_text.render(found)
        solution = api.solve(path, text=text, limit=10**5)
        render_text.render(solution.diagnostics)
        assert solution.status in ("solved", "infeasible", "error")
        failed = any(one.severity == "error" for one in solution.diagnostics)
        assert failed == (solution.status != "solved"), text

    return run


LONG = "let x = ? in 1..8000\nlet y = ? in 1..x\nminimize y\n"


@pytest.mark.quick(10)
@pytest.mark.parametrize(
    "text",
    [pytest.param(text, marks=[pytest.mark.slow] * (text is LONG or len(text) > 80)) for text in [LONG, *SNIPPETS]],
)
def test_snippets(survives, text):
    survives(text)


@pytest.mark.slow
def test_mutated_plans(survives):
    for text in mutants(SEED, COUNT):
        survives(text)


def test_random_bytes(tmp_path, survives):
    dice = random.Random(SEED)
    path = tmp_path / "bytes.plan"
    for _ in range(max(20, COUNT // 10)):
        path.write_bytes(bytes(dice.randrange(256) for _ in range(dice.randrange(200))))
        try:
            api.solve(str(path))
        except Unreadable as why:
            assert str(why)


@pytest.mark.parametrize(
    "value", ["", "?", "? in", "1 +", "9^9^9^9", "((((", "\x00", "1 TB^40", '"', "a.b.c", "..", "= 3", "3\nlet x = 4"]
)
@pytest.mark.parametrize(
    "path", ["hardware.gpus", "model", "hardware.gpu", "", ".", "a..b", "time", "training.global_batch", "x"]
)
def test_odd_settings(tmp_path, path, value):
    text = 'model "llama-7b"\nhardware { gpu = "A100-SXM4-80GB", gpus = 8 }\nlet x = 3\nshow x\n'
    found = api.check(str(tmp_path / "odd.plan"), text=text, settings=[(path, value)])
    render_text.render(found)
