"""Shell scripts are read as far as their text tells, and nothing of them is run."""

from __future__ import annotations

import pytest

from llmplan.read import shell
from llmplan.read.document import UNKNOWN, Unreadable
from tests.read.told import of, said


def words(text: str, **known: str) -> list[list[str]]:
    """The commands of a script."""
    return [[word.text for word in command.words] for command in shell.read(text, known).commands]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("A=1\nrun --x $A ${A}2 '$A' \"$A b\"", ["run", "--x", "1", "12", "$A", "1 b"]),
        ("run \\\n  --x 1 \\\n  --y 2 # no", ["run", "--x", "1", "--y", "2"]),
        ("run a#b", ["run", "a#b"]),
        ("A=(x 'y z')\nA+=(w)\nrun \"${A[@]}\" ${#A[@]} ${A[1]}", ["run", "x", "y z", "w", "3", "y", "z"]),
        ('A="--x 1"\nA="$A --y 2"\nrun $A', ["run", "--x", "1", "--y", "2"]),
        ("run ${A:-d} ${B-e} ${C:=f} $C", ["run", "d", "e", "f", "f"]),
        ("A=8\nB=2\nrun $((A / 3 * B)) $(expr $A / $B)", ["run", "4", "4"]),
        ("A=1.2-x\nrun ${A%-*} ${A#*.} ${A/x/y} ${A^^}", ["run", "1.2", "2-x", "1.2-y", "1.2-X"]),
        ("if [ $N -gt 1 ]; then A=1; else A=2; fi\nrun $A", ["run", "1"]),
        ('if [[ $M == b* ]]; then A=1; elif [ -z "$Z" ]; then A=3; fi\nrun $A', ["run", "3"]),
        ("case $M in a|x) A=1 ;; *) A=2 ;; esac\nrun $A", ["run", "1"]),
        ("f() { run --x $1; }\nf 7", ["run", "--x", "7"]),
        ('read -r A B <<< "1 2"\nrun $B $A', ["run", "2", "1"]),
        ('IFS=, read -r A B <<< "1,2"\nrun $B', ["run", "2"]),
        ('CMD="run --x 1"\neval $CMD', ["run", "--x", "1"]),
        ("bash -c 'run --x 1'", ["run", "--x", "1"]),
        ('A=(--x 1)\nbash -c "run ${A[*]} --y 2"', ["run", "--x", "1", "--y", "2"]),
        ("export A=1\nrun 2>&1 | tee log", ["run"]),
        ("F=bf16\nrun --$F", ["run", "--bf16"]),
    ],
)
def test_a_command_is_what_the_shell_would_run(script: str, expected: list[str]) -> None:
    got = words(script, N="4", M="a")[0]
    assert [word for word in got if word] == [word for word in expected if word]


@pytest.mark.parametrize("value", ["$1", "$(hostname)", "`date`", "$((X / 2))", "${Y:?no}", "$RANDOM"])
def test_what_only_a_run_tells_is_unknown(value: str) -> None:
    assert UNKNOWN in "".join(words(f"X=$(nproc)\nrun --x {value}")[0])


def test_branches_that_nobody_knows_are_both_read_and_what_they_leave_apart_is_unknown() -> None:
    found = words("if [ $1 = x ]; then A=1; B=2; else A=3; B=2; fi\nrun $A $B")
    assert found == [["run", UNKNOWN, "2"]]


def test_a_loop_over_words_is_a_run_a_value() -> None:
    assert words("for tp in 1 2; do run --tp $tp; done") == [["run", "--tp", "1"], ["run", "--tp", "2"]]


def test_the_files_that_a_script_writes_are_read_with_their_variables() -> None:
    (made,) = shell.read('N=4\ncat <<EOF > ds.json\n{"a": $N, \\\n"b": 1}\nEOF\n').files
    assert (made.name, made.text, made.line) == ("ds.json", '{"a": 4, "b": 1}\n', 3)
    (plain,) = shell.read("cat <<'EOF' > x\n$N\nEOF\n").files
    assert plain.text == "$N\n"


def test_a_script_that_another_reads_has_its_arguments() -> None:
    B = shell.Script("c/b.sh", "if [[ $1 != slurm ]]; then run; fi\nA=$N\n")
    run = shell.read("N=2\nsource ./b.sh slurm\nrun $A", others={"b.sh": B})
    assert [[word.text for word in one.words] for one in run.commands] == [["run", "2"]]
    assert list(run.sourced.values()) == ["c/b.sh"]


STARTED = {
    "srun --nodes 2 bash b.sh --lr 1": ("srun --nodes 2", []),
    "srun --nodes 2 ./b.sh --lr 1": ("srun --nodes 2", []),
    """srun --nodes 2 bash -c 'R="$X" exec "$0" "$@"' "$here/b.sh" --lr 1""": ("srun --nodes 2 exec", []),
    "bash -x b.sh --lr 1": ("", []),
    "exec c/b.sh --lr 1": ("exec", []),
    "for lr in 1 2; do bash b.sh --lr $lr; done": ("", [["run", "8", "--lr", "2"]]),
}


