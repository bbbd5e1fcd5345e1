"""Public records: the JSON of the commands, rows of equal keys, what a person and a notebook see, and lazy loading."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

import llmplan
from llmplan import cli

PLAN = """## How many?
model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = ? in 64..256 step 8 }
training { precision = bf16, global_batch = 4M tokens }
assume mfu = 35%..40%
require deadline: time <= 30 days
minimize hardware.gpus
"""
SMALL = "let a = 2\nlet b = a * 3\nshow b\n"


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.plan").write_text(f"{SMALL}emit report\n")
    (tmp_path / "sweep.plan").write_text(f"{SMALL}sweep a in [2, 4]\n")
    return "a.plan"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> object:
    cli.run(arguments)
    return json.loads(capsys.readouterr().out)


def test_to_dict_is_the_json_of_the_command(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert llmplan.solve(plan).to_dict() == printed(capsys, "solve", "--json", plan)
    assert llmplan.check(plan).to_dict() == printed(capsys, "check", "--format", "json", plan)
    assert llmplan.sweep("sweep.plan").to_dict() == printed(capsys, "sweep", "--json", "sweep.plan")
    assert list(llmplan.explain(plan, "b").to_dict()) == printed(capsys, "explain", "--json", plan, "b")
    written = llmplan.compile(plan, into="out").to_dict()
    assert written == printed(capsys, "compile", "--json", plan, "-o", "out")
    json.dumps(written, allow_nan=False)


def test_a_solution_is_a_mapping_of_amounts() -> None:
    solution = llmplan.solve(text=PLAN)
    assert solution and solution.title == "How many?" and next(iter(solution.unknowns)) == "hardware.gpus"
    time = solution["time"]
    assert time.unit == "s" and time.low < float(time) < time.high and time.model_low is None
    assert (time.text, time.short(), time.short(2)) == (str(time), time.short(3), time.short(2))
    assert len(time.short(2)) < len(time.short(3)) < len(time.text)
    card = solution["hardware.gpu"]
    assert (card.value, card.unit, card.short()) == ("A100-SXM4-80GB", None, "A100-SXM4-80GB")
    assert "time" in solution and "tme" not in solution and len(solution) == len(solution.rows())
    with pytest.raises(KeyError, match="did you mean time"):
        solution["tme"]
    with pytest.raises(TypeError, match="A100-SXM4-80GB is not a number"):
        float(card)
    assert {"deadline", "time"} <= {row[0] for row in solution._cells()}
    assert pickle.loads(pickle.dumps(solution)).to_dict() == solution.to_dict()


def test_records_are_frozen(plan: str) -> None:
    solution = llmplan.solve(text="let a = 1\nshow a")
    for record in (solution, solution["a"], llmplan.compile(text="let a = 1\nshow a", into="out")):
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            record.status = "solved"  # type: ignore[misc]


def test_rows_have_the_same_keys(plan: str) -> None:
    table = llmplan.sweep("sweep.plan")
    assert len(table) == 2 and table.axes == ("a",) and table.units == {"b": ""}
    tables = (table, llmplan.solve(plan), llmplan.check(text="let a ="), llmplan.explain(plan, "b"))
    for record in (*tables, llmplan.compile(plan, into="out")):
        rows = record.rows()
        assert rows and len({tuple(row) for row in rows}) == 1
    assert [row["status"] for row in table.rows()] == ["solved", "solved"]


def test_an_infeasible_and_a_broken_plan() -> None:
    late = llmplan.solve(text=PLAN, settings={"hardware.gpus": 8})
    assert late.status == "infeasible" and not late and "the nearest plan" in repr(late)
    broken = llmplan.explain(text="let a =")
    assert broken == () and broken.diagnostics.errors
    empty = llmplan.sweep(text=PLAN)
    assert len(empty) == 0 and empty.rows() == [] and "no `sweep`" in repr(empty) and empty.units == {}


def test_points_without_a_solution_have_no_values() -> None:
    table = llmplan.sweep(
        text="let a = 2\nlet b = ? in 1..9\nrequire c: b > a * 3\nminimize b\nsweep a in [2, 4]\nshow b * a"
    )
    solved, infeasible = table.rows()
    assert (solved["a"], solved["b"], solved["b * a"], solved["status"]) == (2, 7, 14, "solved")
    assert (infeasible["a"], infeasible["b"], infeasible["b * a"]) == (4, None, None)
    assert infeasible["status"] == "infeasible" and "c" in infeasible["reason"] and not infeasible["best"]
    assert table.to_dict()["points"][1]["unknowns"]["b"] is not None, "the JSON has the nearest plan"


def test_a_failed_solution_shows_its_hints() -> None:
    failed = llmplan.solve(text='model "lama-7b"')
    for shown in (repr(failed), failed._repr_html_(), failed._repr_markdown_(), repr(failed.diagnostics)):
        assert "the catalog has no model" in shown and "help: did you mean" in shown and "llama-7b" in shown


def test_a_plan_marks_nothing_up() -> None:
    text = 'let a = 1\nrequire "x <script>": a == 2'
    hostile = llmplan.solve("<b>|`\u202e.plan", text=text)
    assert hostile.status == "error"
    assert "\u202e" not in repr(hostile) + hostile._repr_html_() + hostile._repr_markdown_()
    assert "<b>" not in hostile._repr_html_() and "<script>" not in hostile._repr_html_()


def test_a_notebook_shows_tables(plan: str) -> None:
    for record in (
        llmplan.solve(text=f"{SMALL}require c: a < 3"),
        llmplan.sweep("sweep.plan"),
        llmplan.explain(plan, "b"),
    ):
        assert record._repr_html_().startswith("<table><caption>") and record._repr_html_().count("<tr>") > 1
        lines = record._repr_markdown_().splitlines()
        assert lines[3].startswith("| --- |") and len({line.count(" | ") for line in lines[2:]}) == 1
    sound = llmplan.check(text="let a = 1\nshow a")
    assert sound == () and repr(sound) == sound._repr_markdown_() == "no diagnostics"
    assert "hint" in dir(sound) or sound.to_dict() == {"schema": 1, "diagnostics": []}


def ran(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_the_package_loads_nothing_else() -> None:
    assert (
        ran("import sys, llmplan; print([n for n in sys.modules if n.startswith(('llmplan.', 'attr', 'lark'))])")
        == "[]"
    )
    heavy = "[n for n in ('sympy', 'numpy', 'jinja2', 'mpmath') if n in sys.modules]"
    assert ran(f"import sys, llmplan; llmplan.check(text='let a = 1\\nshow a'); print({heavy})") == "[]"


def test_functions_stay_functions_beside_the_stages_of_their_names() -> None:
    shown = "print(llmplan.check.__module__, llmplan.solve.__module__)"
    for code in (
        "import llmplan.check.ir, llmplan.solve.passes, llmplan",
        "import llmplan; llmplan.check; import llmplan.check.ir; from llmplan.check import ir",
    ):
        assert ran(f"{code}\n{shown}") == "llmplan.public.functions llmplan.public.functions"


def test_what_is_exported() -> None:
    from llmplan import public

    assert [name for name in llmplan.__all__ if getattr(llmplan, name) is not getattr(public, name)] == []
    assert set(llmplan.__all__) == {name for name in vars(public) if name in llmplan.__all__}
    assert all(getattr(llmplan, name).__doc__ for name in llmplan.__all__) and set(llmplan.__all__) < set(dir(llmplan))
    with pytest.raises(AttributeError, match="no attribute 'slove'"):
        llmplan.slove  # type: ignore[attr-defined]  # noqa: B018


def test_what_is_waived_or_replaced_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("base.plan").write_text("let a = 2\nrequire small: a <= 3\nrequire even: mod(a, 2) == 0\n")
    text = 'use "base.plan"\nwaive even because "granted <b>"\nrequire small: a <= 9\nshow a\n'
    Path("a.plan").write_text(f"{text}emit report\n")
    solution = llmplan.solve("a.plan")
    assert [(one.name, one.what, one.by, one.because) for one in solution.departures] == [
        ("small", "replaced", "a <= 9", None),
        ("even", "waived", None, "granted <b>"),
    ]
    for look in (repr(solution), solution._repr_markdown_(), solution._repr_html_()):
        assert "waived" in look and "replaced" in look and "granted" in look
    assert "granted &lt;b&gt;" in solution._repr_html_()
    table = llmplan.sweep("a.plan", statements=["sweep a in [2, 4]"])
    written = llmplan.compile("a.plan", into="out")
    assert [one.name for one in table.departures] == ["small", "even"]
    for record in (table, written):
        for look in (repr(record), record._repr_markdown_(), record._repr_html_()):
            assert "replaced: small; waived: even" in look
    plain = llmplan.solve(text="let a = 2\nrequire a <= 3\n")
    assert plain.departures == () and "waived" not in repr(plain)


@pytest.mark.slow
def test_a_check_names_what_is_outdated_and_missing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = 'model "llama-7b"\ndataset.tokens = 1T\nhardware { gpu = "A100-SXM4-80GB", gpus = 64 }\nassume mfu = 40%\n'
    (tmp_path / "a.plan").write_text(f"{plan}emit report\n", encoding="utf-8")
    assert llmplan.compile("a.plan", into="out")
    assert llmplan.compile("a.plan", into="out", check=True).outdated == ()
    (tmp_path / "out" / "report.md").unlink()
    (tmp_path / "a.plan").write_text(f"{plan.replace('40%', '45%')}emit report\n", encoding="utf-8")
    checked = llmplan.compile("a.plan", into="out", check=True)
    assert not checked and checked.missing == ("report.md",) and "solution.json" in checked.outdated
    assert {row["what"] for row in checked.rows()} >= {"missing", "outdated"}
