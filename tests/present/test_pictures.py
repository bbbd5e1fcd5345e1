"""Pictures of the report: sound, the same bytes, and none of them forgotten."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from attrs import evolve

from llmplan.answer.schema.solution import Solution
from llmplan.check import library
from llmplan.emit.render import render
from llmplan.emit.targets import load, source
from llmplan.present import pictures
from llmplan.present.context import Context
from llmplan.present.pictures import CHARTS, FORMS, Picture, picture
from llmplan.present.svg.lines import lines
from llmplan.units.amount import Amount, Unit
from tests import told
from tests.present.drawn import faults
from tests.present.plans import ALL, CASES, PLANS, QUICK, ROOT, solved

GOLDEN = Path(__file__).parent / "golden"


def drawn(solution: Solution) -> dict[str, str]:
    texts = {f"{chart.name}.svg": picture(Context(solution, told.WORDS), chart.name, "svg") for chart in CHARTS}
    return {file: f"{text}\n" for file, text in texts.items() if text}


@pytest.mark.parametrize("name", CASES)
def test_pictures_are_sound(name: str) -> None:
    svgs = drawn(solved(name))
    assert tuple(sorted(svgs)) == PLANS[name][1]
    assert {file: faults(svg) for file, svg in svgs.items() if faults(svg)} == {}


@pytest.mark.parametrize("name", [QUICK, pytest.param("ranges", marks=pytest.mark.slow)])
def test_pictures_stay_what_they_are(name: str) -> None:
    """Written anew with `LLMPLAN_UPDATE=1`."""
    for file, svg in drawn(solved(name)).items():
        golden = GOLDEN / f"{name}-{file}"
        if os.environ.get("LLMPLAN_UPDATE"):
            golden.write_text(svg, encoding="utf-8")
        assert svg == golden.read_text(encoding="utf-8"), file


def forgotten(charts: Iterable[Picture]) -> set[str]:
    """Pictures that the report has no file for, and files of pictures that are not in the list."""
    files = {file: template for file, template in load()[0]["report"].files if file.endswith(".svg")}
    listed = {f"{chart.name}.svg" for chart in charts}
    called = {file: source(f"report/{template}", None) for file, template in files.items()}
    wrong = {file for file, text in called.items() if text != f'{{{{ picture("{file[:-4]}", option("pictures")) }}}}\n'}
    return wrong | (listed ^ set(files))


def test_every_picture_is_a_file_of_the_report() -> None:
    assert forgotten(CHARTS) == set()
    maze = Picture("maze", CHARTS[0].chart, lines)
    assert forgotten([*CHARTS, maze]) == {"maze.svg"}
    assert forgotten(CHARTS[1:]) == {"deadline.svg"}


def test_a_chart_without_a_drawing_is_told() -> None:
    with pytest.raises(TypeError, match="draw"):
        Picture("maze", CHARTS[0].chart)  # type: ignore[call-arg]


@pytest.mark.slow
@pytest.mark.parametrize(("module", "drawing"), [("bars", "stacked"), ("lines", "lines")])
def test_a_chart_with_the_drawing_of_another_is_told(module: str, drawing: str, tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text(
        "from llmplan.present.charts.deadline import deadline\nfrom llmplan.present.pictures import _picture\n"
        f"from llmplan.present.svg.{module} import {drawing}\n\n_picture('maze', deadline, {drawing})\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--cache-dir", os.devnull]
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    checked = subprocess.run(
        [*command, str(planted)], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    complaints = [line for line in checked.stdout.splitlines() if line.startswith("planted.py:")]
    assert [line.partition("error: ")[2] for line in complaints] == (
        ['Cannot infer value of type parameter "Shown" of "_picture"  [misc]'] if drawing == "stacked" else []
    )


def test_every_form_that_a_plan_may_ask_for_is_drawn() -> None:
    assert library.load()[0].enums["Pictures"].members == FORMS
    with pytest.raises(ValueError, match="`png` is not a form of pictures: svg, none"):
        picture(Context(solved(QUICK), told.WORDS), "deadline", "png")
    assert picture(Context(solved(QUICK), told.WORDS), "deadline", "none") == ""


def test_a_picture_that_there_is_not_is_told(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "deadline.svg.j2").write_text('{{ picture("maze", option("pictures")) }}\n')
    written, (problem,) = render(solved(QUICK), tmp_path)
    assert not written and problem.code == "E0506"
    assert "/report/deadline.svg.j2:1:" in problem.message and "templates/report" not in problem.message
    assert f"`maze` is not a picture: {', '.join(chart.name for chart in CHARTS)}" in problem.message


def test_a_form_that_there_is_not_is_told() -> None:
    solution = solved(QUICK)
    option = solution.values["report.pictures"]
    asked = evolve(option, amount=evolve(option.amount, value="png"))
    written, problems = render(evolve(solution, values={**solution.values, "report.pictures": asked}))
    assert not written and {problem.code for problem in problems} == {"E0506"}
    assert all("`png` is not a form of pictures: svg, none" in problem.message for problem in problems)


def test_a_file_of_the_user_takes_the_place_of_a_picture(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "deadline.svg.j2").write_text("<svg/>\n")
    written, problems = render(solved(QUICK), tmp_path)
    assert not problems and written["deadline.svg"] == "<svg/>\n"
    assert "](deadline.svg)" in written["report.md"] and faults(written["memory.svg"]) == []
    (tmp_path / "report" / "deadline.svg.j2").write_text("{# none #}\n")
    written, problems = render(solved(QUICK), tmp_path)
    assert not problems and "deadline.svg" not in written and "](deadline.svg)" not in written["report.md"]


HOSTILE = '</text><script>alert(1)</script>"&\u202e' + "long " * 40


def strange(amount: Amount | None) -> Amount | None:
    """The amount in a unit that nobody has declared."""
    if amount is None or amount.measure is None:
        return amount and Amount(HOSTILE)
    return evolve(amount, unit=Unit(HOSTILE, 1.0, True, fixed=True))


def test_hostile_names_stay_texts() -> None:
    solution = solved(QUICK)
    curve = solution.curve
    assert curve is not None
    values = {name: evolve(value, amount=strange(value.amount)) for name, value in solution.values.items()}
    parts = {whole: tuple((name, HOSTILE) for name, _ in pairs) for whole, pairs in solution.parts.items()}
    changed = evolve(
        curve,
        input=evolve(curve.input, name=HOSTILE, unit=HOSTILE),
        result=evolve(curve.result, name=HOSTILE, unit=HOSTILE),
        points=tuple(
            evolve(point, amount=strange(point.amount), result=strange(point.result)) for point in curve.points
        ),
        requirement=HOSTILE,
        limit_amount=strange(curve.limit_amount),
    )
    others = tuple(
        evolve(neighbour, name=f"a.{HOSTILE}{number}", amount=Amount(HOSTILE), breaks=(HOSTILE,))
        for number, neighbour in enumerate(solution.neighbours)
    )
    svgs = drawn(evolve(solution, values=values, parts=parts, curve=changed, neighbours=others))
    assert len(svgs) == len(ALL)
    for svg in svgs.values():
        assert not faults(svg)
        assert "<script" not in svg and "\u202e" not in svg


def test_what_is_written_is_what_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    written, problems = render(solved(QUICK))
    assert not problems
    assert {file: text for file, text in written.items() if file.endswith(".svg")} == drawn(solved(QUICK))
    nothing = tuple(evolve(chart, chart=lambda answer: None) for chart in CHARTS)
    monkeypatch.setattr(pictures, "CHARTS", nothing)
    assert not [file for file in render(solved(QUICK))[0] if file.endswith(".svg")]


@pytest.mark.slow
def test_every_run_draws_the_same_bytes(tmp_path: Path) -> None:
    """In processes that hash texts otherwise."""
    digests = set()
    for seed in ("0", "1", "2"):
        out = tmp_path / seed
        code = (
            f"import sys; sys.argv = ['llmplan', 'compile', 'plans/llama7b.plan', '-o', {str(out)!r}]; "
            "from llmplan.__main__ import main; main()"
        )
        environment = {**os.environ, "PYTHONHASHSEED": seed, "XDG_CACHE_HOME": str(tmp_path / f"cache{seed}")}
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, check=False)
        digests.add(tuple((file.name, file.read_bytes()) for file in sorted(out.glob("*.svg"))))
    assert len(digests) == 1 and len(digests.pop()) == len(ALL)
