"""What an unknown ranges over."""

from __future__ import annotations

from time import process_time

import pytest

from llmplan import api
from llmplan.system import domains


def unknowns(plans, text: str):
    checked = api.analyse(plans.path, text=text)
    assert checked.built is not None and checked.built.system is not None, checked.diagnostics
    return {unknown.path: unknown for unknown in checked.built.system.unknowns}


@pytest.mark.parametrize(
    ("domain", "values"),
    [
        ("[1, 2, 4]", (1, 2, 4)),
        ("[4, 1, 4]", (4, 1)),
        ("3..6", (3, 4, 5, 6)),
        ("8..40 step 16", (8, 24, 40)),
        ("8..39 step 16", (8, 24)),
        ("0..1 step 0.1", tuple(0.1 * i for i in range(11))),
        ("powers(2, 1..9)", (1, 2, 4, 8)),
        ("powers(2, 3..64)", (4, 8, 16, 32, 64)),
        ("powers(10, 1..1000)", (1, 10, 100, 1000)),
        ("divisors(12)", (1, 2, 3, 4, 6, 12)),
        ("divisors(7)", (1, 7)),
        ("[powers(2, 1..8), 16..32 step 8]", (1, 2, 4, 8, 16, 24, 32)),
        ("1..n", (1, 2, 3)),
        ("[n, 2 * n]", (3, 6)),
        ("powers(2, 1..max(n, 8))", (1, 2, 4, 8)),
        ("[true, false]", (1, 0)),
        ("1 GB..3 GB step 1 GB", (1e9, 2e9, 3e9)),
    ],
)
def test_values(plans, domain, values):
    rest = "require x" if "true" in domain else "minimize x"
    found = unknowns(plans, f"let n = 3\nlet x = ? in {domain}\n{rest}")["x"]
    assert found.values == pytest.approx(values)
    assert found.asked and found.allowed is None


def test_many_powers(plans):
    assert len(unknowns(plans, "let x = ? in powers(2, 1..1e300)\nminimize x")["x"].values or ()) == 997


@pytest.mark.parametrize("domain", ["0.5..1.5", "1 GB .. 3 GB", "0.0 .. 2.0", "10%..70%"])
def test_a_range_of_what_is_not_whole_is_continuous(plans, domain):
    found = unknowns(plans, f"let x = ? in {domain}\nminimize x")["x"]
    assert found.values is None and found.low < found.high


@pytest.mark.parametrize(
    ("domain", "code"),
    [
        ("[]", "E0305"),
        ("5..1", "E0305"),
        ("5.5..1.5", "E0305"),
        ("0..1 step 0", "E0305"),
        ("0..1 step (-1)", "E0305"),
        ("powers(1, 1..8)", "E0305"),
        ("powers(2, 9..10)", "E0305"),
        ("powers(2, 8)", "E0303"),
        ("divisors(9.5)", "E0305"),
        ("divisors(0)", "E0305"),
        ("0..1e18", "E0404"),
        ("0..1e18 step 1", "E0404"),
        ("powers(1.000001, 1..1e300)", "E0404"),
        ("1..dataset.tokens / 1 token", "E0401"),
        ("1..nothing", "E0201"),
        ("1..2..3", "E0303"),
        ("1..(0 / 0)", "E0305"),
    ],
)
def test_domains_that_are_none(plans, domain, code):
    assert plans.codes(f"let x = ? in {domain}\nminimize x") == [code]


def test_a_bare_unknown(plans):
    assert plans.codes("let x = ?") == ["E0303"]
    found = unknowns(
        plans,
        "parallelism { zero_stage = ?, offload = ? }\nrequire parallelism.zero_stage > 1\n"
        "require parallelism.offload == none",
    )
    assert found["parallelism.zero_stage"].values == (0, 1, 2, 3)
    assert found["parallelism.offload"].names == ("none", "optimizer", "parameters", "all")
    assert plans.codes("training { learning_rate = ? }\nmaximize training.learning_rate") == ["E0403"]
    assert plans.codes("hardware { price = ? }\nmaximize hardware.price / 1 USD") == ["E0403"]
    assert plans.codes("model { layers = ? }\nmaximize model.layers") == []


def test_where_an_unknown_may_stand(plans):
    assert plans.codes("let x = 1 + ?") == ["E0104"]
    assert plans.codes("let x = ? + 1") != []
    assert plans.codes("adapter { targets = ? }") == ["E0303"]


