"""Random well-typed expressions come to what Python makes of them, through lets, quantities and functions alike."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from attrs import frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.thorough import examples


@frozen
class Pair:
    """An expression of the plan language, bracketed, and the number that it comes to."""

    text: str
    value: float


def close(a: float, b: float) -> bool:
    return a == b or abs(a - b) <= 1e-9 * max(abs(a), abs(b)) < math.inf


def undefined(function: Callable[..., float]) -> Callable[..., float]:
    def safe(*args: float) -> float:
        if any(a != a for a in args):
            return math.nan
        try:
            found = function(*args)
        except (ZeroDivisionError, ValueError, OverflowError):
            return math.nan
        return found if isinstance(found, (int, float)) else math.nan

    return safe


BINARY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": undefined(lambda a, b: a / b),
}
CALLS: dict[str, Callable[..., float]] = {
    "min": undefined(min),
    "max": undefined(max),
    "abs": undefined(abs),
    "sqrt": undefined(math.sqrt),
    "exp": undefined(math.exp),
    "ln": undefined(math.log),
    "floor": undefined(lambda a: math.floor(a + abs(a) * 1e-9)),
    "ceil": undefined(lambda a: math.ceil(a - abs(a) * 1e-9)),
}
COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b and not close(a, b),
    "<=": lambda a, b: a < b or close(a, b),
    "==": close,
    "!=": lambda a, b: a == a and b == b and not close(a, b),
    ">=": lambda a, b: a > b or close(a, b),
    ">": lambda a, b: a > b and not close(a, b),
}


@st.composite
def numbers(draw, depth: int = 3) -> Pair:
    kinds = ("literal", "binary", "call", "if", "match", "negative") if depth else ("literal",)
    kind = draw(st.sampled_from(kinds))
    if kind == "literal":
        whole, part = draw(st.integers(0, 50)), draw(st.sampled_from(("", ".5", ".125", "e3", "K", "%")))
        scale = {"": 0.0, ".5": 0.5, ".125": 0.125}.get(part)
        value = whole + scale if scale is not None else whole / 100 if part == "%" else whole * 1000.0
        return Pair(f"{whole}{part}", float(value))
    left, right = draw(numbers(depth - 1)), draw(numbers(depth - 1))
    if kind == "negative":
        return Pair(f"(-{left.text})", -left.value)
    if kind == "binary":
        operator = draw(st.sampled_from(sorted(BINARY)))
        return Pair(f"({left.text} {operator} {right.text})", BINARY[operator](left.value, right.value))
    if kind == "call":
        name = draw(st.sampled_from(sorted(CALLS)))
        parts = (left, right) if name in ("min", "max") else (left,)
        return Pair(f"{name}({', '.join(p.text for p in parts)})", CALLS[name](*(p.value for p in parts)))
    if kind == "match":
        subject = draw(st.integers(0, 3))
        return Pair(
            f"(match {subject} {{ 1 => {left.text}, _ => {right.text} }})", left.value if subject == 1 else right.value
        )
    condition, holds = draw(conditions(depth - 1))
    return Pair(f"(if {condition} then {left.text} else {right.text})", left.value if holds else right.value)


@st.composite
def conditions(draw, depth: int) -> tuple[str, bool]:
    kind = draw(st.sampled_from(("compare", "and", "or", "not") if depth > 0 else ("compare",)))
    if kind == "compare":
        left, right = draw(numbers(max(0, depth - 1))), draw(numbers(max(0, depth - 1)))
        operator = draw(st.sampled_from(sorted(COMPARE)))
        return f"{left.text} {operator} {right.text}", COMPARE[operator](left.value, right.value)
    text, holds = draw(conditions(depth - 1))
    if kind == "not":
        return f"not ({text})", not holds
    other, also = draw(conditions(depth - 1))
    return f"(({text}) {kind} ({other}))", (holds and also) if kind == "and" else (holds or also)


@settings(max_examples=examples(200), deadline=None, suppress_health_check=list(HealthCheck))
@given(numbers())
def test_random_expressions(plans, pair):
    text = (
        f"let a = {pair.text}\n"
        f"quantity q: Real = {pair.text}\n"
        f"fn f(nothing: Real) -> Real {{\n    let inner = {pair.text}\n    inner + nothing\n}}\n"
        f"show ({pair.text})\nshow a\nshow q\nshow f(0)\n"
    )
    for found in plans.shown(text):
        assert found == pytest.approx(pair.value, rel=1e-12, nan_ok=True)


@settings(max_examples=examples(100), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.sampled_from("+-"), st.integers(1, 99)), min_size=1, max_size=8))
@pytest.mark.slow
def test_sums_and_products_go_from_left_to_right(plans, terms):
    text = "7 " + " ".join(f"{sign} {number}" for sign, number in terms)
    assert plans.value(text) == eval(text)
    text = text.replace("+", "*").replace("-", "/")
    assert plans.value(text) == pytest.approx(eval(text), rel=1e-12)
