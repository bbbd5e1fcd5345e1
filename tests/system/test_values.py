"""What is missing, undefined, out of its domain or decided before anything is solved."""

from __future__ import annotations

import pytest

from tests import told


def test_a_show_of_what_is_missing_is_a_warning(plans):
    solution = plans.solve("hardware { gpus = 8 }\nshow dataset.tokens * 2")
    assert solution.status == "solved"
    (found,) = solution.diagnostics
    assert (found.code, found.severity) == ("W0608", "warning")
    assert "`dataset.tokens` is not given" in found.message
    assert "dataset.tokens" in told.shown(solution.shown[0])


def test_a_show_of_what_is_undefined_is_a_warning(plans):
    solution = plans.solve("let x = 1 / 0\nshow x\n")
    assert solution.status == "solved"
    assert [d.code for d in solution.diagnostics] == ["W0608"]


@pytest.mark.parametrize("line", ["require time <= 30 days", "minimize time", "require 1 < 2 and time <= 30 days"])
def test_what_the_author_asks_needs_its_inputs(plans, line):
    (found,) = plans.check(line)
    assert found.code == "E0401" and found.span is not None
    assert any("time <-" in note for note in found.notes)
    assert "add `dataset { tokens" in found.hints[0].text


@pytest.mark.slow
def test_a_requirement_of_the_library_without_inputs_is_not_checked(plans):
    solution = plans.solve("hardware { gpus = 8 }")
    (fits,) = [r for r in solution.requirements if r.name == "fits"]
    assert fits.holds is None and "hardware.gpu" in fits.needs
    assert solution.values["memory.total"].value is None and solution.values["memory.total"].needs


def test_only_what_is_asked_for_is_opened(plans):
    solution = plans.solve("let x = ? in [1, 2]\nminimize x")
    assert [u.path for u in solution.unknowns] == ["x"]


@pytest.mark.parametrize(
    ("line", "code", "place"),
    [
        ("hardware { gpus = 2.5 }", "E0307", "2.5"),
        ("hardware { gpus = 5 / 2 }", "E0307", "5 / 2"),
        ("hardware { gpus = 0 }", "E0305", "0"),
        ("parallelism { zero_stage = 4 }", "E0305", "4"),
        ("assume mfu = 40", "E0305", "40"),
        ("assume steps = 2.5", "E0307", "2.5"),
        ("quantity q: Int in 1..3 = 2\nassume q = 4", "E0305", "4"),
        ('entry gpu "x" { sms = 2.5 }\nhardware { gpu = "x" }\nshow gpu.sms', "E0307", "2.5"),
        ("training { global_batch = 2.5 sequences }", "E0307", "2.5 sequences"),
    ],
)
def test_a_written_value_out_of_its_domain(plans, line, code, place):
    assert plans.error(line) == (code, place)


@pytest.mark.parametrize("formula", ["x / 2", "x * 10"])
def test_a_computed_value_out_of_its_domain_is_infeasible(plans, formula):
    text = f"let x = ? in [3, 5]\nquantity q: Int in 1..9 = {formula}\nrequire q > 0"
    solution = plans.solve(text)
    assert solution.status == "infeasible"
    (found,) = [d for d in solution.diagnostics if d.code == "E0402"]
    assert "`q`" in found.message
    assert plans.solve(text.replace("[3, 5]", "[3, 4]")).status == ("solved" if "/" in formula else "infeasible")


def test_a_computed_value_that_is_constant_is_infeasible_too(plans):
    solution = plans.solve("let x = 7\nquantity q: Int = x / 2\nrequire q > 0")
    assert solution.status == "infeasible" and plans.codes("let x = 7\nquantity q: Int = x / 2\nrequire q > 0") == []


@pytest.mark.slow
def test_an_undefined_value_is_infeasible_with_its_reason(plans):
    text = (
        'model "llama-7b"\ndataset { tokens = 1T, sequence_length = 2048 }\n'
        'hardware { gpu = "A100-SXM4-80GB", gpus = 64 }\ntraining { precision = fp8, global_batch = 4M tokens }\n'
        "require time <= 3000 days\n"
    )
    solution = plans.solve(text, limit=10**8)
    assert solution.status == "infeasible"
    assert "fp8" in " ".join(note for d in solution.diagnostics for note in (d.message, *d.notes))


