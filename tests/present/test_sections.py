"""Sections: screen and report show every block between them, and the report's skeleton places each section once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from llmplan.emit.render import render
from llmplan.present import markdown, screen
from llmplan.present.blocks import Chart, Column, Line, Prose, Rows, Section, line
from llmplan.present.context import Context
from llmplan.present.sections import SECTIONS
from tests.present.answers import PLANS, REPOSITORY, context, report, shown_on_a_screen, solved

REPORT = REPOSITORY / "templates" / "report"
SLOW = [pytest.param(name, marks=pytest.mark.slow) if name != "alone" else name for name in PLANS]


def chosen() -> set[tuple[str, str]]:
    """The sections and blocks that a screen or a report shows."""
    reported = {(section, block) for section, blocks in markdown.SHOWN.items() for block in blocks}
    return reported | {("answer", "headline"), *screen.HEAD, *screen.BODY}


def made(sections: Mapping[str, Callable[[Context], Section]], name: str) -> set[tuple[str, str]]:
    return {(section, block.name) for section, make in sections.items() for block in make(context(name)).blocks}


@pytest.mark.parametrize("name", SLOW)
def test_whatever_is_made_is_shown_somewhere(name: str) -> None:
    assert made(SECTIONS, name) - chosen() == set()


def test_a_section_that_is_shown_nowhere_is_told() -> None:
    def forgotten(_: Context) -> Section:
        return Section("Forgotten", (Prose("said", (line("a"),)),))

    assert made({**SECTIONS, "forgotten": forgotten}, "alone") - chosen() == {("forgotten", "said")}


@pytest.mark.slow
def test_whatever_is_chosen_is_made_for_some_answer() -> None:
    everything: set[tuple[str, str]] = set()
    for name in PLANS:
        everything |= made(SECTIONS, name)
    assert chosen() - everything == set()


def placed(skeleton: str) -> list[str]:
    return re.findall(r'section\("([^"]+)"', skeleton)


def test_the_skeleton_of_the_report_is_short_and_places_each_section_once() -> None:
    skeleton = (REPORT / "report.md.j2").read_text(encoding="utf-8")
    assert skeleton.count("\n") <= 120
    assert sorted(placed(skeleton)) == sorted(markdown.SHOWN)
    assert sorted(placed(skeleton.replace('section("why")', ""))) != sorted(markdown.SHOWN)


def charts(sections: Mapping[str, Callable[[Context], Section]], name: str) -> set[str]:
    return {
        block.name for make in sections.values() for block in make(context(name)).blocks if isinstance(block, Chart)
    }


@pytest.mark.slow
def test_a_chart_is_a_picture_that_the_report_has() -> None:
    drawn = {file.removesuffix(".svg") for file in json.loads((REPORT / "target.json").read_text())["files"]}
    assert {"deadline", "run", "memory", "ranges", "step"} == charts(SECTIONS, "deadline") and charts(
        SECTIONS, "deadline"
    ) <= drawn

    def unknown(_: Context) -> Section:
        return Section("", (Chart("pie", line("a pie")),))

    assert charts({"pie": unknown}, "alone") - drawn == {"pie"}


def test_a_chart_without_a_file_is_not_in_the_report() -> None:
    assert "![" not in report("alone")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PLANS if name != "alone"])
def test_screen_and_report_say_the_same_of_requirements(name: str) -> None:
    """The verdict on each of the author's requirements is the same word in both."""
    for rule in context(name).own:
        row = next(one for one in report(name).splitlines() if one.startswith(f"| {rule.name} ("))
        (below,) = [one for one in shown_on_a_screen(name).splitlines() if one.startswith(f"  {rule.name} ")]
        assert rule.verdict is not None and rule.verdict in row and rule.verdict in below.split()


@pytest.mark.slow
def test_a_folder_laid_over_the_templates_places_sections_as_it_likes(tmp_path: Path) -> None:
    own = tmp_path / "report" / "report.md.j2"
    own.parent.mkdir()
    own.write_text(
        '# {{ solution.plan | md }}\n\nOurs: {{ value_of("time").amount.short() }}\n{{ section("verdicts") -}}\n'
    )
    files, problems = render(solved("deadline"), tmp_path)
    assert not problems
    text = files["report.md"]
    assert re.match(r"# deadline\.plan\n\nOurs: [\d.]+ days\n\n\|", text) and "## Not included" not in text
    assert text.partition("\n\n|")[2].partition("\n\n")[0] in report("deadline")

    own.write_text('{{ section("verdict") }}')
    _, (problem,) = render(solved("deadline"), tmp_path)
    assert problem.code == "E0506" and "there is no section `verdict`, but answer, verdicts" in problem.message


def cell(text: str) -> Line:
    return line(text)


def test_a_row_may_have_fewer_cells_than_the_table_has_columns() -> None:
    block = Rows("table", (Column(cell("a")), Column(cell("b"))), ((cell("1"),), (cell("2"), cell("3"))))
    assert markdown.markdown(Section("", (block,)), ("table",)) == "| a | b |\n|---|---|\n| 1 |  |\n| 2 | 3 |\n"
