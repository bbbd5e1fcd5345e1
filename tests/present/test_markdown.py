"""Tables and documents in Markdown: rows keep their columns, a unit is said once, a document is bounded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmplan.present.blocks import Code, Column, Figure, Line, Prose, Rows, Section, Strong, cut, line, plain, shortened
from llmplan.present.markdown import markdown, within

TEXTS = st.text(max_size=40)


def table(header: list[str], rows: list[list[Line]], align: str = "lll", **more: bool) -> list[str]:
    columns = tuple(Column(line(name), side) for name, side in zip(header, align.ljust(len(header), "l"), strict=False))
    block = Rows("table", columns, tuple(map(tuple, rows)), **more)
    return markdown(Section("", (block,)), ("table",)).splitlines()


@given(st.lists(st.lists(TEXTS, min_size=3, max_size=3), min_size=1, max_size=4))
@pytest.mark.slow
def test_tables_keep_their_columns(rows: list[list[str]]) -> None:
    lines = table(["a", "b", "c"], [[line(cell) for cell in row] for row in rows], "lrl")
    assert len(lines) == len(rows) + 2
    said = [place for place in range(3) if place == 0 or any(row[place].strip() for row in rows)]
    for text in lines:
        assert text.replace("\\|", "").count("|") == 1 + len(said)


def test_tables_read_as_text() -> None:
    rows = [[line("a"), line("1")], [line("long | name"), line("22.5")]]
    assert table(["", "value"], rows, "lr") == [
        "|  | value |",
        "|---|--:|",
        "| a | 1 |",
        "| long \\| name | 22.5 |",
    ]


def test_a_column_that_says_nothing_is_left_out_and_a_unit_stands_in_the_header() -> None:
    usd = line(Strong(line(Figure("3", "USD"))))
    rows = [
        [line("a"), line(Figure("28.7", "days")), (), line("x"), line("–"), line(Figure("1", "GB"))],
        [line("b"), line(Figure("1,200", "days")), (), line("x"), usd, line(Figure("9", "s"))],
    ]
    assert table(["", "time", "empty", "same", "cost", ""], rows, differing=True, units=True) == [
        "|  | time, days | cost, USD |  |",
        "|---|---|---|---|",
        "| a | 28.7 | – | 1 GB |",
        "| b | 1,200 | **3** | 9 s |",
    ]


def test_text_is_escaped_and_code_is_code() -> None:
    prose = Prose("said", (line("a_b [x](y) ", Code("c`d"), " @me ", Strong(line("*b* *c*"))),))
    assert markdown(Section("A & B", (prose,)), ("said",)) == (
        "## A & B\n\na_b \\[x\\](y) ``c`d`` `@me` **\\*b\\* \\*c\\***\n"
    )


def test_a_section_without_a_shown_block_is_empty() -> None:
    assert markdown(Section("A", (Prose("said", (line("a"),)),)), ("other",)) == ""


@given(TEXTS, st.integers(1, 60))
def test_a_text_is_cut_to_its_length(text: str, most: int) -> None:
    assert len(cut(text, most)) <= most + 1


@given(st.lists(st.one_of(TEXTS, TEXTS.map(Code)), max_size=4), st.integers(1, 60))
def test_a_line_is_cut_to_its_length(parts: list[str | Code], most: int) -> None:
    whole = line(*parts)
    short = shortened(whole, most)
    assert len(plain(short)) <= most + 1
    assert short == whole or plain(short).rstrip("`").endswith("…")


@given(st.lists(TEXTS, max_size=6), st.integers(0, 40))
def test_a_document_is_bounded(sections: list[str], lines: int) -> None:
    document = "# title\n" + "".join(f"## {number}\n\n{text}\n" for number, text in enumerate(sections))
    assert within(document, 9_999, 99_999) == document
    short = within(document, lines + 4, 99_999)
    assert short.startswith("# title\n") and (short.count("\n") <= lines + 4 or "## 0" not in short)
