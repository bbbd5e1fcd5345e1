"""A continuous unknown at a jump of the model: the answer lies at its edge, and holds when it is given."""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.solve import effort
from tests import told
from tests.emit.samples import answer
from tests.thorough import sample

JUMPS = [  # what is asked, the least or largest value that there is, and the one that is answered, if it has few digits
    ("let x = ? in 2.5..5.625\nquantity q.a: Real = ceil(x)\nrequire r: q.a == 6\nminimize x\n", 5, None),
    ("let x = ? in 0.5..11.0\nrequire r: ceil(x) <= 8\nmaximize x\n", 8, 8.0),
    ("let x = ? in 0.5..11.0\nrequire r: ceil(3 * x) <= 7\nmaximize x\n", 7 / 3, None),
    ("let x = ? in 0.5..11.0\nrequire r: floor(x) <= 8\nmaximize x\n", 9, None),
    ("let x = ? in 0.5..11.0\nrequire r: floor(x) >= 8\nminimize x\n", 8, 8.0),
    ("let x = ? in 0.5..11.0\nrequire r: round(x) == 4\nminimize x\n", 3.5, 3.5),
    ("let x = ? in (-11.0)..(-0.5)\nrequire r: ceil(x) == -6\nminimize x\n", -7, None),
    (
        "let x = ? in 0.5..11.0\nquantity q.a: Real = x - x\nrequire r: q.a <= 1.0\nmaximize mod(mod(x, 3), 4)\n",
        3,
        None,
    ),
    ("let x = ? in 0.5..11.0\nminimize if x <= 3.7 then x else x - 100\n", 3.7, None),
    ("let x = ? in 0.5..11.0\nminimize if x < 3.7 then 5 - x else 100\n", 3.7, None),
    ("let x = ? in 0.5..11.0\nminimize if x < 3.7 then 5 - x else 0 - x\n", 11, None),
    ("let x = ? in 0.5..11.0\nminimize if floor(x / 2.3) == 2 then 5 + x else 100\n", 4.6, None),
    ("let x = ? in 0.5..9.5\nprefer p: x <= 3.3\nmaximize x\n", 3.3, 3.3),
    ("let x = ? in 0.5..9.5\nprefer p: ceil(x) <= 3\nmaximize x\n", 3, 3.0),
    ("let x = ? in 0.5..1e6\nrequire r: mod(x, 7) <= 0.001\nrequire s: x >= 5000.3\nminimize x\n", 5005, 5005.0),
    ("let x = ? in 0.5..1e9\nrequire r: mod(x, 7) <= 0.001\nrequire s: x >= 5000.3\nminimize x\n", 5005, 5005.0),
    ("let x = ? in 1 GB..6 GB\nrequire r: ceil(x / (1 GB)) == 4\nminimize x\n", 3e9, None),
]


# What the library would leave open by default is no part of the question.
BEFORE = "hardware.gpus = 1\ntraining.micro_batch = 1\n"


def solve(plans, text, **options):
    return plans.solve(BEFORE + text, **options)


@pytest.mark.parametrize(("text", "edge", "plain"), sample(JUMPS, 6))
def test_the_answer_lies_at_the_edge(plans, text, edge, plain):
    solution = solve(plans, text)
    x = solution.values["x"].value
    assert x == plain if plain is not None else x == pytest.approx(edge, rel=4e-9)
    (found,) = solution.unknowns
    if "jump" not in found.how:
        return
    given = solve(plans, text, settings=[("x", found.value.text.replace(",", ""))])
    assert given.status == "solved"
    assert given.values["x"].value == x
    assert [one.text for one in given.objectives] == [one.text for one in solution.objectives]


@pytest.mark.parametrize(
    ("domain", "how"),
    [
        ("1..6", "by search over whole numbers"),
        ("[1, 2, 3]", "by search"),
        ("1..7 step 3", "by search"),
        ("1.0..6", "numerically over a continuous range"),
        ("10%..70%", "numerically over a continuous range"),
    ],
)
def test_the_answer_says_what_the_domain_is(plans, domain, how):
    (found,) = solve(plans, f"let x = ? in {domain}\nminimize (x - 0.3) ^ 2\n").unknowns
    assert told.method(found) == how


@pytest.mark.slow
def test_an_answer_at_a_jump_says_so(plans):
    (found,) = solve(plans, "let x = ? in 2.5..5.625\nrequire r: ceil(x) == 6\nminimize x\n").unknowns
    assert (told.method(found), found.value.text) == ("numerically, at the edge of a jump", "5.00000001")
    (found,) = solve(plans, "let x = ? in 0.5..1e7\nmaximize mod(x, 1) * 1e9 + x\n").unknowns
    assert told.method(found) == "numerically, at the best of many jumps, not all tried"


def test_jumps_inside_jumps(plans):
    text = "let x = ? in 0.5..11.0\nrequire r: floor(3 * mod(x, 1.3)) == 2\nmaximize x - 10 * mod(x, 1.3)\n"
    assert solve(plans, text).values["x"].value == pytest.approx(7 * 1.3 + 2 / 3, rel=1e-8)


@pytest.mark.slow
def test_what_a_line_may_cost_is_counted_in_evaluations(plans, monkeypatch):
    text = "let n = ? in 1..400\nlet x = ? in 0.5..11.0\nrequire r: ceil(n * x) <= 700\nmaximize n + mod(x, 1.7)\n"
    assert solve(plans, text).status == "solved"
    monkeypatch.setattr(effort, "_LINES_AT_LEAST", 1e6)
    for _ in range(2):
        (found,) = solve(plans, text, limit=100_000).diagnostics
        assert found.code == "E0404"
        assert found.message.endswith("along the continuous `x` they take more than 4e6 evaluations")


@pytest.mark.slow
def test_a_search_that_did_not_try_every_jump_does_not_say_that_there_is_no_plan(plans):
    distance = "abs(mod(x * 1.37, 1) - mod(x * 7.1, 1)) + abs(mod(x, 3) - 1.5)"
    text = f"let x = ? in 0.5..1e7\nrequire r: {distance} < {{}}\nminimize x\n"
    solution = solve(plans, text.format("1e-7"))
    (found,) = (one for one in solution.diagnostics if one.code == "E0402")
    assert found.message == "requirement `r` could not be satisfied"
    assert found.notes[0] == "`x` has more discontinuities than were sampled; a feasible plan may lie between samples"
    assert answer(solution).startswith("No plan was found that meets `r`")
    assert solution.partly
    few = solve(plans, "let x = ? in 0.5..9.0\nrequire r: ceil(x) > 9\nminimize x\n")
    assert not few.partly
    assert few.diagnostics[0].message == "requirement `r` cannot be satisfied"
    assert answer(few).startswith("No plan meets `r`")
    swept = api.sweep(plans.path, text="sweep k in [1e-7]\nlet k = 1\n" + text.format("k"))[0]
    assert [told.reason(row).endswith("not every jump was tried") for row in swept.rows] == [True]
