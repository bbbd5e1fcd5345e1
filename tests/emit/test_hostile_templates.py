"""Templates of one's own that never end, are too large or change what they are shown: each is E0506."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llmplan.emit.render import render
from tests.emit.samples import emitting, solution

SOLUTION = emitting(solution(), "mine", "report")


def rendered(folder: Path, template: str) -> tuple[dict[str, str], list[str]]:
    target = folder / "mine"
    target.mkdir()
    manifest = {"about": "mine", "when": "named", "files": {"o.txt": "o.j2"}}
    (target / "target.json").write_text(json.dumps(manifest))
    (target / "o.j2").write_text(template)
    texts, problems = render(SOLUTION, folder)
    return texts, [f"{problem.code}: {problem.message}" for problem in problems if problem.severity == "error"]


DEEP = "it is nested too deeply, or calls itself without end"
LARGE = "a value or a file of it is too large"


@pytest.mark.parametrize(
    ("template", "why"),
    [
        pytest.param("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", DEEP, id="a macro that calls itself"),
        pytest.param('{% include "mine/o.j2" %}', DEEP, id="a file that includes itself"),
        pytest.param("{{ " + "(" * 2000 + "1" + ")" * 2000 + " }}", DEEP, id="brackets"),
        pytest.param("{% if 1 %}" * 500 + "{% endif %}" * 500, DEEP, id="branches"),
        pytest.param("{{ [].pop() }}", "pop from empty list", id="an index"),
        pytest.param("{{ 'x' * 10 ** 10 }}", LARGE, id="a long text"),
        pytest.param("{{ 10 ** (10 ** 10) }}", LARGE, id="a long number"),
        pytest.param("{{ 7 ** 777 % 10 }}", "", id="a number of some size"),
        pytest.param("{% for i in range(20000) %}{{ 'x' * 1000 }}{% endfor %}", LARGE, id="a long file"),
        pytest.param(
            "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
            "it takes too long",
            id="loops",
            marks=pytest.mark.slow,
        ),
        pytest.param("{{ lipsum(n=100000) }}", "'lipsum' is undefined", id="random text"),
        pytest.param("{% do solution.values.clear() %}", "no attribute 'clear'", id="no change of what is shown"),
    ],
)
def test_a_hostile_template(template: str, why: str, tmp_path: Path) -> None:
    texts, problems = rendered(tmp_path, template)
    if not why:
        assert not problems and texts["o.txt"] == "7"
        return
    (problem,) = problems
    assert problem.startswith("E0506: ") and "o.j2" in problem and why in problem


def test_a_manifest_that_is_nested_too_deeply(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "target.json").write_text("[" * 100_000)
    _, problems = render(SOLUTION, tmp_path)
    assert "its JSON is nested too deeply" in problems[0].message
