"""Formulas typeset from the tree."""

from __future__ import annotations

import re

import pytest
from generator import latex

from llmplan.check.library import library_files
from llmplan.source import Source
from llmplan.syntax import nodes
from llmplan.syntax.parse import parse, parse_value


def typeset(text: str) -> str:
    node, problems = parse_value(Source("formula", text))
    assert node is not None and not problems, problems
    return latex.expression(node)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("time", r"\mathrm{time}"),
        ("memory.total", r"\mathrm{memory}_{\mathrm{total}}"),
        ("training.global_batch.token", r"\mathrm{training}_{\mathrm{global\_batch.token}}"),
        ("1_000_000", r"1{,}000{,}000"),
        ("7.5B params", r"7.5 \times 10^{9}\,\mathrm{params}"),
        ("1.4e12", r"1.4 \times 10^{12}"),
        ("8Ki tokens", r"8 \times 2^{10}\,\mathrm{tokens}"),
        ("40%", r"40\%"),
        ("6 FLOP/token^2", r"6\,\mathrm{FLOP/token^{2}}"),
        ("3 GPU*hour", r"3\,\mathrm{GPU \cdot hour}"),
        ("2 * 3", r"2 \cdot 3"),
        ("a * b / c", r"\frac{\mathrm{a} \cdot \mathrm{b}}{\mathrm{c}}"),
        ("a / b / c", r"\frac{\mathrm{a}}{\mathrm{b} \cdot \mathrm{c}}"),
        ("a / b * c", r"\frac{\mathrm{a}}{\mathrm{b}} \cdot \mathrm{c}"),
        ("a / b * c / d", r"\frac{\mathrm{a}}{\mathrm{b}} \cdot \frac{\mathrm{c}}{\mathrm{d}}"),
        ("a / (b * c)", r"\frac{\mathrm{a}}{\mathrm{b} \cdot \mathrm{c}}"),
        ("a / (b / c)", r"\frac{\mathrm{a}}{\frac{\mathrm{b}}{\mathrm{c}}}"),
        ("(a + b) / c", r"\frac{\mathrm{a} + \mathrm{b}}{\mathrm{c}}"),
        ("a * (b + c)", r"\mathrm{a} \cdot \left( \mathrm{b} + \mathrm{c} \right)"),
        ("a - (b - c)", r"\mathrm{a} - \left( \mathrm{b} - \mathrm{c} \right)"),
        ("a - b + c", r"\mathrm{a} - \mathrm{b} + \mathrm{c}"),
        ("-x^2", r"-{\mathrm{x}}^{2}"),
        ("x^(a + b)", r"{\mathrm{x}}^{\mathrm{a} + \mathrm{b}}"),
        ("(a + b)^2", r"{\left( \mathrm{a} + \mathrm{b} \right)}^{2}"),
        ("(2 GB)^2", r"{\left( 2\,\mathrm{GB} \right)}^{2}"),
        ("min(a, b)", r"\min\left( \mathrm{a}, \mathrm{b} \right)"),
        ("ceil(a / b)", r"\left\lceil \frac{\mathrm{a}}{\mathrm{b}} \right\rceil"),
        ("floor((a))", r"\left\lfloor \mathrm{a} \right\rfloor"),
        ("abs(a)", r"\left\lvert \mathrm{a} \right\rvert"),
        ("sqrt(a + 1)", r"\sqrt{\mathrm{a} + 1}"),
        ("log2(a)", r"\log_{2}\left( \mathrm{a} \right)"),
        ("round(a)", r"\mathrm{round}\left( \mathrm{a} \right)"),
        ("a <= b < 3", r"\mathrm{a} \le \mathrm{b} < 3"),
        ("a != b and not c", r"\mathrm{a} \ne \mathrm{b} \text{ and } \text{not } \mathrm{c}"),
        ("a or b", r"\mathrm{a} \text{ or } \mathrm{b}"),
        ("a in [x, y]", r"\mathrm{a} \in \left\{ \mathrm{x}, \mathrm{y} \right\}"),
        ("a in 1..8 step 2", r"\mathrm{a} \in 1 \ldots 8\text{ step } 2"),
        (
            "if a then 1 else if b then 2 else 3",
            r"\begin{cases} 1 & \text{if } \mathrm{a} \\ 2 & \text{if } \mathrm{b} \\ 3 & \text{otherwise} \end{cases}",
        ),
        (
            "match x { a => 1, _ => 2 }",
            r"\begin{cases} 1 & \text{if } \mathrm{x} = \mathrm{a} \\ 2 & \text{otherwise} \end{cases}",
        ),
        ("2 * match x { _ => 1 }", r"2 \cdot \left( \begin{cases} 1 & \text{otherwise} \end{cases} \right)"),
        (
            "sum(f[s, t] for s in A, t in B)",
            (
                r"\sum_{\mathrm{s} \in \mathrm{A},\, \mathrm{t} \in \mathrm{B}} "
                r"\mathrm{f}\left[ \mathrm{s}, \mathrm{t} \right]"
            ),
        ),
        ("max(a for s in A)", r"\max_{\mathrm{s} \in \mathrm{A}} \left( \mathrm{a} \right)"),
        ('"50% {a} & b_c"', r"\text{50\% \{a\} \& b\_c}"),
        ("true", r"\mathrm{true}"),
        ("? in [1, 2]", r"? \in \left[ 1, 2 \right]"),
        ("1..2..3", r"1 \ldots 2 \ldots 3"),
    ],
)
def test_each_form(text, expected):
    assert typeset(text) == expected


