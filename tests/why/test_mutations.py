"""No log whatever gives a traceback or takes long; what it says of a failure fits the schema."""

from __future__ import annotations

import random

import pytest

from llmplan import failures
from tests.hanging import ends
from tests.read.mutations import mutated
from tests.test_schemas import faults
from tests.thorough import SEED, many
from tests.why.test_why import MESSAGES, MODERN

pytestmark = pytest.mark.usefixtures("no_advice")

TRACEBACK = """Traceback (most recent call last):
  File "train.py", line 40, in <module>
    trainer.train()
  File "/usr/lib/python3/site-packages/deepspeed/runtime/zero/stage3.py", line 600, in _create_fp32_partitions
    self.fp32_partitioned_groups_flat.append(self.fp16_partitioned_groups_flat[i].to(device).clone().float())
"""
MANY = many(100, 2_000, 100_000)


def test_mutated_logs() -> None:
    texts = [*MESSAGES.values(), MODERN]
    for number in range(SEED, SEED + MANY):
        dice = random.Random(number)
        log = mutated(dice, TRACEBACK * dice.randrange(3) + dice.choice(texts))
        with ends():
            failure = failures.explain(log.splitlines(), None)
        if failure.diagnosis is not None and number % 10 == 0:
            assert faults("why", failures.as_json(failure, ())) == []
