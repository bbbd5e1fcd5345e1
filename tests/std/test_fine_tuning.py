"""Fine-tuning as people say it: samples of some length, steps or epochs, adapters, what waits in host memory.

The plans are those with which people met a trap: each was answered for what it said, and not for what was meant.
"""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.backtest.base import Base, Refused
from llmplan.present.blocks import plain
from llmplan.present.words import words_of
from tests.std.answers import number

DATA = {"dataset.samples": "52_000", "dataset.sequence_length": "2048 tokens"}
WHOLE = DATA | {
    "model": "llama-3.1-8b",
    "hardware.gpu": "H100-SXM5-80GB",
    "hardware.gpus": "8",
    "training.global_batch": "128 sequences",
    "training.micro_batch": "1",
    "training.recompute": "none",
    "parallelism.zero_stage": "3",
}
ALPACA = WHOLE | {
    "hardware.gpu": "RTX-4090",
    "hardware.gpus": "1",
    "training.global_batch": "16 sequences",
    "training.recompute": "full",
    "parallelism.zero_stage": "0",
    "adapter.method": "qlora",
}
OFFLOADED = WHOLE | {
    "model": "qwen2.5-7b",
    "hardware.gpus": "4",
    "hardware.host_memory": "200 GB",
    "training.recompute": "full",
    "parallelism.framework": "deepspeed",
    "parallelism.offload": "all",
}
SEVENTY = {
    "model": "llama-2-70b",
    "dataset.samples": "10_000",
    "dataset.sequence_length": "1024 tokens",
    "hardware.gpu": "RTX-4090",
    "hardware.gpus": "2",
    "hardware.gpus_per_node": "2",
    "hardware.host_memory": "128 GB",
    "training.global_batch": "16 sequences",
    "training.micro_batch": "2",
    "training.recompute": "full",
    "adapter.method": "qlora",
    "adapter.rank": "64",
    "parallelism.zero_stage": "3",
    "parallelism.offload": "parameters",
}
STEPS = {"training.steps": "500 steps"}

pytestmark = pytest.mark.usefixtures("no_advice")


@pytest.fixture(scope="module")
def base() -> Base:
    return Base.of()


def solved(inputs: dict[str, str], text: str = "") -> Solution:
    """Inputs as a plan says them, with further statements."""
    settings = [pair for pair in inputs.items() if pair[0] != "model"]
    return api.solve("-", text=f'model "{inputs["model"]}"\n{text}', settings=settings)


# What is trained.


@pytest.mark.parametrize(
    ("inputs", "rate"),
    [
        ({"dataset.samples": "1000"}, 0.00002),
        ({"dataset.mean_length": "100 tokens"}, 0.00002),
        ({"adapter.method": "lora"}, 0.0002),
        ({"dataset.tokens": "1B", "dataset.sequence_length": "2048 tokens"}, 0.0003),
        ({"dataset.samples": "1000", "training.task": "pretrain"}, 0.0003),
    ],
)
def test_samples_lengths_and_adapters_are_those_of_a_fine_tune(base: Base, inputs: dict[str, str], rate: float) -> None:
    assert base.values({"model": "llama-3.1-8b"} | inputs).number("training.learning_rate") == rate


@pytest.mark.parametrize(
    ("inputs", "epochs"),
    [
        ({}, 3),
        ({"training.task": "pretrain"}, 1),
        ({"dataset.samples": "2M"}, 1),
        ({"dataset.tokens": "100M", "training.task": "finetune", "dataset.samples": ""}, 1),
        ({"dataset.epochs": "2"}, 2),
    ],
)
def test_epochs_follow_the_task(base: Base, inputs: dict[str, str], epochs: float) -> None:
    made = base.values({path: value for path, value in (WHOLE | inputs).items() if value})
    assert made.number("dataset.epochs") == epochs
    assert made.number("tokens_total") == epochs * made.number("dataset.tokens")


# How long its samples are.


