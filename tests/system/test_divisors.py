"""Divisors by prime factors, against division by every number and for numbers too large for that."""

from __future__ import annotations

import time

import pytest

from llmplan.system.divisors import divisor_count, divisors


def test_every_small_number():
    for number in range(1, 2000):
        found = [float(d) for d in range(1, number + 1) if number % d == 0]
        assert divisors(float(number)) == found
        assert divisor_count(float(number)) == len(found)


@pytest.mark.parametrize(
    ("number", "count"),
    [
        (1e12, 169),
        (1e18, 361),
        (2.0**60, 61),
        (2.0**1000, 1001),
        (6700417.0 * 641.0, 4),  # a Fermat number
        (1_000_003.0**2, 3),
        (94_906_247.0 * 94_906_249.0, 4),  # two primes, as large as a float has them whole
        (9_007_199_254_740_881.0, 2),  # the largest prime below 2^53
        (1.7976931348623157e308, 972 * 8),  # 2^971 (2^53 - 1)
    ],
)
def test_large_numbers(number, count):
    before = time.process_time()
    found = divisors(number)
    assert time.process_time() - before < 1.0
    assert len(found) == len(set(found)) == divisor_count(number) == count
    assert found == sorted(found) and found[0] == 1.0 and found[-1] == number
    assert all(number % divisor == 0 for divisor in found)


@pytest.mark.parametrize("number", [0.0, -4.0, 2.5, float("inf"), float("nan")])
def test_what_has_none(number):
    assert divisors(number) == [] and divisor_count(number) == 0
