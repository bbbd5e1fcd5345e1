"""`compile --check`: which files are stale, and what made them so."""

from __future__ import annotations

import json
from pathlib import Path

from attrs import evolve

from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import Citation
from llmplan.diagnostics import Diagnostic
from llmplan.emit.folder import Folder
from llmplan.emit.portable import portable
from llmplan.emit.render import render
from llmplan.emit.write import Compared, check, write
from tests.emit.samples import PLAN, emitting, having, solution, value

LLAMA = solution()
NAMES = frozenset(render(LLAMA)[0])
MORE = (
    value("hardware.gpus", 96.0, "96 GPUs", "GPU", line=11, layer="solved"),
    value("hardware.nodes", 12.0, "12 nodes", layer="default", formula="ceil(gpus / gpus_per_node)", role="input"),
)


def compared(plan: Solution, folder: Path) -> Compared:
    files, problems = render(plan)
    assert not problems
    return check(Folder(folder, "configs", names=NAMES), files, portable(plan))


def after(plan: Solution, folder: Path) -> tuple[Diagnostic, ...]:
    return compared(plan, folder).problems


def written(folder: Path) -> Path:
    files, _ = render(LLAMA)
    assert write(Folder(folder), files).problems == ()
    return folder


def test_current(tmp_path: Path) -> None:
    assert after(LLAMA, written(tmp_path)) == ()


def test_nothing_there(tmp_path: Path) -> None:
    (problem,) = after(LLAMA, tmp_path)
    assert problem.code == "E0502" and not problem.notes
    assert problem.message.startswith(f"configs is out of date with {LLAMA.plan}: ds_config.json, ")
    assert problem.message.endswith(" missing")
    assert list(tmp_path.iterdir()) == []


def test_a_formula_changed(tmp_path: Path) -> None:
    written(tmp_path)
    time = value(
        "time", 2584012.3, "29.91 days", "s", formula="tokens_total / (tokens_per_second * goodput)",
        place="plans/std/time.plan:14",
    )  # fmt: skip
    time = evolve(time, cites=(Citation("arXiv:2001.08361", "section 2.1"), Citation("datasheet")))
    upgraded = evolve(having(LLAMA, *MORE, time), library_hash="sha256:another")
    (problem,) = after(upgraded, tmp_path)
    assert problem.code == "E0502" and "accelerate.yaml" in problem.message
    assert problem.notes[0] == (
        "changed: hardware.gpus 88 GPUs → 96 GPUs: the formula of `time` at plans/std/time.plan changed "
        "(cites arXiv:2001.08361; datasheet)"
    )
    assert problem.hints[0].text == "run the same command without `--check`"


def test_another_alternative_of_the_same_library_is_no_changed_formula(tmp_path: Path) -> None:
    """Which one applies follows from an input, which is told; that of the plan's own file is an edit."""
    written(tmp_path)
    time = value("time", 2584012.3, "29.91 days", "s", formula="tokens_total / rate", place="plans/std/time.plan:14")
    (problem,) = after(having(LLAMA, *MORE, time), tmp_path)
    assert not any("formula" in note for note in problem.notes)
    time = value("time", 2584012.3, "29.91 days", "s", formula="tokens_total / rate", place=f"{LLAMA.plan}:14")
    own = evolve(having(LLAMA, *MORE, time), sources={LLAMA.plan: LLAMA.plan})
    (problem,) = after(own, tmp_path)
    assert f"the formula of `time` at {LLAMA.plan} changed" in problem.notes[0]


def test_the_plan_changed(tmp_path: Path) -> None:
    written(tmp_path)
    requirements = tuple(
        evolve(result, text="time <= 27 days") if result.name == "deadline" else result for result in LLAMA.requirements
    )
    more = having(LLAMA, *MORE, value("dataset.tokens", 2e12, "2T tokens", "token", line=5))
    (problem,) = after(evolve(more, requirements=requirements), tmp_path)
    assert problem.notes[0] == (
        f"changed: hardware.gpus 88 GPUs → 96 GPUs; dataset.tokens 1T tokens → 2T tokens at {PLAN}; "
        "requirement `deadline` was time <= 30 days, is time <= 27 days"
    )


