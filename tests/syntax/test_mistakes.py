"""Each mistake: its code, the place it is shown at, and what would mend it."""

from __future__ import annotations

import re

import pytest

from llmplan.source import Source
from llmplan.syntax import parse
from llmplan.syntax.examples import EXAMPLES


def mistakes(text):
    _, diagnostics = parse(Source("x.plan", text))
    return diagnostics


def mended(text, diagnostic):
    """The text with the edits of the first hint made."""
    edits = diagnostic.hints[0].edits
    assert edits
    for edit in sorted(edits, key=lambda edit: -edit.span.start):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


# Text, code, line, column, what stands at the place, words of the message, label or hints.
CASES = [
    # unfinished
    ("m {\n  layers = 3 +\n}", "E0101", 2, 14, "+", "expected a value"),
    ("x = 3 +\n    4\ny = 5", "E0101", 1, 7, "+", "start the next line with `+`"),
    ("x =\ny = 3", "E0101", 1, 3, "=", "after `=`"),
    ("x = 3 *", "E0101", 1, 7, "*", "expected a value"),
    ("x = ? in\n  [1, 2]", "E0101", 1, 7, "in", "start the next line with `in`"),
    ("require a <= b and", "E0101", 1, 16, "and", "expected a value"),
    ("require a because", "E0101", 1, 11, "because", "expected text in quotes"),
    ("x = if a then b", "E0101", 1, 15, "b", "expected `else`"),
    ("x = (3 + )", "E0101", 1, 8, "+", "expected a value"),
    ("x = f(a, , b)", "E0101", 1, 8, ",", "expected a value"),
    ("let", "E0101", 1, 1, "let", "expected a name"),
    ('@cite("a")', "E0101", 1, 10, ")", "expected a declaration"),
    ("fn f(x: Int) -> Int { }", "E0101", 1, 23, "}", "has no value"),
    ("fn f(x: Int) -> Int {\n  let a = x\n  -a\n}", "E0101", 4, 1, "}", "begins with `-` continues"),
    ("enum e { }", "E0101", 1, 8, "{", "expected a name"),
    # commas in numbers
    ("m {\n  hidden = 4,096\n}", "E0102", 2, 13, ",", "`4_096` or `4096`"),
    ("x = 1,024,000", "E0102", 1, 6, ",", "`1_024_000`"),
    ("x = [2,048, 1]", "E0102", 1, 7, ",", "`2_048`"),
    # unclosed
    ("h {\n  a = 1\n\n\nd { b = 2 }", "E0103", 1, 3, "{", "after line 2, where the indentation ends"),
    ("h {\n  a = 1\nrequire a <= b", "E0103", 1, 3, "{", "a new statement begins at line 3"),
    ("h {\n  a = 1\n", "E0103", 1, 3, "{", "the file ends at line 2"),
    ("h {\n  a = 1\nx.y = 3\nminimize z", "E0103", 1, 3, "{", "after line 2"),
    ("x = (3 + 4\ny = 5", "E0103", 1, 5, "(", "a `)` is probably missing"),
    ("x = [3,\n  4\ny = 5", "E0103", 1, 5, "[", "a `]` is probably missing"),
    ("x = (3 + 4", "E0103", 1, 5, "(", "never closed"),
    # unknowns
    ("require time <= ? days", "E0104", 1, 17, "?", "name it"),
    ("x = ? + 1", "E0104", 1, 5, "?", "whole right-hand side"),
    ("x = 1 + ?", "E0104", 1, 9, "?", "whole right-hand side"),
    ("x = ? [1, 2]", "E0104", 1, 5, "?", "write `in` before its domain"),
    ("x = ? GPUs", "E0104", 1, 5, "?", "no unit of its own"),
    # money
    ("g {\n  price = $2.50\n}", "E0105", 2, 11, "$", "`2.50 USD`"),
    ("x = €3", "E0105", 1, 5, "€", "`3 EUR`"),
    # operators
    ("require cost =< 3", "E0106", 1, 14, "=<", "write `<=`"),
    ("require cost => 3", "E0106", 1, 14, "=>", "write `>=`"),
    ("require cost = 3", "E0106", 1, 14, "=", "compare with `==`"),
    ("require x: cost = 3", "E0106", 1, 17, "=", "compare with `==`"),
    ("require cost <> 3", "E0106", 1, 14, "<>", "write `!=`"),
    ("require cost === 3", "E0106", 1, 14, "===", "write `==`"),
    ("require a && b", "E0106", 1, 11, "&&", "write `and`"),
    ("require a || b", "E0106", 1, 11, "||", "write `or`"),
    ("require !a", "E0106", 1, 9, "!", "write `not`"),
    ("x = a ** 2", "E0106", 1, 7, "**", "write `^`"),
    ("x = a % 2", "E0106", 1, 7, "%", "mod(a, b)"),
    ("x = if a = b then c else d", "E0106", 1, 10, "=", "compare with `==`"),
    # reserved words
    ("require = 3", "E0107", 1, 1, "require", "after a dot"),
    ("let if = 3", "E0107", 1, 5, "if", "reserved word"),
    ("x = 3 + if a then b else c", "E0107", 1, 9, "if", "in parentheses"),
    ("x = 3 if a", "E0107", 1, 7, "if", "not a unit"),
    ("fn f(a: match) -> Int = a", "E0107", 1, 9, "match", "reserved word"),
    # limits
    ("x = " + "(" * 101 + "1" + ")" * 101, "E0108", 1, 105, "(", "more than 100 deep"),
    ("x = " + "-" * 101 + "1", "E0108", 1, 5, "-", "more than 100 deep"),
    ("x = 1e999999999", "E0108", 1, 5, "1e999999999", "larger than 300"),
    ("x = 1e301", "E0108", 1, 5, "1e301", "larger than 300"),
    ("x = 1" + "0" * 300, "E0108", 1, 5, "1" + "0" * 300, "300 digits"),
    # elsewhere
    ('model "x"\n{\n  a = 1\n}', "E0109", 2, 1, "{", "end of the line above"),
    ("hardware\n{\n  a = 1\n}", "E0109", 2, 1, "{", "end of the line above"),
    ("x = a\n[1]", "E0109", 2, 1, "[", "end of the line above"),
    ("x = 3, y = 4", "E0109", 1, 6, ",", "one statement per line"),
    ("requier a <= b", "E0109", 1, 1, "requier", "did you mean `require`?"),
    ("minimise x", "E0109", 1, 1, "minimise", "did you mean `minimize`?"),
    ("x = a b", "E0109", 1, 7, "b", "missing operator"),
    ('require a <= 3 days becuase "b"', "E0109", 1, 21, "becuase", "did you mean `because`?"),
    ('require a <= 3 becuase "b"', "E0109", 1, 16, "becuase", "did you mean `because`?"),
    ("x = 3 + 4)", "E0109", 1, 10, ")", "unmatched"),
    ("}", "E0109", 1, 1, "}", "unmatched"),
    ("x = 1.", "E0109", 1, 5, "1.", "`1.0`"),
    ("x = .5", "E0109", 1, 5, ".5", "`0.5`"),
    ("h {\n  let x = 3\n}", "E0109", 2, 3, "let", "inside a block"),
    ("use base", "E0109", 1, 5, "base", 'write `"base"`'),
    ("quantity x = 3", "E0109", 1, 12, "=", "`:` and a type"),
    ("sweep x = 3", "E0109", 1, 9, "=", "expected `in`"),
    ("x = match y { 0 = 1 }", "E0109", 1, 17, "=", "expected `=>`"),
    ("h {\n  a = = 3\n}", "E0109", 2, 7, "=", "expected a value"),
    # characters and texts
    ('x = "abc\ny = 3', "E0110", 1, 5, '"', "never closed"),
    (r'x = "a\q"', "E0110", 1, 7, r"\q", "not an escape"),
    ('x = "{a"', "E0110", 1, 6, "{", "never closed"),
    ("x = “a”", "E0110", 1, 5, "“", "left double quotation mark"),
    ("x = 3 × 4", "E0110", 1, 7, "×", "write `*`"),
    ("require a ≤ b", "E0110", 1, 11, "≤", "write `<=`"),
    ("x = 3;", "E0110", 1, 6, ";", "its own line"),
    ("x = 1\0", "E0110", 1, 6, "\0", "U+0000"),
    ("x = 1\xa0", "E0110", 1, 6, "\xa0", "no-break space"),
    ("# \ud800", "E0110", 1, 3, "\ud800", "U+D800"),
    ("x = 1\ry = 2", "E0110", 1, 6, "\r", "U+000D"),
    # the version
    ("language 2\nx = 3", "E0111", 1, 10, "2", "language 1"),
    ("x = 3\nlanguage 1", "E0111", 2, 1, "language 1", "first statement"),
    # a name in a unit
    ("x = 640 GB/hardware.gpus", "E0205", 1, 12, "hardware.gpus", "`640 GB / hardware.gpus`"),
]


