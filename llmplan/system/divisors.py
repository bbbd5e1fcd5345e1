"""Divisors of a whole number, found from its prime factors.

Input: a number as the equations hold it. Output: its divisors. A whole float is an integer below 2^53 times a power of
two, so the factors of any float are found in some thousand steps, and all of its divisors are floats.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import count

_SMALL = tuple(n for n in range(2, 1000) if all(n % d for d in range(2, math.isqrt(n) + 1)))
_WITNESSES = _SMALL[:12]
"""With these, the Miller-Rabin test is exact for every number below 3.1e23."""


def divisor_count(number: float) -> int:
    """The number of divisors; 0 if the number is not a whole number above 0."""
    return math.prod(power + 1 for _, power in _factors(int(number))) if _whole(number) else 0


def divisors(number: float) -> list[float]:
    """The divisors of a number in ascending order, 1 and itself included."""
    if not _whole(number):
        return []
    found = [1]
    for prime, power in _factors(int(number)):
        found = [divisor * prime**times for divisor in found for times in range(power + 1)]
    return [float(divisor) for divisor in sorted(found)]


def _whole(number: float) -> bool:
    return math.isfinite(number) and number >= 1 and number == math.floor(number)


@lru_cache(maxsize=1024)
def _factors(number: int) -> tuple[tuple[int, int], ...]:
    """Prime factors with their powers."""
    found: dict[int, int] = {}
    for prime in _SMALL:
        while number % prime == 0:
            found[prime] = found.get(prime, 0) + 1
            number //= prime
    pending = [number] if number > 1 else []
    while pending:
        part = pending.pop()
        if _is_prime(part):
            found[part] = found.get(part, 0) + 1
        else:
            divisor = _divisor(part)
            pending += [divisor, part // divisor]
    return tuple(found.items())


def _is_prime(number: int) -> bool:
    """Whether a number without small factors is prime, by the Miller-Rabin test."""
    if number < _SMALL[-1] ** 2:
        return True
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for witness in _WITNESSES:
        power = pow(witness, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def _divisor(number: int) -> int:
    """A factor of a composite number, by Pollard's rho method; squares, on which it loops, are handled first."""
    root = math.isqrt(number)
    if root * root == number:
        return root
    for step in count(1):
        slow = fast = 2
        found = 1
        while found == 1:
            slow = (slow * slow + step) % number
            fast = (fast * fast + step) % number
            fast = (fast * fast + step) % number
            found = math.gcd(abs(slow - fast), number)
        if found != number:
            return found
    raise AssertionError
