"""No search ends with an answer that a target then refuses: what a target cannot say is a requirement, which the search
sees.
"""

from __future__ import annotations

import random

import pytest

from llmplan import api
from llmplan.emit.render import render
from tests.thorough import many

MODELS = ("llama-7b", "mixtral-8x7b", "gpt2")
KNOBS = (
    "parallelism.tensor = ?",
    "parallelism.pipeline = ?",
    "parallelism.context = ?",
    "parallelism.expert = ?",
    "parallelism.replicas = ?",
    "parallelism.zero_stage = ?",
    "parallelism.offload = ?",
    "parallelism.framework = ?",
    "parallelism.virtual_pipeline = ?",
    "parallelism.sequence_parallel = ?",
    "training.precision = ?",
    "training.optimizer = ?",
    "training.gradient_dtype = ?",
    "training.recompute = ?",
    "hardware.nodes = ? in 1..4",
)
TRL = 'huggingface { trainer = trl, model = "a", dataset = "b", output = "c" }'
TARGETS = (
    "deepspeed",
    "accelerate",
    "deepspeed, accelerate",
    'deepspeed, slurm { script = "train.py" }',
    'slurm { script = "a" }',
    TRL,
    TRL.replace("trl", "transformers"),
)


def plan(seed: int) -> str:
    """A plan with some layout knobs open, for some targets."""
    chance = random.Random(seed)
    knobs = chance.sample(KNOBS, chance.randint(2, 5))
    return "\n".join(
        [
            f'model "{chance.choice(MODELS)}"',
            "dataset { tokens = 10B, sequence_length = 1024 tokens }",
            f'hardware.gpu = "{chance.choice(("A100-SXM4-80GB", "H100-SXM5-80GB", "V100-SXM2-32GB"))}"',
            f"hardware.gpus = {chance.choice((8, 16, 32))}",
            "training.global_batch = 256 sequences",
            *knobs,
            f"emit {chance.choice(TARGETS)}",
            "minimize time",
        ]
    )


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 40))])
def test_no_answer_is_refused(seed: int) -> None:
    text = plan(seed)
    solution = api.solve("-", text=text)
    assert solution.status in ("solved", "infeasible"), (text, [d.message for d in solution.diagnostics])
    if solution.status == "solved":
        _, problems = render(solution)
        assert not problems, (text, problems)


# All that a layout is made of is open at once.

LAYOUT = tuple(
    knob for knob in KNOBS if not any(word in knob for word in ("precision", "optimizer", "gradient", "nodes"))
)
EVERY = (
    "deepspeed",
    "accelerate",
    "megatron",
    "megatron_bridge",
    TRL,
    TRL.replace("trl", "transformers"),
    'slurm { script = "a" }',
    'kubernetes { script = "a", image = "b" }',
)


def open_plan(seed: int) -> str:
    """A plan with every layout knob open, for a random set of targets; some that no layout is for."""
    chance = random.Random(f"open {seed}")
    chosen = {name.partition(" ")[0]: name for name in chance.sample(EVERY, chance.randint(1, 3))}
    return "\n".join(
        [
            f'model "{chance.choice(MODELS)}"',
            "model.vocab = 65_536",
            "dataset { tokens = 10B, sequence_length = 1024 tokens }",
            f'hardware {{ gpu = "H100-SXM5-80GB", gpus = {chance.choice((8, 16))} }}',
            "training { global_batch = 256 sequences, micro_batch = 1 }",
            *LAYOUT,
            f"emit {', '.join(chosen.values())}",
            "minimize time",
        ]
    )


@pytest.mark.slow
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize("seeds", [range(first, first + 10) for first in range(0, many(10, 10, 200), 10)], ids=str)
def test_no_answer_is_refused_with_everything_open(seeds: range) -> None:
    solutions = {text: api.solve("-", text=text) for text in map(open_plan, seeds)}
    wrong = {
        text: [d.message for d in found.diagnostics] for text, found in solutions.items() if found.status == "error"
    }
    assert wrong == {}
    solved = {text: found for text, found in solutions.items() if found.status == "solved"}
    assert {text: problems for text, found in solved.items() if (problems := render(found)[1])} == {}
    assert len(solved) >= len(seeds) / 2
