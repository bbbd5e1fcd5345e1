"""Each renderer against its golden file, and what must hold of every format."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from llmplan.diagnostics import (
    Diagnostic,
    Label,
    render_github,
    render_json,
    render_sarif,
    render_text,
    syntax,
)
from llmplan.source import Source, Span
from tests.diagnostics.records import CASES, PLAN, at, error

GOLDEN = Path(__file__).parent / "golden"


def text_of_all() -> str:
    return "\n".join(f"### {name}\n{render_text.render([case])}" for name, case in CASES.items())


def log_without_pages() -> str:
    """The SARIF log without the texts of the pages, so that editing a page does not change it."""
    log = json.loads(render_sarif.render(CASES.values()))
    for rule in log["runs"][0]["tool"]["driver"]["rules"]:
        rule.pop("help", None)
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize(
    ("file", "render"),
    [
        ("text.txt", text_of_all),
        ("colour.txt", lambda: render_text.render([CASES["two labels on a line"]], colour=True)),
        ("records.json", lambda: render_json.render(CASES.values())),
        ("log.sarif", log_without_pages),
        ("github.txt", lambda: render_github.render(CASES.values())),
    ],
)
def test_golden(file, render):
    path = GOLDEN / file
    if os.environ.get("LLMPLAN_UPDATE"):
        path.write_text(render(), encoding="utf-8")
    assert render() == path.read_text(encoding="utf-8")


def test_nothing_renders_to_nothing():
    assert render_text.render([]) == render_github.render([]) == ""
    assert json.loads(render_json.render([])) == {"schema": 1, "diagnostics": []}


def test_two_diagnostics_are_apart():
    text = render_text.render([error("E0101", "one"), error("E0102", "two")])
    assert text == "error[E0101]: one\n\nerror[E0102]: two\n"


def test_no_control_character_reaches_the_terminal():
    source = Source("a\x1b]0;b\x07.plan", "let \x00\x1b[2J\x7f\x85\u202e\ud800 = 3\n")
    diagnostic = error("E0101", "a\rb\x1b", Span(source, 0, len(source.text)), "\x1b", notes=("\x9b",))
    assert (
        re.findall(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", render_text.render([diagnostic])) == []
    )


def test_no_trailing_blanks():
    assert all(line == line.rstrip() for line in text_of_all().splitlines())


def test_marks_stand_under_their_text():
    """The column where the marks begin is that of the text, by display width."""
    block = render_text.render([CASES["tabs, wide and control characters"]]).splitlines()
    line, marks = block[3:5]
    # Two wide characters before the mark take two columns more than they have characters.
    assert marks.index("^") == line.index("4 GB") + 2


@pytest.mark.parametrize("column", [0, 5_000, 499_990])
def test_a_very_long_line_is_cut_around_the_mark(column):
    source = Source("a.plan", "x" * column + "HERE" + "y" * (500_000 - column))
    text = render_text.render([error("E0101", "m", Span(source, column, column + 4), "label")])
    line, marks = text.splitlines()[3:5]
    assert len(line) < 160
    assert line.index("HERE") == marks.index("^^^^")


def test_a_span_over_the_whole_of_a_large_text():
    source = Source("a.plan", "let a = 1\n" * 100_000)
    text = render_text.render([error("E0101", "m", Span(source, 0, len(source.text)), "all")])
    assert len(text.splitlines()) < 20


def test_labels_in_the_same_place():
    text = render_text.render([error("E0101", "m", at("cost"), "one", (Label(at("cost"), "two"),))])
    assert "one" in text and "two" in text


def test_every_span_of_a_text_renders():
    source = Source("a.plan", "a\r\n\tb 予\n\n  c")
    for start in range(len(source.text) + 1):
        for end in range(start, len(source.text) + 1):
            text = render_text.render([error("E0101", "m", Span(source, start, end), "label")])
            assert text.count("label") == 1 and "^" in text


def test_json_has_the_promised_fields():
    record = json.loads(render_json.render([CASES["two labels on a line"]]))["diagnostics"][0]
    promised = {
        "code": "E0301",
        "severity": "error",
        "message": "money and time cannot be compared",
        "file": PLAN.name,
        "line": 6,
        "column": 17,
        "end_line": 6,
        "end_column": 21,
        "hints": ["did you mean `time <= 30 days`?"],
    }
    assert {key: record[key] for key in promised} == promised
    assert record["edits"] == [
        [{"file": PLAN.name, "line": 6, "column": 17, "end_line": 6, "end_column": 21, "text": "time"}]
    ]


def test_json_without_a_place():
    record = json.loads(render_json.render([CASES["no place"]]))["diagnostics"][0]
    assert record["file"] is record["line"] is record["end_column"] is None


def test_sarif_names_rules_by_index_and_has_fixes():
    log = json.loads(render_sarif.render(CASES.values()))
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert log["version"] == "2.1.0" and run["tool"]["driver"]["name"] == "llmplan"
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        for location in result["locations"]:
            assert location["physicalLocation"]["artifactLocation"]["uri"] == "plans/a%20plan.plan"
            assert location["physicalLocation"]["region"]["startLine"] >= 1
    (fix,) = run["results"][0]["fixes"]
    assert fix["artifactChanges"][0]["replacements"][0]["insertedContent"] == {"text": "time"}


def test_github_commands_are_one_line_each_and_escaped():
    lines = render_github.render(CASES.values()).splitlines()
    assert len(lines) == len(CASES)
    warning = next(line for line in lines if line.startswith("::warning"))
    assert warning.endswith("::100%25, sure: `gb`%0A`80 GiB`?")
    assert next(line for line in lines if line.startswith("::notice")).startswith(
        "::notice file=plans/a plan.plan,line=6"
    )


def test_github_without_a_place():
    diagnostic = Diagnostic("E0507", "error", "missing")
    assert render_github.render([diagnostic]) == "::error title=E0507::missing\n"


def test_a_mark_behind_the_end_of_a_long_line_without_a_line_end():
    source = Source("plan", "a" * 500)
    found = Diagnostic("E0101", "error", "unfinished", Span(source, 500, 500), "expected more")
    assert render_text.render([found]).splitlines()[-1].endswith("^ expected more")


def test_a_message_quotes_no_empty_word():
    nothing = Span(Source("x", "let x\n"), 6, 6)
    assert syntax.unfinished_statement(nothing, "a value").message == "unfinished statement"


def test_labels_of_one_place_are_told_once_and_all_that_fit_are_shown() -> None:
    text = "x" * 60 + ' "first": 1, ' + "y" * 70 + ' "last": 2 ' + "z" * 60
    source = Source("a.json", text)
    first, last = (Span(source, at, at + 6) for at in (text.index('"first"'), text.index('"last"')))
    other = Label(first, "with this")
    shown = render_text.render([Diagnostic("E0510", "error", "no", last, "this", others=(other, other))])
    assert "|ith this" not in shown and shown.count("with this") == 1 and '"last"' in shown and '"first"' in shown
