"""Used files: which are read, and what they may not be."""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.load.files import Unreadable


@pytest.mark.slow
def test_what_a_used_file_declares(plans):
    plans.write("base.plan", 'let x = 3\nfn f(n: Real) -> Real = n * 2\nentry gpu "mine" { memory = 10 GB }\n')
    assert plans.shown('use "base.plan"\nhardware { gpu = "mine" }\nshow f(x)\nshow gpu.memory') == [6.0, 10e9]


def test_a_diamond_loads_once(plans):
    plans.write("base.plan", "quantity q: Real = 3\n")
    plans.write("left.plan", 'use "base.plan"\nlet l = q\n')
    plans.write("right.plan", 'use "base.plan"\nlet r = q\n')
    assert plans.shown('use "left.plan"\nuse "right.plan"\nuse "left.plan"\nshow l + r') == [6.0]


def test_paths_are_relative_to_the_file_that_says_them(plans):
    plans.write("parts/one.plan", 'use "two.plan"\nuse "../three.plan"\n')
    plans.write("parts/two.plan", "let two = 2\n")
    plans.write("three.plan", "let three = 3\n")
    assert plans.shown('use "parts/one.plan"\nshow two * three') == [6.0]


def test_a_circle(plans):
    plans.write("a.plan", 'use "b.plan"\n')
    plans.write("b.plan", 'use "a.plan"\n')
    assert plans.error('use "a.plan"') == ("E0207", '"a.plan"')
    assert plans.error('use "test.plan"') == ("E0207", '"test.plan"')


def test_outside_the_project_root(plans, tmp_path):
    outside = tmp_path.parent / f"{tmp_path.name}-outside.plan"
    outside.write_text("let x = 3\n")
    line = f'use "../{outside.name}"'
    assert plans.error(line) == ("E0207", f'"../{outside.name}"')
    assert plans.codes(line, root=str(tmp_path.parent)) == []
    (tmp_path / "link.plan").symlink_to(outside)
    assert plans.error('use "link.plan"') == ("E0207", '"link.plan"')


def test_the_root_is_the_nearest_project(plans, tmp_path):
    (tmp_path / "project" / "deep").mkdir(parents=True)
    (tmp_path / "project" / "pyproject.toml").write_text("")
    plans.path = str(tmp_path / "project" / "deep" / "test.plan")
    plans.write("project/shared.plan", "let x = 3\n")
    plans.write("beyond.plan", "let x = 4\n")
    assert plans.shown('use "../shared.plan"\nshow x') == [3.0]
    assert plans.codes('use "../../beyond.plan"') == ["E0207"]


@pytest.mark.parametrize(
    "path", ["missing.plan", "folder", "", "latin.plan", "a\\u0000b", "{x}.plan", "/etc/passwd", "~"]
)
def test_files_that_cannot_be_used(plans, tmp_path, path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin.plan").write_bytes(b'let x = "\xe9"\n')
    assert "E0207" in plans.codes(f'let x = 1\nuse "{path}"') or "E0110" in plans.codes(f'use "{path}"')


def test_mistakes_in_a_used_file_stand_there(plans):
    plans.write("base.plan", "let x = 3 GB + 1 s\n")
    (found,) = plans.check('use "base.plan"')
    assert found.code == "E0301" and found.span is not None
    assert found.span.source.name.endswith("base.plan") and found.span.line == 1


SECRET = "aws_secret_access_key = hunter2 (("


@pytest.mark.parametrize("name", [".env", "secrets.txt", "id_rsa", "link.plan", "config.yaml"])
@pytest.mark.parametrize("statement", ["use", "model from"])
def test_the_text_of_a_file_that_is_no_plan_is_not_shown(name, statement, plans, tmp_path):
    plans.write("hidden", SECRET)
    if name == "link.plan":
        (tmp_path / name).symlink_to("hidden")
    else:
        plans.write(name, SECRET)
    (found,) = plans.check(f'show 1\n{statement} "{name}"')
    from llmplan.diagnostics import render_json, render_text

    assert found.code in ("E0207", "E0209")
    assert "hunter2" not in render_text.render([found], False) + str(render_json.record(found))


@pytest.mark.parametrize("between", [" ", "\n"])
def test_a_line_of_a_file_that_is_no_configuration_is_not_shown(between, plans):
    plans.write("keys.json", f'{{"key": "hunter2",{between}"model_type": "prod"{between}}}')
    (found,) = plans.check('show 1\nmodel from "keys.json"')
    from llmplan.diagnostics import render_text

    shown = render_text.render([found], False)
    assert found.code == "E0209" and "hunter2" not in shown and ("given here" in shown) == (between == "\n")


def test_a_plan_that_is_a_link_to_no_plan_is_not_read(plans, tmp_path):
    plans.write("hidden", SECRET)
    (tmp_path / "test.plan").symlink_to("hidden")
    with pytest.raises(Unreadable, match="link to a file whose name does not end"):
        api.check(plans.path)
    plans.write("real/other.plan", "show 1\n")
    (tmp_path / "linked.plan").symlink_to("real/other.plan")
    assert api.check(str(tmp_path / "linked.plan")) == []


def test_a_plan_in_the_root_of_the_machine_uses_nothing_below_it(plans):
    plans.path = "/test.plan"
    (found,) = plans.check('show 1\nuse "/etc/passwd"')
    assert found.code == "E0207" and "of `/` only the files directly in it" in found.message
    assert plans.error('use "etc/passwd"')[0] == "E0207"
