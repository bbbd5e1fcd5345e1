"""Unit arithmetic against pint: factors, dimensions and random expressions."""

from __future__ import annotations

from fractions import Fraction

import pint
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from llmplan.check import library
from llmplan.units.measure import Measure
from llmplan.units.table import UnknownUnit
from tests.thorough import examples

TABLE = library.load()[0].units

REGISTRY = pint.UnitRegistry(non_int_type=Fraction, cache_folder=None)
for line in (
    "operation = [operation]",
    "octet = [information_size]",
    "dollar = [money]",
    "workunit = [work]",
    "text_token = [text_token]",
    "weight_number = [weight_number]",
    "label = []",
):
    REGISTRY.define(line)

SIMPLE = {
    "byte": "octet", "bytes": "octet", "bit": "octet/8", "kB": "1000*octet", "MB": "10**6*octet",
    "GB": "10**9*octet", "TB": "10**12*octet", "PB": "10**15*octet", "KiB": "1024*octet", "MiB": "1024**2*octet",
    "GiB": "1024**3*octet", "TiB": "1024**4*octet", "Gbit": "10**9*octet/8", "s": "second", "sec": "second",
    "ms": "millisecond", "us": "microsecond", "min": "minute", "minutes": "minute", "h": "hour", "hours": "hour",
    "day": "day", "days": "day", "week": "week", "month": "30*day", "year": "365*day", "Hz": "1/second",
    "MHz": "10**6/second", "GHz": "10**9/second", "FLOP": "operation", "TFLOP": "10**12*operation",
    "PFLOPs": "10**15*operation", "token": "text_token", "tokens": "text_token", "Ttoken": "10**12*text_token",
    "Gtokens": "10**9*text_token", "parameter": "weight_number", "params": "weight_number",
    "Bparams": "10**9*weight_number", "USD": "dollar", "kUSD": "1000*dollar", "W": "workunit/second",
    "kW": "1000*workunit/second", "MW": "10**6*workunit/second", "J": "workunit", "kJ": "1000*workunit",
    "MJ": "10**6*workunit", "Wh": "3600*workunit", "kWh": "3600*1000*workunit",
    "MWh": "3600*10**6*workunit", "g": "gram", "kg": "kilogram", "t": "1000*kilogram", "GPU": "label", "nodes": "label",
    "%": "1/100",
}  # fmt: skip

DIMENSIONS = {
    "Time": "[time]", "Information": "[information_size]", "Compute": "[operation]", "Money": "[money]",
    "Energy": "[work]", "Mass": "[mass]", "Token": "[text_token]", "Parameter": "[weight_number]",
}  # fmt: skip


def quantity(word: str) -> pint.Quantity:
    """One of a unit, as pint knows it."""
    return REGISTRY.Quantity(Fraction(1), "dimensionless") * REGISTRY.parse_expression(SIMPLE[word])


def base(value: pint.Quantity) -> Fraction:
    """Its size in base units; pint's root of mass is the gram."""
    return Fraction(value.to_root_units().magnitude) / Fraction(1000) ** int(value.dimensionality.get("[mass]", 0))


def same(factor: Fraction, measure: Measure, other: pint.Quantity) -> None:
    assert {DIMENSIONS[name]: e for name, e in measure.dims} == {n: int(e) for n, e in other.dimensionality.items()}
    assert factor == base(other)


@pytest.mark.parametrize("word", SIMPLE)
def test_every_word(word):
    factor, measure = TABLE.parse(word)
    same(factor, measure, quantity(word))


words = st.sampled_from(sorted(set(SIMPLE) - {"%"}))
factors = st.tuples(words, st.integers(1, 3), st.sampled_from("*/"))


@settings(max_examples=300, deadline=None)
@given(st.lists(factors, min_size=1, max_size=5))
@pytest.mark.slow
def test_compound_units(parts):
    text = ""
    other = REGISTRY.Quantity(Fraction(1), "dimensionless")
    for at, (word, exponent, operator) in enumerate(parts):
        operator = "*" if at == 0 else operator
        text += ("" if at == 0 else operator) + word + ("" if exponent == 1 else f"^{exponent}")
        one = quantity(word) ** exponent
        other = other * one if operator == "*" else other / one
    same(*TABLE.parse(text), other)


@settings(max_examples=200, deadline=None)
@given(words, words, st.fractions(min_value=Fraction(1, 1000), max_value=10**6, max_denominator=1000))
@pytest.mark.slow
def test_conversion(one, other, amount):
    (factor, measure), (into, wanted) = TABLE.parse(one), TABLE.parse(other)
    left, right = quantity(one), quantity(other)
    if measure.dims == wanted.dims:
        converted = (amount * left).to_root_units().magnitude / right.to_root_units().magnitude
        assert amount * factor / into == Fraction(converted)
    else:
        assert left.dimensionality != right.dimensionality


@pytest.mark.parametrize(
    ("text", "word", "offset"),
    [
        ("GBs", "GBs", 0),
        ("GB/", "", 3),
        ("GB/x", "x", 3),
        ("B", "B", 0),
        ("GB//s", "/s", 3),
        ("", None, 0),
        ("kB^x", "^x", 2),
    ],
)
def test_unknown_words(text, word, offset):
    if word is None:
        assert TABLE.parse(text) == (1, Measure())
        return
    with pytest.raises(UnknownUnit) as raised:
        TABLE.parse(text)
    assert (raised.value.word, raised.value.offset) == (word, offset)


# Random expressions. Sums only add: differences of like numbers lose digits in floating point.

Expected = pint.Quantity | None


@st.composite
def expressions(draw, depth: int = 3) -> tuple[str, Expected]:
    """A text of the plan language with what pint makes of it, None where units do not fit."""
    kind = draw(st.sampled_from(("literal", "product", "sum", "power", "paren"))) if depth else "literal"
    if kind == "literal":
        number, word = draw(st.integers(1, 999)), draw(words.filter(lambda word: word not in ("GPU", "nodes")))
        return f"{number} {word}", number * quantity(word)
    text, value = draw(expressions(depth - 1))
    if kind == "paren":
        return f"({text})", value
    if kind == "power":
        exponent = draw(st.integers(0, 3))
        return f"({text})^{exponent}", None if value is None else value**exponent
    other_text, other = draw(expressions(depth - 1))
    operator = draw(st.sampled_from("*/")) if kind == "product" else "+"
    joined = f"({text}) {operator} ({other_text})"
    if value is None or other is None:
        return joined, None
    if operator == "+":
        return joined, value + other if value.dimensionality == other.dimensionality else None
    return joined, value * other if operator == "*" else value / other


@settings(max_examples=examples(150), deadline=None, suppress_health_check=list(HealthCheck))
@given(expressions())
def test_random_expressions(plans, pair):
    text, value = pair
    if value is None:
        assert set(plans.codes(f"let x = {text}")) == {"E0301"}
        return
    exact = base(value)
    assume(abs(exact) < Fraction(10) ** 300 and abs(exact) > Fraction(1, 10**300))
    assert plans.value("x", f"let x = {text}") == pytest.approx(float(exact), rel=1e-12)
