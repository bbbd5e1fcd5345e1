"""What a plan may depart from: waivers with their reasons, replacements, and requirements that are final."""

from __future__ import annotations

import pytest

BASE = """
let most = 2 * share
let share = 5
let free = 1
final require budget: own.x <= most because "signed" else "too much"
final require own.x + own.y <= share
require loose: own.x <= 9
kind own { x: Real = 3, y: Real = 1 }
"""
USE = 'use "base.plan"\n'


@pytest.fixture
def base(plans):
    plans.write("base.plan", BASE)
    return plans


def departures(solution):
    return [(one.name, one.what, one.by, one.because) for one in solution.departures]


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("waive budget", "budget"),
        ('waive loose, budget because "we are rich"', "budget"),
        ("require budget: own.x <= 11", "own.x <= 11"),
        ("prefer budget: own.x <= 11", "own.x <= 11"),
        ("let most = 11", "11"),
        ("let share = 6", "6"),  # by which `most` is computed
        ('scenario "rich" { most = 11 }', "11"),
        ("sweep share in [6, 7]", "[6, 7]"),
    ],
)
def test_what_is_final_stays(base, text, at):
    assert base.codes(USE) == []
    found = [d for d in base.check(USE + text) if d.severity == "error"]
    assert {(d.code, d.span.text) for d in found} == {("E0210", at)}
    assert all(d.others[0].text == "declared final here" for d in found)
    assert any("signed" in note for d in found for note in d.notes)


def test_what_is_final_stays_two_files_away(base):
    base.write("middle.plan", USE + "waive budget\n")
    assert base.codes('use "middle.plan"') == ["E0210"]
    base.write("other.plan", "require budget: own.x <= 11\n")
    assert base.codes('use "base.plan"\nuse "other.plan"') == ["E0210"]


def test_set_does_not_reach_what_is_final(base):
    assert base.codes(USE, settings=[("share", "6")]) == ["E0210", "E0210"]  # both requirements read it
    assert base.codes(BASE, settings=[("most", "6")]) == ["E0210"]
    assert base.codes(BASE + 'scenario "s" { share = 3 }') == ["E0210", "E0210"]


def test_all_else_stays_open(base):
    assert base.codes(USE + "let free = 2\nown.x = 4\nwaive loose", settings=[("own.y", "0")]) == []
    assert base.codes(BASE + "waive budget") == []  # in its own file


def test_waivers_and_replacements_are_listed(base):
    solution = base.solve(USE + 'waive loose because "x is {own.x} now"\nown.x = 4')
    assert departures(solution) == [("loose", "waived", "", "x is 4 now")]
    solution = base.solve(USE + "require loose: own.x <= 8\nrequire heads_divide: 1 < 2")
    assert departures(solution) == [
        ("loose", "replaced", "own.x <= 8", ""),
        ("heads_divide", "replaced", "1 < 2", ""),
    ]
    assert not base.solve(USE + "require own.x + own.y <= share").departures  # the same once more


def test_no_waive(base):
    text = USE + "waive loose, tensor_inside_node\nrequire heads_divide: 1 < 2"
    assert base.codes(text) == []
    assert base.codes(text, no_waive=True) == ["E0211"] * 3
    assert base.codes(USE, no_waive=True) == []


def test_a_waiver_of_what_does_not_apply(plans):
    def warned(text):
        return [d.span.text for d in plans.check(text) if d.code == "W0612"]

    assert warned("waive deepspeed_pipeline, heads_divide\nshow 1") == ["deepspeed_pipeline"]
    assert warned("waive deepspeed_pipeline\nparallelism { pipeline = ? in [1, 2] }\nemit deepspeed") == []


@pytest.mark.advice
def test_advice_leaves_what_is_final_alone(plans):
    plans.write(
        "base.plan",
        "let most = 5\nfinal require budget: own.x <= most\nfinal require small: own.x <= 5\nkind own { x: Real = "
        "9 }\n",
    )
    names = {one.name for one in plans.solve(USE + "own.x = 9").relaxations}
    assert "own.x" in names and not names & {"most", "budget", "small"}


def test_certain_needs_no_name(plans):
    (rule,) = (one for one in plans.solve("let x = 1..2\nrequire certain x <= 2").requirements if one.origin == "plan")
    assert rule.certainty == "certain"
    assert plans.solve("let x = 1..1.5..2\nrequire certain x <= 1.7").status == "infeasible"
