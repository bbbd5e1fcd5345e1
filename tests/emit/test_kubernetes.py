"""k8s.yaml as Kubernetes reads and starts it: the files of the plan are written in the pod, and launch.sh is started
there.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from llmplan import api
from llmplan.emit.render import render

PLAN = """model "llama-7b"
dataset { tokens = 10B, sequence_length = 2048 tokens }
hardware { gpu = "A100-SXM4-80GB", gpus = 16 }
parallelism { zero_stage = 3 }
training { global_batch = 256 sequences, micro_batch = 1, recompute = full }
"""
WHAT = 'script = "train it.py", arguments = "--data $(ls) $$x", image = "reg.io/a:1"'
STUB = """#!/usr/bin/env bash
config="$LLMPLAN_DEEPSPEED_CONFIG"
{ printf "%s|" "$LLMPLAN_GRAD_ACCUM" "$@"; echo; cat "$config"; } >"$LOG"
"""


def files(emitted: str, plan: str = "-", **options: Any) -> dict[str, str]:
    solution = api.solve(plan, text=PLAN + emitted, **options)
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    written, problems = render(solution)
    assert not problems, problems
    return written


def expanded(text: str, environment: dict[str, str]) -> str:
    """As the kubelet does it: $(NAME) of the pod's environment, $$ for $, and all else as it is."""
    found = re.compile(r"\$\$|\$\(([A-Za-z_][\w.-]*)\)")
    return found.sub(lambda m: "$" if m.group() == "$$" else environment.get(m.group(1), m.group()), text)


def container(job: dict[str, Any]) -> dict[str, Any]:
    if job["kind"] == "TrainJob":
        return dict(job["spec"]["trainer"])
    (found,) = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    return dict(found)


@pytest.mark.parametrize("kind", ["train_job", pytest.param("pytorch_job", marks=pytest.mark.slow)])
def test_a_pod_starts_its_node(kind: str, tmp_path: Path) -> None:
    written = files(f"emit kubernetes {{ {WHAT}, job = {kind} }}, deepspeed\n")
    started = container(yaml.safe_load(written["k8s.yaml"]))
    (tmp_path / "torchrun").write_text(STUB)
    (tmp_path / "torchrun").chmod(0o755)
    pod = {"PET_NODE_RANK": "1", "PET_MASTER_ADDR": "k-node-0-0", "PET_MASTER_PORT": "29400"}
    words = [expanded(word, pod) for word in (*started["command"], *started["args"])]
    environment = {
        **pod,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "LOG": str(tmp_path / "log"),
        "TMPDIR": str(tmp_path),
    }
    done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said, _, config = (tmp_path / "log").read_text().partition("\n")
    assert said.startswith(
        "16|--nnodes|2|--nproc_per_node|8|--node_rank|1|--master_addr|k-node-0-0|--master_port|29400|"
    )
    assert said.endswith("|train it.py|--data|$(ls)|$$x|")
    assert config == written["ds_config.json"]


def test_a_train_job() -> None:
    job = yaml.safe_load(files(f'emit kubernetes {{ {WHAT}, mounts = "data:/data", namespace = "ml" }}\n')["k8s.yaml"])
    assert (job["apiVersion"], job["kind"], job["metadata"]["namespace"]) == (
        "trainer.kubeflow.org/v1alpha1",
        "TrainJob",
        "ml",
    )
    trainer = job["spec"]["trainer"]
    assert (trainer["numNodes"], trainer["numProcPerNode"], trainer["image"]) == (2, 8, "reg.io/a:1")
    assert trainer["resourcesPerNode"] == {"limits": {"nvidia.com/gpu": 8}}
    # The operator gives these itself, and refuses them.
    assert "env" not in trainer
    (replicated,) = job["spec"]["runtimePatches"][0]["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    pod = replicated["template"]["spec"]["template"]["spec"]
    assert [volume["name"] for volume in pod["volumes"]] == [
        mount["name"] for mount in pod["containers"][0]["volumeMounts"]
    ]
    assert pod["volumes"][1]["persistentVolumeClaim"] == {"claimName": "data"}


@pytest.mark.slow
def test_a_pytorch_job_has_a_master_and_the_other_nodes() -> None:
    spec = yaml.safe_load(files(f"emit kubernetes {{ {WHAT}, job = pytorch_job }}\n")["k8s.yaml"])["spec"]
    assert spec["nprocPerNode"] == "8"
    replicas = spec["pytorchReplicaSpecs"]
    assert [replicas[role]["replicas"] for role in ("Master", "Worker")] == [1, 1]
    assert replicas["Master"]["template"] == replicas["Worker"]["template"]


@pytest.mark.slow
def test_trl_needs_no_script() -> None:
    trl = 'huggingface { trainer = trl, model = "a\\nEND", dataset = "b", output = "c" }'
    written = files(f'emit {trl}, kubernetes {{ script = "", image = "i" }}\n')
    started = container(yaml.safe_load(written["k8s.yaml"]))
    assert started["args"][1:] == ["launch.sh"] and 'cat >"$here"/sft.yaml' in started["args"][0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "name"),
    [('name = "run-7"', "run-7"), ('name = "Run 7"', None), ('name = "7b"', None), (f'name = "{"a" * 64}"', None)],
)
def test_names(given: str, name: str | None) -> None:
    solution = api.solve("-", text=f"{PLAN}emit kubernetes {{ {WHAT}, {given} }}\n")
    wrong = [found for found in solution.diagnostics if found.severity == "error"]
    if name:
        assert not wrong and yaml.safe_load(render(solution)[0]["k8s.yaml"])["metadata"]["name"] == name
    else:
        assert [found.code for found in wrong] == ["E0305"] and wrong[0].span is not None
        assert wrong[0].span.text == given.partition(" = ")[2] and "a letter first" in wrong[0].message