def test_samples_are_packed_by_their_mean_length(base: Base) -> None:
    made = base.values(ALPACA | {"dataset.mean_length": "150 tokens"})
    assert made.number("dataset.tokens") == 52_000 * 150
    assert made.number("dataset.rows") == pytest.approx(52_000 * 150 / 2048)
    assert made.number("steps") == 715  # 238 an epoch; of full sequences it would be 3,250
    assert base.values(ALPACA).number("steps") == 9750


@pytest.mark.slow
@pytest.mark.parametrize(
    ("inputs", "note"),
    [
        ({}, "52,000 samples count as full, 2,048 tokens each: give `dataset.mean_length`"),
        ({"dataset.mean_length": "2048 tokens"}, ""),
        ({"training.task": "pretrain"}, ""),
        ({"dataset.tokens": "7.8M"}, ""),
        ({"dataset.mean_length": "150 tokens", "dataset.batching": "padded"}, ""),
    ],
)
def test_what_is_counted_of_a_sample_is_told(inputs: dict[str, str], note: str) -> None:
    messages = [d.message for d in solved(ALPACA | inputs).diagnostics if " count as " in d.message]
    assert messages == ([note] if note else [])


@pytest.mark.slow
def test_assumed_epochs_and_batches_are_listed() -> None:
    """They are, too, where the plan asks for nothing."""
    inputs = {path: value for path, value in ALPACA.items() if path != "training.global_batch"}
    told = [plain(words_of().assumption(one)) for one in solved(inputs).assumptions]
    assert any(line.startswith("batch_advice = 262,144 tokens (128 samples, as fine-tunes often") for line in told)
    assert any(line.startswith("epochs_usual = 3 (as trainers take") for line in told)


@pytest.mark.parametrize(
    ("length", "gpus", "batch"), [("150", "1", 9 * 2048), ("150", "16", 16 * 2048), ("", "1", 128 * 2048)]
)
def test_the_batch_of_a_fine_tune_is_of_samples(base: Base, length: str, gpus: str, batch: float) -> None:
    inputs = ALPACA | {"hardware.gpus": gpus} | ({"dataset.mean_length": length} if length else {})
    del inputs["training.global_batch"]
    assert base.values(inputs).number("global_batch_tokens") == batch


def test_samples_are_cut(base: Base) -> None:
    made = base.values(ALPACA | {"dataset.mean_length": "5000 tokens"})
    assert made.number("dataset.tokens") == 52_000 * 2048


def test_padding_counts(base: Base) -> None:
    """A sample is a row, its tokens are its own, and those that pad it are computed too."""
    made = base.values(ALPACA | {"dataset.mean_length": "150 tokens", "dataset.batching": "padded"})
    assert (made.number("dataset.rows"), made.number("steps")) == (52_000, 9750)
    assert made.number("global_batch_tokens") == 16 * 150


LENGTHS = {
    "dataset.mean_length": "300 tokens",
    "dataset.p95_length": "800 tokens",
    "dataset.longest_length": "1800 tokens",
}


def test_memory_is_that_of_the_longest_and_time_that_of_the_mean(base: Base) -> None:
    whole = base.values(ALPACA | {"dataset.batching": "padded", "training.micro_batch": "1"})
    made = base.values(ALPACA | LENGTHS | {"dataset.batching": "padded", "training.micro_batch": "1"})
    assert (made.number("local_tokens"), made.number("step.tokens")) == (1800, 300)
    short = base.values(ALPACA | {"dataset.sequence_length": "1800 tokens", "training.micro_batch": "1"})
    assert made.number("memory.total") == short.number("memory.total") < whole.number("memory.total")
    assert made.number("step_time") < 0.5 * whole.number("step_time")
    assert made.number("steps") == whole.number("steps")


