"""Each rule of the grammar, from text to node."""

from __future__ import annotations

from fractions import Fraction

import pytest
from attrs import fields

from llmplan.source import Source
from llmplan.syntax import nodes as n
from llmplan.syntax import parse, parse_value

EXAMPLE = """\
## How many A100s train LLaMA-7B on one trillion tokens in 30 days?
model "llama-7b"

dataset {
    tokens          = 1T
    sequence_length = 2048
}

hardware {
    gpu  = "A100-SXM4-80GB"
    gpus = ?
}

parallelism {
    tensor     = ? in [1, 2, 4, 8]
    pipeline   = 1
    zero_stage = ? in 0..3
}

training {
    precision    = bf16
    optimizer    = adamw
    global_batch = 4M tokens
    micro_batch  = ?
    recompute    = ?
}

require deadline: time <= 30 days
minimize hardware.gpus
emit deepspeed, accelerate, report
"""


def read(text: str) -> n.File:
    file, diagnostics = parse(Source("x.plan", text))
    assert diagnostics == []
    return file


def one(text: str) -> n.Statement:
    (statement,) = read(text).statements
    return statement


def value(text: str) -> n.Expr:
    expr, diagnostics = parse_value(Source("--set", text))
    assert diagnostics == [] and expr is not None
    return expr


