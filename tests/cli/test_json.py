"""What is printed as JSON is JSON: a value that is no number is null."""

from __future__ import annotations

import json

import pytest

ODD = """\
entry gpu "odd" like "A100-SXM4-80GB" { price = 1e300 USD/GPU/hour }
let huge = 1e200
let endless = huge * huge
let none = endless - endless
let x = ? in 1..3
quantity q: Real = x / 0
hardware { gpu = "odd", gpus = 8 }
show endless
show none
show q
minimize x
"""


@pytest.mark.parametrize(
    "command",
    [
        ("solve", "--json", "a.plan"),
        pytest.param(("compile", "--json", "a.plan"), marks=pytest.mark.slow),
        pytest.param(("explain", "--json", "a.plan", "endless"), marks=pytest.mark.slow),
        ("sweep", "--json", "b.plan"),
        ("check", "--format", "json", "a.plan"),
        ("check", "--format", "sarif", "a.plan"),
    ],
)
def test_numbers_that_are_none(llmplan, write, command):
    write("a.plan", ODD)
    write("b.plan", "let n = 1\nlet odd = 1e200 ^ n\nsweep n in 1..3\nshow odd\n")
    outcome = llmplan(*command)
    if outcome.out:
        json.loads(outcome.out, parse_constant=pytest.fail)
    assert outcome.out or outcome.code == 1
    assert "E0901" not in outcome.err
