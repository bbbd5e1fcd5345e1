"""What the command line makes of what the stages return, with stages that return what a test says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

import llmplan as package
from llmplan.answer.schema.advice import Skipped
from llmplan.answer.schema.requirements import RequirementResult, Sides
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import Origin, SolvedUnknown, Value
from llmplan.api import Written
from llmplan.diagnostics import Diagnostic
from llmplan.request import Request
from llmplan.source import Source, Span
from llmplan.units.amount import Amount
from tests.amounts import amount

ERROR = Diagnostic("E0201", "error", "undefined name `x`", Span(Source("a.plan", "x\n"), 0, 1))
WARNING = Diagnostic("W0604", "warning", "flat")
LATE = Sides(amount("28.9 days"), "le", amount("30 days"))
GPUS = Value("hardware.gpus", amount("136 GPUs"), "GPU", "input")
SOLVED = Solution(
    "a.plan",
    "",
    "solved",
    unknowns=(SolvedUnknown("hardware.gpus", GPUS, "closed form", True, below=amount("128 GPUs")),),
    values={
        "hardware.gpus": GPUS,
        "time": Value(
            "time", amount("28.9 days", 2.5e6), "s", "quantity", origin=Origin("formula", "plans/std/time.plan:3", "")
        ),
        "cost": Value("cost", Amount(None), "USD", "quantity", needs=("hardware.price",)),
    },
    requirements=(
        RequirementResult("deadline", True, "certain", 9e4, "time <= 30 days", LATE, "", "plan", ""),
        RequirementResult("fits", True, "certain", 1e9, "…", None, "", "library", ""),
        RequirementResult("budget", None, "no", None, "…", None, "", "library", "", needs=("hardware.price",)),
    ),
    skipped=tuple(Skipped((f"GPU-{number}",), 1, "cost", "no price") for number in range(7)),
)


@pytest.fixture
def stages(monkeypatch, write):
    """A stand-in for `llmplan.api`, and a readable `a.plan`."""
    write("a.plan", "x\n")
    fake = ModuleType("llmplan.api")
    monkeypatch.setitem(sys.modules, "llmplan.api", fake)
    monkeypatch.setattr(package, "api", fake, raising=False)
    return fake


def of_status(status, *diagnostics):
    return Solution("a.plan", "", status, diagnostics=diagnostics)


@pytest.mark.parametrize(("found", "code"), [([], 0), ([WARNING], 0), ([ERROR], 1), ([WARNING, ERROR], 1)])
def test_check_exits_1_on_errors_only(llmplan, stages, found, code):
    stages.check = lambda *_, **__: found
    assert llmplan("check", "a.plan").code == code


def test_check_writes_diagnostics_to_standard_error(llmplan, stages):
    stages.check = lambda *_, **__: [ERROR, ERROR, WARNING]
    outcome = llmplan("check", "a.plan")
    assert outcome.out == "a.plan: 2 errors, 1 warning\n"
    assert outcome.err.count("error[E0201]") == 2 and "warning[W0604]" in outcome.err


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_check_writes_machine_formats_to_standard_output(llmplan, stages, form):
    stages.check = lambda *_, **__: [ERROR]
    outcome = llmplan("check", "a.plan", "a.plan", "--format", form)
    assert outcome.code == 1 and outcome.err == "" and outcome.out.count("undefined name `x`") == 2


def test_an_unreadable_plan_is_in_the_machine_formats_too(llmplan, stages):
    stages.check = lambda *_, **__: []
    outcome = llmplan("check", "a.plan", "missing.plan", "--format", "json")
    assert outcome.code == 2
    assert [found["code"] for found in json.loads(outcome.out)["diagnostics"]] == ["E0507"]


@pytest.mark.parametrize(
    "failure",
    [
        MemoryError(),
        ImportError("libopenblas.so: failed to map segment from shared object"),
        SystemError("error return without exception set"),
    ],
)
def test_a_lack_of_memory_is_no_bug(llmplan, stages, failure):
    def solve(*_, **__):
        raise failure

    stages.solve = solve
    outcome = llmplan("solve", "a.plan")
    assert (outcome.code, outcome.err) == (2, "llmplan: there is not enough memory\n")


def test_each_result_of_sarif_has_a_location(llmplan, stages):
    (run,) = json.loads(llmplan("check", "missing.plan", "--format", "sarif").out)["runs"]
    places = [one["physicalLocation"] for result in run["results"] for one in result["locations"]]
    assert [place["artifactLocation"]["uri"] for place in places] == ["missing.plan"]


@pytest.mark.parametrize(("status", "code"), [("solved", 0), ("error", 1), ("infeasible", 3)])
def test_solve_exits_by_status(llmplan, stages, status, code):
    stages.solve = lambda *_, **__: of_status(status)
    assert llmplan("solve", "a.plan").code == code
    assert json.loads(llmplan("solve", "a.plan", "--json").out)["status"] == status


def test_solve_prints_nothing_of_a_plan_with_errors(llmplan, stages):
    stages.solve = lambda *_, **__: of_status("error", ERROR)
    outcome = llmplan("solve", "a.plan")
    assert outcome.out == "" and "E0201" in outcome.err


def test_solve_hands_over_its_options(llmplan, stages):
    given = []

    def solve(request, progress):
        given.append(request)
        assert callable(progress)
        return SOLVED

    stages.solve = solve
    llmplan("solve", "-", "--set", "a.b = 3 GB", "--set", "c=", "--scenario", "s", "--limit", 9, stdin=b"let x = 1\n")
    settings = (("a.b", "3 GB"), ("c", ""))
    assert given == [Request("-", "let x = 1\n", settings=settings, scenario="s", limit=9)]


def test_solve_fits_on_a_screen(llmplan, stages):
    stages.solve = lambda *_, **__: SOLVED
    outcome = llmplan("solve", "a.plan")
    lines = outcome.out.splitlines()
    assert lines[1:] == [
        "  deadline  safe  28.9 days ≤ 30 days",
        "  1 requirement of the library holds; not checked: budget",
        "",
        "found",
        "  hardware.gpus  136 GPUs  by closed form; next feasible: 128 GPUs",
        "",
        "results",
        "  time  28.9 days",
        "  cost  needs hardware.price",
        "",
        "notes",
        "  not considered: GPU-0 (`cost`: no price)",
        "  not considered: GPU-1 (`cost`: no price)",
        "  not considered: GPU-2 (`cost`: no price)",
        "  not considered: GPU-3 (`cost`: no price)",
        "  and 3 more in the report of `llmplan compile`",
        "",
        "next: llmplan explain a.plan",
    ]


@pytest.mark.parametrize(
    ("codes", "gravest"), [([0, 0], 0), ([0, 3], 3), ([3, 1], 1), ([1, 2], 2), ([2, 3], 2), ([0, 1, 3, 2], 2)]
)
def test_of_several_plans_the_gravest_counts(llmplan, stages, write, codes, gravest):
    status = {0: "solved", 1: "error", 3: "infeasible"}
    written = Written("build/a", (), ())
    stages.compile = lambda asked, **_: (of_status(status[int(asked.path[-6])]), written)
    plans = [write(f"{at}-{code}.plan", b"\xff" if code == 2 else b"") for at, code in enumerate(codes)]
    assert llmplan("compile", *plans).code == gravest


def test_compile_gives_each_of_several_plans_a_folder(llmplan, stages, write):
    folders = []

    def compile(asked, **options):
        folders.append(options["out"])
        return SOLVED, Written(options["out"], ("report.md",), ())

    stages.compile = compile
    llmplan("compile", "a.plan", write("x/b.plan", ""), "-o", "out")
    llmplan("compile", "a.plan", "-o", "out")
    llmplan("compile", "a.plan")
    assert folders == ["out/a", "out/b", "out", None]


def test_compile_refuses_plans_that_would_share_a_folder(llmplan, stages, write):
    outcome = llmplan("compile", "a.plan", write("x/a.plan", ""), "-o", "out")
    assert outcome.code == 2 and "same name" in outcome.err


def test_compile_fails_where_files_cannot_be_written(llmplan, stages):
    written = Written("build/a", (), (Diagnostic("E0505", "error", "full"),))
    stages.compile = lambda *_, **__: (SOLVED, written)
    outcome = llmplan("compile", "a.plan")
    assert outcome.code == 1 and "E0505" in outcome.err and "wrote" not in outcome.out
    printed = json.loads(llmplan("compile", "a.plan", "--json").out)
    assert printed["files"] == [] and [found["code"] for found in printed["diagnostics"]] == ["E0505"]


def test_compile_json_of_several_plans_is_a_list(llmplan, stages, write):
    stages.compile = lambda *_, **__: (SOLVED, Written("d", ("report.md",), ()))
    one = json.loads(llmplan("compile", "a.plan", "--json").out)
    two = json.loads(llmplan("compile", "a.plan", write("b.plan", ""), "--json").out)
    assert one["files"] == ["report.md"] and two == [one, one]


def test_the_answer_of_each_of_several_plans_stands_under_its_name(llmplan, stages, write):
    stages.compile = lambda *_, **__: (SOLVED, Written("d", ("report.md",), ()))
    out = llmplan("compile", "a.plan", write("x/b.plan", "")).out.splitlines()
    assert out.index("a.plan:") == 0 < out.index("x/b.plan:")
    assert "a.plan:" not in llmplan("compile", "a.plan").out.splitlines()


def test_a_bug_in_llmplan_is_an_internal_error_without_a_traceback(llmplan, stages, monkeypatch):
    def broken(*_, **__):
        raise RecursionError("too deep")

    stages.check = broken
    outcome = llmplan("check", "a.plan")
    assert outcome.code == 2
    assert outcome.err.startswith("error[E0901]: internal error: RecursionError: too deep\n")
    monkeypatch.setenv("LLMPLAN_DEBUG", "1")
    with pytest.raises(RecursionError):
        llmplan("check", "a.plan")


def test_control_c_ends_quietly(llmplan, stages):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    stages.check = interrupted
    outcome = llmplan("check", "a.plan")
    assert outcome.code == 130 and outcome.out == "" and outcome.err.strip() == ""


def test_colour_only_on_a_terminal_that_wants_it(llmplan, stages, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    stages.check = lambda *_, **__: [ERROR]
    assert "\x1b" not in llmplan("check", "a.plan").err
    assert "\x1b[1;31m" in llmplan("check", "a.plan", terminal=True).err
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in llmplan("check", "a.plan", terminal=True).err


@pytest.mark.parametrize(
    "arguments",
    [
        ["solve"],
        ["nonsense"],
        ["solve", "a.plan", "b.plan"],
        ["solve", "a.plan", "--set", "hardware.gpus"],
        ["solve", "a.plan", "--set", "=3"],
        ["solve", "a.plan", "--limit", "0"],
        ["check", "a.plan", "--format", "xml"],
        ["check", "a.plan", "--root", "missing"],
        ["compile", "a.plan", "-o", "a.plan"],
        ["compile", "a.plan", "--templates", "missing"],
        ["explain", "E9999"],
        ["explain", "mfu"],
        ["explain", "a.plan", "time", "cost"],
    ],
)
def test_wrong_use_exits_2_and_says_why(llmplan, stages, arguments):
    outcome = llmplan(*arguments)
    assert outcome.code == 2 and outcome.out == ""
    assert outcome.err.startswith("Usage: llmplan")


def test_explain_a_code_in_either_case(llmplan):
    assert llmplan("explain", "e0301").out == llmplan("explain", "E0301").out
    assert llmplan("explain", "E0301").out.startswith("# E0301: ")


def test_help_and_version(llmplan):
    assert llmplan("--version").out == f"llmplan {package.__version__}\n"
    outcome = llmplan("--help")
    assert outcome.code == 0
    assert outcome.out.index("compile") < outcome.out.index("solve  ") < outcome.out.index("check  ")


@pytest.mark.slow
def test_explain_in_every_format(llmplan):
    asked = ("explain", str(Path(__file__).parents[2] / "plans/llama7b.plan"), "steps", "--depth", "1")
    text, markdown, found = (llmplan(*asked, *more) for more in ((), ("--format", "markdown"), ("--json",)))
    assert (text.code, markdown.code, found.code) == (0, 0, 0)
    assert text.out.startswith("steps = ") and markdown.out.startswith("- **`steps`** = ")
    steps = json.loads(found.out)
    assert steps[0]["name"] == "steps" and steps[0]["formula"].startswith("ceil(")
    assert {step["depth"] for step in steps} == {0, 1}
    assert steps == json.loads(llmplan(*asked, "--format", "json").out)


def test_explain_what_depends_on_a_name(llmplan, write):
    plan = write("a.plan", "let x = 3\nlet y = 2 * x\nrequire low: y <= 10\nshow y\n")
    assert llmplan("explain", plan, "--uses", "x", "--depth", "2").out == "x = 3\n  y = 6\n    low: holds\n"
    assert [step["name"] for step in json.loads(llmplan("explain", plan, "--uses", "x", "--json").out)] == ["x", "y"]
    drawn = llmplan("explain", plan, "y", "--graph", "mermaid").out
    assert drawn == 'flowchart LR\n    n0["y<br/>6"]\n    n1(["x<br/>3"])\n    n1 --> n0\n'
    assert llmplan("explain", plan, "--uses", "x", "--graph", "svg").out.startswith("<svg")
    for wrong in (["--graph", "svg"], ["y", "--uses", "x"], ["--all", "--uses", "x"]):
        assert llmplan("explain", plan, *wrong).code == 2
    assert llmplan("explain", plan, "--uses", "z").code == 1


@pytest.mark.slow
def test_each_command_ends_with_the_next(llmplan, write):
    plan = write("a b.plan", "let x = ? in [1, 2]\nminimize x\n")
    assert llmplan("solve", plan).out.splitlines()[-1].startswith("next: llmplan explain '")
    tight = write("tight.plan", "let x = 3\nrequire x <= 2\n")
    assert llmplan("solve", tight).out.splitlines()[-1].endswith(" --set x=2")  # never what edits a plan
    assert "next:" not in llmplan("solve", plan, "--json").out
    assert "next:" not in llmplan("solve", plan, "--set", "x=1").out  # that stands in no file
    lacking = write(
        "c.plan",
        'model "mixtral-8x7b"\ndataset { tokens = 1B }\nhardware { gpu = "H100-SXM5-80GB", gpus = 8 }\nshow time\n',
    )
    assert "next:" not in llmplan("solve", lacking).out  # what is asked for needs a value first