def show(node: object) -> str:
    """A tree in brackets, short enough to compare."""
    match node:
        case n.Number():
            return f"{node.value}{' ' + node.unit.text if node.unit else ''}"
        case n.Bool():
            return str(node.value).lower()
        case n.Text():
            return "".join(f'"{p}"' if isinstance(p, str) else show(p) for p in node.parts) or '""'
        case n.Interpolation():
            return "{" + show(node.value) + (f" in {node.unit.text}" if node.unit else "") + "}"
        case n.Name():
            return node.text
        case n.Word() | n.Unit() | n.Type():
            return f"[{node.text}]" if isinstance(node, n.Type) and node.is_list else node.text
        case n.Sum() | n.Product() | n.Compare():
            return f"({show(node.first)}{''.join(f' {op} {show(item)}' for op, item in node.rest)})"
        case n.And() | n.Or():
            return f"({f' {type(node).__name__} '.join(map(show, node.items))})"
        case n.Paren():
            return f"<{show(node.inner)}>"
        case n.Node():
            parts = [getattr(node, f.name) for f in fields(type(node)) if f.name not in ("span", "doc")]
            return f"{type(node).__name__}({', '.join(map(show, parts))})"
        case tuple():
            return f"[{', '.join(map(show, node))}]"
        case None:
            return "-"
    return str(node)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1 + 2 - 3", "(1 + 2 - 3)"),
        ("1 + 2 * 3", "(1 + (2 * 3))"),
        ("a * b / c", "(a * b / c)"),
        ("-x^2", "Negative(Power(x, 2))"),
        ("2^3^2", "Power(2, Power(3, 2))"),
        ("2^-1", "Power(2, Negative(1))"),
        ("a * -b", "(a * Negative(b))"),
        ("a - -b", "(a - Negative(b))"),
        ("(a + b) * c", "(<(a + b)> * c)"),
        ("8 <= a.b < 1024", "(8 <= a.b < 1024)"),
        ("a == b != c >= d > e", "(a == b != c >= d > e)"),
        ("a and b or not c and d", "((a And b) Or (Not(c) And d))"),
        ("not a == b", "Not((a == b))"),
        ("x in [1, 2]", "Member(x, List([1, 2]))"),
        ("x in 1..8 and y", "(Member(x, Range(1, -, 8, -)) And y)"),
        ("x in Stage", "Member(x, Stage)"),
        ("if a then b else c + 1", "If(a, b, (c + 1))"),
        ("if a then b else if c then d else e", "If(a, b, If(c, d, e))"),
        ("match x { 0 => a, _ => b }", "Match(x, [Arm(0, a), Arm(-, b)])"),
        ("match x {\n 0 => a\n fsdp => b\n}", "Match(x, [Arm(0, a), Arm(fsdp, b)])"),
        ("2 * match x { true => 1, false => 2 }", "(2 * Match(x, [Arm(true, 1), Arm(false, 2)]))"),
        ('match x { "a" => 1 GB, _ => 2 GB, }', 'Match(x, [Arm("a", 1 GB), Arm(-, 2 GB)])'),
        ("min(a, b + 1)", "Call(min, [a, (b + 1)])"),
        ("f()", "Call(f, [])"),
        ("f(a,)", "Call(f, [a])"),
        ("given(dataset.tokens)", "Call(given, [dataset.tokens])"),
        ("powers(2, 1..n - 1)", "Call(powers, [2, Range(1, -, (n - 1), -)])"),
        ("interpolate(x, [[1, 0.1], [16, 0.6]])", "Call(interpolate, [x, List([List([1, 1/10]), List([16, 3/5])])])"),
        ("q[s, p]", "Index(q, [s, p])"),
        ("a.q[first]", "Index(a.q, [first])"),
        ("max(q[s, p] for s in Stage, p in Phase)",
         "Fold(max, Index(q, [s, p]), [Binder(s, Stage), Binder(p, Phase)])"),
        ("sum(g.count * f(g) for g in model.groups)", "Fold(sum, (g.count * Call(f, [g])), [Binder(g, model.groups)])"),
        ("30%..55%", "Range(30 %, -, 55 %, -)"),
        ("30%..40%..55%", "Range(30 %, 40 %, 55 %, -)"),
        ("1 .. 8", "Range(1, -, 8, -)"),
        ("8..64 step 8", "Range(8, -, 64, 8)"),
        ("8..n step n", "Range(8, -, n, n)"),
        ("1 step", "1 step"),
        ("[1, 2, 8..64 step 8]", "List([1, 2, Range(8, -, 64, 8)])"),
        ("?", "Unknown(-)"),
        ("? in [1, 2]", "Unknown(List([1, 2]))"),
        ("? in 100B .. 20T", "Unknown(Range(100000000000, -, 20000000000000, -))"),
        ("? in 8..4096 step 8", "Unknown(Range(8, -, 4096, 8))"),
        ("? in 1 day .. 90 days", "Unknown(Range(1 day, -, 90 days, -))"),
        ("? in divisors(n)", "Unknown(Call(divisors, [n]))"),
        ("? in [powers(2, 1..n), n..65_536 step n]",
         "Unknown(List([Call(powers, [2, Range(1, -, n, -)]), Range(n, -, 65536, n)]))"),
        ("true", "true"),
        ('"a"', '"a"'),
        ("640 GB / hardware.gpus", "(640 GB / hardware.gpus)"),
        ("6 FLOP/token^2 * n", "(6 FLOP/token^2 * n)"),
        ("50_000 GPU*hour", "50000 GPU*hour"),
        ("3 * GPU", "(3 * GPU)"),
    ],
)  # fmt: skip
def test_values(text, shown):
    assert show(value(text)) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('model "llama-7b"', 'Block(model, "llama-7b", -, [])'),
        ('model "x" { layers = 3 }', 'Block(model, "x", -, [Field(layers, 3)])'),
        ('model from "config.json"', 'Block(model, -, "config.json", [])'),
        ('model from "c" { a = 1, b = 2 }', 'Block(model, -, "c", [Field(a, 1), Field(b, 2)])'),
        ("dataset {\n  tokens = 1T\n  s = 2048\n}",
         "Block(dataset, -, -, [Field(tokens, 1000000000000), Field(s, 2048)])"),
        ("gpu { }", "Block(gpu, -, -, [])"),
        ("hardware.gpus = 64", "Assign(hardware.gpus, 64)"),
        ("let deadline = 30 days", "Let(deadline, 30 days)"),
        ("assume mfu = ? in 10%..70%", "Assume(mfu, Unknown(Range(10 %, -, 70 %, -)))"),
        ("require a <= b", "Require(False, -, (a <= b), -, -, [], -, False)"),
        ('require x: a <= b when c because "d"', 'Require(False, x, (a <= b), c, "d", [], -, False)'),
        ("require certain x: a", "Require(True, x, a, -, -, [], -, False)"),
        ("require certain", "Require(False, -, certain, -, -, [], -, False)"),
        ('@cite("a", "b") require x: a', 'Require(False, x, a, -, -, [Decorator(cite, ["a", "b"])], -, False)'),
        ('prefer x: a when b because "c" weight 2', 'Prefer(x, a, b, "c", 2, [], -)'),
        ("prefer a <= 3 weight 0", "Prefer(-, (a <= 3), -, -, 0, [], -)"),
        ("require certain a <= b", "Require(True, -, (a <= b), -, -, [], -, False)"),
        ("require certain (a)", "Require(True, -, <a>, -, -, [], -, False)"),
        ("require certain(a)", "Require(False, -, Call(certain, [a]), -, -, [], -, False)"),
        ("require certain when a", "Require(False, -, certain, a, -, [], -, False)"),
        ("final require x: a", "Require(False, x, a, -, -, [], -, True)"),
        ("final require certain a", "Require(True, -, a, -, -, [], -, True)"),
        ("final = 3", "Assign(final, 3)"),
        ("waive a, b", "Waive([a, b], -)"),
        ('waive a, b because "c"', 'Waive([a, b], "c")'),
        ("minimize a.b", "Objective(minimize, a.b)"),
        ("maximize a", "Objective(maximize, a)"),
        ("pareto a,\n  b", "Pareto([a, b])"),
        ('scenario "x" { a.b = 3, model = "y" }', 'Scenario("x", [Assign(a.b, 3), Assign(model, "y")])'),
        ("sweep a.b in 1..8, c in [1, 2]", "Sweep([Axis(a.b, Range(1, -, 8, -)), Axis(c, List([1, 2]))])"),
        ("show cost / dataset.tokens in USD/Ttoken", "Show((cost / dataset.tokens), USD/Ttoken)"),
        ("show mfu in %", "Show(mfu, %)"),
        ("show (a < b)", "Show(<(a < b)>, -)"),
        ('use "other.plan"', 'Use("other.plan")'),
        ('emit a, b { c = 3 } into "d"', 'Emit([Target(a, []), Target(b, [Field(c, 3)])], "d")'),
        ('entry gpu "a" like "b" { c = 1 GB }', 'Entry(gpu, "a", "b", [Field(c, 1 GB)], [])'),
        ('entry gpu "a" { c = 1 }', 'Entry(gpu, "a", -, [Field(c, 1)], [])'),
        ('amend gpu "a" { c = 1 }', 'Amend(gpu, "a", [Field(c, 1)], [])'),
        ("quantity q: byte = 3 GB", "Quantity(q, [], byte, -, -, 3 GB, False, [])"),
        ("quantity a.q: Int in 1..3 when b == c = 2",
         "Quantity(a.q, [], Int, Range(1, -, 3, -), (b == c), 2, False, [])"),
        ("replace quantity q: s = 3 s", "Quantity(q, [], s, -, -, 3 s, True, [])"),
        ("quantity q[s: Stage, p: Phase]: byte = x",
         "Quantity(q, [Param(s, Stage, -), Param(p, Phase, -)], byte, -, -, x, False, [])"),
        ("fn f(a: parameter, b: Int in 0..3) -> byte = a",
         "Fn(f, [Param(a, parameter, -), Param(b, Int, Range(0, -, 3, -))], byte, Body([], a), False, [])"),
        ("fn f() -> Real {\n let h = 2\n h ^ 2\n}", "Fn(f, [], Real, Body([Let(h, 2)], Power(h, 2)), False, [])"),
        ("replace fn f(g: [layer_group]) -> Real { g }",
         "Fn(f, [Param(g, [layer_group], -)], Real, Body([], g), True, [])"),
        ("enum Precision { fp32, bf16 }", "Enum(Precision, [EnumMember(fp32), EnumMember(bf16)], [])"),
        ("enum P {\n a\n b\n}", "Enum(P, [EnumMember(a), EnumMember(b)], [])"),
        ("kind k { }", "Kind(k, [], [])"),
        ("dimension Information", "Dimension(Information, [])"),
        ("@count dimension Token", "Dimension(Token, [Decorator(count, [])])"),
        ("unit GPU", "UnitDecl(GPU, -, -, [])"),
        ("unit byte: Information", "UnitDecl(byte, Information, -, [])"),
        ("unit kB: byte = 1000 bytes", "UnitDecl(kB, byte, 1000 bytes, [])"),
        ("unit %: Real = 0.01", "UnitDecl(%, Real, 1/100, [])"),
        ('@names("bytes")\n@prefixes(k, M,)\nunit byte: Information',
         'UnitDecl(byte, Information, -, [Decorator(names, ["bytes"]), Decorator(prefixes, [k, M])])'),
        ("@lever(1/2, 2) dimension D", "Dimension(D, [Decorator(lever, [(1 / 2), 2])])"),
        ("@unit(%) @unit(GPU*hour) dimension D",
         "Dimension(D, [Decorator(unit, [%]), Decorator(unit, [(GPU * hour)])])"),
        ('@cite("a {b") dimension D', 'Dimension(D, [Decorator(cite, ["a {b"])])'),
        ("language 1", "Language(1)"),
    ],
)  # fmt: skip
def test_statements(text, shown):
    assert show(one(text)) == shown


