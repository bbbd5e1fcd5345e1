"""The training scripts that are written on request, what they read, and what they are refused for."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.check import library
from llmplan.emit.render import render
from tests.emit.test_unexported import NOT_SAID, inputs, others

PLAN = """model "llama-3-8b"
dataset { tokens = 20B, sequence_length = 4096 }
hardware { gpu = "H100-SXM5-80GB", gpus = 16 }
training { precision = bf16, global_batch = 256 sequences, micro_batch = 1, recompute = full }
"""
FEW = "model.layers = 4\nparallelism { zero_stage = 0, framework = ddp }\n"
STACKS = {
    "fsdp": "parallelism { zero_stage = 3, framework = fsdp }\nemit accelerate { script = written }\n",
    "ddp": f"{FEW}emit accelerate {{ script = written }}\n",
    "deepspeed 2": "parallelism { zero_stage = 2 }\nemit deepspeed { script = written }\n",
    "deepspeed 3": "parallelism { zero_stage = 3 }\nemit deepspeed { script = written }\n",
    "trainer of fsdp": "parallelism { zero_stage = 3 }\nemit huggingface { script = written }\n",
    "trainer of ddp": f"{FEW}emit huggingface {{ script = written }}\n",
    "trainer of deepspeed": "parallelism { zero_stage = 3, framework = deepspeed }\n"
    "emit huggingface { script = written }\n",
}
SCRIPT = "llmplan_train.py"


def solved(stack: str, more: str = "", *settings: tuple[str, str]) -> Solution:
    return api.solve("-", text=PLAN + STACKS[stack] + more, settings=settings)


def written(solution: Solution) -> dict[str, str]:
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    files, problems = render(solution)
    assert not problems, problems
    return files


@cache
def plain(stack: str) -> tuple[Solution, dict[str, str]]:
    solution = solved(stack)
    return solution, written(solution)


@pytest.mark.parametrize("stack", STACKS)
def test_a_script_of_at_most_150_lines_is_written_on_request(stack: str) -> None:
    _, files = plain(stack)
    script = files[SCRIPT]
    assert len(script.splitlines()) <= 150
    named = 'AutoConfig.from_pretrained(PLAN["MODEL"])' in script
    assert named is not stack.endswith("ddp")  # four layers are no published model
    assert f"`{SCRIPT}` is written for this plan" in files["report.md"]
    own = api.solve("-", text=PLAN + STACKS[stack].replace("{ script = written }", "{ model = 'a', dataset = 'b' }" if
                    "huggingface" in STACKS[stack] else "").replace("'", '"'))  # fmt: skip
    assert SCRIPT not in written(own)


@pytest.mark.parametrize("stack", STACKS)
def test_it_is_laid_out_as_people_keep_it(stack: str, tmp_path: Path) -> None:
    ruff = Path(sys.executable).with_name("ruff")
    if not ruff.exists():
        pytest.skip("ruff is not installed")
    (tmp_path / SCRIPT).write_text(plain(stack)[1][SCRIPT])
    for command in (["format", "--check"], ["check", "--select", "E,F,I,B,UP"]):
        done = subprocess.run(
            [str(ruff), *command, "--isolated", "--line-length", "120", SCRIPT],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


SOMETIMES = {"DATASET", "DECAY_STEPS"}
"""What a script reads only where there is such a thing."""


@pytest.mark.parametrize("stack", STACKS)
def test_launch_sh_says_what_it_reads(stack: str) -> None:
    _, files = plain(stack)
    read = set(re.findall(r'PLAN\["(\w+)"\]', files[SCRIPT]))
    said = set(re.findall(r"^export LLMPLAN_(\w+)=", files["launch.sh"], re.MULTILINE))
    assert read - said <= SOMETIMES


@pytest.mark.parametrize("stack", ["fsdp", "deepspeed 2", "trainer of fsdp"])
def test_weights_are_loaded_to_fine_tune(stack: str) -> None:
    script = written(solved(stack, "training.task = finetune"))[SCRIPT]
    assert 'AutoModelForCausalLM.from_pretrained(PLAN["MODEL"]' in script and "AutoConfig" not in script


def test_the_weights_of_deepspeed_are_split_as_they_are_made() -> None:
    for stack in ("deepspeed 3", "trainer of deepspeed"):
        assert "p.ds_numel for p" in plain(stack)[1][SCRIPT]
    assert "HfDeepSpeedConfig" in plain("deepspeed 3")[1][SCRIPT]
    assert "ds_numel" not in plain("deepspeed 2")[1][SCRIPT]


def test_the_script_has_the_schedule_that_deepspeed_lacks() -> None:
    files = written(solved("deepspeed 2", "training.rate_schedule = wsd"))
    assert '"scheduler"' not in files["ds_config.json"] and '"optimizer"' in files["ds_config.json"]
    assert "export LLMPLAN_DECAY_STEPS=" in files["launch.sh"] and 'PLAN["DECAY_STEPS"]' in files[SCRIPT]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("training.attention = standard", '"attn_implementation": "eager"'),
        ("training.update = foreach", "foreach=True"),
        ("training.optimizer = adam", "torch.optim.Adam("),
    ],
)
def test_the_plan_decides_what_it_calls(more: str, said: str) -> None:
    assert said in written(solved("fsdp", more))[SCRIPT]


REFUSED = [
    ("launch_script_model", "fsdp", "model.gated_mlp = false"),
    ("launch_script_model", "deepspeed 2", "model.layers = 16\nmodel.qkv_bias = true"),
    ("launch_script_model", "trainer of fsdp", "model.layers = 16\ntraining.task = finetune"),
    ("launch_script_whole", "fsdp", "model.prediction_layers = 1"),
    ("launch_script_recompute", "fsdp", "training.recompute = selective"),
    ("launch_script_recompute", "deepspeed 2", "training.recompute_layers = 16"),
    ("launch_script_adapter", "deepspeed 2", "adapter.method = lora"),
    ("launch_script_rows", "trainer of fsdp", "dataset.batching = padded"),
    ("launch_script_layers", "ddp", "training.dropout = 0.1"),
    ("launch_script_update", "deepspeed 2", "training.update = foreach"),
    ("launch_script_format", "ddp", "training.parameter_dtype = int8"),
    ("launch_rest", "deepspeed 3", "training.recompute_norms = true"),
    ("launch_rest", "fsdp", "parallelism.vocab_parallel = true"),
    ("launch_rest", "ddp", "parallelism.dispatcher = deepep"),
    ("launch_rest", "deepspeed 3", "parallelism.sync_each_batch = false"),
    ("launch_rest", "trainer of ddp", "training.mixer_kernels = eager"),
    ("launch_script_kernels", "fsdp", "training.kernels = compiled"),
    ("launch_script_kernels", "deepspeed 2", "training.loss = linear"),
    ("launch_script_log", "fsdp", "launch.log_to = wandb"),
    ("accelerate_script_framework", "fsdp", "parallelism.context = 2"),
    ("accelerate_script_training", "fsdp", "training.optimizer = lion"),
    ("deepspeed_script_framework", "deepspeed 2", "emit accelerate"),
    ("deepspeed_script_layout", "deepspeed 2", "parallelism.tensor = 2"),
    ("deepspeed_script_optimizer", "deepspeed 2", "deepspeed.optimizer = false"),
    ("huggingface_script_trainer", "trainer of fsdp", "huggingface.trainer = trl"),
    ("huggingface_script_context", "trainer of deepspeed", "parallelism.context = 2"),
    ("huggingface_script_tokenizer", "trainer of fsdp", 'huggingface.tokenizer = "a/b"'),
]


@pytest.mark.parametrize(("name", "stack", "more"), REFUSED)
def test_what_it_cannot_do_is_refused_by_name(name: str, stack: str, more: str) -> None:
    pairs = [line.partition(" = ") for line in more.splitlines() if " = " in line]
    solution = solved(stack, "" if pairs else more, *((path, value) for path, _, value in pairs))
    said = " ".join(problem.message for problem in solution.diagnostics)
    assert f"`{name}`" in said or name in [one.name for one in solution.requirements if one.holds is False]


def test_each_requirement_is_tried() -> None:
    own = {name for name in library.load()[0].rules if "_script_" in name or name == "launch_rest"}
    assert {name for name, _, _ in REFUSED} == own


WITHOUT_ADAPTERS = {f"adapter.{name}" for name in ("rank", "targets", "dropout", "embeddings")}
NOTHING = {
    stack: WITHOUT_ADAPTERS | ({"parallelism.prefetch"} if stack == "deepspeed 2" else set()) for stack in STACKS
}
"""What means nothing for a stack: adapters where none are trained, weights that would be fetched and are whole."""


@pytest.mark.slow
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize("stack", STACKS)
def test_every_input_is_read_or_refused(stack: str) -> None:
    assert [wrong for path in inputs() for wrong in unread(path, stack)] == []


def unread(path: str, stack: str) -> Iterator[tuple[str, str, list[str]]]:
    """The other values of an input that `launch.sh` says to a script which reads nothing of it, and no file either."""
    base, before = plain(stack)
    for other in others(path, base) if path not in NOT_SAID | NOTHING[stack] else ():
        solution = solved(stack, "", (path, other))
        if solution.status != "solved":
            continue  # refused, by a requirement or as no legal value
        files, problems = render(solution)
        if problems:
            yield path, other, [one.message for one in problems]
            continue
        apart = [name for name in files if name.endswith((".py", ".yaml", ".json")) and name != "solution.json"]
        said = set(files["launch.sh"].splitlines()) - set(before["launch.sh"].splitlines())
        variables = [
            line.removeprefix("export LLMPLAN_").partition("=")[0] for line in said if line[:15] == "export LLMPLAN_"
        ]
        read = [name for name in variables if f'PLAN["{name}"]' in files[SCRIPT]]
        same = all(_without_head(files[name]) == _without_head(before.get(name, "")) for name in apart)
        if same and not read:
            yield path, other, variables


def _without_head(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if "enerated by llmplan" not in line)


JOBS = 'emit slurm, kubernetes { image = "a/b" }, skypilot { accelerator = "H100" }\n'


@pytest.mark.parametrize("stack", ["fsdp", "deepspeed 3", "trainer of fsdp"])
def test_jobs_start_it_without_being_told(stack: str, tmp_path: Path) -> None:
    """From wherever, with what it is given beside, and no other script."""
    files = written(solved(stack, JOBS))
    assert all(f"launch.sh: {SCRIPT}" not in text for text in files.values())
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for program in ("torchrun", "accelerate"):
        (tmp_path / program).write_text('#!/usr/bin/env bash\nprintf "%s\\n" "$@"\n')
        (tmp_path / program).chmod(0o755)
    bash = shutil.which("bash") or "bash"

    def started(*given: str) -> list[str]:
        done = subprocess.run(
            [bash, str(tmp_path / "launch.sh"), *given], cwd="/", check=True, capture_output=True, text=True,
            env={"PATH": f"{tmp_path}:/usr/bin:/bin", "NODE_RANK": "1", "MASTER_ADDR": "first"},
        )  # fmt: skip
        return done.stdout.splitlines()

    assert started()[-1] == str(tmp_path / SCRIPT)
    assert started("--more")[-2:] == [str(tmp_path / SCRIPT), "--more"]
    assert started("other.py")[-1] == "other.py" and str(tmp_path / SCRIPT) not in started("other.py")
    assert '"$here/launch.sh" "$@"' in files["job.sbatch"] and 'bash "$here/launch.sh"\n' in files["sky.yaml"]


def test_without_a_script_a_job_still_asks_for_one() -> None:
    text = PLAN + STACKS["deepspeed 2"].replace("{ script = written }", "") + "emit slurm\n"
    said = " ".join(problem.message for problem in api.solve("-", text=text).diagnostics)
    assert "`slurm_script`" in said


OF_BOTH = ("deepspeed_script_framework", "accelerate_script_framework", "accelerate_script_training")


def test_only_one_of_two_scripts_is_written() -> None:
    """Where what refuses both is waived, the second is an error, and not written over the first."""
    both = "parallelism { zero_stage = 2 }\nemit deepspeed { script = written }, accelerate { script = written }\n"
    waived = "".join(f"waive {name}\n" for name in OF_BOTH)
    _, problems = render(api.solve("-", text=PLAN + both + waived))
    assert [one.code for one in problems] == ["E0506"] and f"`{SCRIPT}`" in problems[0].message


@pytest.mark.parametrize(
    "emit",
    [
        'slurm { script = "mine.py" }',
        'kubernetes { script = "mine.py", image = "a/b" }',
        'skypilot { script = "mine.py", accelerator = "H100" }',
    ],
)
def test_a_job_that_has_two_scripts_says_so(emit: str) -> None:
    """The second is handed over as an argument of the first."""
    plan = """model "llama-3.1-8b"
dataset { tokens = 1B, sequence_length = 2048 }
hardware { gpu = "H100-SXM5-80GB", gpus = 8 }
parallelism { framework = deepspeed, zero_stage = 2 }
training { global_batch = 64 sequences, micro_batch = 1, recompute = full }
"""
    for written in (True, False):
        script = " { script = written }" if written else ""
        solution = api.solve("-", text=f"{plan}emit deepspeed{script}, {emit}\n")
        assert solution.status == "solved"
        assert (
            any(
                emit.split(maxsplit=1)[0] in one.message and "as an argument" in one.message
                for one in solution.diagnostics
            )
            is written
        )