@pytest.mark.slow
def test_mounts_that_are_none() -> None:
    text = f'{PLAN}emit kubernetes {{ {WHAT}, mounts = "data" }}\n'
    (problem,) = (found for found in api.check("-", text=text) if found.severity == "error")
    assert problem.code == "E0305" and "as `data:/data`" in problem.message


@pytest.mark.slow
def test_the_plan_names_the_job(tmp_path: Path) -> None:
    plan = tmp_path / "7B_run.v2.plan"
    plan.write_text(f"{PLAN}emit kubernetes {{ {WHAT} }}\n")
    api.compile(str(plan), out=str(tmp_path / "out"))
    assert yaml.safe_load((tmp_path / "out" / "k8s.yaml").read_text())["metadata"]["name"] == "plan-7b-run-v2"
    assert json.loads((tmp_path / "out" / "solution.json").read_text())["files"]


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("gpu", "resource"),
    [("A100-SXM4-80GB", "nvidia.com/gpu"), ("MI300X", "amd.com/gpu"), ("Gaudi3", "habana.ai/gaudi"),
     ("TPU-v5p", "google.com/tpu"), ("Trainium2", "aws.amazon.com/neuron")],
)  # fmt: skip
def test_the_maker_of_the_card_decides_the_resource(gpu: str, resource: str) -> None:
    emitted = f"emit kubernetes {{ {WHAT} }}, deepspeed\n"
    job = yaml.safe_load(files(emitted, settings=(("hardware.gpu", gpu),))["k8s.yaml"])
    limits = job["spec"]["trainer"]["resourcesPerNode"]["limits"]
    assert list(limits) == [resource]


def test_a_card_of_another_maker_needs_the_name_of_its_resource() -> None:
    emitted = f"emit kubernetes {{ {WHAT} }}, deepspeed\n"
    solution = api.solve("-", text=PLAN + emitted, settings=(("hardware.gpu", "Ascend-910B"),))
    _, problems = render(solution)
    assert any(p.code == "E0501" and "kubernetes.resource" in p.message for p in problems)
    told = {"settings": (("hardware.gpu", "Ascend-910B"), ("kubernetes.resource", "huawei.com/Ascend910"))}
    assert "huawei.com/Ascend910" in files(emitted, **told)["k8s.yaml"]


@pytest.mark.slow
def test_what_no_file_reads_leaves_the_files_as_they_are() -> None:
    """The hash in a header is of the file, and so is the mark that ends each file in `k8s.yaml`."""
    emitted = f"emit deepspeed, accelerate, kubernetes {{ {WHAT} }}\n"
    before, after = files(emitted), files(f"{emitted}hardware.price = 9 USD/GPU/hour\n")
    moved = {name for name in before if before[name] != after[name]}
    assert moved <= {"report.md", "solution.json", "deadline.svg"} and "report.md" in moved
    marks = re.findall(r"Generated by llmplan from <stdin> \(([0-9a-f]{12})\)", "".join(before.values()))
    assert len(set(marks)) == 4  # k8s.yaml holds two of them once more


ASKED = """cpus = 96, memory = 1 TB, shared_memory = 64 GiB, rdma = "vpc.amazonaws.com/efa=32", queue = "user-queue",
secrets = "HF_TOKEN=hub:token, W=w.b:no", tolerations = "nvidia.com/gpu:NoSchedule, team=no:NoExecute",
node_selector = "pool=1, a/b=" """