@pytest.mark.parametrize(("text", "code", "line", "column", "place", "words"), CASES)
def test_mistake(text, code, line, column, place, words):
    found = mistakes(text)
    assert len(found) == 1
    diagnostic = found[0]
    assert diagnostic.span is not None
    assert (diagnostic.code, diagnostic.span.line, diagnostic.span.column) == (code, line, column)
    assert diagnostic.span.text == place
    said = [
        diagnostic.message,
        diagnostic.label,
        *diagnostic.notes,
        *(hint.text for hint in diagnostic.hints),
    ]
    assert any(words in text for text in said), said
    assert not re.search(r"[A-Z]{4}|_NL|ANON|\n", re.sub(r"`[^`]*`|U\+\w+", "", diagnostic.message + diagnostic.label))
    assert diagnostic.message[0] not in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" and not diagnostic.message.endswith(".")


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("require cost =< 3", "require cost <= 3"),
        ("require cost = 3", "require cost == 3"),
        ("require a && b", "require a and b"),
        ("x = [2,048, 1]", "x = [2_048, 1]"),
        ("x = 640 GB/hardware.gpus", "x = 640 GB / hardware.gpus"),
        ("requier a <= b", "require a <= b"),
        ("x = .5", "x = 0.5"),
        ("use base", 'use "base"'),
    ],
)
def test_an_edit_mends_it(text, after):
    (diagnostic,) = mistakes(text)
    assert mended(text, diagnostic) == after
    assert mistakes(after) == []


