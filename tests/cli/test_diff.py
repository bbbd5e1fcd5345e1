"""`llmplan diff`: two plans, or one at a revision of git, with what moved the results and when that fails."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from llmplan import diff
from tests.cli.conftest import Outcome
from tests.test_schemas import faults

PLAN = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 128, price = 2 USD/GPU/hour }
training { precision = bf16, global_batch = 4M tokens, micro_batch = 2 }
parallelism { zero_stage = 1 }
require deadline: wall_time <= 45 days
show time
"""


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(llmplan: Callable[..., Outcome]) -> Run:
    """Runs the command; its exit code and what was on the streams."""

    def diff(*arguments: str) -> tuple[int, str, str]:
        outcome = llmplan("diff", *arguments)
        return outcome.code, outcome.out, outcome.err

    return diff


@pytest.fixture
def plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.plan").write_text(PLAN)
    Path("b.plan").write_text(PLAN.replace("1T", "1.5T").replace("2 USD", "3 USD"))
    return tmp_path


def document(run: Run, *arguments: str) -> dict[str, object]:
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    found: dict[str, object] = json.loads(out)
    assert faults("diff", found) == []
    return found


@pytest.mark.slow
def test_what_moved_each_result(plans: Path, run: Run) -> None:
    found = document(run, "a.plan", "b.plan")
    assert [one["name"] for one in found["inputs"]] == ["dataset.tokens", "hardware.price"]  # type: ignore[attr-defined]
    assert found["decisions"] == []
    results = {one["name"]: one for one in found["results"]}  # type: ignore[attr-defined]
    # The rate of both plans is the same, whatever it will be: half as many tokens more take half as long again.
    assert results["wall_time"]["change"] == pytest.approx(0.5, abs=1e-4) and results["wall_time"]["low"] is None
    causes: dict[str, list[dict[str, float]]] = found["causes"]  # type: ignore[assignment]
    assert [(one["input"], round(one["share"], 2)) for one in causes["wall_time"]] == [("dataset.tokens", 1.0)]
    # 1.5 · 1.5 - 1 = 1.25, of which either input alone brings half.
    assert sorted((one["input"], round(one["share"], 2)) for one in causes["wall_cost"]) == [
        ("dataset.tokens", 0.5),
        ("hardware.price", 0.5),
    ]


@pytest.mark.slow
def test_another_layout_is_not_told_apart_inside_the_joint_band(plans: Path, run: Run) -> None:
    Path("b.plan").write_text(PLAN.replace("micro_batch = 2", "micro_batch = 1"))
    (result,) = [one for one in document(run, "a.plan", "b.plan")["results"] if one["name"] == "wall_time"]  # type: ignore[attr-defined]
    assert 0 < result["change"] < 0.12 and result["low"] < 0 < result["high"] and not result["told_apart"]
    code, out, _ = run("a.plan", "b.plan", "--fail-if", "wall_time > +0.1%")
    assert code == 0 and "not told apart" in out.splitlines()[0]


CONDITIONS = {
    "wall_cost > +5%": 4,
    "wall_cost > +200%": 0,
    "wall_time > +3 days": 4,
    "wall_time < -3 days": 0,
    "wall_time > 1 year": 0,
    "wall_time > 10 days": 4,
    "deadline < safe": 4,
    "deadline < no": 0,
    "wall_cost > 3 days": 2,
    "walltime > ": 2,
    "wall_tme > +5%": 2,
    "deadlin < likely": 2,
    "wall_time > 3 dayz": 2,
    'wall_time > 3 days\nuse "x"': 2,
}


@pytest.mark.slow
def test_conditions(plans: Path, run: Run) -> None:
    assert {one: run("a.plan", "b.plan", "--fail-if", one)[0] for one in CONDITIONS} == CONDITIONS


@pytest.mark.slow
def test_a_comment_is_the_same_each_time_and_short_enough(plans: Path, run: Run) -> None:
    many = "".join(f"let name_{'x' * 150}_{number} = {number}\n" for number in range(300))
    Path("a.plan").write_text(PLAN + many)
    Path("b.plan").write_text(PLAN + many.replace(" = ", " = 7 + "))
    first = run("a.plan", "b.plan", "--markdown")[1]
    assert first == run("a.plan", "b.plan", "--markdown")[1]
    assert len(first) < 60_000 and first.count("<details>") == first.count("</details>") == 1


def test_nothing_differs(plans: Path, run: Run) -> None:
    code, out, _ = run("a.plan", "a.plan")
    assert code == 0 and out == "a.plan against a.plan: no decision, result or verdict differs\n"


def test_a_plan_that_nothing_meets_any_more(plans: Path, run: Run) -> None:
    Path("b.plan").write_text(PLAN.replace("45 days", "2 days"))
    code, out, _ = run("a.plan", "b.plan")
    assert code == 3 and "no plan meets its requirements now" in " ".join(out.split())


