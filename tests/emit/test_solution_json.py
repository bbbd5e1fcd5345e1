"""The JSON of a solution: the fixed keys, base units, null for what is not finite."""

from __future__ import annotations

import json
import math

from attrs import evolve

import llmplan
from llmplan.diagnostics import Diagnostic, Hint
from llmplan.emit.render import render
from llmplan.emit.solution_json import as_json, dump
from llmplan.source import Source, Span
from tests.emit.samples import having, solution, value

LLAMA = solution()


def test_keys_in_order() -> None:
    document = as_json(LLAMA, ["report.md"])
    assert list(document) == [
        "schema", "plan", "status", "unknowns", "quantities", "requirements", "diagnostics", "assumed",
        "levers", "files",
    ]  # fmt: skip
    assert document["schema"] == 2 and document["files"] == ["report.md"]
    assert document["unknowns"]["hardware.gpus"] == {"value": 88, "unit": "GPU", "how": "search"}
    assert document["unknowns"]["training.recompute"] == {"value": "full", "unit": None, "how": "search"}
    assert document["quantities"]["time"] == {
        "value": 2584012.3, "unit": "s", "low": None, "high": None, "model_low": 2298240, "model_high": 3101760,
        "source": "plans/std/time.plan:14", "calendar": None,
    }  # fmt: skip
    assert document["quantities"]["cost"] == {"value": None, "needs": ["hardware.price"]}
    assert document["requirements"][0] == {
        "name": "deadline", "holds": True, "range": "certain", "chance": 0.5061, "verdict": "tight",
        "on": "planned", "planned": None, "slack": 7987.7,
        "slack_unit": "s", "side": {"value": 2584224, "unit": "s"}, "limit": {"value": 2592000, "unit": "s"},
        "because": None,
    }  # fmt: skip
    assert document["requirements"][2]["holds"] is None


def test_not_finite_is_null() -> None:
    for bad in (math.nan, math.inf, -math.inf):
        document = as_json(having(LLAMA, value("time", bad, "undefined", "s")), [])
        assert document["quantities"]["time"] == {"value": None, "needs": []}
        json.dumps(document, allow_nan=False)


def test_what_has_no_value_says_why() -> None:
    undefined = value("time", None, "undefined", "s", reason="none of its formulas applies")
    document = as_json(having(LLAMA, undefined), [])
    assert document["quantities"]["time"] == {
        "value": None, "needs": [], "reason": "none of its formulas applies",
    }  # fmt: skip


def test_diagnostics_have_places() -> None:
    span = Span(Source("plans/a.plan", "model {\n  layers = 3 +\n}\n"), 10, 16)
    warning = Diagnostic("W0601", "warning", "x", span, hints=(Hint("do it"),))
    (record,) = as_json(evolve(LLAMA, diagnostics=(warning,)), [])["diagnostics"]
    wanted = {
        "code": "W0601", "severity": "warning", "message": "x", "file": "plans/a.plan", "line": 2, "column": 3,
        "end_line": 2, "end_column": 9, "hints": ["do it"],
    }  # fmt: skip
    assert {key: record[key] for key in wanted} == wanted


def test_the_file_names_versions_and_files() -> None:
    files, _ = render(LLAMA)
    document = json.loads(files["solution.json"])
    assert document["files"] == list(files)
    assert document["llmplan"] == llmplan.__version__
    assert (document["plan_hash"], document["library_hash"]) == (LLAMA.plan_hash, LLAMA.library_hash)
    assert set(document["lock"]["files"]) == set(files)
    for name, text in files.items():
        assert name == "solution.json" or llmplan.__version__ not in text


def test_a_value_is_a_line() -> None:
    files, _ = render(LLAMA)
    more, _ = render(having(LLAMA, value("data_parallel", 96.0, "96", formula="hardware.gpus / parallelism.tensor")))
    pairs = zip(files["solution.json"].splitlines(), more["solution.json"].splitlines(), strict=True)
    changed = [old.split(":")[0].strip() for old, new in pairs if old != new]
    assert changed == ['"data_parallel"', '"report.md"', '"solution.json"']


def test_dump_reads_back() -> None:
    document = {"a": [1, {"b": ["x" * 200, None]}], "ü": {}, "long": {str(i): i for i in range(99)}}
    assert json.loads(dump(document)) == document
