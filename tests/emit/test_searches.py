"""No search ends with an answer that a target then refuses: what a target cannot say is a requirement, which the search sees."""

from __future__ import annotations

import random

import pytest

from llmplan import api
from llmplan.emit.render import render

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
TARGETS = ("deepspeed", "accelerate", "deepspeed, accelerate", 'deepspeed, slurm { script = "train.py" }', 'slurm { script = "a" }', TRL, TRL.replace("trl", "transformers"))


def plan(seed: int) -> str:
    """A plan with some layout knobs open, for some targets."""
    chance = random.Random(seed)
    knobs = chance.sample(KNOBS, chance.randint(2, 5))
    return "\n".join(
        [
            f'model "{chance.choice(MODELS)}"',
            "dataset { tokens = 10B, sequence_length = 1024 tokens }",
            f'hardware {{ gpu = "{chance.choice(("A100-SXM4-80GB", "H100-SXM5-80GB", "V100-SXM2-32GB"))}", gpus = {chance.choice((8, 16, 32))} }}',
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
