"""Nothing but a launch: whatever the texts of a plan hold, the written scripts start the planned programs with the
planned options, and change no file.

The real shell runs them, in a folder with files to lose, with stubs for the programs and no other program at hand.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

import pytest
import yaml

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.emit.render import render
from tests.emit.samples import having, value
from tests.thorough import many, sample

PLAN = """model "llama-7b"
dataset {{ tokens = 10B, sequence_length = 2048 tokens }}
hardware {{ gpu = "A100-SXM4-80GB", gpus = 16 }}
parallelism {{ {parallelism} }}
training {{ global_batch = 256 sequences, micro_batch = 1, recompute = none }}
emit {emits}
"""
SLURM = (
    'slurm { script = "a.py", arguments = "--x y", container = "c.sqsh", mounts = "/d:/d", signal = 2 minutes, '
    'setup = "export A=$HOME/a\\nmodule load b" }'
)
KUBERNETES = 'kubernetes { script = "a.py", arguments = "--x y", image = "i", namespace = "n" }'
SKYPILOT = (
    'skypilot { script = "a.py", arguments = "--x y", accelerator = "A100-80GB", image = "docker:i", workdir = "w", '
    'requirements = "r.txt" }'
)
WAYS = {
    "deepspeed": (
        "zero_stage = 3, offload = all, offload_to = nvme",
        'deepspeed { nvme_path = "/nvme" }; hardware.nvme_bandwidth = 28 GB/s; hardware.nvme_memory = 30 TB',
    ),
    "accelerate": ("framework = fsdp, zero_stage = 3", "accelerate"),
    "trainer": (
        "zero_stage = 3",
        'huggingface { model = "m", dataset = "d", tokenizer = "t", output = "o", hub = "h", report_to = "none" }',
    ),
    "trl": ("zero_stage = 3", 'huggingface { trainer = trl, model = "m", dataset = "d", output = "o" }, accelerate'),
    "megatron": ("zero_stage = 1", 'megatron { data = "d", tokenizer = "t", pretrained = "p" }'),
    "megatron_bridge": (
        "zero_stage = 1",
        'megatron_bridge { data = "d", tokenizer = "t", checkpoints = "k", pretrained = "p", tensorboard = "u" }',
    ),
    "lightning": ("zero_stage = 3", 'lightning { output = "o" }'),
    "torchtitan": ("zero_stage = 3", 'torchtitan { dataset = "c4", dataset_path = "p", pretrained = "q" }'),
    "torchtitan_3": ("zero_stage = 3", 'torchtitan { release = "0.3", dataset = "c4", pretrained = "q" }'),
    "axolotl": ("zero_stage = 3", 'axolotl { model = "m", dataset = "d", type = "alpaca", output = "o" }'),
    "llamafactory": (
        "zero_stage = 3, framework = deepspeed",
        'llamafactory { model = "m", dataset = "d", template = "t", output = "o" }',
    ),
    "written": ("zero_stage = 3", "deepspeed { script = written }"),
}
"""What a plan says of its layout, and what it emits, by target."""

STARTED = ("megatron", "megatron_bridge", "torchtitan", "axolotl", "llamafactory")
"""What launch.sh starts without a script."""

HOSTILE = (
    "-delete", "--evil", "--evil=$(touch owned)", "-", "--", "-x a\nb", "a b", "it's", 'a"b', "a\n#SBATCH --wrap=x\nb",
    "$(touch owned)", "`touch owned`", "; touch owned", "| touch owned", "&& touch owned &", "> owned", "*", "?[a-z]",
    "~", "$HOME", "${x:?}", "\\", "!!", "#", "(", "{a,b}", "%s", "a=b", "é", "'; touch owned; '", '"; touch owned; "',
)  # fmt: skip
PIECES = (*HOSTILE, "../", "/", " ", "\n", "x", "${IFS}", "\\\n", "END", "EOF", "''", "0", "\t", ":", ",")
PROGRAMS = ("bash", "dirname", "cat", "sed", "mktemp")
STUBS = {
    "torchrun": '{ printf "%s\\0" torchrun "$@"; printf "end\\0"; } >>"$LOG"\n',
    "accelerate": '{ printf "%s\\0" accelerate "$@"; printf "end\\0"; } >>"$LOG"\n',
    "srun": '{ for word; do [[ "$word" != --* ]] || printf "%s\\0" "$word"; done; printf "end\\0"; } >>"$LOG"\n'
            'while [[ "$1" == --* ]]; do shift; done\nSLURM_NODEID=0 "$@"\n',
    "module": "",
    "python3": "while read -r; do :; done\n",  # reads its program, and finds nothing to say
    "pip": '{ printf "%s\\0" pip "$@"; printf "end\\0"; } >>"$LOG"\n',
    "scontrol": '[[ "$2" == hostnames ]] && printf "node-7\n" || printf "   Command=%s --x y\n" "$JOB"\n',
}  # fmt: skip


@lru_cache
def solved(way: str) -> Solution:
    layout, emits = WAYS[way]
    target, _, more = emits.partition(";")
    text = PLAN.format(
        parallelism=layout, emits=f"{target}, {SLURM}, {KUBERNETES}, {SKYPILOT}\n{more.replace(';', chr(10))}"
    )
    solution = api.solve("-", text=text)
    assert solution.status == "solved", [one.message for one in solution.diagnostics]
    return solution


@lru_cache
def free(way: str) -> tuple[str, ...]:
    """The options that are any text: those with a pattern are refused by `check`."""
    checked = api.analyse("-", text="emit report")
    assert checked.program is not None
    scope = checked.program.scope
    any_text = {path for path, field in scope.fields.items() if field.units == ("Text",) and path not in scope.patterns}
    emitted = {emit.name for emit in solved(way).emits}
    return tuple(path for path in solved(way).values if path in any_text and path.partition(".")[0] in emitted)


def words(log: Path) -> list[list[str]]:
    """The commands that the stubs were started by."""
    read = log.read_bytes().decode().split("\0")[:-1] if log.exists() else []
    commands: list[list[str]] = [[]]
    for word in read:
        if word == "end":
            commands.append([])
        else:
            commands[-1].append(word)
    return commands[:-1]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder to work in, with files to lose; beside it only the programs that a script may start."""
    (tmp_path / "bin").mkdir()
    for name, text in STUBS.items():
        (tmp_path / "bin" / name).write_text(f"#!{shutil.which('bash')}\n{text}")
        (tmp_path / "bin" / name).chmod(0o755)
    for name in PROGRAMS:
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    work = tmp_path / "work"
    for name in ("keep", "x/checkpoint-2/trainer_state.json", "o/checkpoint-9/trainer_state.json"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text("")
    return tmp_path


def tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def started(place: Path, solution: Solution) -> list[list[list[str]]] | None:
    """What launch.sh and the jobs start, in a folder with a hostile name; None where a file is refused."""
    written, problems = render(solution)
    if any(one.severity == "error" for one in problems):
        assert {one.code for one in problems if one.severity == "error"} == {"E0504"}
        return None
    out = place / "-my $(touch owned) 'runs'"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    for name, text in written.items():
        (out / name).write_text(text)
    (out / "launch.sh").chmod(0o755)
    before, found = tree(place / "work"), []
    pod = yaml.safe_load(written["k8s.yaml"])["spec"]["trainer"]
    spool = place / "spool.sh"  # Slurm runs a copy
    spool.write_text(written["job.sbatch"])
    task = yaml.safe_load(written["sky.yaml"])
    sky = ["bash", "-c", f"{task['setup']}\n{task['run']}"]
    scripts = [
        sky,
        [*pod["command"], *(word.replace("$$", "$") for word in pod["args"])],
        ["bash", str(spool), "--more"],
    ]
    own = any(emit.name in STARTED for emit in solution.emits) or "sft.yaml" in written
    scripts.append(["bash", str(out / "launch.sh"), *([] if own else ["train.py"])])
    for script in scripts:
        log = place / "log"
        log.unlink(missing_ok=True)
        environment = {
            "PATH": str(place / "bin"), "LOG": str(log), "JOB": str(out / "job.sbatch"), "SLURM_JOB_ID": "41",
            "SLURM_JOB_NODELIST": "n", "SLURM_CPUS_ON_NODE": "96",
            "NODE_RANK": "0", "MASTER_ADDR": "h", "SKYPILOT_NODE_RANK": "0", "SKYPILOT_NODE_IPS": "h\ni",
            "TMPDIR": str(place), "HOME": "/nowhere",
        }  # fmt: skip
        done = subprocess.run(script, env=environment, cwd=place / "work", capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), (script, done.stderr)
        found.append(words(log))
    assert tree(place / "work") == before
    return found


RESUMED = "--resume_from_checkpoint"


def options(commands: list[list[list[str]]]) -> list[str]:
    """The words that a program takes for options, up to the arguments that the plan gives to its script."""
    found: list[str] = []
    for command in (command for script in commands for command in script):
        given = command.index("--x") if "--x" in command else len(command)
        found += [word.partition("=")[0] for word in command[:given] if word.startswith("-") and word != RESUMED]
    return found


@lru_cache
def usual(way: str, place: Path) -> list[str]:
    commands = started(place, solved(way))
    assert commands is not None
    return options(commands)


def launches_alone(way: str, texts: dict[str, str], place: Path) -> None:
    """A plan with these texts starts what it starts with harmless ones."""
    wanted = usual(way, place)
    # Arguments are options of the script, and come behind it.
    given = {path: f"--x {text}" if path.endswith(".arguments") else text for path, text in texts.items()}
    kept = {path: text for path, text in given.items() if path.startswith(("slurm.", "kubernetes.", "skypilot."))}
    for chosen in (given, kept):  # a target refuses what its file cannot say
        changed = (value(path, text, f'"{text}"', line=5) for path, text in chosen.items())
        found = started(place, having(solved(way), *changed))
        if found is not None:
            assert options(found) == wanted, (way, chosen)
            return
    raise AssertionError(f"{way} refuses {texts}")


FIXED = [(way, text) for way in WAYS for text in HOSTILE]


@pytest.mark.quick(4)
@pytest.mark.parametrize("way, text", sample(FIXED, every=len(HOSTILE) // 2))
def test_hostile_texts(way: str, text: str, place: Path) -> None:
    launches_alone(way, dict.fromkeys(free(way), text), place)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_random_texts(way: str, place: Path) -> None:
    seed = int(os.environ.get("LLMPLAN_SEED", random.randrange(10**9)))
    print(f"LLMPLAN_SEED={seed}")
    choice = random.Random(seed)
    for _ in range(many(40, 40, 250)):
        texts = {path: "".join(choice.choices(PIECES, k=choice.randint(1, 4))) for path in free(way)}
        launches_alone(way, texts, place)


@pytest.mark.parametrize("output", ["-delete", "a b", "$(touch owned)*", "it's", "/"])
def test_the_last_checkpoint(output: str, place: Path) -> None:
    folder = str(place / "checks") if output == "/" else output
    for number in (9, 10, 8):
        (place / "work" / folder / f"checkpoint-{number}").mkdir(parents=True)
        (place / "work" / folder / f"checkpoint-{number}" / "trainer_state.json").write_text("{}")
    commands = started(place, having(solved("trl"), value("huggingface.output", folder, line=5)))
    assert commands is not None
    resumed = {command[command.index(RESUMED) + 1] for script in commands for command in script if RESUMED in command}
    assert resumed == {f"{'./' if output.startswith('-') else ''}{folder}/checkpoint-10"}


@pytest.mark.parametrize("text", ["-delete", "-m", "a b"])
def test_no_option_in_place_of_a_module(text: str) -> None:
    found = api.check("-", text=f'emit torchtitan {{ module = "{text}" }}')
    assert "E0305" in [one.code for one in found]
