"""Quoting and tables: whatever a text holds, it comes out as that text."""

from __future__ import annotations

import json
import shlex

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from llmplan.emit import filters, layout, rounding

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


@given(st.lists(st.lists(TEXTS, min_size=3, max_size=3), min_size=1, max_size=4))
@pytest.mark.slow
def test_tables_keep_their_columns(rows: list[list[str]]) -> None:
    lines = layout.table(["a", "b", "c"], rows, "lr").split("\n")
    assert len(lines) == len(rows) + 2
    said = [at for at in range(3) if at == 0 or any(row[at].strip() for row in rows)]  # empty columns are left out
    for line in lines:
        assert line.replace("\\|", "").count("|") == 1 + len(said)


def test_tables_read_as_text() -> None:
    assert layout.table(["", "value"], [["a", "1"], ["long | name", "22.5"]], "lr").splitlines() == [
        "|  | value |",
        "|---|--:|",
        "| a | 1 |",
        "| long \\| name | 22.5 |",
    ]


def test_a_column_that_says_nothing_is_left_out_and_a_unit_stands_in_the_header() -> None:
    rows = [["a", "28.7 days", "", "x", "–", "1 GB"], ["b", "1,200 days", "", "x", "**3 USD**", "9 s"]]
    assert layout.table(["", "time", "empty", "same", "cost", ""], rows, differing=True, units=True).splitlines() == [
        "|  | time, days | cost, USD |  |",
        "|---|---|---|---|",
        "| a | 28.7 | – | 1 GB |",
        "| b | 1,200 | **3** | 9 s |",
    ]


def test_a_row_has_its_unit_in_the_label() -> None:
    assert layout.cells("time", "28.73 days", "24.99 .. 34.48 days", "≤", "30 days") == [
        "time ≤ 30 days",
        "28.7",
        "25 – 34.5",
    ]
    assert layout.cells("time", "28.73 days", "24.99 .. 34.48 days") == ["time, days", "28.7", "25 – 34.5"]
    assert layout.cells("time", "28.73 days", "23 hours .. 34.48 days") == ["time", "28.7 days", "23 hours – 34.5 days"]
    assert layout.cells("mfu", "41.25%", "", "≥", "40%") == ["mfu ≥ 40%", "41.2%", ""]


@pytest.mark.parametrize(
    ("text", "brief", "rough"),
    [
        ("184,676 USD", "184,676 USD", "185,000 USD"),
        ("24.99 .. 34.48 days", "25 .. 34.5 days", "25 .. 34.5 days"),
        ("4.124e22 FLOP", "4.12 × 10²² FLOP", "4.12 × 10²² FLOP"),
        ("0.0003", "3e-4", "3e-4"),
        ("66,192 GPU*hour", "66,192 GPU-hours", "66,200 GPU-hours"),
        ("A100-SXM4-80GB", "A100-SXM4-80GB", "A100-SXM4-80GB"),
        ("124,610,577 USD", "124,610,577 USD", "125M USD"),
        ("-1.234 days", "-1.23 days", "-1.23 days"),
    ],
)
def test_numbers_are_shortened(text: str, brief: str, rough: str) -> None:
    assert (rounding.brief(text), rounding.rough(text)) == (brief, rough)


@given(TEXTS, st.integers(1, 60))
def test_a_text_is_cut_to_its_length(text: str, most: int) -> None:
    assert len(rounding.cut(text, most)) <= most + 1


@given(st.lists(TEXTS, max_size=6), st.integers(0, 40))
def test_a_document_is_bounded(sections: list[str], lines: int) -> None:
    document = "# title\n" + "".join(f"## {at}\n\n{text}\n" for at, text in enumerate(sections))
    assert layout.within(document, 9_999, 99_999) == document
    short = layout.within(document, lines + 4, 99_999)
    assert short.startswith("# title\n") and (short.count("\n") <= lines + 4 or "## 0" not in short)


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
