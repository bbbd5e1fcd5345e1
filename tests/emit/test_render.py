"""What is written for a solution, against golden files; `LLMPLAN_UPDATE=1` writes them anew."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml
from attrs import evolve

from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import Value
from llmplan.check.program import EmitTarget
from llmplan.diagnostics import Diagnostic
from llmplan.emit.environment import compile_ahead, environment_of
from llmplan.emit.render import render
from llmplan.source import Source, Span
from llmplan.units.amount import Amount
from tests.emit.samples import PLAN, emitting, having, options, solution, value

GOLDEN = Path(__file__).parent / "golden"
UPDATE = bool(os.environ.get("LLMPLAN_UPDATE"))

LLAMA = solution()
CASES = {
    "llama7b": LLAMA,
    "zero0_one_card": emitting(
        having(
            LLAMA,
            value("hardware.gpus", 1.0, "1 GPU", "GPU"),
            value("hardware.nodes", 1.0, "1 node", "node"),
            value("parallelism.zero_stage", 0.0, "0"),
        ),
        "deepspeed",
    ),
    "zero3_offload": emitting(
        having(LLAMA, value("parallelism.zero_stage", 3.0, "3"), value("parallelism.offload", "all")), "deepspeed"
    ),
    "zero3_nvme": emitting(
        having(
            LLAMA,
            value("parallelism.zero_stage", 3.0, "3"),
            value("parallelism.offload", "all"),
            value("parallelism.offload_to", "nvme"),
            value("memory.swap_buffer", 1e8, "100M parameters", "parameter"),
            value("memory.nvme", 1.27e12, "1.27 TB", "byte"),
            *options(nvme_path="/local/nvme", stage3_max_reuse_distance=0, stage3_prefetch_bucket_size=0),
        ),
        "deepspeed",
    ),
    "fp16_sgd": emitting(
        having(
            LLAMA,
            value("training.precision", "fp16"),
            value("training.optimizer", "sgd"),
            value("optimizer.deepspeed", "SGD"),
            value("optimizer.momentum", True),
            value("optimizer.deepspeed_own", False),
        ),
        "deepspeed",
    ),
    "fsdp": emitting(having(LLAMA, value("parallelism.framework", "fsdp")), "accelerate"),
}


def texts(plan: Solution, templates: Path | None = None) -> dict[str, str]:
    files, problems = render(plan, templates)
    assert not problems, problems
    return files


def refused(plan: Solution, templates: Path | None = None) -> list[Diagnostic]:
    files, problems = render(plan, templates)
    assert files == {}
    return problems


def test_a_share_of_the_optimizer_is_a_ratio() -> None:
    states = (value("parallelism.zero_stage", 3.0, "3"), value("parallelism.offload", "optimizer"))
    for share, ratio in (([], {}), ([value("parallelism.offload_share", 0.25, "0.25")], {"ratio": 0.25})):
        written = texts(emitting(having(LLAMA, *states, *share), "deepspeed"))
        config = json.loads(next(text for name, text in written.items() if name.endswith("ds_config.json")))
        assert config["zero_optimization"]["offload_optimizer"] == {"device": "cpu", "pin_memory": True} | ratio


@pytest.mark.parametrize("case", CASES)
def test_golden(case: str) -> None:
    for name, text in texts(CASES[case]).items():
        if name == "solution.json" or name.endswith(".svg") or (name == "report.md" and case != "llama7b"):
            continue
        path = GOLDEN / case / name
        if UPDATE:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")


def test_every_run_gives_the_same_bytes() -> None:
    assert texts(solution()) == texts(solution())


def test_numbers_agree() -> None:
    files = texts(LLAMA)
    config = json.loads(files["ds_config.json"])
    started = yaml.safe_load(files["accelerate.yaml"])
    batch = config["train_micro_batch_size_per_gpu"] * config["gradient_accumulation_steps"]
    assert batch * started["num_processes"] == LLAMA.values["global_batch_sequences"].value
    assert "train_batch_size" not in config and "gradient_accumulation_steps" not in started
    assert f"--num_processes {started['num_processes']} " in files["launch.sh"]
    assert f"LLMPLAN_GRAD_ACCUM={config['gradient_accumulation_steps']}\n" in files["launch.sh"]


def test_recompute_reaches_the_script_and_the_report() -> None:
    files = texts(LLAMA)
    assert "export LLMPLAN_RECOMPUTE=full\n" in files["launch.sh"]
    assert "`LLMPLAN_RECOMPUTE`" in files["report.md"]


def test_accelerate_brings_the_deepspeed_config() -> None:
    files = texts(emitting(LLAMA, "accelerate"))
    assert set(files) == {
        "accelerate.yaml", "ds_config.json", "launch.sh", "report.md", "solution.json", "memory.svg", "step.svg",
    }  # fmt: skip


def test_options() -> None:
    given = [
        *options(overlap_comm=False, reduce_bucket_size=200_000_000),
        value("training.rate_schedule", "linear", line=31),
    ]
    config = json.loads(texts(having(emitting(LLAMA, "deepspeed"), *given))["ds_config.json"])
    assert config["zero_optimization"]["overlap_comm"] is False
    assert config["zero_optimization"]["reduce_bucket_size"] == 200_000_000
    assert config["scheduler"]["type"] == "WarmupDecayLR"
    assert config["scheduler"]["params"]["warmup_max_lr"] == 0.0003


def test_a_report_without_pictures() -> None:
    drawn, plain = texts(LLAMA), texts(having(LLAMA, value("report.pictures", "none")))
    assert [name for name in drawn if name.endswith(".svg")] and not [name for name in plain if name.endswith(".svg")]
    assert ".svg" in drawn["report.md"] and ".svg" not in plain["report.md"]


def test_the_script_may_bring_its_optimizer() -> None:
    plan = having(emitting(LLAMA, "deepspeed"), value("parallelism.offload", "optimizer"), *options(optimizer=False))
    config = json.loads(texts(plan)["ds_config.json"])
    assert "optimizer" not in config and "scheduler" not in config
    assert config["zero_allow_untested_optimizer"] is True
    assert config["zero_force_ds_cpu_optimizer"] is False


def test_a_missing_value() -> None:
    plan = Source(PLAN, "emit deepspeed\n")
    hole = Value(
        "grad_accum",
        Amount(None),
        "",
        "quantity",
        needs=("training.global_batch",),
        formula="training.global_batch / 2",
    )
    lacking = having(LLAMA, hole, emits=(EmitTarget("deepspeed", Span(plan, 5, 14)),))
    (problem,) = refused(lacking)
    assert (problem.code, problem.message) == ("E0501", "`emit deepspeed` needs `grad_accum`")
    assert problem.span is not None and problem.span.text == "deepspeed"
    line = problem.notes[0].removeprefix("read by templates/deepspeed/ds_config.json.j2:")
    template = Path(__file__).parents[2] / "templates" / "deepspeed" / "ds_config.json.j2"
    assert 'whole("grad_accum")' in template.read_text().splitlines()[int(line) - 1]
    assert problem.notes[1] == "`grad_accum` needs `training.global_batch`"
    assert [hint.text for hint in problem.hints] == ["set `training.global_batch`"]


def test_nothing_to_launch_without_a_solution() -> None:
    assert set(texts(evolve(LLAMA, status="infeasible"))) == {"report.md", "solution.json", "memory.svg", "step.svg"}


def own(directory: Path, template: str) -> Path:
    target = directory / "own"
    target.mkdir(exist_ok=True)
    (target / "target.json").write_text('{"about": "", "when": "named", "files": {"own.txt": "own.txt.j2"}}')
    (target / "own.txt.j2").write_text(template)
    return directory


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ solution.__init__.__globals__ }}",
        "{% include '../../../etc/passwd' %}",
        "{% include '/etc/passwd' %}",
        "{{ nothing }}",
        "{{ 1 / 0 }}",
        "{% if %}",
        "{{ option('nothing') }}",
        "{{ value('mfu') | nothing }}",
    ],
)
def test_a_bad_template_is_a_diagnostic(template: str, tmp_path: Path) -> None:
    (problem,) = refused(emitting(LLAMA, "own"), own(tmp_path, template))
    assert problem.code == "E0506"
    assert "root:" not in problem.message


def test_a_template_of_the_user(tmp_path: Path) -> None:
    files = texts(emitting(LLAMA, "own"), own(tmp_path, "{{ whole('hardware.gpus') }} {{ text('time') }}\n"))
    assert files["own.txt"] == "88 29.91 days\n"


def test_a_template_that_gives_nothing_makes_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    files = {"none.svg": "none.j2", "one.svg": "one.j2", "all.txt": "all.j2"}
    manifest = {"about": "pictures", "when": "named", "files": files}
    (folder / "target.json").write_text(json.dumps(manifest))
    (folder / "none.j2").write_text("{# only a remark #}\n{% if false %}x{% endif %}\n \n")
    (folder / "one.j2").write_text("<svg/>")
    (folder / "all.j2").write_text('{{ wrote("none.svg") }} {{ wrote("one.svg") }} {{ wrote("all.txt") }}')
    written = texts(emitting(LLAMA, "mine"), tmp_path)
    assert "none.svg" not in written and written["all.txt"] == "False True False"


def test_two_targets_do_not_write_one_file(tmp_path: Path) -> None:
    own(tmp_path, "x")
    manifest = tmp_path / "own" / "target.json"
    manifest.write_text(manifest.read_text().replace('own.txt"', 'launch.sh"', 1))
    problems = refused(emitting(LLAMA, "deepspeed", "own"), tmp_path)
    assert [problem.code for problem in problems] == ["E0506"]


def test_a_template_that_was_changed_is_read_again(tmp_path: Path) -> None:
    own(tmp_path, "first")
    plan = emitting(LLAMA, "own")
    assert "first" in texts(plan, tmp_path)["own.txt"]
    own(tmp_path, "second")
    assert "second" in texts(plan, tmp_path)["own.txt"]


def test_what_is_emitted_is_compiled_ahead(tmp_path: Path) -> None:
    compile_ahead(["deepspeed"], tmp_path)
    compiled = {name for _, name in environment_of(tmp_path).cache}
    assert {"deepspeed/ds_config.json.j2", "report/report.md.j2"} <= compiled
    assert not any(name.startswith("slurm/") for name in compiled)


def test_a_mistake_met_ahead_is_told_later(tmp_path: Path) -> None:
    compile_ahead(["own"], own(tmp_path, "{% if %}"))
    (problem,) = refused(emitting(LLAMA, "own"), tmp_path)
    assert problem.code == "E0506"


@pytest.mark.parametrize("hostile", ["a\nrm -rf b", "a\r# b", "a\u2028b", "--> <script>", "a\x1b[31m"])
def test_a_plan_name_stays_in_its_comment(hostile: str) -> None:
    plain, strange = texts(LLAMA), texts(evolve(LLAMA, plan=hostile))
    for name in ("accelerate.yaml", "launch.sh"):
        # splitlines breaks at every line end that any reader might see.
        assert len(strange[name].splitlines()) == len(plain[name].splitlines())
    assert strange["report.md"].splitlines()[0].count("-->") == 1


def test_files_name_the_plan_from_its_project() -> None:
    inside = texts(evolve(LLAMA, sources={PLAN: "sub/a.plan"}))
    assert PLAN not in "".join(inside.values())
    assert "sub/a.plan" in inside["report.md"] and json.loads(inside["solution.json"])["plan"] == "sub/a.plan"
