"""Answers that are kept between runs: the same as computed ones, and forgotten when anything changes."""

from __future__ import annotations

import json
import shutil

import pytest

from llmplan import answer_cache, api, frontend
from llmplan.cache import store
from llmplan.cache.key import key
from llmplan.diagnostics import render_text

PLAN = """model { params = 7B }
hardware { gpus = ? in 8..4096 step 8, gpu = "A100-SXM4-80GB" }
assume mfu = 40%
dataset.tokens = 1T
let spare = 3
require deadline: time <= 30 days
minimize hardware.gpus
"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A cache of these tests, so that the library is read once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def computed(kept, tmp_path, monkeypatch):
    """In place of the fixture that turns keeping off: no answers so far, and a count of computations."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(kept))
    for answer in [*kept.glob("llmplan/check-*"), *kept.glob("llmplan/solve-*")]:
        answer.unlink()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    runs = []
    real = frontend.analyse

    def counted(asked, *args):
        runs.append(asked.path)
        return real(asked, *args)

    monkeypatch.setattr(frontend, "analyse", counted)
    return runs


@pytest.fixture
def plan(tmp_path):
    def write(text: str, name: str = "a.plan") -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return write


@pytest.mark.slow
def test_a_kept_solution_is_the_computed_one(plan, computed):
    path = plan(PLAN)
    first = api.solve(path, tables=True)
    second = api.solve(path, tables=True)
    assert len(computed) == 1
    assert first.status == "solved" and second.status == "solved"
    assert second.values == first.values and second.unknowns == first.unknowns
    assert list(second.values) == list(first.values)
    assert second.requirements == first.requirements and second.sensitivities == first.sensitivities
    assert render_text.render(second.diagnostics) == render_text.render(first.diagnostics) != ""


def test_warnings_are_shown_in_place(plan, computed):
    path = plan(PLAN)
    first, second = api.check(path), api.check(path)
    assert len(computed) == 1
    assert [d.code for d in second] == ["W0602"]  # `spare` is not read
    assert render_text.render(second) == render_text.render(first)
    assert second[0].span.line == 5


@pytest.mark.slow
def test_compiled_files_are_the_same(plan, tmp_path, computed):
    path = plan(PLAN + "emit report\n")
    api.compile(path, out="first")
    api.compile(path, out="second")
    assert len(computed) == 1
    files = sorted(file.name for file in (tmp_path / "first").iterdir())
    assert files and all(
        (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes() for name in files
    )


@pytest.mark.parametrize(
    "options",
    [
        {"settings": (("spare", "4"),)},
        {"limit": 10**5},
        {"tables": True},
        {"root": "."},
    ],
    ids=str,
)
@pytest.mark.slow
def test_another_question_has_another_answer(plan, computed, options):
    path = plan(PLAN)
    api.solve(path)
    api.solve(path, **options)
    # The root is the same folder, so that this is the same question.
    assert len(computed) == (1 if options == {"root": "."} else 2)


@pytest.mark.slow
def test_another_text_or_folder(plan, computed, tmp_path, monkeypatch):
    path = plan(PLAN)
    api.solve(path)
    plan(PLAN + "# a comment moves nothing, but places are of this text\n")
    api.solve(path)
    assert len(computed) == 2
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    api.solve("../a.plan")
    assert len(computed) == 3


@pytest.mark.slow
def test_a_used_file_that_changes(plan, computed):
    plan("let limit = 30 days\n", "b.plan")
    path = plan('use "b.plan"\n' + PLAN.replace("30 days", "limit"))
    before = api.solve(path)
    assert api.solve(path).values == before.values and len(computed) == 1
    plan("let limit = 60 days\n", "b.plan")
    after = api.solve(path)
    assert len(computed) == 2
    assert after.values["hardware.gpus"].value < before.values["hardware.gpus"].value


@pytest.mark.slow
def test_a_configuration_that_changes(plan, tmp_path, computed):
    config = {"model_type": "llama", "hidden_size": 512, "intermediate_size": 1376, "num_attention_heads": 8,
              "num_hidden_layers": 4, "vocab_size": 32000, "max_position_embeddings": 512}  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    path = plan('model from "config.json"\nshow model.params_total\n')
    before = api.solve(path)
    assert api.solve(path).values == before.values and len(computed) == 1
    (tmp_path / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 8}))
    assert api.solve(path).values["model.params_total"].value > before.values["model.params_total"].value


@pytest.mark.slow
def test_errors_and_infeasible_plans_are_not_kept(plan, computed):
    wrong, never = plan("let x = y\nshow x\n", "w.plan"), plan(PLAN.replace("30 days", "1 min"), "n.plan")
    for path in (wrong, never):
        for _ in range(2):
            api.check(path)
            assert api.solve(path).status != "solved"
    assert computed.count(wrong) == 4
    assert computed.count(never) == 3  # its check is fine, and kept


@pytest.mark.slow
def test_templates_of_the_user_are_read_each_time(plan, tmp_path, computed):
    (tmp_path / "mine").mkdir()
    path = plan(PLAN)
    for _ in range(2):
        api.compile(path, templates="mine", force=True)
    assert len(computed) == 2


@pytest.mark.slow
def test_another_installation(plan, tmp_path, computed, monkeypatch):
    installed, templates = answer_cache.folder, tmp_path / "templates"
    shutil.copytree(str(installed("templates")), templates)
    monkeypatch.setattr(answer_cache, "folder", lambda top: templates if top == "templates" else installed(top))
    path = plan(PLAN)
    api.solve(path)
    (templates / "__pycache__").mkdir()
    (templates / "__pycache__" / "a.pyc").touch()
    api.solve(path)
    assert len(computed) == 1
    with next(templates.glob("report/*.j2")).open("a") as file:
        file.write("\n")
    api.solve(path)
    assert len(computed) == 2


def test_an_archive_keeps_nothing(plan, tmp_path, computed, monkeypatch):
    monkeypatch.setattr(answer_cache, "folder", lambda name: tmp_path / "none")
    path = plan(PLAN)
    api.check(path)
    api.check(path)
    assert len(computed) == 2


def test_few_are_kept(kept):
    for number in range(answer_cache.KEPT + 5):
        store.keep("check", key(number), (), most=answer_cache.KEPT)
    store.keep("solve", key("other"), ())
    kept = [file.name for file in (kept / "llmplan").iterdir()]
    assert sum(name.startswith("check-") for name in kept) == answer_cache.KEPT
    assert store.load("check", key(answer_cache.KEPT + 4)) == () and store.load("solve", key("other")) == ()


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "found", [(1, 2), ((), (), [99]), ((), (), [0]), (("x",), (), []), {"a": 1}, ((), (("a",),), None)]
)
def test_what_is_none_of_its_answers_is_computed_again(plan, computed, monkeypatch, found):
    path = plan(PLAN)
    real = store.load
    monkeypatch.setattr(store, "load", lambda name, of: found if name in ("check", "solve") else real(name, of))
    assert [one.code for one in api.check(path)] == ["W0602"] and api.solve(path).status == "solved"
    assert computed == [path, path]


def test_files_without_pictures_are_not_those_of_compile(plan, tmp_path, computed):
    """`diff` asks for files of an answer without what pictures show."""
    name = plan(PLAN + "emit report\n")
    for tables, pictured in ((False, False), (True, True)):
        solution = api.solve(name, tables=tables)
        files, _ = api.files(solution, api.request(name))
        assert ("deadline.svg" in files) is pictured