def test_several_mistakes_and_what_is_left():
    text = (
        "model {\n"
        "    layers = 3 +\n"
        "    hidden = 4,096\n"
        "    heads  = 32\n"
        "}\n"
        "requier a <= b\n"
        "hardware { gpus = 8, price = $2 }\n"
        "let x = y z\n"
        "scenario \"s\" {\n"
        "    a = = 1\n"
        "    b = 2\n"
        "}\n"
        "minimize cost\n"
    )  # fmt: skip
    file, diagnostics = parse(Source("x.plan", text))
    assert [(d.code, d.span.line) for d in diagnostics] == [
        ("E0101", 2), ("E0102", 3), ("E0109", 6), ("E0105", 7), ("E0109", 8), ("E0109", 10)
    ]  # fmt: skip
    model, hardware, scenario, objective = file.statements
    assert [f.name.text for f in model.fields] == ["hidden", "heads"]
    assert [f.name.text for f in hardware.fields] == ["gpus"]
    assert [s.target.text for s in scenario.settings] == ["b"]
    assert objective.sense == "minimize"


def test_a_block_that_is_not_closed_keeps_its_fields():
    file, (diagnostic,) = parse(Source("x", "h {\n  a = 1\n  b = 2\n\nd { c = 3 }\nx = 4"))
    assert diagnostic.code == "E0103"
    assert [[f.name.text for f in s.fields] for s in file.statements[:2]] == [["a", "b"], ["c"]]
    assert len(file.statements) == 3
    file, (diagnostic,) = parse(Source("x", "h {\n  a = 1\n  b = 2"))
    assert [f.name.text for f in file.statements[0].fields] == ["a", "b"]


def test_at_most_twenty():
    assert len(mistakes("let if = 3\n" * 100)) == 20
    assert len(mistakes("x = = 3\n" * 100)) == 20


def test_one_error_a_line():
    assert len(mistakes("h { a = $3, b = €4, let = 3 }")) == 1


@pytest.mark.parametrize(("word", "example"), [(word, e) for word, found in EXAMPLES.items() for e in found])
def test_the_examples_parse(word, example):
    assert example.startswith(word)
    assert not parse(Source("x", example))[1]
