"""docs/accuracy.md: current, one with the README, and made of what the repository ships."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks import accuracy, evidence, figures, fit_time, others
from benchmarks.judging import CASES, DATA, band
from benchmarks.read.damage import damage
from llmplan.backtest.base import Base

ROOT = Path(__file__).parents[2]
RERUN = "run `python benchmarks/accuracy.py`"


@pytest.fixture(scope="module")
def kept():
    return json.loads((ROOT / accuracy.KEPT).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def cases():
    return {case["id"]: case for case in evidence.records(CASES)}


def test_the_pages_are_those_of_the_kept_predictions(kept):
    for path, text in accuracy.pages(kept).items():
        assert (ROOT / path).read_text(encoding="utf-8") == text, RERUN


def test_the_readme_and_the_page_state_the_same_figures():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme.partition(accuracy.START)[2].partition(accuracy.END)[0]
    page = (ROOT / accuracy.PAGE).read_text(encoding="utf-8")
    assert "median error" in table and table.replace("](docs/accuracy.md#", "](#") in page
    # Each row leads to a heading of the page.
    headings = {
        re.sub(r"[^a-z -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    }
    assert set(re.findall(r"docs/accuracy\.md#([a-z-]+)", table)) <= headings


def test_the_constants_are_those_of_the_library(kept):
    library = Base.of().values({})
    for name, constant in kept["step_constants"].items():
        assert library.number(name) == pytest.approx(constant["library"], rel=1e-4), RERUN
    assert list(kept["step_constants"]) == list(fit_time.CONSTANTS), RERUN


def test_the_library_states_the_errors_that_were_found(kept, cases):
    """Beyond these, `python benchmarks/fit_time.py` says what the constants should be."""
    rows, _ = figures.timed(kept, list(cases.values()))
    found, library = figures.errors(rows), Base.of().values({})
    assert library.number("step.median_error") == pytest.approx(found["median"], abs=0.005)
    assert library.number("step.usual_error") == pytest.approx(found["tenth"], abs=0.02)
    for experts in (False, True):
        chosen = [one for one in rows if one.row.experts == experts]
        low, high = band(np.array([one.row.group for one in chosen]), np.array([one.group for one in chosen]))
        stated = {
            (kept["rows"][one.row.id]["step_low"], kept["rows"][one.row.id]["step_high"])
            for one in rows
            if one.row.experts == experts
        }
        assert (low, high) == pytest.approx(min(stated, key=lambda ends: ends[1] - ends[0]), rel=0.04)


@pytest.mark.slow
def test_the_whole_is_made_again_byte_for_byte(capsys):
    assert accuracy.main(["--check"]) == 0, capsys.readouterr().out


def test_the_records_are_sound_and_have_a_source(cases):
    lines = CASES.read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(cases)
    assert all(damage(case) is None and case["source"]["title"] for case in cases.values())
    runs = evidence.records(evidence.RUNS)
    assert len({run["id"] for run in runs}) == len(runs) and all(run["source"]["title"] for run in runs)


def test_every_tool_is_named_with_how_it_was_asked(cases):
    said = others.answers()
    asked = {tool["key"] for tool in others.tools()["tools"]}
    answered = {
        tool for row in said.values() for figure in ("step_time_s", "memory_gb") for tool in row.get(figure, {})
    }
    assert answered == asked and set(said) <= set(cases)
    assert all(
        tool["url"].startswith("https://") and tool["version"] and tool["how"] for tool in others.tools()["tools"]
    )


def test_reasons_are_given_for_tables_that_there_are(cases):
    reasons = json.loads((DATA / "reasons.json").read_text(encoding="utf-8"))
    assert set(reasons) <= {case["group"] for case in cases.values()}
    assert "not found" not in (ROOT / accuracy.PAGE).read_text(encoding="utf-8")


def test_the_drawing():
    text = (ROOT / accuracy.DRAWING).read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    assert len(text.encode()) <= 30_000
    assert root.find(f"{space}title").text and root.find(f"{space}desc").text and root.get("role") == "img"
    assert not re.search(r"\d\.\d\d", text), "more than one decimal"
    dots = [path.get("d") for path in root.iter(f"{space}path") if "h0" in path.get("d")]
    assert sum(drawn.count("h0") for drawn in dots) == json_count() + 2  # and those of the legend
    for x, y in re.findall(r"M([\d.]+) ([\d.]+)h0", "".join(dots)):
        assert (
            accuracy.LEFT <= float(x) <= accuracy.LEFT + accuracy.SIZE
            and accuracy.TOP <= float(y) <= accuracy.TOP + accuracy.SIZE
        )


def json_count() -> int:
    kept = json.loads((ROOT / accuracy.KEPT).read_text(encoding="utf-8"))
    return sum(row.get("fitted", False) for row in kept["rows"].values())
