"""`llmplan init`: the plan that it writes compiles, for each target and for models of every size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from llmplan import api
from llmplan.check import library
from llmplan.emit.targets import load, targets
from llmplan.present.start import Asked, plan
from llmplan.present.words import words_of
from llmplan.request import Request
from tests.cli.conftest import Outcome

Run = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_plan_is_written_once(llmplan: Run) -> None:
    outcome = llmplan("init", "--gpus", "8")
    assert outcome.code == 0 and outcome.out == "wrote run.plan\nnext: llmplan compile run.plan\n"
    text = Path("run.plan").read_text()
    assert "gpus = 8\n" in text and "# " in text
    for again in ((), ("--gpus", "16")):
        refused = llmplan("init", *again)
        assert refused.code == 2 and "run.plan exists" in refused.err and Path("run.plan").read_text() == text
    assert llmplan("init", "-", "--gpus", "8").out == text
    assert llmplan("fmt", "--check", "run.plan").code == 0


def test_a_link_is_not_followed(llmplan: Run, folder: Path) -> None:
    Path("a.plan").symlink_to(folder / "nowhere.plan")
    assert llmplan("init", "a.plan").code == 2 and not (folder / "nowhere.plan").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--model", "nothing"), 1),
        (("--model", 'a"\n{x} \\'), 1),
        (("--gpu", "nothing"), 1),
        (("--emit", "deepsped"), 2),
        (("run.txt",), 2),
        (("--gpus", "0"), 2),
        (("none/run.plan",), 2),
        (("--model", "llama-3.1-405b", "--gpus", "1"), 3),
    ],
)
def test_nothing_is_written_where_nothing_compiles(
    llmplan: Run, folder: Path, arguments: tuple[str, ...], code: int
) -> None:
    outcome = llmplan("init", *arguments)
    assert outcome.code == code and outcome.err and list(folder.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("target", sorted(set(targets()) - {"vllm", "sglang", "tensorrt_llm"}))
def test_each_target(llmplan: Run, target: str) -> None:
    # A probe is one of a launch.
    assert llmplan("init", "--emit", "deepspeed,probe" if target == "probe" else target).code == 0
    done = llmplan("compile", "run.plan")
    assert done.code == 0, done.err
    written = [file for file, _ in load()[0][target].files]
    assert any(Path("build/run", file).exists() for file in written)


def test_a_training_has_no_server(llmplan: Run) -> None:
    refused = llmplan("init", "--emit", "vllm")
    assert refused.code == 3 and "vllm_alone" in refused.err and not Path("run.plan").exists()


@pytest.mark.slow
@pytest.mark.parametrize("model", ["bert-base", "gpt2", "mixtral-8x7b", "llama-3.1-405b", "deepseek-v3"])
def test_models_of_every_size(llmplan: Run, model: str) -> None:
    assert llmplan("init", "--model", model, "--emit", "report").code == 0
    assert llmplan("compile", "run.plan").code == 0


@pytest.mark.slow
def test_a_plan_for_any_model_has_no_mistake() -> None:
    scope, _, _ = library.load()
    for model in scope.entries["model"]:
        text = plan(Asked(model, "H100-SXM5-80GB", None, {}), words_of())
        found = api.check(Request("run.plan", text))
        assert not [one for one in found if one.severity == "error"], (model, found)
