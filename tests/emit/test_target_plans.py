"""What a target says in the plan language: its options are inputs, its requirements and formulas hold where it is
emitted.
"""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path

import pytest

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.diagnostics import Diagnostic
from llmplan.emit.targets import shipped
from tests import told

ROOT = Path(__file__).resolve().parents[2]

PLAN = """model "llama-7b"
dataset { sequence_length = 2048 tokens }
hardware { gpu = "A100-SXM4-80GB", gpus = 8 }
parallelism { zero_stage = 1 }
training { global_batch = 64 sequences, micro_batch = 1, recompute = full }
"""

SLOW = partial(pytest.param, marks=pytest.mark.slow)

SAYS = """# A launcher.

enum Queue { short, long }

kind own {
    ## What is started.
    script: Text
    ## Elements summed at a time.
    bucket: Int in 1..1B = 7M ? in [1M, 2M]
    ## Where it waits.
    queue: Queue = short
}

require own_gpus: hardware.gpus <= 4 when emits(own) because "the queue has four" else "{hardware.gpus} are too many"

quantity memory.reduce_bucket: parameter when emits(own) = own.bucket * 1 param
"""


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    target = tmp_path / "templates" / "own"
    target.mkdir(parents=True)
    (target / "target.json").write_text(
        '{"about": "", "when": "named", "files": {"own.txt": "own.txt.j2"}, "brings": ["launch"]}'
    )
    (target / "target.plan").write_text(SAYS)
    (target / "own.txt.j2").write_text("{{ option('script') }} {{ value('own.queue') }} {{ value('own.bucket') }}\n")
    return tmp_path / "templates"


def solved(tmp_path: Path, more: str, **options: object) -> Solution:
    plan = tmp_path / "a.plan"
    plan.write_text(PLAN + more)
    return api.solve(str(plan), **options)


def found(tmp_path: Path, more: str, **options: object) -> list[Diagnostic]:
    plan = tmp_path / "a.plan"
    plan.write_text(PLAN + more)
    return api.check(str(plan), **options)


def config(tmp_path: Path, more: str, **options: object) -> dict[str, object]:
    plan = tmp_path / "a.plan"
    plan.write_text(PLAN + more)
    solution, written = api.compile(str(plan), out=str(tmp_path / "out"), **options)
    assert not [d for d in (*solution.diagnostics, *written.diagnostics) if d.severity == "error"]
    whole: dict[str, dict[str, object]] = json.loads((tmp_path / "out" / "ds_config.json").read_text())
    return whole["zero_optimization"]


@pytest.mark.parametrize(
    ("more", "options"),
    [
        ("emit deepspeed { reduce_bucket_size = 200M }", {}),
        SLOW("deepspeed.reduce_bucket_size = 200M\nemit deepspeed", {}),
        SLOW("deepspeed { reduce_bucket_size = 200M }\nemit deepspeed", {}),
        SLOW("emit deepspeed", {"settings": [("deepspeed.reduce_bucket_size", "200M")]}),
        SLOW('emit deepspeed\nscenario "small" { deepspeed.reduce_bucket_size = 200M }', {"scenario": "small"}),
        SLOW("emit deepspeed { reduce_bucket_size = ? in [200M] }", {}),
        SLOW("emit accelerate\ndeepspeed.reduce_bucket_size = 200M", {}),
    ],
)
def test_an_option_is_an_input(more: str, options: dict[str, object], tmp_path: Path) -> None:
    assert config(tmp_path, more, **options)["reduce_bucket_size"] == 200_000_000


@pytest.mark.slow
def test_what_a_file_says_of_a_buffer_is_what_memory_counts(tmp_path: Path) -> None:
    buffers = "memory.bucket_buffers[first_layer]"
    plain = solved(tmp_path, "emit deepspeed").values[buffers].value
    small = solved(tmp_path, "emit deepspeed { reduce_bucket_size = 200M }").values[buffers].value
    both = solved(tmp_path, "emit deepspeed { reduce_bucket_size = 200M, overlap_comm = true }").values[buffers].value
    assert (plain, small, both) == (2 * 500e6, 2 * 200e6, 4 * 200e6)


@pytest.mark.parametrize("size", ["0", "-5"])
def test_a_bucket_that_deepspeed_refuses(size: str, tmp_path: Path) -> None:
    assert [d.code for d in found(tmp_path, f"emit deepspeed {{ reduce_bucket_size = {size} }}")] == ["E0305"]


