"""Mistakes in a user's own folder of templates are told before anything is written, with the user's own paths."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("no_advice")

MANIFEST = {"about": "a test", "when": "named", "files": {"ray.txt": "ray.j2"}}
OPTIONS = "kind ray {\n    ## Size.\n    size: Int = 1\n}\n"
PLAN = 'let a = 2\nshow a\nemit ray { size = 3 } into "out"\n'


@pytest.fixture
def told(llmplan, write, tmp_path, monkeypatch):
    """What `check` and `compile` say of a folder with these files; nothing may be written."""
    monkeypatch.chdir(tmp_path)
    plan = write("a.plan", PLAN)

    def say(command: str = "check", **changed: str) -> str:
        files = {"target.json": json.dumps(MANIFEST), "target.plan": OPTIONS, "ray.j2": '{{ option("size") }}\n'}
        for name, text in {**files, **{name.replace("_", "."): text for name, text in changed.items()}}.items():
            path = tmp_path / "own" / "ray" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            if not text:
                path.unlink()
        outcome = llmplan(command, plan, "--templates", "own")
        assert outcome.code == (1 if outcome.err else 0) and not (outcome.err and Path("out").exists())
        return outcome.err

    return say


def test_a_folder_without_a_mistake(told):
    assert told() == "" and told("compile") == "" and Path("out/ray.txt").read_text() == "3\n"


@pytest.mark.parametrize("command", ["check", "compile"])
@pytest.mark.parametrize(
    "manifest, message, line",
    [
        ('{"about": "a",\n "when": "named"\n "files": {}}', "it is not valid JSON: expecting ',' delimiter", 3),
        ("", "", None),
        ('{"about": "a", "files": {}}', 'it has no "when"', None),
        (json.dumps({**MANIFEST, "when": "now"}), "\"when\" is 'now'", None),
        (json.dumps({**MANIFEST, "file": {}}), '"file" is not a key of it', None),
        (json.dumps({**MANIFEST, "brings": "launch"}), '"brings" is not a list', None),
        (json.dumps({**MANIFEST, "brings": ["sun"]}), "it uses the folder `sun`, which does not exist", None),
        ("[]", "it is not an object", None),
        (json.dumps({**MANIFEST, "files": {"a": "b.j2"}}, indent=1), "of `a`, own/ray/b.j2, does not exist", 5),
    ],
)
def test_a_wrong_manifest(told, command, manifest, message, line):
    said = told(command, target_json=manifest)
    if not manifest:
        assert "undefined target `ray`" in said
        return
    assert said.startswith(f"error[E0506]: cannot use own/ray/target.json: {message}") or message in said
    assert said.count("error[") == 1 and (line is None or f"--> own/ray/target.json:{line}:" in said)


@pytest.mark.parametrize("command", ["check", "compile"])
def test_what_a_template_reads_in_vain(told, command):
    said = told(command, ray_j2='{# option("none") #}\n{% if false %}\n{{ option("sise") }}\n{% endif %}\n')
    assert said.startswith("error[E0506]: cannot use own/ray/ray.j2: `ray` has no option `sise`\n")
    assert "--> own/ray/ray.j2:3:" in said and "did you mean `size`?" in said
    far = told(command, ray_j2='{{ option("workers") }}\n')
    assert "declare it in own/ray/target.plan: `kind ray { … }`" in far
    missing = told(command, ray_j2='x\n{% include "ray/part.j2" %}\n')
    assert "it includes own/ray/part.j2, which does not exist" in missing and "--> own/ray/ray.j2:2:" in missing


@pytest.mark.parametrize(
    "template, message",
    [
        ('x\n{{ option("size") | nothing }}\n', "own/ray/ray.j2:2: No filter named 'nothing'"),
        ('x\n{{ option("size" }}\n', "own/ray/ray.j2:2: unexpected '}'"),
        ('x\n{{ opt("size") }}\n', "own/ray/ray.j2:2: 'opt' is undefined"),
        ('x\n{{ value("hardware.gpuss") }}\n', "own/ray/ray.j2:2: there is no `hardware.gpuss`"),
        ('x\n{{ value("dataset.tokens") }}\n', "read by own/ray/ray.j2:2"),
        ('x\n{{ refuse("no room", "make room") }}\n', "refused by own/ray/ray.j2:2"),
    ],
)
def test_what_only_rendering_finds_has_the_users_path(told, template, message):
    said = told("compile", ray_j2=template)
    assert message in said and "templates/ray" not in said


def test_a_misspelt_name_has_the_name_that_is_meant(told):
    assert "did you mean `hardware.gpus`?" in told("compile", ray_j2='{{ value("hardware.gpuss") }}\n')


def test_the_target_itself_is_checked_too(told, llmplan):
    told(target_json='{"about": "a"}')
    outcome = llmplan("check", "own/ray/target.plan")
    assert outcome.code == 1 and 'cannot use own/ray/target.json: it has no "when"' in outcome.err