def test_all_files_are_one_line_and_so_is_the_cause(tmp_path: Path) -> None:
    """Each of them had a block of its own, with the lines that differ."""
    written(tmp_path)
    (problem,) = after(having(LLAMA, value("dataset.tokens", 2e12, "2T tokens", "token", line=5)), tmp_path)
    listed = problem.message.removeprefix(f"configs is out of date with {LLAMA.plan}: ").split(", ")
    assert set(listed) <= NAMES and "report.md" in listed
    assert problem.notes == (f"changed: dataset.tokens 1T tokens → 2T tokens at {PLAN}",)


def test_without_a_changed_value_the_lines_of_a_file_say_what_differs(tmp_path: Path) -> None:
    written(tmp_path)
    files, _ = render(LLAMA)
    newer = {**files, "accelerate.yaml": files["accelerate.yaml"].replace("num_machines: 11", "num_machines: 12")}
    (problem,) = check(Folder(tmp_path, "configs", names=NAMES), newer, portable(LLAMA)).problems
    assert problem.message == f"configs is out of date with {LLAMA.plan}: accelerate.yaml"
    assert problem.notes[0].startswith("accelerate.yaml:\n@@")
    assert "-num_machines: 11\n+num_machines: 12\n" in problem.notes[0]


def test_another_gpu_is_one_change(tmp_path: Path) -> None:
    written(tmp_path)
    gpu = value("hardware.gpu", "H100-SXM5-80GB", line=10)
    memory = value(
        "gpu.memory", 85.0e9, "85 GB", "byte", place="plans/catalog/gpus.plan:60", layer="entry",
        formula="81_559 MiB", role="input",
    )  # fmt: skip
    causes = after(having(LLAMA, gpu, memory), tmp_path)
    said = [note for problem in causes for note in problem.notes if "→" in note]
    assert said == [f"changed: hardware.gpu A100-SXM4-80GB → H100-SXM5-80GB at {PLAN}"]


def test_an_edited_file(tmp_path: Path) -> None:
    written(tmp_path)
    path = tmp_path / "ds_config.json"
    path.write_text(path.read_text().replace('"overlap_comm": true', '"overlap_comm": false'))
    (problem,) = after(LLAMA, tmp_path)
    assert problem.code == "E0503"
    assert '-    "overlap_comm": false,\n+    "overlap_comm": true,' in problem.notes[0]


def test_no_longer_emitted(tmp_path: Path) -> None:
    (problem,) = after(emitting(LLAMA, "deepspeed"), written(tmp_path))
    assert "accelerate.yaml" in problem.message and problem.message.endswith(" no longer emitted")


def test_another_version_alone_is_current(tmp_path: Path) -> None:
    written(tmp_path)
    path = tmp_path / "solution.json"
    assert json.loads(path.read_text())["library_hash"] == LLAMA.library_hash
    assert after(evolve(LLAMA, library_hash="another"), tmp_path) == ()


def test_a_plan_without_an_answer_asks_nobody_to_remove_files(tmp_path: Path) -> None:
    written(tmp_path)
    seen = compared(evolve(LLAMA, status="infeasible", emits=()), tmp_path)
    assert seen.problems == () and seen.missing == ()
    assert "solution.json" in seen.outdated and "ds_config.json" in seen.outdated and "report.md" not in seen.current


def test_pictures_are_named_without_their_lines(tmp_path: Path) -> None:
    written(tmp_path)
    files, _ = render(LLAMA)
    (picture,) = (name for name in files if name == "memory.svg")
    folder = Folder(tmp_path, "configs", names=NAMES)
    (stale,) = check(folder, {**files, picture: "<svg/>\n"}, portable(LLAMA)).problems
    assert picture in stale.message and not any("<svg" in note for note in stale.notes)