def test_wrong_use(plans: Path, run: Run) -> None:
    assert run("a.plan")[0] == 2
    assert run("a.plan", "b.plan", "--against", "HEAD")[0] == 2
    assert run("a.plan", "none.plan")[0] == 2
    Path("b.plan").write_text("model {")
    assert run("a.plan", "b.plan")[0] == 1


def git(*arguments: str) -> None:
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    subprocess.run(["git", *arguments], check=True, capture_output=True, env={**os.environ, **who})


@pytest.mark.slow
def test_against_a_revision_nothing_is_checked_out(plans: Path, run: Run) -> None:
    """The plan and what it uses are read as they were, from a folder with blanks and other letters in its name."""
    folder = Path("my plans ü")
    folder.mkdir()
    (folder / "a.plan").write_text(f'use "shared/card.plan"\n{PLAN.replace(", price = 2 USD/GPU/hour", "")}')
    (folder / "shared").mkdir()
    (folder / "shared/card.plan").write_bytes(b"hardware.price = 2 USD/GPU/hour\r\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    (folder / "shared/card.plan").write_text("hardware.price = 4 USD/GPU/hour\n")
    before = sorted(Path().rglob("*.plan"))
    found = document(run, str(folder / "a.plan"), "--against", "HEAD")
    assert [(one["name"], one["from"]["unit"]) for one in found["inputs"]] == [("hardware.price", "USD/s/GPU")]  # type: ignore[attr-defined]
    assert found["a"] == {"plan": "HEAD:my plans ü/a.plan", "status": "solved"}
    assert sorted(Path().rglob("*.plan")) == before
    (folder / "shared/card.plan").unlink()
    assert run(str(folder / "a.plan"), "--against", "HEAD")[0] == 1  # the newer plan lacks a file
    for revision in ("none", "--output=x", "HEAD:a.plan"):
        code, _, err = run(str(folder / "a.plan"), "--against", revision)
        assert code == 2 and "E0507" in err and not Path("x").exists()


CONFIG = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "intermediate_size": 11008,
    "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000, "max_position_embeddings": 4096,
    "rms_norm_eps": 1e-6, "tie_word_embeddings": False,
}  # fmt: skip


@pytest.mark.slow
def test_a_configuration_at_a_revision(plans: Path, run: Run) -> None:
    Path("config.json").write_text(json.dumps(CONFIG))
    Path("a.plan").write_text(PLAN.replace('model "llama-7b"', 'model from "config.json"'))
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    same = document(run, "a.plan", "--against", "HEAD")
    assert same["inputs"] == same["results"] == same["files"] == []
    Path("config.json").write_text(json.dumps({**CONFIG, "num_hidden_layers": 36}))
    found = document(run, "a.plan", "--against", "HEAD")
    assert [one["name"] for one in found["inputs"]] == ["model.layers"]  # type: ignore[attr-defined]
    assert [one["input"] for one in found["causes"]["wall_time"]] == ["model.layers"]  # type: ignore[index]
    Path("a.plan").write_text("model {")
    git("commit", "-qam", "broken")
    Path("a.plan").write_text(PLAN)
    code, _, err = run("a.plan", "--against", "HEAD")
    assert code == 1 and "HEAD:a.plan:1" in err and "/tmp" not in err


AXOLOTL = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: {}\nbf16: true\n"


def test_configurations_at_a_revision(plans: Path, run: Run) -> None:
    Path("runs").mkdir()
    Path("runs/a.yaml").write_text(AXOLOTL.format(1))
    Path("runs/ds.json").write_text(json.dumps({"zero_optimization": {"stage": 2}, "bf16": {"enabled": True}}))
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    Path("runs/a.yaml").write_text(AXOLOTL.format(2))
    Path("runs/ds.json").unlink()
    machine = ("--gpu", "H200", "--gpus", "8")
    code, out, err = run("runs", "--against", "HEAD", *machine)
    assert (code, err) in ((0, ""), (3, "")) or "note" in err
    assert "against HEAD:runs: " in out and "micro_batch" in out and "zero_stage" in out and "/tmp" not in out + err
    code, out, _ = run("runs/a.yaml", "--against", "HEAD", *machine)
    assert "against HEAD:runs/a.yaml: " in out and "micro_batch" in out and "zero_stage" not in out
    Path("runs/b.yaml").write_text(AXOLOTL.format(2))
    code, _, err = run("runs/b.yaml", "--against", "HEAD", *machine)
    assert code == 2 and "HEAD:runs/b.yaml" in err