def test_a_batch_is_padded_to_the_longest_of_it(base: Base) -> None:
    rows = {
        word: base.values(ALPACA | LENGTHS | {"dataset.batching": word, "training.micro_batch": "8"})
        for word in ("padding_free", "grouped", "padded", "full", "packed")
    }
    lengths = {word: made.number("dataset.mean_row") for word, made in rows.items()}
    assert lengths["padding_free"] == lengths["grouped"] == 300 < lengths["padded"] < 800
    assert lengths["full"] == lengths["packed"] == 2048
    # A sample without padding is never slower, and packing never is.
    per_token = {word: made.number("step_time") / made.number("global_batch_tokens") for word, made in rows.items()}
    assert per_token["padding_free"] == per_token["grouped"] < per_token["padded"] < per_token["full"]
    assert per_token["packed"] <= per_token["padding_free"]
    assert rows["padded"].number("step.padding_at_peak") > 0 == rows["packed"].number("step.padding_at_peak")
    assert rows["full"].number("memory.total") >= rows["padded"].number("memory.total")


@pytest.mark.parametrize("word", ["padded", "full", "padding_free", "grouped"])
def test_samples_of_one_length_are_as_if_packed(base: Base, word: str) -> None:
    packed, other = (base.values(ALPACA | {"dataset.batching": one}) for one in ("packed", word))
    for name in ("step_time", "memory.total", "steps", "mfu", "tokens_total"):
        assert other.number(name) == packed.number(name)


def test_what_is_cut_off_is_told() -> None:
    long = {"dataset.longest_length": "9000 tokens", "dataset.mean_length": "300 tokens"}
    messages = [d.message for d in solved(ALPACA | long).diagnostics]
    assert any("samples are up to 9,000 tokens long, and cut at 2,048 tokens" in message for message in messages)


def test_only_what_is_lacking_is_asked_for() -> None:
    text = 'model "llama-3.1-8b"\ndataset.samples = 52_000\ntraining.global_batch = 64 sequences\n'
    text += 'hardware { gpu = "H100-SXM5-80GB", gpus = 8 }\nminimize time\n'
    (problem,) = api.solve("-", text=text).diagnostics
    assert problem.message == "`time` cannot be computed: `dataset.sequence_length` is not given"


# How long the run is.


def test_steps_that_are_given_decide(base: Base) -> None:
    made = base.values(WHOLE | STEPS)
    assert made.number("steps") == 500
    assert made.number("tokens_total") == 500 * 128 * 2048
    assert made.number("dataset.epochs") == pytest.approx(500 * 128 / 52_000)
    assert made.number("time") == pytest.approx(500 * made.number("step_time"))
    assert made.number("training.warmup") == 50


def test_steps_need_no_data(base: Base) -> None:
    inputs = {path: value for path, value in WHOLE.items() if path != "dataset.samples"}
    made = base.values(inputs | STEPS)
    assert made.number("time") == pytest.approx(500 * made.number("step_time"))
    with pytest.raises(Refused, match=r"needs dataset\.tokens"):
        base.values(inputs).number("time")


def test_without_a_batch_steps_take_that_of_the_data(base: Base) -> None:
    inputs = {path: value for path, value in WHOLE.items() if path != "training.global_batch"}
    made = base.values(inputs | STEPS)
    assert made.number("tokens_total") == 500 * made.number("global_batch_tokens")