@pytest.mark.parametrize("stage", [1, 2, 3])
@pytest.mark.slow
def test_file_and_plan_agree_on_what_overlaps(stage: int, tmp_path: Path) -> None:
    chosen = [("parallelism.zero_stage", str(stage))]
    counted = solved(tmp_path, "emit deepspeed", settings=chosen).values["step.data_overlapped"].value
    written = config(tmp_path, "emit deepspeed", settings=chosen)
    assert written.get("overlap_comm", False) is counted


@pytest.mark.slow
def test_an_option_that_is_swept(tmp_path: Path) -> None:
    plan = tmp_path / "a.plan"
    plan.write_text(PLAN + "emit deepspeed\nshow memory.buffers\nsweep deepspeed.reduce_bucket_size in [100M, 200M]")
    table, _ = api.sweep(str(plan))
    assert table is not None and len(table.rows) == 2


@pytest.mark.slow
def test_a_folder_of_the_user(templates: Path, tmp_path: Path) -> None:
    more = 'hardware.gpus_per_node = 4\nemit own { script = "train.py", queue = long }'
    settings = [("hardware.gpus", "4")]
    solution, written = api.compile(_plan(tmp_path, more), settings=settings, templates=templates)
    assert not written.diagnostics
    assert (tmp_path / "build" / "a" / "own.txt").read_text() == "train.py long 7000000\n"
    assert solution.values["memory.reduce_bucket"].value == 7e6
    assert "own.queue" in solution.values and "deepspeed.optimizer" not in solution.values


@pytest.mark.slow
def test_an_input_that_no_file_says(templates: Path, tmp_path: Path) -> None:
    manifest = templates / "own" / "target.json"
    manifest.write_text(manifest.read_text().replace(', "brings": ["launch"]', ""))
    more = 'hardware.gpus_per_node = 4\ntraining.attention = standard\nemit own { script = "train.py" }'
    _, written = api.compile(_plan(tmp_path, more), settings=[("hardware.gpus", "4")], templates=templates)
    assert {problem.code for problem in written.diagnostics} == {"W0617"}
    assert "`training.attention = standard` is not in any emitted file" in [d.message for d in written.diagnostics]


@pytest.mark.slow
def test_an_option_that_no_file_of_the_users_target_says(templates: Path, tmp_path: Path) -> None:
    """Its template forgets the queue: a plan that chooses one is told, and a plan that does not is not."""
    (templates / "own" / "own.txt.j2").write_text("{{ option('script') }} {{ value('own.bucket') }}\n")
    more = 'hardware.gpus_per_node = 4\nemit own { script = "train.py"%s }'
    for choice, notes in ((", queue = long", ["`own.queue = long` is not in any emitted file"]), ("", [])):
        _, written = api.compile(
            _plan(tmp_path, more % choice), settings=[("hardware.gpus", "4")], templates=templates, force=True
        )
        assert [problem.message for problem in written.diagnostics] == notes
    (problem,) = api.check(str(templates / "own" / "target.plan"))
    assert (problem.code, problem.severity, problem.span and problem.span.text) == ("E0514", "error", "queue")


PLANTED = "    round_robin_gradients: Bool = false\n"


def test_an_option_that_no_template_reads_is_an_error_of_its_target(tmp_path: Path) -> None:
    """An option added to a target's text alone, in a copy of the installation."""
    for name in ("plans", "templates"):
        shutil.copytree(ROOT / name, tmp_path / name)
    file = tmp_path / "templates" / "deepspeed" / "target.plan"
    assert not api.check(str(file))
    file.write_text(file.read_text().replace("kind deepspeed {\n", "kind deepspeed {\n" + PLANTED))
    (problem,) = api.check(str(file))
    assert (problem.code, problem.message) == (
        "E0514", "no template reads the option `deepspeed.round_robin_gradients`",
    )  # fmt: skip
    assert problem.severity == "error" and problem.span is not None
    assert problem.span.text == "round_robin_gradients"


@pytest.mark.parametrize("target", shipped())
def test_every_option_that_ships_is_read(target: str) -> None:
    text = ROOT / "templates" / target / "target.plan"
    assert not text.is_file() or not api.check(str(text))


def _plan(tmp_path: Path, more: str) -> str:
    plan = tmp_path / "a.plan"
    plan.write_text(PLAN + more)
    return str(plan)


