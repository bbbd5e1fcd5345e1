"""Random plans for every way to train: the real software accepts each file, changes and ignores nothing, and reads the
plan's numbers.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from llmplan import api
from llmplan.emit.render import render
from tests.emit.random_plans import drawn
from tests.integration import test_megatron, test_torchtitan
from tests.integration.answers import Answer, feasible
from tests.integration.real import needs, read_each
from tests.integration.test_megatron import releases
from tests.integration.test_torchtitan import real
from tests.thorough import examples

pytestmark = [pytest.mark.integration, pytest.mark.slow, pytest.mark.usefixtures("no_advice")]

SEEDS = 40
"""Of each way; about half of the plans are feasible."""


def written(way: str, folder: Path, saying: str = "") -> Iterator[Path]:
    """The folders of the feasible plans of a way, of those alone that say something."""
    seeds = (seed for seed in itertools.count(1_000) if saying in drawn(way, seed))
    for seed in itertools.islice(seeds, examples(SEEDS)):
        solution = api.solve("-", text=drawn(way, seed))
        if solution.status != "solved":
            continue
        files, problems = render(solution)
        assert not problems, problems
        place = folder / f"{way} {seed}".replace(" ", "-")
        place.mkdir()
        for name, text in files.items():
            (place / name).write_text(text, encoding="utf-8")
        (place / "the.plan").write_text(drawn(way, seed), encoding="utf-8")
        yield place


def each(program: str, modules: str, cases: list[list[str]], folder: Path) -> list[dict[str, Any]]:
    """What a program says of each case."""
    return read_each("each.py", program, modules, cases=cases, folder=folder)


def numbers(folder: Path) -> dict[str, Any]:
    document = json.loads((folder / "solution.json").read_text(encoding="utf-8"))
    return {name: value["value"] for name, value in document["quantities"].items()}


def deepspeed_agrees(cases: dict[Path, Path], folder: Path) -> dict[str, str]:
    """By plan what DeepSpeed refuses, ignores or reads otherwise; by folder of a plan its configuration."""
    known = {place: numbers(place) for place in cases}
    asked = [[str(file), str(known[place]["hardware.gpus"])] for place, file in cases.items()]
    wrong = {}
    for place, seen in zip(
        cases, each("read_deepspeed.py", "deepspeed,deepspeed.ops.adam,deepspeed.ops.lion", asked, folder), strict=True
    ):
        plan = known[place]
        expected = {
            "ignored": [],
            "stage": plan["parallelism.zero_stage"],
            "micro_batch": plan["training.micro_batch"],
            "accumulation": plan["grad_accum"],
            "clipping": plan["training.gradient_clipping"],
            # Without the groups of tensor parallelism, DeepSpeed counts each of their ranks.
            "train_batch_size": plan["global_batch_sequences"] * plan["parallelism.tensor"],
        }
        if {name: seen.get(name) for name in expected} != expected:
            wrong[(place / "the.plan").read_text()] = f"{seen} instead of {expected}"
    return wrong


@pytest.mark.parametrize("way", ["deepspeed", "deepspeed by accelerate"])
def test_deepspeed_reads_what_was_planned(way: str, tmp_path: Path) -> None:
    needs("deepspeed")
    cases = {place: place / "ds_config.json" for place in written(way, tmp_path)}
    assert deepspeed_agrees(cases, tmp_path) == {}


@pytest.mark.parametrize("way", ["deepspeed by accelerate", "fsdp by accelerate", "ddp by accelerate"])
def test_accelerate_starts_what_was_planned(way: str, tmp_path: Path) -> None:
    needs("accelerate", "deepspeed", "torchao")
    places = list(written(way, tmp_path))
    known = [numbers(place) for place in places]
    cases = [
        [
            "--config_file",
            str(place / "accelerate.yaml"),
            "--machine_rank",
            str(plan["hardware.nodes"] - 1),
            "--main_process_ip",
            "127.0.0.1",
            "train.py",
        ]
        for place, plan in zip(places, known, strict=True)
    ]
    wrong = {}
    for place, plan, seen in zip(
        places, known, each("read_accelerate.py", "accelerate.commands.launch,deepspeed", cases, tmp_path), strict=True
    ):
        nodes = plan["hardware.nodes"]
        expected = {
            "unknown": [], "unused": [], "nnodes": nodes, "node_rank": nodes - 1,
            "nproc_per_node": plan["hardware.gpus"] // nodes,
        }  # fmt: skip
        told = seen.get("environment", {})
        precision = plan["training.precision"]
        if plan["parallelism.framework"] != "deepspeed" and told.get("ACCELERATE_MIXED_PRECISION") != (
            precision if precision in ("bf16", "fp16", "fp8") else "no"
        ):
            wrong[place.name] = f"{told} for {precision}"
        if {name: seen.get(name) for name in expected} != expected:
            wrong[(place / "the.plan").read_text()] = f"{seen} instead of {expected}"
    assert wrong == {}


@pytest.mark.parametrize("way", ["trainer", "trl"])
def test_the_trainer_takes_what_was_planned(way: str, tmp_path: Path) -> None:
    needs("transformers", "deepspeed", "accelerate", *(("trl", "peft") if way == "trl" else ()))
    name = "sft.yaml" if way == "trl" else "training_args.json"
    places = list(written(way, tmp_path))
    modules = "torch,transformers,accelerate,deepspeed" + (",trl,peft" if way == "trl" else "")
    found = each(
        "read_trainer.py", modules, [[str(place / name), str(place / "filled.json")] for place in places], tmp_path
    )
    wrong = {}
    for place, seen in zip(places, found, strict=True):
        plan, given = numbers(place), yaml.safe_load((place / name).read_text())
        precision = plan["training.precision"]
        expected = {
            "changed": [], "unread": [], "batch": plan["training.micro_batch"],
            "mixed_precision": precision if precision in ("bf16", "fp16") else "no",
        }  # fmt: skip
        if plan["adapter.method"] != "none" and way == "trl":
            expected["four_bits"] = plan["adapter.method"] == "qlora"
        same = given["gradient_accumulation_steps"] == plan["grad_accum"] and given["max_steps"] == plan["steps"]
        if {key: seen.get(key) for key in expected} != expected or not same:
            wrong[(place / "the.plan").read_text()] = f"{seen} instead of {expected}"
    assert wrong == {}
    assert (
        deepspeed_agrees({place: file for place in places if (file := place / "filled.json").exists()}, tmp_path) == {}
    )


def test_kubernetes_knows_every_key(tmp_path: Path) -> None:
    needs("kubeflow_trainer_api")
    from kubeflow_trainer_api.models import TrainerV1alpha1TrainJob

    jobs = [
        yaml.safe_load(file.read_text())
        for place in written("deepspeed", tmp_path, "kubernetes")
        for file in place.glob("k8s.yaml")
    ]
    trained = [job for job in jobs if job["kind"] == "TrainJob"]
    assert trained and [job for job in trained if TrainerV1alpha1TrainJob.from_dict(job).to_dict() != job] == []


def of_targets(way: str) -> dict[str, Answer]:
    """The answers to some more plans of a way whose target is told everything."""
    return feasible([drawn(way, seed) for seed in range(2_000, 2_000 + examples(5 * SEEDS))])


@releases
def test_megatron_reads_what_was_planned(sources: Path, tmp_path: Path) -> None:
    asked = of_targets("megatron")
    for name, seen in test_megatron.accepted(sources, asked, tmp_path).items():
        test_megatron.agree(name, asked[name][0], seen)


@real
def test_torchtitan_builds_what_was_planned(tmp_path: Path) -> None:
    asked = of_targets("torchtitan")
    for name, seen in test_torchtitan.accepted(asked, tmp_path).items():
        test_torchtitan.agree(name, asked[name][0], *seen)