def test_fields_of_a_kind():
    kind = one(
        "kind parallelism {\n"
        "    ## How far it is split.\n"
        "    tensor: Int in 1..65_536 = 1 ? in powers(2, 1..hardware.gpus_per_node)\n"
        "    batch: token or sequence\n"
        "    stage: Int in 0..3 = ?, groups: [layer_group], name: Text = \"x\"\n"
        "}"
    )  # fmt: skip
    assert isinstance(kind, n.Kind)
    tensor, batch, stage, groups, name = kind.fields
    assert tensor.doc == "How far it is split."
    assert show(tensor.domain) == "Range(1, -, 65536, -)"
    assert show(tensor.default) == "1"
    assert show(tensor.unknown) == "Unknown(Call(powers, [2, Range(1, -, hardware.gpus_per_node, -)]))"
    assert [t.text for t in batch.types] == ["token", "sequence"]
    assert batch.domain is batch.default is batch.unknown is None
    assert show(stage.default) == "Unknown(-)" and stage.unknown is None
    assert groups.types[0].is_list and groups.types[0].text == "layer_group"
    assert show(name.default) == '"x"'


def test_the_example_of_the_reference():
    file = read(EXAMPLE)
    assert [type(s).__name__ for s in file.statements] == ["Block"] * 5 + ["Require", "Objective", "Emit"]
    assert file.statements[0].doc == "How many A100s train LLaMA-7B on one trillion tokens in 30 days?"
    assert len(file.comments) == 1


