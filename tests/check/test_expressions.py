"""Comparisons, choices, functions and folds: their types and what they come to."""

from __future__ import annotations

import math

import pytest


def truth(plans, condition: str, before: str = "") -> bool:
    return plans.value(f"if {condition} then 1 else 0", before) == 1.0


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("8 <= 9 <= 10", True),
        ("8 <= 9 <= 10 < 10", False),
        ("1 < 2 > 1", True),
        ("1 == 1 + 5e-10", True),
        ("1 == 1 + 5e-9", False),
        ("1 <= 1 - 5e-10", True),
        ("1 <= 1 - 5e-9", False),
        ("1 < 1 + 5e-10", False),
        ("1 < 1 + 5e-9", True),
        ("1 > 1 - 5e-10", False),
        ("1 != 1 + 5e-10", False),
        ("0.1 + 0.2 == 0.3", True),
        ("0 == 1e-300", False),
        ("3 in [1, 3]", True),
        ("3 in [1, 2]", False),
        ("3 in 1..3", True),
        ("3.5 in 1..3", False),
        ("3 in [1, 2..4]", True),
        ("3 GB in [1 GB, 2 GB..4 GB]", True),
        ("not 1 < 2 or 2 < 3 and 3 < 4", True),
        ("not (1 < 2 or 2 < 3)", False),
        ("true == true", True),
        ("true != false", True),
        ("0/0 == 0/0", False),
        ("0/0 < 1", False),
        ("0/0 != 1", False),
        ("1 < 0/0 or true", True),
    ],
)
def test_conditions(plans, condition, holds):
    assert truth(plans, condition) is holds


def test_members_of_enums(plans):
    plan = "training { precision = bf16 }\nlet bf16 = 3\n"
    assert truth(plans, "training.precision == bf16", "training { precision = bf16 }")
    assert truth(plans, "bf16 == training.precision", "training { precision = bf16 }")
    assert truth(plans, "training.precision in [fp16, bf16]", "training { precision = bf16 }")
    # Where a member is expected, a bare word is one first.
    assert truth(plans, "training.precision == bf16", plan)
    assert plans.value("bf16", plan) == 3.0
    assert plans.error("require training.precision == bf17")[0] == "E0201"
    assert plans.error("require training.precision == parallelism.offload")[0] == "E0301"
    assert plans.error("require training.precision < bf16")[0] == "E0303"
    assert plans.error("training { precision = 3 }") == ("E0302", "3")


@pytest.mark.parametrize(
    ("match", "missing"),
    [
        ("match training.recompute { full => 1 }", "`none`, `selective`"),
        ("match training.optimizer { adamw => 1 }", "`_`"),
        ("match parallelism.zero_stage { 0 => 1, 1 => 2, 3 => 4 }", "`2`"),
        ("match true { true => 1 }", "`false`"),
        ("match 3 { 3 => 1 }", "`_`"),
        ("match hardware.gpus { 8 => 1 }", "`_`"),
    ],
)
def test_a_match_must_cover_every_case(plans, match, missing):
    (found,) = plans.check(f"show {match}")
    assert found.code == "E0308" and missing in found.message


def test_a_match_that_covers(plans):
    cases = "0 => 1, 1 => 2, 2 => 3, 3 => 4"
    stage = "parallelism { zero_stage = 2 }\n"
    assert plans.value(f"match parallelism.zero_stage {{ {cases} }}", stage) == 3.0
    fn = f"fn f(stage: Int in 0..3) -> Real = match stage {{ {cases} }}\n"
    assert plans.value("f(3)", fn) == 4.0
    assert plans.value("match 1 < 2 { true => 5, false => 6 }") == 5.0
    assert plans.value("match 7 { 1 => 5, _ => 6 }") == 6.0
    # The first of two that fit.
    assert plans.value("match 1 { 1 => 5, 1 => 6, _ => 7 }") == 5.0
    assert plans.error("show match 1 { 1 GB => 5, _ => 6 }") == ("E0301", "1")
    assert plans.error("let x = 1\nshow match 1 { x => 5, _ => 6 }") == ("E0303", "x")
    assert plans.error("show match 1 { 1 => 5, _ => 6 GB }") == ("E0304", "5")


def test_functions(plans):
    assert (
        plans.value("f(4)", "fn f(m: Real) -> Real {\n let half = m / 2\n let more = half + 1\n half ^ 2 + more\n}")
        == 7.0
    )
    assert plans.value("a(2)", "fn a(n: Real) -> Real = b(n) + 1\nfn b(n: Real) -> Real = n * 2") == 5.0
    assert plans.codes("fn f(n: Real) -> Real = f(n - 1)") == ["E0206"]
    assert "E0206" in plans.codes("fn a(n: Real) -> Real = b(n) + 1\nfn b(n: Real) -> Real = a(n) + 1\nshow a(1)")
    assert plans.error("show nothing(3)") == ("E0201", "nothing")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("min(3, 1, 2)", 1.0),
        ("max(3)", 3.0),
        ("ceil(2.1)", 3.0),
        ("ceil(3 * 0.1 * 10)", 3.0),  # 3.0000000000000004
        ("floor(2.9)", 2.0),
        ("floor(0.29 * 100)", 29.0),  # 28.999999999999996
        ("round(2.5)", 3.0),
        ("sqrt(9)", 3.0),
        ("log2(8)", 3.0),
        ("ln(1)", 0.0),
        ("exp(0)", 1.0),
        ("abs(-3)", 3.0),
        ("mod(7, 3)", 1.0),
        ("mod(-7, 3)", 2.0),
        ("mod(7.5, 2)", 1.5),
        ("mod(1, 0.1)", 0.0),
        ("interpolate(2, [[1, 10], [3, 30]])", 20.0),
        ("interpolate(0, [[1, 10], [3, 30]])", 10.0),
        ("interpolate(9, [[1, 10], [3, 30]])", 30.0),
        ("interpolate(2 GB, [[1 GB, 10 s], [3 GB, 30 s]])", 20.0),
    ],
)
def test_builtin_functions(plans, expression, value):
    assert plans.value(expression) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    "expression", ["1 / 0", "0 / 0", "sqrt(-1)", "ln(0)", "log2(-1)", "exp(1000)", "mod(1, 0)", "9^9^9", "(-8)^0.5"]
)
def test_what_has_no_value(plans, expression):
    found = plans.value(expression)
    assert found is not None and math.isnan(found)


