"""`compile --check`: which files are stale, and what made them so."""

from __future__ import annotations

import json
from pathlib import Path

from attrs import evolve

from llmplan.answer.schema.solution import Solution
from llmplan.diagnostics import Diagnostic
from llmplan.emit.folder import Folder
from llmplan.emit.portable import portable
from llmplan.emit.render import render
from llmplan.emit.write import check, write
from tests.emit.samples import PLAN, emitting, having, solution, value

LLAMA = solution()
NAMES = frozenset(render(LLAMA)[0])
MORE = (
    value("hardware.gpus", 96.0, "96 GPUs", "GPU", line=11, layer="solved"),
    value("hardware.nodes", 12.0, "12 nodes", layer="default", formula="ceil(gpus / gpus_per_node)", role="input"),
)


def after(plan: Solution, folder: Path) -> list[Diagnostic]:
    files, problems = render(plan)
    assert not problems
    return check(Folder(folder, "configs", names=NAMES), files, portable(plan))


def written(folder: Path) -> Path:
    files, _ = render(LLAMA)
    assert write(Folder(folder), files).problems == ()
    return folder


def test_current(tmp_path: Path) -> None:
    assert after(LLAMA, written(tmp_path)) == []


def test_nothing_there(tmp_path: Path) -> None:
    problems = after(LLAMA, tmp_path)
    assert {problem.code for problem in problems} == {"E0502"}
    assert problems[0].message == "configs/ds_config.json is missing"
    assert list(tmp_path.iterdir()) == []


def test_a_formula_changed(tmp_path: Path) -> None:
    written(tmp_path)
    time = value(
        "time", 2584012.3, "29.91 days", "s", formula="tokens_total / (tokens_per_second * goodput)",
        place="plans/std/time.plan:14",
    )  # fmt: skip
    problems = after(having(LLAMA, *MORE, time), tmp_path)
    assert {problem.code for problem in problems} == {"E0502"}
    stale = next(problem for problem in problems if "accelerate.yaml" in problem.message)
    assert "-num_processes: 88\n-num_machines: 11\n+num_processes: 96\n+num_machines: 12\n" in stale.notes[0]
    causes = [note for problem in problems for note in problem.notes if "→" in note]
    assert causes == ["hardware.gpus 88 GPUs → 96 GPUs: the formula of `time` at plans/std/time.plan changed"]
    assert problems[0].hints[0].text == "run the same command without `--check`"


def test_the_plan_changed(tmp_path: Path) -> None:
    written(tmp_path)
    requirements = tuple(
        evolve(result, text="time <= 27 days") if result.name == "deadline" else result for result in LLAMA.requirements
    )
    more = having(LLAMA, *MORE, value("dataset.tokens", 2e12, "2T tokens", "token", line=5))
    causes = after(evolve(more, requirements=requirements), tmp_path)[0].notes[1:]
    assert causes == (
        "hardware.gpus 88 GPUs → 96 GPUs",
        f"dataset.tokens 1T tokens → 2T tokens at {PLAN}",
        "requirement `deadline` was time <= 30 days, is time <= 27 days",
    )


def test_another_gpu_is_one_change(tmp_path: Path) -> None:
    written(tmp_path)
    gpu = value("hardware.gpu", "H100-SXM5-80GB", line=10)
    memory = value(
        "gpu.memory", 85.0e9, "85 GB", "byte", place="plans/catalog/gpus.plan:60", layer="entry",
        formula="81_559 MiB", role="input",
    )  # fmt: skip
    causes = after(having(LLAMA, gpu, memory), tmp_path)
    said = [note for problem in causes for note in problem.notes if "→" in note]
    assert said == [f"hardware.gpu A100-SXM4-80GB → H100-SXM5-80GB at {PLAN}"]


def test_an_edited_file(tmp_path: Path) -> None:
    written(tmp_path)
    path = tmp_path / "ds_config.json"
    path.write_text(path.read_text().replace('"overlap_comm": true', '"overlap_comm": false'))
    (problem,) = after(LLAMA, tmp_path)
    assert problem.code == "E0503"
    assert '-    "overlap_comm": false,\n+    "overlap_comm": true,' in problem.notes[0]


def test_no_longer_emitted(tmp_path: Path) -> None:
    problems = after(emitting(LLAMA, "deepspeed"), written(tmp_path))
    assert "configs/accelerate.yaml is no longer emitted" in [problem.message for problem in problems]


def test_another_version_alone_is_current(tmp_path: Path) -> None:
    written(tmp_path)
    path = tmp_path / "solution.json"
    assert json.loads(path.read_text())["library_hash"] == LLAMA.library_hash
    assert after(evolve(LLAMA, library_hash="another"), tmp_path) == []


def test_a_plan_without_an_answer_asks_nobody_to_remove_files(tmp_path: Path) -> None:
    written(tmp_path)
    assert after(evolve(LLAMA, status="infeasible", emits=()), tmp_path) == []


def test_pictures_are_named_without_their_lines(tmp_path: Path) -> None:
    written(tmp_path)
    files, _ = render(LLAMA)
    (picture,) = (name for name in files if name == "memory.svg")
    folder = Folder(tmp_path, "configs", names=NAMES)
    stale = [p for p in check(folder, {**files, picture: "<svg/>\n"}, portable(LLAMA)) if picture in p.message]
    assert stale and not any("<svg" in note for problem in stale for note in problem.notes)
