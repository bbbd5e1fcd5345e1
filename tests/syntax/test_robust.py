"""No text makes the parser raise, loop, or point outside of the text."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmplan.source import Source
from llmplan.syntax import nodes as n
from llmplan.syntax import parse, parse_value
from tests.hanging import ends
from tests.thorough import examples

PLANS = [path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parents[2].glob("plans/**/*.plan"))]
WORDS = [
    *sorted(set(re.findall(r'"[^"\n]*"|\w+|[^\w\s]', "".join(PLANS)))),
    "\n",
    "\r\n",
    "  ",
    "## d\n",
    "\0",
    "\ud800",
]


def sound(text):
    """Parses and checks every place in the answer."""
    source = Source("x.plan", text)
    file, diagnostics = parse(source)
    assert len(diagnostics) <= 20
    for diagnostic in diagnostics:
        assert diagnostic.span is not None
        edits = [edit.span for hint in diagnostic.hints for edit in hint.edits]
        for span in [diagnostic.span, *(label.span for label in diagnostic.others), *edits]:
            assert span.source is source and 0 <= span.start <= span.end <= len(text)
    inside(file, len(text))
    _, diagnostics = parse_value(source)
    assert all(d.span is not None and 0 <= d.span.start <= d.span.end <= len(text) for d in diagnostics)


def inside(node, end, start=0):
    """Every node lies inside the one above it."""
    if isinstance(node, tuple):
        for child in node:
            inside(child, end, start)
    elif isinstance(node, n.Node):
        assert start <= node.span.start <= node.span.end <= end
        for name in node.__slots__:
            if name not in ("span", "__weakref__"):
                inside(getattr(node, name), node.span.end, node.span.start)


@given(st.text())
def test_any_text(text):
    sound(text)


@given(st.binary())
def test_any_bytes(data):
    sound(data.decode("utf-8", "surrogateescape"))


@given(st.text(alphabet='abif 13.?=<>+-*/^()[]{},:@#"\\\n\r\t%$_'))
def test_any_marks(text):
    sound(text)


@given(st.lists(st.sampled_from(WORDS), max_size=40), st.sampled_from(["", " "]))
def test_any_words(words, between):
    sound(between.join(words))


@settings(max_examples=examples(300), deadline=None)
@given(st.randoms(use_true_random=False))
def test_mutated_plans(rnd: random.Random):
    text = rnd.choice(PLANS)
    if len(text) > 2000:
        start = rnd.randrange(len(text) - 2000)
        text = text[start : start + 2000]
    for _ in range(rnd.choice([1, 1, 2, 5, 20])):
        place = rnd.randrange(len(text) + 1)
        cut = rnd.choice([0, 0, 1, 5, 40])
        text = text[:place] + rnd.choice([*WORDS, ""]) + text[place + cut :]
    sound(text)


MILLION = 990_000


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("x = " + "(" * 10_000 + "1" + ")" * 10_000, "E0108", id="parentheses"),
        pytest.param("x = " + "(\n" * 10_000, "E0108", id="open parentheses over lines"),
        pytest.param("x = " + "[" * 10_000, "E0108", id="brackets"),
        pytest.param("x = " + "-" * 100_000 + "1", "E0108", id="signs", marks=pytest.mark.slow),
        pytest.param("x = " + "not " * 20_000 + "a", "E0108", id="not", marks=pytest.mark.slow),
        pytest.param("x = " + "^".join("2" * 10_000), "E0108", id="powers"),
        pytest.param("x = " + "if a then b else " * 5_000 + "c", "E0108", id="conditions", marks=pytest.mark.slow),
        pytest.param("x = " + "1" * 100_000, "E0108", id="digits"),
        pytest.param("x = 3\n" * 2_000_000, "E0108", id="size", marks=pytest.mark.slow),
        pytest.param("x = 1" + "+1" * 210_000, "E0108", id="words", marks=pytest.mark.slow),
        pytest.param("x = = 1\nx = 1" + "+1" * 210_000, "E0108", id="words after a mistake", marks=pytest.mark.slow),
        pytest.param('x = "{1' + "+1" * 210_000 + '}"', "E0108", id="words in a text", marks=pytest.mark.slow),
        pytest.param('x = "' + "{1}" * 60_001 + '"', "E0108", id="interpolations", marks=pytest.mark.slow),
        pytest.param("\0" * MILLION, "E0110", id="null", marks=pytest.mark.slow),
        pytest.param('"' * 100_000, "E0109", id="quotes"),
        pytest.param('x = "' + "a" * MILLION, "E0110", id="open text", marks=pytest.mark.slow),
        pytest.param('x = "' + "{a b}" * 20_000 + '"', "E0109", id="interpolation"),
        pytest.param("a { " + "$," * 100_000, "E0105", id="one bad line"),
        pytest.param("a{" * 50_000, "E0109", id="braces", marks=pytest.mark.slow),
        pytest.param("h {\n" + "a = = 3\n" * 100_000, "E0109", id="many bad lines", marks=pytest.mark.slow),
        pytest.param("x = 3\n" + "  # c\n" * 50_000 + "  y", "E0101", id="comments", marks=pytest.mark.slow),
    ],
)
def test_hostile_texts(text, code):
    with ends():
        _, diagnostics = parse(Source("x", text))
    assert code in [d.code for d in diagnostics]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x = " + " + ".join(["a"] * 20_000), id="sum"),
        pytest.param("x = " + " * ".join(["a"] * 20_000), id="product", marks=pytest.mark.slow),
        pytest.param("x = " + " and ".join(["a"] * 20_000), id="and", marks=pytest.mark.slow),
        pytest.param("x = " + " <= ".join(["a"] * 20_000), id="chain", marks=pytest.mark.slow),
        pytest.param("x = [" + ", ".join(["1"] * 20_000) + "]", id="list", marks=pytest.mark.slow),
        pytest.param("x = a" + ".b" * 50_000, id="name", marks=pytest.mark.slow),
        pytest.param("h {\n" + "a = 3 GB\n" * 10_000 + "}", id="fields", marks=pytest.mark.slow),
        pytest.param("x = match y {" + "0 => 1, " * 10_000 + "}", id="arms", marks=pytest.mark.slow),
        pytest.param('require a because "{b} {c in GB} {d}"\n' * 20_000, id="interpolations", marks=pytest.mark.slow),
        pytest.param("\n" * MILLION, id="empty lines"),
        pytest.param("# c\n" * 50_000, id="comments", marks=pytest.mark.slow),
        pytest.param("## d\n" * 50_000 + "unit x", id="docs", marks=pytest.mark.slow),
        pytest.param("x = " + "(" * 99 + "-1" + ")" * 99, id="nested"),
        pytest.param("x = " + "f(" * 100 + "1" + ")" * 100, id="calls", marks=pytest.mark.slow),
        pytest.param("x = " + "-" * 100 + "1", id="signs"),
    ],
)
@pytest.mark.slow
def test_long_but_sound(text):
    with ends():
        file, diagnostics = parse(Source("x", text))
    assert diagnostics == []
    assert file == parse(Source("x", text))[0]  # comparing does not recurse too deep either
