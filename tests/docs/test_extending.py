"""`docs/extending.md`, followed to the letter in a copy of the project; then something is misspelt in each recipe."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from attrs import frozen

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^(`{3,})(\w+)(?: file=(\S+))?\n(.*?)^\1\n", re.MULTILINE | re.DOTALL)
COPIED = (
    "llmplan",
    "grammar",
    "plans",
    "templates",
    "docs",
    "editors",
    "benchmarks/architectures.py",
    "tests/conftest.py",
    "tests/quick.py",
    "tests/thorough.py",
)
COPIED += ("tests/diagnostics", "tests/errors", "pyproject.toml", "CONTRIBUTING.md")


@frozen
class Block:
    language: str
    file: str
    text: str


def recipes() -> dict[str, list[Block]]:
    """By title of a section its blocks."""
    sections = re.split(r"^## (An? .+)\n", PAGE, flags=re.MULTILINE)[1:]
    return {
        title: [Block(found[2], found[3] or "", found[4]) for found in BLOCK.finditer(text)]
        for title, text in zip(sections[::2], sections[1::2])
    }


class Copy:
    """A checkout whose llmplan uses its own library."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for part in COPIED:
            source, target = ROOT / part, folder / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy(source, target)

    def put(self, block: Block) -> None:
        """What stands in a block, in the file that it names."""
        path = self.folder / block.file
        if block.language == "diff":
            old, new = (
                "".join(f"{line[1:]}\n" for line in block.text.splitlines() if line[0] == sign) for sign in "-+"
            )
            self.replace(block.file, old, new)
        elif path.exists():
            gap = "\n\n" if block.language == "python" else "\n"
            path.write_text(path.read_text(encoding="utf-8") + gap + block.text, encoding="utf-8")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")

    def replace(self, file: str, old: str, new: str) -> None:
        text = (self.folder / file).read_text(encoding="utf-8")
        assert text.count(old) == 1, old
        (self.folder / file).write_text(text.replace(old, new), encoding="utf-8")

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        """A command of the page, with the llmplan of the copy."""
        words = shlex.split(line)
        settings = dict(word.split("=") for word in words if re.match(r"[A-Z_]+=", word))
        words = [word for word in words if not re.match(r"[A-Z_]+=", word)]
        program = {
            "python": [],
            "llmplan": ["-m", "llmplan"],
            "pytest": ["-m", "pytest", "-q", "-p", "no:cacheprovider"],
        }
        kept = {"PYTHONPATH": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "cache"), **settings}
        return subprocess.run(
            [sys.executable, *program[words[0]], *words[1:]],
            check=False,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={**os.environ, **kept},
        )


MISSPELT = {
    "An accelerator": ("plans/catalog/gpus_hopper.plan", "4.5 USD/GPU/hour", "4.5 USD/GPU/our", "E0204"),
    "A training stack": (
        "plans/catalog/stacks.plan",
        "= upcast\n    reduce_dtype = bf16\n}",
        "= upcast\n    reduce_type = bf16\n}",
        "E0202",
    ),
    "An optimizer": ("plans/catalog/optimizers.plan", "per_number         = 3\n", "# forgotten\n", "E0213"),
    "A model family": (
        "plans/configs/huggingface.plan",
        "first(config.num_key_value_heads, 2)\n    tied_embeddings",
        "first(config.num_key_values_heads, 2)\n    tied_embeddings",
        "E0201",
    ),
    "A formula": (
        "plans/std/data.plan",
        "dataset.epochs / hardware.gpus",
        "dataset.epochs / hardware.gpu_count",
        "E0201",
    ),
    "A requirement": ("plans/std/requirements.plan", "{dataset.epochs} times", "{dataset.epoch} times", "E0201"),
    "A format": ("templates/example_trainer/read.plan", '@ignored("trainer.kind"', '@ignore("trainer.kind"', "E0201"),
    "A log": ("templates/example_trainer/log.plan", "example_line.peak", "example_line.peek", "E0201"),
    "A target": ("my-templates/dstack/target.plan", '{model.params_total}"', '{model.param_total}"', "E0201"),
}
"""A mistake in what each recipe adds: file, right, wrong, and the code."""