@pytest.mark.slow
def test_its_requirements_hold(templates: Path, tmp_path: Path) -> None:
    solution = solved(tmp_path, 'emit own { script = "train.py" }', templates=templates)
    assert solution.status == "infeasible" and "own_gpus" in solution.conflict


@pytest.mark.slow
def test_an_option_without_a_default_must_be_given(templates: Path, tmp_path: Path) -> None:
    (lacking,) = found(tmp_path, "emit own", templates=templates)
    assert (lacking.code, lacking.message) == ("E0501", "`emit own` needs `own.script`")
    assert lacking.span is not None and lacking.span.text == "own"
    assert not found(tmp_path, "emit own", templates=templates, settings=[("own.script", "train.py")])


@pytest.mark.slow
def test_a_framework_of_its_own(templates: Path, tmp_path: Path) -> None:
    file = templates / "own" / "target.plan"
    further = "quantity framework_advice: Framework when emits(own) = nanotron\n"
    stack = '@usual("nanotron")\nentry stack "own" like "pytorch-fsdp" { framework = nanotron, kernels = fused }\n'
    file.write_text(f"{SAYS}\namend enum Framework {{ nanotron }}\n{stack}{further}")
    more = 'hardware.gpus_per_node = 4\nemit own { script = "train.py" }'
    found_there = solved(tmp_path, more, templates=templates, settings=[("hardware.gpus", "4")])
    assert found_there.values["parallelism.framework"].value == "nanotron"
    assert found_there.values["training.kernels"].value == "fused"
    file.write_text(f"{SAYS}\namend enum Framework {{ nanotron }}\n")
    (problem,) = api.check(str(file))
    assert (problem.code, problem.span and problem.span.text) == ("E0212", "nanotron")
    file.write_text(f"{SAYS}\namend enum Framework {{ fsdp }}\n")
    (problem,) = api.check(str(file))
    assert (problem.code, problem.message) == ("E0203", "`Framework` already has a member `fsdp`")


@pytest.mark.slow
def test_a_mistake_in_it_is_shown_in_its_place(templates: Path, tmp_path: Path) -> None:
    file = templates / "own" / "target.plan"
    file.write_text(SAYS + "require wrong: hardware.gpu_count == 1 when emits(own)\n")
    for problems in (found(tmp_path, "emit deepspeed", templates=templates), api.check(str(file))):
        (problem,) = problems
        assert problem.code == "E0201" and problem.span is not None
        assert Path(problem.span.source.name).resolve() == file and problem.span.text == "hardware.gpu_count"
    file.write_text(SAYS)
    assert not api.check(str(file))


@pytest.mark.slow
def test_what_lies_over_a_target_replaces_what_it_says(templates: Path, tmp_path: Path) -> None:
    (templates / "report").mkdir()
    (templates / "report" / "target.plan").write_text("kind report {\n    ## Shade.\n    shade: Int in 0..9 = 3\n}\n")
    plain = solved(tmp_path, "show report.shade", templates=templates)
    assert plain.values["report.shade"].value == 3 and "report.pictures" not in plain.values


def test_a_file_that_is_no_text(templates: Path, tmp_path: Path) -> None:
    (templates / "own" / "target.plan").write_bytes(b"\xff\xfe")
    (problem,) = found(tmp_path, "emit own", templates=templates)
    assert problem.code == "E0506"


@pytest.mark.slow
def test_a_name_of_the_plan_hides_the_kind(tmp_path: Path) -> None:
    solution = solved(tmp_path, "let report = 3\nshow report * 2\nemit report { pictures = none }")
    assert not [d for d in solution.diagnostics if d.severity == "error"]
    assert [told.shown(row) for row in solution.shown] == ["6"]
    assert solution.values["report.pictures"].value == "none"


@pytest.mark.slow
def test_only_what_is_written_is_answered(tmp_path: Path) -> None:
    values = solved(tmp_path, "emit report").values
    assert "report.pictures" in values and not [name for name in values if name.startswith("deepspeed.")]


@pytest.mark.parametrize("statement", ["minimize time", "pareto time, cost", "let a = 5", 'model "llama-7b"'])
def test_a_target_has_no_statement_of_a_plan(templates: Path, tmp_path: Path, statement: str) -> None:
    """An objective would decide every plan's answer, whether it emits the target or not."""
    (templates / "own" / "target.plan").write_text(f"{SAYS}{statement}\n")
    problems = found(tmp_path, "", templates=str(templates))
    assert [one.message for one in problems if one.severity == "error"] == [
        "expected a declaration of the library, found a statement of a plan"
    ]
