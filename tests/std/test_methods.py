"""Preferences, reward models and teachers: pairs, a frozen model beside the trained one, and what only pre-training and
fine-tuning had before.
"""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.answer.schema.solution import Solution
from tests.conftest import Plans
from tests.std.answers import number

TUNE = {
    "model": "llama-3.1-8b",
    "dataset.samples": "60_000",
    "dataset.sequence_length": "1024 tokens",
    "dataset.batching": "padded",
    "hardware.gpu": "H100-SXM5-80GB",
    "hardware.gpus": "8",
    "training.task": "finetune",
    "training.global_batch": "64 sequences",
    "training.micro_batch": "2",
    "training.recompute": "full",
    "parallelism.zero_stage": "3",
    "parallelism.framework": "fsdp",
}
DPO = TUNE | {"training.task": "dpo"}
LORA = {"adapter.method": "lora"}


def solved(settings: dict[str, str]) -> Solution:
    return api.solve("-", text="show time\n", settings=tuple(settings.items()))


def of(name: str, *settings: dict[str, str]) -> list[float]:
    return [number(solved(one), name) for one in settings]


@pytest.fixture(autouse=True)
def nothing_is_advised(no_advice: None) -> None:
    """No plan here is asked what else would do."""


def test_a_reference_is_a_copy_of_the_weights() -> None:
    before, after = of("memory.total", TUNE, DPO)
    assert after - before == pytest.approx(4 * 8_030_261_248 / 8)
    assert of("memory.frozen_model", TUNE, DPO) == [0, pytest.approx(4 * 8_030_261_248 / 8)]


def test_a_reference_is_held_in_its_precision_and_sharding() -> None:
    (split,) = of("memory.frozen_model", DPO | {"reference.precision": "bf16"})
    (whole,) = of("memory.frozen_model", DPO | {"reference.precision": "bf16", "reference.zero_stage": "0"})
    assert split == pytest.approx(2 * 8_030_261_248 / 8) and whole == pytest.approx(2 * 8_030_261_248)


@pytest.mark.parametrize("more", [LORA, {"reference.place": "precomputed"}])
def test_a_reference_that_is_nowhere_takes_no_memory(more: dict[str, str]) -> None:
    before, after = of("memory.total", TUNE | more, DPO | more)
    assert after == pytest.approx(before)


def test_a_reference_computes_a_forward_pass() -> None:
    before, after = of("further_flops_per_token", TUNE, DPO)
    (trained,) = of("flops_per_token", TUNE)
    assert before == 0 and after == pytest.approx(trained / 3)
    # Of adapters the trained pass is two thirds as much work, and the reference's as much as before.
    (adapted,) = of("further_flops_per_token", DPO | LORA)
    assert adapted == pytest.approx(after)
    slower = of("step_time", TUNE, DPO)
    # Forward, backward and recompute are about four passes, and the reference is a fifth.
    assert 1.2 <= slower[1] / slower[0] <= 1.3


def test_what_is_computed_before_takes_its_time_once() -> None:
    before = DPO | {"reference.place": "precomputed"}
    once, often = of("frozen.time_before", before | {"dataset.epochs": "1"}, before | {"dataset.epochs": "4"})
    assert often == pytest.approx(once, rel=1e-3) and once > 0  # but for the last batch, which is filled
    for epochs in ("1", "4"):
        tune, ahead = of("time", *(one | {"dataset.epochs": epochs} for one in (TUNE, before)))
        assert ahead - tune == pytest.approx(once, rel=1e-3)


def test_kto_passes_over_other_prompts_too() -> None:
    kto = TUNE | {"training.task": "kto"}
    passes = of("training.further_passes", TUNE, DPO, kto, kto | {"reference.place": "precomputed"})
    assert passes == [0, 1, 3, 1]


@pytest.mark.parametrize("task", ["orpo", "simpo"])
def test_preferences_without_a_reference_cost_what_a_fine_tune_does(task: str) -> None:
    for name in ("memory.total", "step_time"):
        before, after = of(name, TUNE, TUNE | {"training.task": task})
        assert after == before


def test_a_pair_is_two_sequences() -> None:
    pairs = {"training.global_batch": "32 pairs", "training.micro_batch": "1 pair", "dataset.samples": "30_000 pairs"}
    for name in ("memory.total", "step_time", "steps"):
        sequences, same = of(name, DPO, DPO | pairs)
        assert same == sequences


def test_a_reward_model_has_a_score_in_place_of_a_head() -> None:
    reward = TUNE | {"training.task": "reward"}
    head = 128_256 * 4096
    before, after = of("training.params_matmul", TUNE, reward)
    assert before - after == head
    assert of("memory.logits", reward)[0] < 1e6
    weights = of("memory.weights", TUNE, reward)
    assert weights[0] - weights[1] == pytest.approx(4 * (head - 4096) / 8)


def test_a_teacher_is_a_second_model() -> None:
    small = TUNE | {"training.loss": "upcast"}
    distilled = small | {"training.task": "distill", "teacher.params": "70B params"}
    assert of("memory.frozen_model", distilled) == [pytest.approx(2 * 70e9 / 8)]
    (passes,) = of("training.further_passes", distilled)
    assert passes == pytest.approx(70e9 / 8_030_261_248)
    logits = of("memory.loss_logits", small, distilled)
    assert logits == [12, 18]
    ahead = distilled | {"teacher.place": "precomputed"}
    assert of("memory.total", ahead) == of("memory.total", small)
    assert of("step_time", ahead) == of("step_time", small)


def test_weights_on_the_host_take_a_reference_along() -> None:
    offloaded = {"parallelism.offload": "all", "parallelism.framework": "deepspeed"}
    assert of("memory.frozen_model", DPO | offloaded) == [0]
    moved = of("memory.moved", TUNE | offloaded, DPO | offloaded)
    assert moved[1] - moved[0] == pytest.approx(2 * 8_030_261_248 / 8)
    waits = of("step.offload", TUNE | offloaded, DPO | offloaded)
    assert waits[1] >= waits[0]


def test_a_preference_is_padded_and_has_rates_of_its_own() -> None:
    settings = {path: value for path, value in DPO.items() if path != "dataset.batching"}
    solution = solved(settings)
    assert number(solution, "training.learning_rate") == 1e-6
    assert solution.values["dataset.batching"].value == "padded"


@pytest.mark.parametrize("model", ["mixtral-8x7b", "deepseek-v2-lite", "qwen3-30b-a3b", "llama-3.1-8b"])
def test_frozen_weights_are_at_least_as_many_bytes_as_quantised_ones(model: str, plans: Plans) -> None:
    """Of models with experts too, whose layers have no MLP beside them: it was once subtracted from what there was."""
    plan = (
        f'model "{model}"\nhardware {{ gpu = "H200", gpus = 1 }}\nparallelism {{ framework = ddp, zero_stage = 0 }}\n'
        "adapter { method = qlora, rank = 16, rest_bytes = 4 bytes/parameter }\n"
        "training { micro_batch = 1 sequence, global_batch = 8 sequences }\ndataset { sequence_length = 2048 }\n"
        "show memory.weights\nshow model.params_total\nshow adapter.base_bytes\n"
    )
    weights, parameters, each = plans.shown(plan)
    assert weights >= parameters * each
