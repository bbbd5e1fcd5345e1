"""A wrong option is a ValueError that names it; what a plan says is never raised."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

import llmplan
from llmplan.public.options import read

SOUND = "let a = 1\nshow a"
CALLS = [llmplan.check, llmplan.solve, llmplan.sweep, llmplan.compile, llmplan.explain]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "plan: name a file, or give the plan as `text` or `statements`"),
        ({"plan": ["a.plan"]}, r"plan: expected a path, not \['a.plan'\]"),
        ({"plan": ""}, "plan: expected a path, not ''"),
        ({"plan": b"a.plan"}, "plan: expected a path"),
        ({"plan": "missing.plan"}, "plan: cannot read 'missing.plan': no such file"),
        ({"text": 1}, "text: expected a text, not 1"),
        ({"text": SOUND, "scenario": 1}, "scenario: expected a name, not 1"),
        ({"text": SOUND, "statements": "show 1"}, "statements: expected a sequence of texts, not 'show 1'"),
        ({"text": SOUND, "statements": [1]}, r"statements: expected a sequence of texts, not \[1\]"),
        ({"text": SOUND, "root": "missing"}, "root: 'missing' is not a folder"),
        ({"text": SOUND, "templates": "missing"}, "templates: 'missing' is not a folder"),
        ({"text": SOUND, "no_waive": 1}, "no_waive: expected True or False, not 1"),
        ({"text": SOUND, "settings": "a=2"}, "settings: expected a mapping of paths to values, or pairs"),
        ({"text": SOUND, "settings": ["a=2"]}, "settings: expected a mapping of paths to values, or pairs"),
        ({"setings": {"a": 2}}, r"setings: `\w+` has no such option; did you mean `settings`\?"),
        ({"text": SOUND, "settings": {"a": 10**400}}, r"settings\['a'\]: expected a text or a number, not int"),
        ({"text": SOUND, "settings": {1: 2}}, "settings: expected paths that are texts, not 1"),
        ({"text": SOUND, "settings": {"a": None}}, r"settings\['a'\]: expected a text or a number, not None"),
        ({"text": SOUND, "settings": {"a": float("nan")}}, r"settings\['a'\]: expected a text or a number, not nan"),
    ],
)
def test_a_wrong_option(call: Any, options: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call(**options)


@pytest.mark.parametrize(
    ("call", "options", "said"),
    [
        (llmplan.solve, {"limit": 0}, "limit: expected a whole number from 1 on, not 0"),
        (llmplan.sweep, {"limit": 1e6}, "limit: expected a whole number from 1 on"),
        (llmplan.solve, {"effort": 0}, "effort: expected a number above 0, at most 1,000, not 0"),
        (llmplan.compile, {"into": 3}, "into: expected a path, not 3"),
        (llmplan.explain, {"depth": -1}, "depth: expected a whole number from 0 on, not -1"),
        (llmplan.explain, {"name": "b"}, "name: undefined name `b`"),
        (llmplan.explain, {"name": 3}, "name: expected a name, not 3"),
        (llmplan.compile, {"check": "no"}, "check: expected True or False, not 'no'"),
        (llmplan.sweep, {"effort": 2}, "effort: `sweep` has no such option; it takes plan, text, settings,"),
        (llmplan.check, {"limit": 2}, "limit: `check` has no such option; it takes plan, text, settings,"),
        (llmplan.solve, {"into": "build"}, "into: `solve` has no such option; it takes"),
        (llmplan.compile, {"ino": "build"}, r"ino: `compile` has no such option; did you mean `into`\?"),
    ],
)
def test_a_wrong_option_of_one_function(call: Any, options: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call(text=SOUND, **options)


@pytest.mark.parametrize("call", CALLS)
def test_a_signature_shows_every_option(call: Any) -> None:
    shown = signature(call).parameters
    assert {"plan", "text", "settings", "statements", "scenario", "root", "templates", "no_waive"} <= shown.keys()
    assert shown["text"].default is None and not any(one.kind is one.VAR_KEYWORD for one in shown.values())


@pytest.mark.slow
def test_a_type_checker_knows_the_options(tmp_path: Path) -> None:
    (tmp_path / "calls.py").write_text(
        "import llmplan\n"
        "llmplan.solve('a.plan', settings={'a': 1}, limit=3, effort=2.5).status\n"
        "llmplan.solve(text=1)\n"
        "llmplan.sweep(effort=2)\n"
        "llmplan.compile(setings={})\n"
        "llmplan.explain('a.plan', 'b', depth='x')\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(tmp_path / "calls.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(llmplan.__file__).parents[1])
    wrong = [line.partition("calls.py:")[2] for line in done.stdout.splitlines() if ": error:" in line]
    assert [(line[0], line.rpartition("[")[2]) for line in wrong] == [
        ("3", "arg-type]"),
        ("4", "call-arg]"),
        ("5", "call-arg]"),
        ("6", "arg-type]"),
    ]


def test_settings_are_written_as_set_takes_them() -> None:
    given = {"a": 64, "b": 0.5, "c": True, "d": " 8 GPUs ", "e": Fraction(1, 4), "f": "?"}
    expected = (("a", "64"), ("b", "0.5"), ("c", "true"), ("d", "8 GPUs"), ("e", "0.25"), ("f", "?"))
    assert read("settings", given) == read("settings", list(given.items())) == expected


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"text": "let a ="}, "E0101"),
        ({"text": SOUND, "settings": {"hardware.gpu": "no such"}}, "E0207"),
        ({"text": SOUND, "settings": {"a.b": 1}}, "E0202"),
        ({"text": SOUND, "scenario": "other"}, "E0201"),
    ],
)
def test_what_a_plan_says_is_never_raised(call: Any, options: dict[str, Any], code: str, tmp_path: Path) -> None:
    result = call(**options, **({"into": tmp_path} if call is llmplan.compile else {}))
    found = result if isinstance(result, llmplan.Diagnostics) else result.diagnostics
    assert [one.code for one in found.errors] == [code]
    assert code in repr(result) and code in result._repr_html_() and result.rows() is not None


def test_paths_and_texts(tmp_path: Path) -> None:
    file = tmp_path / "a.plan"
    file.write_text(SOUND)
    assert llmplan.solve(file)["a"].value == 1
    assert llmplan.solve(str(file), text="let a = 2\nshow a")["a"].value == 2
    assert llmplan.solve(file, statements=["let a = 3"])["a"].value == 3
    assert llmplan.solve(statements=[SOUND])["a"].value == 1