def test_spans_are_what_stands_there():
    text = 'hardware {\n    gpu  = "A100"\n    gpus = 3 * (n + 4 GPUs)\n}\nrequire x: a <= b\n'
    block, require = read(text).statements
    assert block.span.text == text[: text.index("}") + 1]
    assert block.fields[0].span.text == 'gpu  = "A100"'
    assert block.fields[1].value.span.text == "3 * (n + 4 GPUs)"
    assert block.fields[1].value.rest[0][1].span.text == "(n + 4 GPUs)"
    assert block.fields[1].value.rest[0][1].inner.rest[0][1].unit.span.text == "GPUs"
    assert require.span.text == "require x: a <= b"
    assert require.name.span.text == "x" and (require.span.line, require.span.column) == (5, 1)


def test_nodes_that_say_the_same_are_equal():
    assert one("x = 1_000 + 2.50 GB") == one("x   = 1K\n  + 2.5 GB")
    assert one("## a\nx = 1") == one("x = 1")
    assert one("x = 1 GB") != one("x = 1 GiB")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", 7),
        ("7.5", Fraction(15, 2)),
        ("1_000_000", 10**6),
        ("1.4e12", 14 * 10**11),
        ("1e-3", Fraction(1, 1000)),
        ("2E+2", 200),
        ("7B", 7 * 10**9),
        ("1.5T", 15 * 10**11),
        ("4M", 4 * 10**6),
        ("2K", 2000),
        ("8Ki", 8192),
        ("1Mi", 2**20),
        ("1Gi", 2**30),
        ("0.1", Fraction(1, 10)),
        ("1_0.0_1", Fraction(1001, 100)),
        ("1e300", 10**300),
    ],
)
def test_numbers_are_exact(text, expected):
    number = value(text)
    assert isinstance(number, n.Number)
    assert number.value == expected and number.unit is None and number.text == text


