"""Sums, products, powers and the functions that undo them: what closed forms are made of."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from typing import Any

from llmplan.operations.logic import without
from llmplan.operations.numbers import (
    EVERYTHING,
    NOWHERE,
    ONE,
    ZERO,
    Interval,
    Ranged,
    defined,
    each,
    minus,
    plus,
    reciprocal,
    rising,
    times,
)
from llmplan.operations.record import Operation, UnitRule
from llmplan.units.measure import REAL, Measure


def _over(a: Interval, b: Interval) -> Ranged:
    inverse = reciprocal(b)
    if inverse[0] != inverse[0]:
        return NOWHERE, (EVERYTHING, EVERYTHING)
    return times(a, inverse), (inverse, minus(times(a, times(inverse, inverse))))


def divide(np: Any, a: Any, b: Any) -> Any:
    """A quotient on arrays: NaN where the divisor is 0."""
    return without(np, b == 0.0, np.divide(a, b))


def _undefined_where_it_overflows(np: Any, result: Any, *args: Any) -> Any:
    """NaN where finite arguments give an infinite result, as Python raises OverflowError there."""
    infinite = np.isinf(result)
    if not infinite.any():
        return result
    for arg in args:
        infinite = infinite & np.isfinite(arg)
    return np.where(infinite, np.nan, result)


def _raised(np: Any, a: Any, b: Any) -> Any:
    result = np.square(a) if b.ndim == 0 and b == 2.0 else np.power(a, b)
    return _undefined_where_it_overflows(np, result, a, b)


def _power(a: float, b: float) -> float:
    result = a**b
    return result if isinstance(result, float) else math.nan


def _limit(base: float, exponent: float) -> float:
    """A power, infinite where it is too large to be a number."""
    try:
        return float(base**exponent)
    except (ZeroDivisionError, OverflowError):
        return math.inf if base >= 0.0 or exponent % 2 == 0.0 else -math.inf


def _powers(base: Interval, exponent: float) -> Interval:
    """All powers of a base that is negative only where the exponent is whole."""
    values = [_limit(x, exponent) for x in (*base, 0.0) if base[0] <= x <= base[1]]
    return min(values), max(values)


def _raise(base: Interval, exponent: Interval) -> Ranged:
    (low, high), (p, q) = base, exponent
    fixed = p == q and math.isfinite(p)
    if low < 0.0 and not (fixed and p == math.floor(p) and (p >= 0.0 or high < 0.0)):
        return NOWHERE, (EVERYTHING, EVERYTHING)
    logs = each(lambda x: math.log(x) if x else -math.inf, base) if low >= 0.0 else EVERYTHING
    if fixed:
        value = _powers(base, p)
        return value, (times((p, p), _powers(base, p - 1.0)) if p else ZERO, times(logs, value))
    value = each(lambda x: _limit(math.e, x), times(logs, exponent))
    inverse = reciprocal(base)
    along = EVERYTHING if inverse[0] != inverse[0] else times(exponent, times(value, inverse))
    return value, (along, times(logs, value))


def _logarithm(name: str) -> Any:
    return lambda np, a: without(np, a == 0.0, getattr(np, name)(a))


def _plain(measure: Measure) -> Measure | None:
    return None if measure.dims else REAL


def _halved(measure: Measure) -> Measure | None:
    if any(exponent % 2 for _, exponent in measure.dims):
        return None
    return Measure(tuple((name, exponent // 2) for name, exponent in measure.dims))


_NUMBER = UnitRule(_plain, "a plain number")

_sqrt, _ln, _log2, _exp = map(defined, (math.sqrt, math.log, math.log2, math.exp))

OPERATIONS = (
    Operation(
        "add", 2, operator.add, "add", lambda a, b: (plus(a, b), (ONE, ONE)), neutral=(0.0, 0.0),
        inverse=(lambda g, v, o: g.add("sub", v, o), lambda g, v, o: g.add("sub", v, o)), algebra=operator.add,
    ),
    Operation(
        "sub", 2, operator.sub, "subtract", lambda a, b: (plus(a, minus(b)), (ONE, minus(ONE))), neutral=(None, 0.0),
        inverse=(lambda g, v, o: g.add("add", v, o), lambda g, v, o: g.add("sub", o, v)), algebra=operator.sub,
    ),
    Operation(
        "mul", 2, operator.mul, "multiply", lambda a, b: (times(a, b), (b, a)), neutral=(1.0, 1.0),
        inverse=(lambda g, v, o: g.add("div", v, o), lambda g, v, o: g.add("div", v, o)), algebra=operator.mul,
    ),
    Operation(
        "div", 2, defined(operator.truediv), divide, _over, neutral=(None, 1.0),
        inverse=(lambda g, v, o: g.add("mul", v, o), lambda g, v, o: g.add("div", o, v)), algebra=operator.truediv,
    ),
    Operation(  # of an even power the inverse is one of two
        "pow", 2, defined(_power), _raised, _raise, algebra=operator.pow,
        inverse=(lambda g, v, o: g.add("pow", v, g.add("div", g.const(1.0), o)), None),
    ),
    Operation(
        "neg", 1, operator.neg, "negative", lambda a: (minus(a), (minus(ONE),)), zero_at_zero=True,
        inverse=(lambda g, v, o: g.add("neg", v),), algebra=operator.neg,
    ),
    Operation(
        "sqrt", 1, _sqrt, "sqrt", rising(_sqrt, lambda x: 0.5 / math.sqrt(x), 0.0), zero_at_zero=True, positive=True,
        inverse=(lambda g, v, o: g.add("pow", v, g.const(2.0)),), algebra=lambda a: a ** Fraction(1, 2),
        units=UnitRule(_halved, "a square"), latex=(r"\sqrt{", "}"),
    ),
    Operation(
        "log2", 1, _log2, _logarithm("log2"), rising(_log2, lambda x: 1 / (x * math.log(2)), 0.0),
        inverse=(lambda g, v, o: g.add("pow", g.const(2.0), v),),
        units=_NUMBER, latex=(r"\log_{2}\left( ", r" \right)"),
    ),
    Operation(
        "ln", 1, _ln, _logarithm("log"), rising(_ln, lambda x: 1 / x, 0.0),
        inverse=(lambda g, v, o: g.add("exp", v),), algebra="log",
        units=_NUMBER, latex=(r"\ln\left( ", r" \right)"),
    ),
    Operation(
        "exp", 1, _exp, lambda np, a: _undefined_where_it_overflows(np, np.exp(a), a), rising(_exp, math.exp),
        inverse=(lambda g, v, o: g.add("ln", v),), algebra="exp",
        units=_NUMBER, latex=(r"\exp\left( ", r" \right)"),
    ),
)  # fmt: skip
