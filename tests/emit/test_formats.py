"""Quoting and tables: whatever a text holds, it comes out as that text."""

from __future__ import annotations

import json
import shlex

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from llmplan.emit import filters

TEXTS = st.text(max_size=40)
YAML_TEXTS = st.one_of(
    TEXTS, st.sampled_from(["no", "Yes", "null", "1e5", "0x1f", "- a", "a: b", "#", "'", "~", "1:30"])
)
NUMBERS = st.one_of(st.integers(-(10**15), 10**15), st.floats(allow_nan=False, allow_infinity=False))


@given(TEXTS.filter(lambda text: "\0" not in text))
def test_shell(text: str) -> None:
    assert shlex.split(filters.shell(text)) == [text]


@given(YAML_TEXTS.filter(lambda text: all(ord(char) < 0xD800 or ord(char) > 0xDFFF for char in text)))
def test_yaml_texts(text: str) -> None:
    assert yaml.safe_load(f"key: {filters.yaml(text)}\n") == {"key": text}


@given(st.one_of(st.booleans(), NUMBERS))
def test_yaml_values(value: float | bool) -> None:
    assert yaml.safe_load(f"key: {filters.yaml(value)}\n") == {"key": value}


@given(
    st.recursive(st.one_of(TEXTS, NUMBERS, st.booleans()), lambda inner: st.dictionaries(TEXTS, inner), max_leaves=9)
)
@pytest.mark.slow
def test_json(value: object) -> None:
    assert json.loads(filters.to_json(value)) == value


def test_json_leaves_out_what_is_not_said() -> None:
    assert filters.to_json({"b": None, "a": {"x": None, "y": [1, {"z": None}]}}) == json.dumps(
        {"a": {"y": [1, {}]}}, indent=2
    )


@given(TEXTS)
def test_a_comment_is_a_line(text: str) -> None:
    assert len(f"x{filters.visible_line(text)}x".splitlines()) == 1


@given(TEXTS)
def test_code_spans_are_closed(text: str) -> None:
    span = filters.code(text)
    if span:
        ticks = len(span) - len(span.lstrip("`"))
        assert span.endswith("`" * ticks) and "`" * ticks not in span[ticks:-ticks].replace("`" * (ticks + 1), "")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("`a_b` violates [x]", r"`a_b` violates \[x\]"),
        ("one ` alone_ and <b>", r"one \` alone\_ and \<b>"),
        ("`a * b` * `c`", r"`a * b` \* `c`"),
    ],
)
def test_names_in_prose_stay_code(text, written):
    assert filters.markdown(text) == written