def test_guarded_formulas(plans):
    two = "let a = {a}\nquantity q: Real when a = 1\nquantity q: Real when not a = 2\n"
    assert plans.value("q", two.format(a="true")) == 1.0
    assert plans.value("q", two.format(a="false")) == 2.0
    (found,) = plans.check("quantity q: Real when 1 < 2 = 1\nquantity q: Real when 2 < 3 = 2\nshow q")
    assert found.code == "E0203" and "apply at once" in found.message
    assert plans.codes("quantity q: Real = 1\nquantity q: Real when 2 < 3 = 2") == ["E0203"]
    none = plans.solve("quantity q: Real when 2 < 1 = 1\nshow q")
    assert none.values["q"].value is None and "none of its formulas" in none.values["q"].reason
    # Where only some candidates let two hold, the others remain.
    solution = plans.solve(
        "let a = ? in [1, 2]\nquantity q: Real when a == 1 = 1\nquantity q: Real when a >= 1 = 2\nrequire q > 0"
    )
    assert solution.values["a"].value == 2


def test_circles(plans):
    (found,) = plans.check("quantity q: Real = r\nquantity r: Real = q\nshow q")
    assert found.code == "E0206" and [label.text for label in found.others] == ["needs `r`", "needs `q`"]
    assert plans.codes("quantity q: Real = r\nquantity r: Real = q") == ["E0206"]
    assert plans.codes("hardware { gpus = hardware.nodes * 8 }\nhardware { nodes = hardware.gpus / 8 }") == ["E0206"]
    assert plans.codes("hardware { nodes = ceil(time / 1 day), gpus = 8 * 1 GPU }\nassume time = 3 days") == []
    # Not on every path: a circle that the values never walk is none.
    assert (
        plans.codes("quantity a: Real = if true then 1 else b\nquantity b: Real = if true then 2 else a\nshow a + b")
        == []
    )


def test_static_requirements(plans):
    (found,) = plans.check("require data: given(dataset.tokens)")
    assert found.code == "E0406" and "`data`" in found.message
    assert plans.codes("require given(dataset.tokens)\ndataset { tokens = 1T }") == []
    assert "E0406" in plans.codes("assume mfu = 40%\nassume hfu = 50%")
    assert plans.codes("require not emits(report)\nemit report") == ["E0406"]
    assert plans.codes("require assumed(mfu) when given(dataset.tokens)") == []


def test_what_is_never_true_is_infeasible_not_an_error(plans):
    assert plans.codes("require 1 > 2") == []
    assert plans.solve("require 1 > 2").status == "infeasible"


def test_replace(plans):
    assert plans.value("time", "replace quantity time: s = 3 days") == 3 * 86400.0
    assert plans.value("f(2)", "fn f(n: Real) -> Real = n\n") == 2.0
    plans.write("base.plan", "quantity q: Real = 1\nfn f(n: Real) -> Real = n\n")
    text = 'use "base.plan"\nreplace quantity q: Real = 2\nreplace fn f(n: Real) -> Real = n * 10\n'
    assert plans.value("q + f(1)", text) == 12.0
    solution = plans.solve(text + "show q")
    assert [one.name for one in solution.replaced] == ["q", "f"]
    assert plans.error('use "base.plan"\nquantity q: Real = 2')[0] == "E0203"
    assert plans.error('use "base.plan"\nreplace quantity q: byte = 2 GB') == ("E0302", "byte")
    assert plans.error('use "base.plan"\nreplace fn f(n: byte) -> Real = 2') == ("E0302", "f")
    assert plans.error("replace quantity nothing: Real = 2") == ("E0201", "nothing")