SHOWN = {
    "An accelerator": ("also called EX100 SXM", "Example EX100 datasheet"),
    "A training stack": (
        "also called example-trainer",
        "example/trainer 2.1",
        "framework             nanotron",
        "from the catalog, plans/catalog/nanotron.plan:",
    ),
    "An optimizer": ("per_number          3", "algorithm 1", "memory.optimizer"),
    "A model family": ("model.params_total",),
    "A kind of layer": ("plans/catalog/layer_example.plan: ok", "1.611B parameters"),
    "A formula": ("dataset.bytes_per_gpu = ",),
    "A requirement": ("deadline",),
    "A target": ("my-templates/dstack/target.plan: ok", "wrote to run: dstack.yml, launch.sh"),
    "A format": (
        "templates/example_trainer/read.plan: ok",
        'model "meta-llama/Llama-3.1-8B"  # example.yaml:3',
        "micro_batch = 2   # example.yaml:4",
        "default of example_trainer 1.2",
        "trainer.noise = 0.1 (example.yaml:7)",
        "# Not mapped, as it is not understood:\n#   trainer.colour = blue (example.yaml:8)",
    ),
    "A log": (
        "templates/example_trainer/log.plan: ok",
        "# Left out: 1 first record (up to 9.31 s).",
        "step_time             = 0.85 s          # example.log:3 .. 5",
        "memory.allocated      = 31.4 GiB",
        "Printed by trainer.timers=true.",
    ),
    "A diagnostic": ("# W0647: empty scenario", "warning[W0647]: scenario `small` changes nothing", "passed"),
}


def its_facts_are_solved_with(copy: Copy) -> None:
    """A plan that names the new framework alone takes its facts; one that is left out is told."""
    plan = "plans/rules_of_thumb/mfu_30_to_55.plan"
    solved = {
        framework: json.loads(copy.run(f"llmplan solve {plan} --json --set parallelism.framework={framework}").stdout)
        for framework in ("nanotron", "megatron")
    }
    facts = (
        "training.kernels",
        "training.loss",
        "parallelism.schedule",
        "training.gradient_dtype",
        "memory.driver_buffers",
    )
    values = {framework: [solved[framework]["quantities"][fact]["value"] for fact in facts] for framework in solved}
    assert values["nanotron"] == ["eager", "fused", "gpipe", "fp32", 34e6]
    assert values["megatron"] == ["fused", "compiled", "one_f_one_b", "fp32", 110e6]
    copy.replace("plans/catalog/nanotron.plan", ' like "megatron-core"', "")
    outcome = copy.run("llmplan check plans/catalog/nanotron.plan")
    assert outcome.returncode == 1
    assert (
        'error[E0212]: the stack "nanotron-main" stands for `nanotron` and does not set `parameter_dtype`'
        in outcome.stderr
    )
    copy.replace("plans/catalog/nanotron.plan", '"nanotron-main" {', '"nanotron-main" like "megatron-core" {')


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("checkout"))


def test_each_recipe_is_followed() -> None:
    assert list(recipes()) == list(SHOWN)


@pytest.mark.slow
@pytest.mark.parametrize("title", recipes())
def test_recipe(title: str, copy: Copy) -> None:
    said = ""
    for block in recipes()[title]:
        if block.file:
            copy.put(block)
        for line in block.text.splitlines() if block.language == "sh" else ():
            outcome = copy.run(line)
            assert outcome.returncode == 0, (line, outcome.stdout, outcome.stderr)
            said += outcome.stdout + outcome.stderr
    assert [text for text in SHOWN[title] if text not in said] == []
    if title in MISSPELT:
        file, right, wrong, code = MISSPELT[title]
        copy.replace(file, right, wrong)
        outcome = copy.run(f"llmplan check {file}")
        assert outcome.returncode == 1
        assert f"error[{code}]" in outcome.stderr and f" {file}:" in outcome.stderr
        copy.replace(file, wrong, right)
    if title == "A training stack":
        its_facts_are_solved_with(copy)
    if title == "A target":
        task = yaml.safe_load((copy.folder / "run" / "dstack.yml").read_text())
        assert task["resources"] == {"gpu": "A100:80GB:8", "disk": "512GB"}
        assert task["commands"][-1] == "bash launch.sh train.py"
    if title == "A requirement":
        outcome = copy.run("llmplan solve plans/llama7b.plan --set dataset.epochs=5")
        assert outcome.returncode == 3 and "1T tokens are to be seen 5 times" in outcome.stdout