@pytest.mark.parametrize("kind", ["train_job", pytest.param("pytorch_job", marks=pytest.mark.slow)])
def test_what_a_pod_asks_for(kind: str) -> None:
    job = yaml.safe_load(files(f"emit deepspeed, kubernetes {{ {WHAT}, job = {kind}, {ASKED} }}\n")["k8s.yaml"])
    assert job["metadata"]["labels"] == {"kueue.x-k8s.io/queue-name": "user-queue"}
    if kind == "train_job":
        (replicated,) = job["spec"]["runtimePatches"][0]["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
        pod, started = replicated["template"]["spec"]["template"]["spec"], job["spec"]["trainer"]
        limits = started["resourcesPerNode"]["limits"]
    else:
        pod, started = job["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"], container(job)
        limits = started["resources"]["limits"]
    assert limits == {"nvidia.com/gpu": 8, "cpu": 96, "memory": "953674Mi", "vpc.amazonaws.com/efa": 32}
    assert started["env"] == [
        {"name": variable, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}
        for variable, secret, key in (("HF_TOKEN", "hub", "token"), ("W", "w.b", "no"))
    ]
    assert pod["containers"][0]["securityContext"] == {"capabilities": {"add": ["IPC_LOCK"]}}
    assert pod["volumes"][0]["emptyDir"] == {"medium": "Memory", "sizeLimit": "65536Mi"}
    assert pod["nodeSelector"] == {"pool": "1", "a/b": ""}
    assert pod["tolerations"] == [
        {"key": "nvidia.com/gpu", "effect": "NoSchedule", "operator": "Exists"},
        {"key": "team", "effect": "NoExecute", "operator": "Equal", "value": "no"},
    ]


@pytest.mark.slow
def test_one_card_of_a_kind_unless_more_are_named() -> None:
    job = yaml.safe_load(files(f'emit kubernetes {{ {WHAT}, rdma = "rdma/hca" }}\n')["k8s.yaml"])
    assert job["spec"]["trainer"]["resourcesPerNode"]["limits"]["rdma/hca"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("more", ["memory = 1 GB", "memory = 1 TB, shared_memory = 2 TB"])
def test_memory_that_the_run_needs(more: str) -> None:
    emitted = f"parallelism.offload = all\nemit deepspeed, kubernetes {{ {WHAT}, {more} }}\n"
    solution = api.solve("-", text=PLAN + emitted)
    assert any("`kubernetes_memory`" in found.message for found in solution.diagnostics)


HOSTILE = [
    (option, text)
    for option, fine in {
        "rdma": "rdma/a=1", "secrets": "A=b:c", "queue": "a", "tolerations": "a=b:NoSchedule", "node_selector": "a=b",
    }.items()
    for text in (
        f"{fine}: {{x: y}}", f"{fine}\\nkind: Pod", f"{fine}'", f'{fine}\\"', f"{fine} #", f"$({fine})", f"-{fine}",
    )
]  # fmt: skip


@pytest.mark.parametrize(
    ("option", "text"), [pytest.param(*row, marks=[pytest.mark.slow] * (at % 6 > 0)) for at, row in enumerate(HOSTILE)]
)
def test_texts_that_are_more_than_a_name(option: str, text: str) -> None:
    written = text.replace("{", r"\{")
    found = api.check("-", text=f'{PLAN}emit kubernetes {{ {WHAT}, {option} = "{written}" }}\n')
    assert [one.code for one in found if one.severity == "error"] == ["E0305"]


@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize(("more", "told"), [("", True), (', mounts = "checkpoints:/checkpoints"', False)])
def test_without_a_claim_checkpoints_are_said_to_be_lost(more: str, told: bool) -> None:
    """It costs nothing: the files are written, with the reason beside them."""
    solution = api.solve("-", text=f"{PLAN}emit kubernetes {{ {WHAT}{more} }}, deepspeed\n")
    assert solution.status == "solved"
    (found,) = [one for one in solution.preferences if one.name == "kubernetes_checkpoints"]
    assert found.holds is not told
    assert ("claimName: checkpoints" in render(solution)[0]["k8s.yaml"]) is not told


SAVING = """emit kubernetes {{ image = "reg.io/a:1", mounts = "data:/data, runs:{claim}" }}
emit huggingface {{ trainer = trl, model = "a/b", dataset = "c/d", output = "{output}" }}
"""


@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize(
    ("output", "folder", "kept"),
    [
        ("out", "the runs/work", True),
        ("out", "work", False),
        ("HERE/the runs", "work", True),
        ("HERE/the runs/a b", "work", True),
        ("HERE/the runs2", "the runs", False),
        ("/", "the runs", False),
    ],
)
def test_a_pod_whose_checkpoints_are_on_no_claim_stops(output: str, folder: str, kept: bool, tmp_path: Path) -> None:
    """Only in the pod is it known which folder the image works in."""
    claim, work, output = tmp_path / "the runs", tmp_path / folder, output.replace("HERE", str(tmp_path))
    work.mkdir(parents=True)
    written = files(SAVING.format(claim=claim, output=output))
    (tmp_path / "torchrun").write_text('#!/bin/sh\necho started >"$LOG"\n')
    (tmp_path / "torchrun").chmod(0o755)
    started = container(yaml.safe_load(written["k8s.yaml"]))
    pod = {"PET_NODE_RANK": "0", "LOG": str(tmp_path / "log"), "LLMPLAN_ANY_MODEL": "1"}
    pod["PATH"] = f"{tmp_path}:{os.environ['PATH']}"
    words = [*started["command"], *(expanded(word, {}) for word in started["args"])]
    done = subprocess.run(words, env=pod, cwd=work, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is (tmp_path / "log").exists() is kept, done.stderr
    place = output if output.startswith("/") else f"{work}/{output}"
    assert kept or f"{place}, which is on no claim" in done.stderr and f"of /data or {claim}" in done.stderr