@pytest.mark.parametrize("script", STARTED)
def test_a_script_that_another_starts_has_its_arguments_and_what_is_exported(script: str) -> None:
    b = shell.Script("c/b.sh", 'name=$1\nrun "${GPUS:-8}" "$@"\n')
    run = shell.read(f"GPUS=4\n{script}\n", others={"b.sh": b})
    before, more = STARTED[script]
    assert [[word.text for word in one.words] for one in run.commands] == [["run", "8", "--lr", "1"], *more]
    assert " ".join(word.text for word in run.commands[0].before) == before
    assert run.place("a.sh", run.commands[0].words[0].line) == ("c/b.sh", 2)


def test_a_file_of_the_same_name_behind_an_option_is_not_started() -> None:
    run = shell.read("run --config b.sh --model bash", others={"b.sh": shell.Script("b.sh", "run")})
    assert [[word.text for word in one.words] for one in run.commands] == [
        ["run", "--config", "b.sh", "--model", "bash"]
    ]


def test_scripts_that_start_each_other_end() -> None:
    a, b = shell.Script("a.sh", "run 1\nbash b.sh"), shell.Script("b.sh", "run 2\nbash a.sh")
    run = shell.read("bash a.sh", others={"a.sh": a, "b.sh": b})
    assert [one.words[-1].text for one in run.commands] == ["1", "2", "a.sh"]


def test_set_and_shift_change_the_arguments() -> None:
    assert words('set -eu\nset -- -m a "$@"\nrun "$@"\nrun "${@:2}"') == [["run", "-m", "a"], ["run", "a"]]
    assert words('f() { local a=$1; shift; run $a "$@"; }\nf 1 2 3') == [["run", "1", "2", "3"]]


def test_nothing_runs(tmp_path) -> None:
    made = tmp_path / "made"
    script = f"$(touch {made})\n`touch {made}`\neval touch {made}\nA=$(touch {made})\nsource <(touch {made})\n"
    shell.read(script + f"bash -c 'touch {made}'\ncat x > {made}\nrun --x $(touch {made})")
    assert not made.exists()


HOSTILE = {
    "doubling": 'A="$A$A"\n' * 3_000,
    "calls itself": "f() { f; f; }\nf",
    "unclosed": "a=(\n" + "b=(\n" * 55,
    "unclosed groups": "x (\n" * 50,
    "unclosed ifs": "if x; then\n" * 50,
    "unclosed cases": "case x in\na)\n" * 50,
    "unclosed quotes": "a=$(\n" * 50 + "'",
    "brackets": "((" * 3_000,
    "braces": "${" * 3_000,
    "loops": "for a in 1 2 3; do " * 9 + "run; " + "done;" * 9,
    "grows": "A=$A$A\n" * 80,
    "long": "a" * 10**6,
    "variables": "\n".join(f"A{number}=1" for number in range(3_000)),
}


@pytest.mark.parametrize("script", HOSTILE.values(), ids=HOSTILE)
def test_time_and_memory_are_bounded(script: str) -> None:
    try:
        shell.read(script)
    except Unreadable as why:
        assert len(str(why)) < 100


POD = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: one}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: &pod
        spec:
          nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
          containers:
          - name: pytorch
            env:
            - {name: MODEL, value: meta-llama/Llama-3.1-8B}
            command: [torchrun, --nproc_per_node=8, sft.py]
            args: [--model_name_or_path, $(MODEL), --per_device_train_batch_size, "2", --output_dir, o]
            resources: {limits: {nvidia.com/gpu: 8}}
    Worker:
      replicas: 3
      template: *pod
"""


def test_a_master_and_its_workers_are_one_training() -> None:
    """Their nodes are the operator's to say, `$(MODEL)` is a variable of the container, places are the manifest's."""
    found = of({"job.yaml": POD})
    assert said(found, "hardware.gpus", "hardware.nodes", "hardware.gpu") == (32, 4, "NVIDIA-H100-80GB-HBM3")
    assert said(found, "model") == "meta-llama/Llama-3.1-8B"
    assert found.found["training.micro_batch"].value.items[0].place == "job.yaml:15"


def test_an_unknown_option_is_over_the_file() -> None:
    """What a file says of it is not what the run takes."""
    found = of(
        {
            "a.yaml": "model_name_or_path: a/b\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 4\n",
            "a.sh": "torchrun --nproc_per_node 8 a.py a.yaml --gradient_accumulation_steps $(steps)\n",
        }
    )
    assert said(found, "training.global_batch") is None and said(found, "training.micro_batch") == 1


def test_a_card_beside_the_number_of_a_job() -> None:
    script = "#SBATCH -N 4\n#SBATCH --gpus-per-node=h100:4\nsrun torchrun --nproc_per_node $SLURM_GPUS_ON_NODE a.py"
    found = of({"a.sh": f"{script} --model_name_or_path a/b --per_device_train_batch_size 1\n"})
    assert (said(found, "hardware.gpus"), said(found, "hardware.gpus_per_node")) == (16, 4)
