"""Where statements end, what comments belong to, and what line ends look like."""

from __future__ import annotations

import pytest

from llmplan.source import Source
from llmplan.syntax import parse


def read(text):
    file, diagnostics = parse(Source("x.plan", text))
    assert diagnostics == []
    return file


@pytest.mark.parametrize(
    "head", ["+ b", "- b", "* b", "/ b", "^ b", "< b", "<= b", "== b", "!= b", ">= b", "> b", "and b", "or b", "in [b]"]
)  # fmt: skip
def test_a_line_that_begins_with_an_operator_carries_on(head):
    assert read(f"require a\n    {head}") == read(f"require a {head}")
    assert read(f"require a\n{head}\nx = 3") == read(f"require a {head}\nx = 3")


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("x\n    = 3", "x = 3"),
        ("x = 1\n .. 3", "x = 1 .. 3"),
        ("x = if a\n then b\n else c", "x = if a then b else c"),
        ('require a\n when b\n because "c"', 'require a when b because "c"'),
        ("prefer a\n weight 2", "prefer a weight 2"),
        ('emit a\n into "b"', 'emit a into "b"'),
        ("x = match a { 0\n => 1 }", "x = match a { 0 => 1 }"),
        ("x = ?\n in [1]", "x = ? in [1]"),
        ("x = f(\n  a\n  ,\n  b\n)", "x = f(a, b)"),
        ("x = [\n1,\n\n# c\n2\n]", "x = [1, 2]"),
        ("pareto a,\n\n  b", "pareto a, b"),
        ("x = (match a {\n 0 => 1\n 1 => 2\n})", "x = (match a { 0 => 1, 1 => 2 })"),
        ("x = (match a { 0 => f(\n1\n),\n 1 => 2 })", "x = (match a { 0 => f(1), 1 => 2 })"),
        ("x = a\n# c\n\n   # d\n  + b", "x = a + b"),
        ("x = a # c\n  + b # d", "x = a + b"),
        ("h { a = 1,\n b = 2,\n}", "h { a = 1, b = 2 }"),
        ("h {\n\n a = 1\n\n\n b = 2 }", "h { a = 1, b = 2 }"),
        ("@cite(\n\"a\"\n)\n\nunit x", '@cite("a") unit x'),
        ("fn f() -> Int {\n let a = 1\n a\n}", "fn f() -> Int { let a = 1, a }"),
    ],
)  # fmt: skip
def test_a_statement_over_several_lines(broken, whole):
    assert read(broken) == read(whole)


@pytest.mark.parametrize("text", ["weight = 3\ninto = 4", "x = a\nweight = 3", "x = a\ninto = 3", "x = 3\nstep = 4"])
def test_words_in_their_place_begin_statements(text):
    assert len(read(text).statements) == 2


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks(end, mark):
    text = mark + end.join(["## d", "x = 3 # c", "", "h {", "  a = 1", "}", "y = a", "  + b", ""])
    file = read(text)
    assert len(file.statements) == 3 and file.statements[0].doc == "d"
    assert [c.text for c in file.comments] == ["## d", "# c"]
    assert [s.span.line for s in file.statements] == [2, 4, 7]


@pytest.mark.parametrize("text", ["", "\n", "\r\n\r\n", "# a", "# a\n", "  \n\t\n # a\n\n", "\ufeff", "   "])
def test_nothing(text):
    assert read(text).statements == ()


def test_all_comments_are_kept():
    text = (
        "# 1\n\n#2\nx = a # 3\n  # 4\n  + b # 5\n\n# 6\nh { # 7\n  # 8\n  a = 1, # 9\n  # 10\n}\n"
        "y = f( # 11\n  # 12\n  a,\n # 13\n)\n# 14\n- c\n# 15"
    )
    comments = read(text).comments
    assert [c.text.lstrip("# ") for c in comments] == [str(i) for i in range(1, 16)]
    assert [c.span.text for c in comments] == [c.text for c in comments]
    beside = {"3", "5", "7", "9", "11"}
    assert {c.text.lstrip("# ") for c in comments if not c.own_line} == beside


def test_docs():
    file = read(
        "## first\n"
        "model \"x\"\n"
        "## far\n"
        "\n"
        "## one\n"
        "# not this\n"
        "##   two\n"
        "##\n"
        "## three\n"
        "### nor this\n"
        '@cite("a")\n'
        "unit a\n"
        "kind k { ## beside\n"
        "  ## of a\n"
        "  a: Int\n"
        "  b: Int, ## beside too\n"
        "  ## of c\n"
        "  c: Int\n"
        "}\n"
        "enum e {\n"
        "  ## of x\n"
        "  x\n"
        "}\n"
        "h {\n"
        "  ## of y\n"
        "  y = 1\n"
        "}\n"
    )  # fmt: skip
    model, unit, kind, enum, block = file.statements
    assert model.doc == "first"
    assert unit.doc == "one\n  two\n\nthree"
    assert kind.doc == "" and [f.doc for f in kind.fields] == ["of a", "", "of c"]
    assert [m.doc for m in enum.members] == ["of x"]
    assert block.fields[0].doc == "of y"