def test_members_and_entries(plans):
    text = 'training { precision = ? in [fp16, bf16] }\nhardware { gpu = ? in ["a100 sxm4 80gb", "H100-SXM5-80GB"] }\n'
    found = unknowns(plans, text + "minimize gpu.memory\nrequire training.precision == bf16")
    precision = found["training.precision"]
    assert [precision.names[int(v)] for v in precision.values or ()] == ["fp16", "bf16"]
    gpu = found["hardware.gpu"]
    assert [gpu.names[int(v)] for v in gpu.values or ()] == ["A100-SXM4-80GB", "H100-SXM5-80GB"]
    assert plans.codes("training { precision = ? in [fp16, fp17] }") == ["E0201"]
    assert plans.codes('hardware { gpu = ? in ["RTX"] }') == ["E0207"]
    assert plans.codes("training { precision = ? in fp16..bf16 }") != []


def test_a_domain_that_depends_on_another_unknown(plans):
    text = "let x = ? in [4, 6]\nlet y = ? in divisors(x)\nlet z = ? in 1..y\n"
    solution = plans.solve(text + "maximize x\nmaximize y + z")
    assert {u.path: u.value.value for u in solution.unknowns if u.asked} == {"x": 6, "y": 6, "z": 6}
    solution = plans.solve(text + "maximize x\nrequire y == 4")
    assert {u.path: u.value.value for u in solution.unknowns if u.asked}["x"] == 4
    assert "E0206" in plans.codes("let x = ? in 1..y\nlet y = ? in 1..x\nminimize x")


def test_a_domain_that_depends_on_the_gpu(plans):
    text = (
        'model "llama-7b"\nhardware { gpu = ? in ["A100-SXM4-80GB", "RTX-4090"], gpus = 8 }\n'
        "parallelism { tensor = ? }\ndataset { sequence_length = 2048 }\nmaximize parallelism.tensor\n"
    )
    checked = api.analyse(plans.path, text=text)
    assert [d.code for d in checked.diagnostics] == []


def test_a_computed_candidate_that_is_not_whole_is_not_taken(plans):
    text = "let n = ? in 4..7\nparallelism { tensor = ? in [n / 3, 1] }\nmaximize parallelism.tensor"
    solution = plans.solve(text)
    assert solution.status == "solved"
    found = {unknown.value.name: unknown.value.value for unknown in solution.unknowns}
    assert found["parallelism.tensor"] == 2 and found["n"] == 6


@pytest.mark.parametrize(
    "domain", ["1e300..1 step 1e-300", "1..1e300 step 1e-300", "1e300..2e300 step 1e-300", "divisors(1e300 * 1e300)"]
)
def test_ends_and_steps_of_any_size(plans, domain):
    assert plans.codes(f"let x = ? in {domain}\nminimize x") in (["E0305"], ["E0404"])


def test_divisors_of_a_large_number(plans):
    found = unknowns(plans, "let x = ? in divisors(1e18)\nminimize x")["x"]
    assert len(found.values) == 361 and (found.low, found.high) == (1.0, 1e18)


@pytest.mark.slow
@pytest.mark.parametrize(
    "domain",
    ["a * 490..a * 490 + 490", "divisors(a * 123456789000000)", "1000 * a..2000 * a"],
    ids=["union", "divisors", "listed"],
)
def test_what_a_domain_can_be_is_bounded_in_time_and_memory(plans, domain):
    before = process_time()
    assert plans.codes(f"let a = ? in 1..9999\nlet x = ? in {domain}\nminimize x") == ["E0404"]
    assert process_time() - before < 5.0


def test_all_that_a_domain_can_be_counts(plans, monkeypatch):
    text = "let a = ? in 1..9\nlet x = ? in a * 49..a * 49 + 49\nminimize x"
    assert plans.codes(text) == []
    monkeypatch.setattr(domains, "MAX_VALUES", 100)
    assert plans.codes(f"{text} + a") == ["E0404"]


@pytest.mark.parametrize(
    ("domain", "warned"),
    [
        ("9_007_199_254_740_990..9_007_199_254_741_000", True),
        ("9_000_000_000..9_000_000_002", True),
        ("1..1_000_000", False),
        ("[9_000_000_000, 9_000_000_100]", False),
        ("[0.5, 0.500_000_000_1]", True),
        ("[0, 1e-30]", False),
    ],
)
def test_candidates_that_no_comparison_tells_apart_are_said(plans, domain, warned):
    solution = plans.solve(f"let x = ? in {domain}\nrequire r: x >= 0\nminimize x\n")
    assert [one.code for one in solution.diagnostics].count("W0622") == warned