@pytest.mark.parametrize(
    ("text", "magnitude", "unit"),
    [
        ("7TB", 7, "TB"),
        ("7 TB", 7, "TB"),
        ("7B params", 7 * 10**9, "params"),
        ("40%", 40, "%"),
        ("40 %", 40, "%"),
        ("80 byte/s/GPU", 80, "byte/s/GPU"),
        ("1.99 USD/GPU/hour", Fraction(199, 100), "USD/GPU/hour"),
        ("3 s^-1", 3, "s^-1"),
        ("5e", 5, "e"),
        ("4 Ki", 4, "Ki"),
        ("80 B", 80, "B"),
    ],
)
def test_units_of_numbers(text, magnitude, unit):
    number = value(text)
    assert isinstance(number, n.Number) and number.unit is not None
    assert (number.value, number.unit.text) == (magnitude, unit)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r'"a \"b\" \\ \n \{x}"', '"a "b" \\ \n {x}"'),
        ('""', '""'),
        ('"{hardware.gpus} x {gpu.name}"', '{hardware.gpus}" x "{gpu.name}'),
        ('"in {time in days}!"', '"in "{time in days}"!"'),
        ('"{a + b * 2}"', "{(a + (b * 2))}"),
        ('"{match x { 0 => 1, _ => 2 }}"', "{Match(x, [Arm(0, 1), Arm(-, 2)])}"),
        ('"a } b"', '"a } b"'),
        ('"# no comment"', '"# no comment"'),
    ],
)  # fmt: skip
def test_texts(text, shown):
    assert show(value(text)) == shown


def test_interpolation_only_where_it_is_shown():
    block = one('model "a{b}"')
    assert isinstance(block, n.Block) and block.entry is not None and block.entry.plain == "a{b}"
    require = one('require a because "{b}"')
    assert isinstance(require, n.Require) and require.because is not None and require.because.plain is None
    escaped = value(r'"\{b}"')
    assert isinstance(escaped, n.Text) and escaped.plain == "{b}"
    text = value('"x {time in days} y"')
    assert isinstance(text, n.Text) and isinstance(text.parts[1], n.Interpolation)
    assert text.parts[1].span.text == "time in days"


def test_what_is_interpolated_stands_where_it_is_written():
    file, _ = parse(Source("x", 'a = 1\nrequire b because "c {max(d.e, 2) in GB} {f} g"\n'))
    require = file.statements[1]
    assert isinstance(require, n.Require) and require.because is not None
    first, second = (part for part in require.because.parts if isinstance(part, n.Interpolation))
    assert isinstance(first.value, n.Call) and first.unit is not None and isinstance(second.value, n.Name)
    shown = [
        first.span,
        first.value.span,
        first.value.function.span,
        first.value.arguments[0].span,
        first.unit.span,
        second.value.span,
    ]
    assert [span.text for span in shown] == ["max(d.e, 2) in GB", "max(d.e, 2)", "max", "d.e", "GB", "f"]


def test_a_value_alone():
    nothing, diagnostics = parse_value(Source("--set", ""))
    assert nothing is None and [d.code for d in diagnostics] == ["E0101"]
    assert show(value("\n 3 \n")) == "3"
    assert parse_value(Source("--set", "3 4"))[0] is None
    assert parse_value(Source("--set", "a = 3"))[1][0].code == "E0106"
