"""Templates of one's own that never end, are too large or change what they are shown: each is E0506."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from llmplan.emit.render import render
from tests.emit.samples import emitting, solution

ROOT = Path(__file__).resolve().parents[2]
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


GROWING = {
    "texts": "{% set n = namespace(x='a') %}{% for i in range(40) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
    "a list": "{% set x = [0] %}{% for i in range(60) %}{% do x.extend(x) %}{% endfor %}",
    "lists": "{% set n = namespace(x=[]) %}{% for i in range(40) %}{% set n.x = n.x + [[i] * 9000000] %}{% endfor %}",
    "a filter": "{{ ('a\\n' * 100000) | indent(10000) }}",
    "a method": "{{ 'x'.center(10 ** 9) }}",
}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs a limit of the address space")
@pytest.mark.parametrize("template", GROWING.values(), ids=GROWING)
def test_a_template_that_grows(template: str, tmp_path: Path) -> None:
    """Operators of one value are counted; what grows otherwise is stopped before the process has 512 MiB."""
    text = f"""
import pathlib, re, resource
from tests.emit.test_hostile_templates import rendered
before = resource.getrlimit(resource.RLIMIT_AS)
_, problems = rendered(pathlib.Path({str(tmp_path)!r}), {template!r})
assert len(problems) == 1 and "is too large" in problems[0], problems
assert resource.getrlimit(resource.RLIMIT_AS) == before
print(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
"""
    # Its own peak: that of `getrusage` is handed down by the process that starts it.
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 512 * 1024


def test_a_manifest_that_is_nested_too_deeply(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "target.json").write_text("[" * 100_000)
    _, problems = render(SOLUTION, tmp_path)
    assert "its JSON is nested too deeply" in problems[0].message