@pytest.mark.slow
def test_entries_and_amendments(plans):
    text = 'entry gpu "mine" like "H100-SXM5-80GB" { memory = 96 GB }\nhardware { gpu = "Mine" }\n'
    memory, peak = plans.shown(text + "show gpu.memory\nshow gpu.peak_bf16")
    (like,) = plans.shown('hardware { gpu = "H100-SXM5-80GB" }\nshow gpu.peak_bf16')
    assert (memory, peak) == (96e9, like)
    amended = 'amend gpu "H100 SXM5 80GB" { memory = 50 GB }\nhardware { gpu = "H100-SXM5-80GB" }\n'
    assert plans.shown(amended + "show gpu.memory\nshow gpu.peak_bf16") == [50e9, like]
    assert plans.shown(amended + "gpu { memory = 60 GB }\nshow gpu.memory") == [60e9]
    assert plans.error('entry gpu "mine" like "nothing" {}')[0] == "E0207"
    assert plans.error('entry gpu "mine" {}\nentry gpu "MINE" {}')[0] == "E0203"
    assert plans.error('amend gpu "nothing" { memory = 1 GB }')[0] == "E0207"
    assert plans.error('hardware { gpu = "RTX" }')[0] == "E0207"
    assert plans.codes('entry gpu "a" like "b" {}\nentry gpu "b" like "a" {}') == ["E0206"]


def test_requirements_by_name(plans):
    plans.write(
        "base.plan", "require budget: 1 > 2\nprefer short: 1 > 2\nrequire other: 2 > 3\nminimize 5\nlet x = 1\n"
    )
    named = {r.name: r for r in plans.solve('use "base.plan"\nrequire budget: 1 < 2\nwaive other').requirements}
    assert named["budget"].holds and "other" not in named
    solution = plans.solve('use "base.plan"\nwaive other, short\nrequire budget: 1 < 2')
    dropped = [(one.name, one.what, one.by) for one in solution.departures]
    assert dropped == [("budget", "replaced", "1 < 2"), ("other", "waived", ""), ("short", "waived", "")]
    assert not any(one.origin in ("plan", "used") for one in solution.preferences)
    solution = plans.solve("require fits: 1 > 2")
    assert solution.status == "infeasible"
    assert plans.error("waive nothing") == ("E0201", "nothing")
    assert plans.error("require a: 1 < 2\nrequire a: 2 < 3") == ("E0203", "a")


def test_objectives_and_emits_of_the_using_file_replace_the_inherited(plans):
    plans.write("base.plan", 'let x = ? in [1, 2, 3]\nminimize x\nemit deepspeed into "old"\n')
    assert plans.solve('use "base.plan"').values["x"].value == 1
    assert plans.solve('use "base.plan"\nmaximize x').values["x"].value == 3
    solution = plans.solve('use "base.plan"\nmaximize x\nemit report into "new"')
    assert [e.name for e in solution.emits] == ["report"] and solution.into == "new"


def test_preferences(plans):
    text = "let x = ? in [1, 2, 3]\nminimize x\nprefer big: x > 2 weight 2\nprefer small: x < 2 weight 1\n"
    solution = plans.solve(text)
    assert solution.values["x"].value == 3
    assert {p.name: p.holds for p in solution.preferences if p.origin == "plan"} == {"big": True, "small": False}
    (unmet,) = [d for d in solution.diagnostics if d.code == "W0606"]
    assert unmet.label == "3 < 2"
    only_warns = plans.solve("let x = ? in [1, 2]\nminimize x\nprefer big: x > 1 weight 0")
    assert only_warns.values["x"].value == 1 and "W0606" in [d.code for d in only_warns.diagnostics]


def test_layers_of_a_value_are_told(plans):
    text = 'hardware { gpu = "A100-SXM4-80GB", gpus = 8 }\ngpu { memory = 70 GB }\nshow gpu.memory'
    value = plans.solve(text, settings=[("gpu.memory", "60 GB")]).values["gpu.memory"]
    assert value.origin is not None
    assert [value.origin.layer, *(o.layer for o in value.others)] == ["--set", "plan", "entry"]
    assert [value.origin.text, value.others[0].text] == ["60 GB", "70 GB"]