def test_configurations_of_one_run_in_several_folders(plans: Path, run: Run) -> None:
    """What the newer one does not meet is named, and no file counts as written."""
    Path("conf").mkdir()
    Path("a.yaml").write_text(AXOLOTL.format(1) + "deepspeed: conf/ds.json\ngradient_checkpointing: true\n")
    Path("conf/ds.json").write_text(json.dumps({"zero_optimization": {"stage": 3}, "bf16": {"enabled": True}}))
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    Path("conf/ds.json").write_text(json.dumps({"zero_optimization": {"stage": 1}, "bf16": {"enabled": True}}))
    machine = ("--gpu", "A100-SXM4-40GB", "--gpus", "8")
    code, out, err = run("a.yaml", "conf/ds.json", "--against", "HEAD", *machine)
    assert code == 3 and "/tmp" not in out + err
    assert re.search(r"fits (safe|likely) \([^()]*\) → no", " ".join(out.split())) and "\nfiles\n" not in out
    assert run("a.plan", "a.yaml", "--against", "HEAD", *machine)[0] == 2


@pytest.mark.slow
def test_from_python(plans: Path) -> None:
    found = diff("a.plan", "b.plan", fail_if=["wall_cost > +5%"])
    assert not found and found.failed == ("wall_cost > +5%",) and faults("diff", found.to_dict()) == []
    assert {row["name"] for row in found.rows()} >= {"wall_time", "wall_cost"} and "wall_cost" in found.headline
    assert diff("a.plan", "a.plan")
    with pytest.raises(ValueError, match="b: name a second plan"):
        diff("a.plan")
    with pytest.raises(ValueError, match="fail_if: wall_tme"):
        diff("a.plan", "b.plan", fail_if=["wall_tme > +5%"])
    with pytest.raises(ValueError, match="against: cannot read"):
        diff("a.plan", against="no such revision")


def test_less_work_is_not_only_cheaper(plans: Path, run: Run) -> None:
    for folder, tokens in (("a", "1T"), ("b", "500B")):
        (plans / folder).mkdir()
        (plans / folder / "run.plan").write_text(PLAN.replace("1T", tokens))
    code, out, _ = run("a/run.plan", "b/run.plan")
    first = " ".join(out.split("\n\n")[0].split())
    assert code == 0 and first.startswith("b/run.plan against a/run.plan: wall_time −")
    assert "for other work: 500B tokens instead of 1T tokens (−50%)" in first


def test_what_was_open_and_is_given_now_is_a_change(plans: Path, run: Run) -> None:
    Path("a.plan").write_text(PLAN.replace("gpus = 128", "gpus = ? in [64, 128, 192]") + "minimize hardware.gpus\n")
    Path("b.plan").write_text(PLAN.replace("gpus = 128", "gpus = 192") + "minimize hardware.gpus\n")
    told = document(run, "a.plan", "b.plan")
    inputs: list[dict[str, dict[str, float]]] = told["inputs"]  # type: ignore[assignment]
    assert [(one["name"], one["from"]["value"], one["to"]["value"]) for one in inputs] == [("hardware.gpus", 128, 192)]
    causes: dict[str, list[dict[str, object]]] = told["causes"]  # type: ignore[assignment]
    assert {share["input"] for each in causes.values() for share in each} == {"hardware.gpus"}


SFT = (
    "deepspeed --num_gpus 4 sft.py --model_name_or_path Qwen/Qwen2.5-7B --max_length 8192{} --dataset_name a/b\\\n"
    "  --output_dir o --per_device_train_batch_size 1 --gradient_accumulation_steps 2 --bf16 True\\\n"
    "  --gradient_checkpointing --deepspeed ds.json --max_steps 100\n"
)


def test_a_change_whose_effect_is_not_counted_is_told(plans: Path, run: Run) -> None:
    """Without packing a step does less work than the padded rows that are counted; and the key's own place is named."""
    for folder, packing, stage in (("a", " --packing", 3), ("b", "", 3), ("c", " --packing", 2)):
        Path(folder).mkdir()
        Path(folder, "run.sh").write_text(SFT.format(packing))
        config = f'{{\n"bf16": {{"enabled": true}},\n"zero_optimization":\n{{"stage": {stage}}}\n}}\n'
        Path(folder, "ds.json").write_text(config)
    _, out, _ = run("a", "b", "--gpu", "H100")
    first = " ".join(out.split("\n\n")[0].split())
    assert "dataset.batching differs, and no result moves; now, samples are padded, and count as 8,192 tokens" in first
    assert re.search(r"dataset\.batching  packed  padded  a/run\.sh:1$", out, re.MULTILINE)
    _, out, _ = run("b", "a", "--gpu", "H100")
    assert "before, samples are padded" in " ".join(out.split())
    _, out, _ = run("a", "c", "--gpu", "H100")
    assert re.search(r"parallelism\.zero_stage  3 +2 +c/ds\.json:4$", out, re.MULTILINE)