@pytest.mark.parametrize("share", ["training { warmup = ceil(10% * steps) }", "training.warmup = ceil(10% * steps)"])
def test_steps_are_those_of_the_run_wherever_they_are_written(share: str) -> None:
    made = Base.of(f"{share}\n").values(WHOLE)
    assert made.number("training.warmup") == -(-made.number("steps") // 10) > 100


@pytest.mark.slow
def test_epochs_that_steps_overrule_are_told() -> None:
    def told(inputs: dict[str, str]) -> list[str]:
        return [d.message for d in solved(inputs).diagnostics if "the run ends after" in d.message]

    assert told(WHOLE | STEPS) == []
    assert told(WHOLE | STEPS | {"dataset.epochs": "3"}) == [
        "the run ends after 500 steps, 1.231 epochs, and `dataset.epochs` is 3"
    ]


# What waits in host memory.


def test_host_memory_holds_what_the_gpus_there_offload(base: Base) -> None:
    """Four of the eight GPUs of a node take part: 18 bytes for each of 7.6B parameters are 137 GB, not 274 GB."""
    made, node = base.values(OFFLOADED), base.values(OFFLOADED | {"hardware.gpus_per_node": "4"})
    offloaded = made.number("memory.offloaded") * made.number("hardware.node_gpus")
    assert offloaded == pytest.approx(18 * made.number("model.params_total"), rel=1e-3)
    assert [node.number(name) for name in ("step_time", "memory.host")] == [
        made.number(name) for name in ("step_time", "memory.host")
    ]


@pytest.mark.slow
def test_a_host_that_has_room_is_not_refused() -> None:
    for inputs in (OFFLOADED, SEVENTY):
        (rule,) = [one for one in solved(inputs).requirements if one.name == "host_fits"]
        assert rule.holds, rule.otherwise
    (rule,) = [
        one for one in solved(SEVENTY | {"hardware.host_memory": "32 GB"}).requirements if one.name == "host_fits"
    ]
    assert rule.holds is False


def test_frozen_weights_wait_in_the_bytes_that_they_are_stored_in(base: Base) -> None:
    """Some 36 GB in 4.13 bits, tables in 32 bits and adapters, where 138 GB in 16 bits did not fit in 128 GB."""
    waits, weights = {}, {}
    for method, matrix, rest in (("lora", 2, 2), ("qlora", 0.516, 4)):
        made = base.values(SEVENTY | {"adapter.method": method, "hardware.host_link": "1 GB/s/GPU"})
        layers, adapter = made.number("model.layer_matrices"), made.number("adapter.params")
        others = made.number("model.params_total") - layers
        weights[method] = matrix * layers + rest * others + 2 * 4 * adapter
        assert 2 * made.number("memory.offloaded") == pytest.approx(weights[method], rel=1e-3)
        waits[method] = made.number("step.offloaded_weights") + made.number("step.compute")
    assert 36e9 < weights["qlora"] < 46e9
    assert waits["lora"] / waits["qlora"] == pytest.approx(weights["lora"] / weights["qlora"], rel=1e-3)


def test_only_what_is_trained_has_states_on_the_host(base: Base) -> None:
    made = base.values(SEVENTY | {"parallelism.offload": "optimizer"})
    assert made.number("memory.offloaded") == 16 / 2 * made.number("adapter.params")


def test_a_host_is_assumed_by_its_gpus(base: Base) -> None:
    inputs = {path: value for path, value in OFFLOADED.items() if path != "hardware.host_memory"}
    assert base.values(inputs).number("hardware.host_memory") == 4 * 250e9
    card = base.values(inputs | {"hardware.gpu": "RTX-4090", "hardware.gpus": "1"})
    assert card.number("hardware.host_memory") == pytest.approx(77.3e9, rel=1e-3)


@pytest.mark.slow
def test_nothing_is_offloaded_that_gains_nothing() -> None:
    inputs = SEVENTY | {
        "model": "llama-3.1-405b",
        "hardware.gpu": "H100-SXM5-80GB",
        "hardware.gpus": "64",
        "training.global_batch": "64 sequences",
        "adapter.method": "lora",
        "parallelism.zero_stage": "?",
        "parallelism.offload": "?",
    }
    for path in ("hardware.gpus_per_node", "hardware.host_memory", "training.micro_batch", "training.recompute"):
        del inputs[path]
    solution = solved(inputs, "minimize time\n")
    assert solution.status == "solved" and solution.values["parallelism.offload"].value == "none"
    assert number(solution, "step.offload") == 0


@pytest.mark.slow
def test_what_fits_no_other_way_is_offloaded() -> None:
    solution = solved(SEVENTY | {"parallelism.offload": "?"}, "minimize time\n")
    assert solution.status == "solved" and solution.values["parallelism.offload"].value != "none"
