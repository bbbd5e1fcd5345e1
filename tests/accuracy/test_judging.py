"""How predictions are judged, by hand on a few rows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.figures import Timed, generation
from benchmarks.joined import Row
from benchmarks.judging import band, covered, family, ordered, pairs, quantiles, regret
from benchmarks.others import scaled


def row(measured: float, group: str = "one", layout: int = 0, model: str = "m") -> Row:
    cell = (group, model)
    return Row(f"{group}{measured}", group, model, "gpu", measured, measured, False, cell, (layout,), True)


def test_quantiles_are_of_sizes_and_the_bias_keeps_its_sign():
    errors = [math.log(1 + error) for error in (-0.3, -0.2, -0.1, 0.1)]
    assert quantiles(errors) == pytest.approx((4, 0.15, 0.3, -0.15))
    assert quantiles([])[0] == 0 and math.isnan(quantiles([])[1])


def test_pairs():
    rows = [row(1.0), row(2.0), row(2.05), row(9.0, "two")]
    # 1 and 2 are told apart rightly, 1 and 2.05 are level in the prediction; 2 and 2.05 are too near, and `two` is
    # alone.
    errors = np.log([1.0, 1.2 / 2.0, 1.0 / 2.05, 1.0])
    assert ordered(rows, errors) == {"one": [1.0, 0.5]}
    assert pairs(rows, errors) == (0.75, 0.75, 0.75)
    # The mean over tables does not count the pairs.
    other = [row(1.0, "two"), row(2.0, "two")]
    assert pairs(rows[:3] + other, [*errors[:3], 0.0, math.log(0.4)]) == pytest.approx((0.5, 0.375, 0.5))
    assert math.isnan(pairs([row(1.0)], [0.0])[0])


def test_regret_needs_three_layouts():
    rows = [row(1.0, layout=1), row(1.5, layout=2), row(2.0, layout=3)]
    picked = [0.0, math.log(0.5), 0.0]  # the second one is predicted at 0.75
    assert regret(rows, picked)[:3] == pytest.approx((1, 0.5, 0.5))
    assert regret(rows, [0.0, 0.0, 0.0])[:3] == (1, 0.0, 0.0)
    assert regret(rows[:2], picked[:2])[0] == 0


def test_functional_tests_are_neither_pairs_nor_picked():
    rows = [row(float(i), "megatron-lm-ci-small", i) for i in range(1, 5)]
    assert ordered(rows, [0.0] * 4) == {} and regret(rows, [0.0] * 4)[0] == 0


def test_a_band_of_the_others():
    errors = np.log(np.linspace(0.8, 1.25, 101))
    low, high = band(np.array(["a"] * 101), errors)
    assert 0.82 < low < 0.85 and 1.18 < high < 1.21
    keys = np.array(["a"] * 101 + ["b"])
    assert covered(keys, np.append(errors, math.log(3.0))) == pytest.approx(
        0.0, abs=0.02
    )  # one row says nothing of 101
    keys = np.array(["a", "b"] * 51)
    assert 0.75 < covered(keys, np.append(errors, 0.0)) < 0.85


def test_families():
    assert family("mbridge-26.06") == family("mbridge-25.09") != family("torchtitan-asynctp-2025")
    assert family("internevo-scaling") == "internevo-scaling"


def timed(name: str, group: str, error: float) -> Timed:
    return Timed({"id": name}, row(1.0, group), error, error, True, True)


def test_one_factor_is_that_of_the_other_families():
    rows = [
        timed("a", "mbridge-1", 0.0),
        timed("b", "mbridge-2", 0.0),
        timed("c", "vtrain", 0.0),
        timed("d", "vtrain", 0.0),
    ]
    errors = [0.1, 0.3, -0.5, -0.7]
    # What is best for vtrain is subtracted from both tables of mbridge, and the other way round.
    assert scaled(rows, errors) == pytest.approx([0.7, 0.9, -0.7, -0.9])
    assert scaled(rows[:2], errors[:2]) == errors[:2]  # without another family there is no factor


def test_generations_by_the_longest_beginning_of_a_name():
    assert [
        generation(gpu) for gpu in ("GB300", "B200/GB200", "H100-SXM-80GB", "RTX 4090", "RTX A6000", "V100-SXM2-16GB")
    ] == [
        "Blackwell",
        "Blackwell",
        "Hopper",
        "Ada",
        "Ampere",
        "Volta",
    ]
