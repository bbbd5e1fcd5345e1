"""What a plan waives or replaces is told by `sweep` and `explain` too, not by `solve` and `compile` alone."""

from __future__ import annotations

import csv
import io
import json

import pytest

pytestmark = pytest.mark.usefixtures("no_advice")

BASE = "let size = 2\nrequire small: size <= 3\nrequire even: mod(size, 2) == 0\nrequire large: size >= 1\n"
PLAN = 'use "base.plan"\nwaive even because "granted"\nrequire small: size <= 9 because "more room"\nshow size\n'
SWEEP = "sweep size in [2, 5]\n"


@pytest.fixture
def plan(write):
    write("base.plan", BASE)
    return write("a.plan", PLAN + SWEEP)


def test_a_sweep_says_what_is_waived_or_replaced(llmplan, plan):
    table = llmplan("sweep", plan).out
    assert "waived or replaced" in table and "more room" in table and "granted" in table and "a.plan:2" in table
    rows = list(csv.DictReader(io.StringIO(llmplan("sweep", "--csv", plan).out)))
    assert [(row["size"], row["waived"], row["replaced"]) for row in rows] == [
        ("2", "even", "small"),
        ("5", "even", "small"),
    ]
    document = json.loads(llmplan("sweep", "--json", plan).out)
    assert document["waived"] == [
        {"name": "even", "text": "mod(size, 2) == 0", "because": "granted", "source": f"{plan}:2"}
    ]
    assert [(one["name"], one["by"]) for one in document["replaced"]] == [("small", "size <= 9")]


def test_a_sweep_that_departs_from_nothing_has_no_word_of_it(llmplan, write):
    plan = write("a.plan", BASE + "show size\n" + SWEEP)
    assert "waived" not in llmplan("sweep", plan).out
    assert llmplan("sweep", "--csv", plan).out.splitlines()[0].endswith("status,best,reason")
    assert not {"waived", "replaced"} & set(json.loads(llmplan("sweep", "--json", plan).out))


def test_a_sweep_takes_no_waive_and_statements(llmplan, plan, write):
    outcome = llmplan("sweep", "--no-waive", plan)
    assert outcome.code == 1 and outcome.err.count("error[E0211]") == 2
    plain = write("plain.plan", BASE + "show size\n")
    assert llmplan("sweep", plain).code == 1
    document = json.loads(llmplan("sweep", plain, "-e", "sweep size in [1, 2]", "-e", "waive even", "--json").out)
    assert len(document["points"]) == 2 and document["waived"][0]["name"] == "even"
    alone = llmplan("sweep", "-e", "let a = 2", "-e", "show a", "-e", "sweep a in [2, 3]", "--json")
    assert alone.code == 0 and len(json.loads(alone.out)["points"]) == 2
    assert llmplan("sweep").code == 2


def test_a_waived_requirement_is_explained(llmplan, plan):
    outcome = llmplan("explain", plan, "even")
    assert outcome.code == 0 and outcome.out.splitlines()[:4] == [
        "even: waived",
        "    granted",
        "    = mod(size, 2) == 0",
        f"    waived by the plan, {plan}:2",
    ]
    (first, *_) = json.loads(llmplan("explain", plan, "even", "--json").out)
    assert (first["role"], first["value"]["value"], first["text"]) == ("requirement", None, "waived")
    assert "even: waived" in llmplan("explain", plan).out
    markdown = llmplan("explain", plan, "even", "--format", "markdown").out
    assert markdown.startswith("- **`even`**: waived")


def test_a_replaced_requirement_is_explained_with_what_it_replaces(llmplan, plan):
    outcome = llmplan("explain", plan, "small")
    assert "small: holds" in outcome.out and "instead of" in outcome.out and "size <= 3" in outcome.out


def test_a_misspelt_name_of_a_waived_requirement(llmplan, plan):
    outcome = llmplan("explain", plan, "evn")
    assert outcome.code == 1 and "E0201" in outcome.err and "`even`" in outcome.err


FORMULAS = """model "llama-7b"
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
dataset { tokens = 1T, sequence_length = 2048 }
training { global_batch = 4M tokens, micro_batch = 1 }
assume mfu = 40%
@cite("our measurements")
replace quantity restart_time: s = 4 min
show restart_time
emit report into "out"
"""


def test_a_formula_of_the_plan_in_place_of_the_librarys_is_told(llmplan, write, tmp_path):
    plan = write("a.plan", FORMULAS)
    screen = " ".join(llmplan("solve", plan).out.split())
    told = f"restart_time 4 min ({plan}:7), not the library's (plans/std/time.plan:"
    assert f"formulas of the plan {told}" in screen
    (step, *_) = json.loads(llmplan("explain", plan, "restart_time", "--json").out)
    assert step["origin"] == {"layer": "replaced", "place": f"{plan}:7", "text": "4 min"}
    assert [one["layer"] for one in step["instead_of"]] == ["formula"]
    assert (
        step["instead_of"][0]["place"].startswith("plans/std/time.plan:") and step["instead_of"][0]["text"] != "4 min"
    )
    assert f"formula of the plan, not of the library, {plan}:7" in llmplan("explain", plan, "restart_time").out
    assert f"replaced {told}" in " ".join(llmplan("compile", plan).out.split())
    report = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    said = (
        "- `restart_time` is computed by the plan's formula, not the library's (plans/std/time.plan): `4 min` (a.plan)."
    )
    assert said in report
    assert "not of the library" not in llmplan("explain", plan, "time").out


def test_a_formula_that_is_not_of_the_library_is_not_called_so(llmplan, write):
    write("base.plan", "quantity q: Real = 1\nfn f(n: Real) -> Real = n\n")
    text = 'use "base.plan"\nreplace quantity q: Real = 2\nreplace fn f(n: Real) -> Real = n * 10\nshow q + f(1)\n'
    plan = write("a.plan", text)
    screen = llmplan("solve", plan).out
    assert "formulas of the plan" in screen and "library's" not in screen
    assert "not of the library" not in llmplan("explain", plan, "q").out