def test_truth_values_are_not_equations():
    node, _ = parse_value(Source("formula", "a == b"))
    assert latex.definition("x", node) == r"x \iff \mathrm{a} = \mathrm{b}"


def test_a_long_sum_is_broken_before_a_term():
    node, _ = parse_value(Source("formula", " + ".join(f"some_long_name_{i}" for i in range(8))))
    lines = latex.definition("x", node).splitlines()
    assert lines[0] == r"\begin{aligned}" and lines[-1] == r"\end{aligned}" and len(lines) > 3
    assert lines[1].startswith("x &= ") and all(line.startswith(r"&\quad + ") for line in lines[2:-1])


def test_lets_stand_below_the_result():
    tree, _ = parse(Source("f", "fn f(a: Real) -> Real {\n    let b = a + 1\n    let c = b\n    b * c\n}\n"))
    fn = tree.statements[0]
    assert isinstance(fn, nodes.Fn)
    assert latex.definition("f", fn.body.value, fn.body.lets).splitlines()[1:-1] == [
        r"f &= \mathrm{b} \cdot \mathrm{c} \\",
        r"&\quad \text{where } \mathrm{b} = \mathrm{a} + 1 \\",
        r"&\quad \text{and } \mathrm{c} = \mathrm{b}",
    ]


_EXPRESSIONS = nodes.Expr.__args__


def all_formulas() -> list[str]:
    found = []
    for path, text in library_files().items():
        for statement in parse(Source(path, text))[0].statements:
            found += [latex.display(node) for node in nodes.walk(statement) if isinstance(node, _EXPRESSIONS)]
    return found


@pytest.mark.slow
def test_every_expression_of_the_library_is_balanced():
    formulas = all_formulas()
    assert len(formulas) > 1000
    for formula in formulas:
        plain = re.sub(r"\\[{}\\]", "", formula)
        depth = 0
        for character in plain:
            depth += {"{": 1, "}": -1}.get(character, 0)
            assert depth >= 0, formula
        assert depth == 0, formula
        assert formula.count(r"\left") == formula.count(r"\right"), formula
        for environment in ("cases", "aligned"):
            assert formula.count(rf"\begin{{{environment}}}") == formula.count(rf"\end{{{environment}}}"), formula


@pytest.mark.slow
def test_only_commands_that_a_code_host_knows():
    known = {
        "mathrm", "frac", "cdot", "left", "right", "text", "begin", "end", "quad", "min", "max", "ln", "exp", "log",
        "sqrt", "lceil", "rceil", "lfloor", "rfloor", "lvert", "rvert", "le", "ge", "ne", "in", "sum", "ldots",
        "times", "iff", "wedge", "backslash",
    }  # fmt: skip
    used = {command for formula in all_formulas() for command in re.findall(r"\\([a-zA-Z]+)", formula)}
    assert used <= known
