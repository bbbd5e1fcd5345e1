"""A range that is shown contains every value, and is hardly wider than the values are: against a fine grid."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from tests.thorough import SEED, many

MEANING = {"abs": np.abs, "max": np.maximum, "min": np.minimum, "sqrt": np.sqrt}
ENDS = {"a": (1.0, 3.0), "b": (-1.0, 1.0), "c": (0.5, 4.0)}
LETS = "let a = 1..2..3\nlet b = 0 - 1..0..1\nlet c = 0.5..2..4\n"
GRID = {1: 20_001, 2: 401, 3: 81}
KNOWN = (
    "abs(a - 1.37) * (3 - a) * (a - 1)",
    "(a - 2)^2 - b^2",
    "a * (4 - a) * (b + 2)",
    "max(a, 5 - a * c)",
    "1 / (1 + b^2) + a * b",
    "a * (5 - a) / (1 + abs(b - 0.3)) - sqrt(c) * b",
)
"""Products of what rises and what falls, kinks, a saddle, corners."""


def factor(dice):
    name, number = dice.choice("abc"), round(dice.uniform(0, 4), 2)
    return dice.choice(
        (
            f"({name} - {number})",
            f"abs({name} - {number})",
            f"({name} - {number})^2",
            f"min({name}, {number})",
            f"max({name}, {number})",
            f"sqrt(c + {number})",
        )
    )


def expression(seed):
    dice = random.Random(f"tight {seed}")
    return " + ".join(" * ".join(factor(dice) for _ in range(dice.randint(1, 3))) for _ in range(dice.randint(1, 2)))


def values(text):
    used = sorted({name for name in re.findall(r"[a-z]+", text) if name in ENDS})
    axes = np.meshgrid(*(np.linspace(*ENDS[name], GRID[len(used)]) for name in used))
    return eval(text.replace("^", "**"), MEANING, dict(zip(used, axes)))


def shown(plans, texts):
    return [row.spread for row in plans.solve(LETS + "".join(f"show {text}\n" for text in texts)).shown]


def excess(spread, grid):
    """How much wider the shown range is than that of the values, as a part of the latter."""
    low, high = spread.low.value, spread.high.value
    slack = 1e-9 * np.abs(grid).max()
    assert low <= grid.min() + slack and high >= grid.max() - slack
    width = max(grid.max() - grid.min(), slack)
    return (high - low - width) / width


@pytest.mark.parametrize("text", KNOWN)
def test_a_shown_range_is_that_of_the_values(plans, text):
    (spread,) = shown(plans, [text])
    assert excess(spread, values(text)) < 1e-3


def test_random_ranges_contain_the_values_and_few_are_wider(plans):
    texts = [expression(seed) for seed in range(SEED, SEED + many(40, 200, 2000))]
    over = [excess(spread, values(text)) for text, spread in zip(texts, shown(plans, texts))]
    assert np.mean(np.array(over) < 0.01) >= 0.97, sorted(zip(over, texts))[-5:]
    assert max(over) < 0.25, max(zip(over, texts))
