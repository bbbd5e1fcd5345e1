"""What is written is what was planned: plans at random, all their files read back, and every number the same in all of
them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan import api
from llmplan.emit.render import render
from llmplan.emit.targets import load, targets
from tests.emit.random_plans import LAUNCHERS, WAYS, drawn
from tests.emit.readers import READERS, differences
from tests.thorough import examples

SEEDS = 16
"""Of each way to train; about half of the plans are feasible."""


def tried(way: str, seed: int, folder: Path) -> tuple[bool, list[str]]:
    """Whether a plan is feasible, and what is wrong with its files."""
    text = drawn(way, seed)
    solution = api.solve("-", text=text)
    if solution.status != "solved":
        # That a plan is refused is an answer; one that cannot be read is a mistake of the test.
        errors = [one.message for one in solution.diagnostics if one.severity == "error" and one.code != "E0406"]
        return False, errors if solution.status == "error" else []
    files, problems = render(solution)
    if problems:
        return True, [f"{one.code} {one.message}" for one in problems]
    folder.mkdir(parents=True, exist_ok=True)
    return True, differences(files, folder)


def all_wrong(way: str, seeds: range, folder: Path) -> tuple[int, dict[str, list[str]]]:
    """How many plans are feasible, and by plan what is wrong with its files."""
    found = {drawn(way, seed): tried(way, seed, folder / str(seed)) for seed in seeds}
    return sum(feasible for feasible, _ in found.values()), {
        plan: faults for plan, (_, faults) in found.items() if faults
    }


@pytest.fixture(autouse=True)
def nothing_is_advised(no_advice: None) -> None:
    """Of an infeasible plan nothing further is asked."""


def test_all_files_say_the_same(tmp_path: Path) -> None:
    assert all_wrong("fsdp by accelerate", range(1), tmp_path) == (1, {})


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_all_files_say_the_same_each_way(way: str, tmp_path: Path) -> None:
    seeds = range(examples(SEEDS))
    feasible, wrong = all_wrong(way, seeds, tmp_path)
    assert wrong == {}
    assert feasible >= len(seeds) / 5


def test_every_target_and_every_file_is_tried() -> None:
    """A further target needs a way to train in `random_plans.py`, and a reader of its files in `readers.py`."""
    # vLLM serves: its file says nothing of a training. A probe stands beside a training's files, and starts them.
    emitted = " ".join(
        [
            *(emits for way in WAYS.values() for emits in way.emits),
            *LAUNCHERS,
            "vllm",
            "sglang",
            "tensorrt_llm",
            "probe",
        ]
    )
    known = load()[0]
    assert [name for name in targets() if name not in emitted] == []
    files = {file for target in known.values() for file, _ in target.files if not file.endswith(".svg")}
    assert files <= set(READERS)