def test_folds(plans):
    enum = "enum E { a, b, c }\nquantity q[x: E]: byte = match x { a => 1 GB, b => 5 GB, c => 5 GB }\n"
    assert plans.value("sum(q[x] for x in E)", enum) == 11e9
    assert plans.value("max(q[x] for x in E)", enum) == 5e9
    assert plans.value("min(q[x] for x in E)", enum) == 1e9
    assert plans.value("argmax(q[x] for x in E)", enum) == 1.0  # the first of equals
    assert plans.value("argmin(q[x] for x in E)", enum) == 0.0
    assert plans.value("sum(1 for x in E, y in E)", enum) == 9.0
    assert plans.value("sum(if x == y then 1 else 0 for x in E, y in E)", enum) == 3.0
    assert plans.value("q[b]", enum) == 5e9
    assert plans.error(enum + "show q") == ("E0303", "q")
    assert plans.error(enum + "show q[d]") == ("E0201", "d")
    assert plans.error(enum + "show q[a, b]") == ("E0303", "q[a, b]")
    assert plans.error(enum + "show sum(x for x in E)") == ("E0303", "x")
    assert plans.error("show sum(1 for x in Nothing)") == ("E0201", "Nothing")
    assert plans.codes(enum + "show (if argmax(q[x] for x in E) == b then 1 else 2)") == []


def test_an_index_may_be_an_input(plans):
    plan = "quantity q[p: Precision]: Real = match p { bf16 => 2, _ => 4 }\ntraining { precision = bf16 }\n"
    assert plans.value("q[training.precision]", plan) == 2.0


def test_an_indexed_quantity_may_read_itself_elsewhere(plans):
    enum = "enum E { a, b }\n"
    assert plans.value("q[b]", enum + "quantity q[x: E]: Real = if x == a then 1 else q[a] + 1") == 2.0
    assert plans.codes(enum + "quantity q[x: E]: Real = q[x] + 1\nshow q[a]") == ["E0206"]


def test_definitions_stand_in_any_order(plans):
    plan = "show y\nlet y = q + x\nquantity q: Real = double(x)\nlet x = 3\nfn double(n: Real) -> Real = n * 2\n"
    assert plans.shown(plan) == [9.0]


def test_siblings_may_be_named_bare_inside_a_block(plans):
    assert plans.shown("hardware { gpus = gpus_per_node * 2, gpus_per_node = 8 }\nshow hardware.gpus") == [16.0]
    assert plans.codes("let x = gpus_per_node") == ["E0201"]


def test_interpolated_texts(plans):
    plan = 'let d = 36 hours\nrequire no: 1 > 2 because "in {d in days}, {1 + 1} x {d}; \\{not}"'
    (failed,) = [r for r in plans.solve(plan, limit=10**7).requirements if r.name == "no"]
    assert failed.because == "in 1.5 days, 2 x 36 hours; {not}"
    assert plans.error('require 1 < 2 because "{time in GB}"')[0] == "E0301"
    assert plans.error('require 1 < 2 because "{nothing}"')[0] == "E0201"


def test_the_name_of_an_entry(plans):
    given = 'model "llama 7b"\nhardware { gpu = "a100 sxm4 80gb", gpus = 8 }\n'
    assert plans.value('if gpu.name == "A100-SXM4-80GB" then 1 else 2', given) == 1.0
    solved = plans.solve(
        given + 'require few: hardware.gpus <= 8 because "{hardware.gpus} x {gpu.name} for {model.name}"'
    )
    because = {rule.name: rule.because for rule in solved.requirements}
    assert because["few"] == "8 GPUs x A100-SXM4-80GB for llama-7b"
    assert plans.error("show gpu.nam") == ("E0201", "gpu.nam")


def test_one_mistake_in_a_membership_is_told_once(plans):
    assert plans.codes("require 3 s in [1 GB, 2 GB]\nrequire 3 s in 1 GB .. 2 GB") == ["E0301", "E0301"]
    assert plans.error('require hardware.gpu < "A100-SXM4-80GB"') == ("E0303", "hardware.gpu")


def test_the_range_of_a_quantity_covers_a_match(plans):
    assert plans.value("match k { 1 => 3, 2 => 4 }", "quantity k: Int in 1..2 = 2\n") == 4.0
    assert plans.error("quantity k: Int in 1..2 = 2\nshow match k { 1 => 3 }") == ("E0308", "match k { 1 => 3 }")
