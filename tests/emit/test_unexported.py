"""What a plan says reaches the software: a configuration, the environment of the script with a line in the report, or
no file at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

import pytest
import yaml

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.check import library
from llmplan.emit.render import render
from llmplan.units.measure import BoolType, EnumType, KindType, ListType, Measure, TextType
from tests.thorough import many

PLAN = """model "llama-7b"
dataset { tokens = 10B, sequence_length = 2048 tokens }
hardware { gpu = "A100-SXM4-80GB", gpus = 16 }
training { global_batch = 256 sequences, micro_batch = 1, recompute = full }
"""
WHAT = 'model = "a/b", dataset = "c/d", output = "out"'
EXPERTS = (("model", '"qwen3-30b-a3b"'), ("hardware.gpus", "64"), ("hardware.gpu", '"H100-SXM5-80GB"'))
OTHERWISE = {
    "fsdp of experts": ("fsdp", EXPERTS),
    "deepspeed of experts": ("deepspeed", EXPERTS),
    "trl of adapters": ("trl", (("adapter.method", "lora"), ("training.task", "finetune"))),
}
"""What a dense model that is trained from the start leaves out: a stack, and what its plan says besides."""
STACKS = {
    "deepspeed": "parallelism { zero_stage = 2 }\nemit deepspeed\n",
    "deepspeed by accelerate": "parallelism { zero_stage = 2 }\nemit accelerate\n",
    "fsdp": "parallelism { zero_stage = 3, framework = fsdp }\nemit accelerate\n",
    "trainer": f"parallelism {{ zero_stage = 3 }}\nemit huggingface {{ {WHAT} }}\n",
    "trainer of deepspeed": f"parallelism {{ zero_stage = 2, framework = deepspeed }}\nemit huggingface {{ {WHAT} }}\n",
    "trl": f"parallelism {{ zero_stage = 3 }}\nemit huggingface {{ trainer = trl, {WHAT} }}\n",
    "trainer of llamafactory": "parallelism { zero_stage = 3, framework = deepspeed }\n"
    f'emit llamafactory {{ {WHAT}, template = "t" }}\n',
    "trainer of axolotl": f'parallelism {{ zero_stage = 3 }}\nemit axolotl {{ {WHAT}, type = "alpaca" }}\n',
    "ddp": "model.layers = 4\nparallelism { zero_stage = 0, framework = ddp }\nemit accelerate\n",
}
FURTHER = {
    "megatron": "parallelism { zero_stage = 1, framework = megatron }\nemit megatron\n",
    "megatron_bridge": "parallelism { zero_stage = 1, framework = megatron }\nemit megatron_bridge\n",
    "torchtitan": "parallelism { zero_stage = 3, framework = torchtitan }\nemit torchtitan\n",
    "torchtitan 0.3": ('parallelism { zero_stage = 3, framework = torchtitan }\nemit torchtitan { release = "0.3" }\n'),
    "lightning": "parallelism { zero_stage = 3 }\nemit lightning\n",
}
"""Software that trains by its own file, where an input without effect for a plan has no line."""


def solved(stack: str, *settings: tuple[str, str]) -> Solution:
    named, more = OTHERWISE.get(stack, (stack, ()))
    return api.solve("-", text=PLAN + (STACKS | FURTHER)[named], settings=[*more, *settings])


def files(stack: str, *settings: tuple[str, str]) -> dict[str, str]:
    solution = solved(stack, *settings)
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    written, problems = render(solution)
    assert not problems, problems
    return written


def script(written: dict[str, str]) -> str:
    return written["report.md"].partition("## What the training script must do")[2].partition("\n## ")[0]


# Each of these once changed the predicted time or memory and reached nothing that was written.


@pytest.mark.slow
def test_gradients_in_fp32_are_sent_so() -> None:
    config = json.loads(files("deepspeed", ("training.gradient_dtype", "fp32"))["ds_config.json"])
    assert config["communication_data_type"] == "fp32" and config["data_types"]["grad_accum_dtype"] == "fp32"
    assert json.loads(files("deepspeed")["ds_config.json"])["communication_data_type"] == "bf16"


@pytest.mark.slow
def test_some_layers_are_not_all() -> None:
    written = files("fsdp", ("training.recompute_layers", "8"))
    assert yaml.safe_load(written["accelerate.yaml"])["fsdp_config"]["fsdp_activation_checkpointing"] is False
    assert "export LLMPLAN_RECOMPUTE_LAYERS=8\n" in written["launch.sh"]
    assert "Recompute 8 of 32 layers" in script(written)
    every = files("fsdp")
    assert yaml.safe_load(every["accelerate.yaml"])["fsdp_config"]["fsdp_activation_checkpointing"] is True


OWN = tuple(stack for stack in STACKS if not stack.startswith("tr"))
"""Where a script of one's own does what no file says; the Trainer refuses the rest, or does it by its arguments."""


@pytest.mark.slow
@pytest.mark.parametrize("stack", OWN)
def test_selective_is_not_full(stack: str) -> None:
    assert "Recompute the core of attention alone" in script(files(stack, ("training.recompute", "selective")))


@pytest.mark.slow
@pytest.mark.parametrize("stack", OWN)
def test_tf32_is_switched_on(stack: str) -> None:
    written = files(stack, ("training.precision", "tf32"))
    assert "export TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1\n" in written["launch.sh"]
    assert "set_float32_matmul_precision" in script(written)


@pytest.mark.slow
@pytest.mark.parametrize("stack", OWN)
def test_adapters_are_trained(stack: str) -> None:
    written = files(stack, ("adapter.method", "lora"), ("adapter.rank", "8"))
    assert (
        "export LLMPLAN_ADAPTER=lora\n" in written["launch.sh"] and "LLMPLAN_ADAPTER_RANK=8\n" in written["launch.sh"]
    )
    assert "Train lora adapters of rank 8" in script(written)


@pytest.mark.slow
def test_an_optimizer_that_no_file_makes() -> None:
    assert "Make the optimizer (adamw_8bit)" in script(files("deepspeed", ("training.optimizer", "adamw_8bit")))
    assert "Make the optimizer (adamw) and its schedule, and clip" in script(files("fsdp"))
    assert "Make the optimizer" not in script(files("deepspeed"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stage", "replicas", "strategy"),
    [
        ("2", "1", "SHARD_GRAD_OP"),
        ("3", "1", "FULL_SHARD"),
        ("2", "2", "HYBRID_SHARD_ZERO2"),
        ("3", "2", "HYBRID_SHARD"),
    ],
)
def test_the_older_fsdp_has_a_strategy(stage: str, replicas: str, strategy: str) -> None:
    written = files(
        "fsdp", ("accelerate.fsdp_version", "1"), ("parallelism.zero_stage", stage), ("parallelism.replicas", replicas)
    )
    found = yaml.safe_load(written["accelerate.yaml"])
    assert (found["fsdp_config"]["fsdp_version"], found["fsdp_config"]["fsdp_sharding_strategy"]) == (1, strategy)
    assert "fsdp_reshard_after_forward" not in found["fsdp_config"] and "parallelism_config" not in found


@pytest.mark.slow
def test_gradients_are_summed_after_each_micro_batch() -> None:
    assert "sync_each_batch=True" in script(files("fsdp"))
    assert "sync_each_batch" not in script(
        files("fsdp", ("training.global_batch", "16 sequences"), ("training.micro_batch", "1"))
    )
    assert "sync_each_batch" not in script(files("deepspeed by accelerate"))


@pytest.mark.slow
def test_accelerate_has_keys_of_its_own_for_shared_sequences() -> None:
    written = files("deepspeed by accelerate", ("parallelism.context", "4"), ("parallelism.zero_stage", "3"))
    found = yaml.safe_load(written["accelerate.yaml"])["parallelism_config"]
    assert found["parallelism_config_sp_size"] == 4 and found["parallelism_config_dp_shard_size"] == 4
    config = json.loads(written["ds_config.json"])
    assert config["seq_parallel_communication_data_type"] == config["communication_data_type"] == "bf16"


@pytest.mark.slow
def test_ranks_of_fsdp_share_a_sequence_in_the_script() -> None:
    """The file names the ranks, and the script cuts the sequences: else each rank trains on all of them."""
    written = files("fsdp", ("parallelism.context", "4"), ("parallelism.replicas", "2"))
    found = yaml.safe_load(written["accelerate.yaml"])["parallelism_config"]
    sizes = [found[f"parallelism_config_{name}_size"] for name in ("dp_replicate", "dp_shard", "cp")]
    assert sizes == [2, 2, 4] and found["parallelism_config_cp_comm_strategy"] == "alltoall"
    said = script(written)
    assert "Share each sequence between 4 ranks" in said and "shift_labels = " in said
    assert "with accelerator.maybe_context_parallel(" in said and "Split each sequence" not in said


@pytest.mark.slow
def test_products_in_8_bits_are_compiled_by_the_script() -> None:
    """Accelerate's file has the format and no word of the layers, which torchao needs compiled."""
    cards = (("hardware.gpu", '"H100-SXM5-80GB"'), ("training.precision", "fp8"))
    written = files("fsdp", *cards, ("training.kernels", "compiled"))
    found = yaml.safe_load(written["accelerate.yaml"])
    assert (found["mixed_precision"], found["fp8_config"]["backend"]) == ("fp8", "AO")
    # Accelerate refuses torchao where one rank alone loads the weights.
    assert found["fsdp_config"]["fsdp_cpu_ram_efficient_loading"] is False
    assert written["launch.sh"].count(
        "export LLMPLAN_TRAINING_KERNELS=compiled\n"
    ) == 1 and "Compile the layers" in script(written)


@pytest.mark.slow
def test_gradients_of_keys_travel_in_fp32_around_a_ring() -> None:
    """The library's own ring is 3 x 3 passes of keys and values around 4 ranks; Accelerate's is 3 + 3, and twice as
    much in 4 passes of gradients.
    """
    settings = (("parallelism.context", "4"), ("training.recompute", "none"))
    assert _value(solved("fsdp", *settings), "step.context_passes") == 2 * 3 + 2 * 4
    assert (
        _value(solved("deepspeed by accelerate", *settings, ("parallelism.zero_stage", "3")), "step.context_passes")
        == 3 * 3
    )


@pytest.mark.slow
def test_fsdp_sums_gradients_as_accelerate_lets_it() -> None:
    """Half of what fp32 would send; who wants fp32 is told that no file says so."""
    usual = solved("fsdp")
    assert (
        usual.values["training.reduce_dtype"].value == usual.values["parallelism.communication_dtype"].value == "bf16"
    )
    asked = solved("fsdp", ("training.reduce_dtype", "fp32"))
    assert asked.status != "solved" and "accelerate_reduce" in [
        one.name for one in asked.requirements if one.holds is False
    ]


@pytest.mark.slow
def test_a_smaller_bucket_takes_less_memory() -> None:
    small, usual = solved("deepspeed", ("deepspeed.reduce_bucket_size", "200M")), solved("deepspeed")
    assert _value(small, "memory.reduce_bucket") == 200_000_000 and _value(usual, "memory.reduce_bucket") == 500_000_000
    # A bucket that is summed while the next one fills: two of them, in bf16.
    while_backward = "memory_at[first, before_last]"
    assert _value(usual, while_backward) - _value(small, while_backward) in (300_000_000 * 2, 300_000_000 * 4)
    config = json.loads(render(small)[0]["ds_config.json"])
    assert config["zero_optimization"]["reduce_bucket_size"] == 200_000_000


@pytest.mark.parametrize("size", ["0", "-5"])
def test_a_bucket_holds_something(size: str) -> None:
    errors = [
        d
        for d in api.check("-", text=PLAN + STACKS["deepspeed"] + f"deepspeed.reduce_bucket_size = {size}\n")
        if d.severity == "error"
    ]
    assert [d.code for d in errors] == ["E0305"]


@pytest.mark.slow
def test_heads_are_shared_by_as_many_ranks_as_divide_them() -> None:
    found = api.solve(
        "-", text=PLAN.replace("gpus = 16", "gpus = 64") + STACKS["deepspeed"], settings=[("parallelism.context", "64")]
    )
    assert found.status != "solved" and "deepspeed_context" in [
        one.name for one in found.requirements if one.holds is False
    ]


def _value(solution: Solution, name: str) -> float:
    value = solution.values[name].value
    assert isinstance(value, (int, float))
    return value


# All inputs of which the software must be told, for all targets.


@cache
def plain(stack: str) -> tuple[Solution, dict[str, str]]:
    return solved(stack), files(stack)


def inputs() -> list[str]:
    scope = library.load()[0]
    return [path for path in scope.fields if path.partition(".")[0] in scope.software]


def others(path: str, base: Solution) -> list[str]:
    """Other values of an input than it has."""
    field = library.load()[0].fields[path]
    now = base.values[path].value if path in base.values else None
    if isinstance(field.type, EnumType):
        return [member for member in field.type.members if member != now]
    if isinstance(field.type, KindType):
        # Entries differ in figures, of which files say nothing else than of one another's.
        return [entry for entry in library.load()[0].entries[field.type.name] if entry != now][: many(3, 3, 99)]
    if isinstance(field.type, BoolType):
        return ["false" if now else "true"]
    if path in GIVEN:
        return [GIVEN[path]]
    assert isinstance(field.type, Measure), path
    unit = field.units[0] if field.units[0] not in ("Int", "Real") else ""
    # Of what is 0 or open the first legal one is tried.
    return [f"{number:.12g} {unit}".strip() for number in ([2 * float(now)] if now else [64, 8, 2, 0.5])]  # type: ignore[arg-type]


def changed(path: str, stack: str, base: Solution, most: int = 99) -> Iterator[tuple[str, Solution]]:
    """Other values of an input that are legal and that no requirement refuses: one number, else at most so many."""
    number, found = isinstance(library.load()[0].fields[path].type, Measure), 0
    for other in others(path, base):
        solution = solved(stack, (path, other))
        if solution.status == "solved":
            found += 1
            yield other, solution
        if found == (1 if number else most):
            return


GIVEN = {
    "training.global_batch": "512 sequences",
    "training.activation_offload": "0.5",
    "training.expert_imbalance": "1.4",
    "parallelism.offload_share": "0.5",
    "parallelism.first_stage_layers": "16",
    "parallelism.last_stage_layers": "16",
    "training.recompute_layers": "3",
    "adapter.targets": '["q_proj"]',
    "training.dropout": "0.5",
    "adapter.dropout": "0.5",
    "adapter.params": "1M params",
    "training.checkpoint_interval": "1 hour",
}
NOT_SAID = {"training.expert_imbalance", "adapter.params", "adapter.base_bytes", "adapter.rest_bytes"} | {
    "reference.place", "reference.precision", "reference.zero_stage", "model.norm_in_fp32"
}  # fmt: skip
"""What a plan assumes, of a model's code too, and tells nobody; and what says nothing where no preference is trained
(`reference_meant`).
"""


@pytest.mark.slow
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize("stack", STACKS)
def test_every_input_is_said_or_refused(stack: str) -> None:
    assert [wrong for path in inputs() for wrong in unsaid(path, stack)] == []


def unsaid(path: str, stack: str) -> Iterator[tuple[str, str, object]]:
    """The other values of an input that a stack neither says nor refuses, with what is wrong."""
    base, before = plain(stack)
    for other, solution in changed(path, stack, base) if path not in NOT_SAID else ():
        written, problems = render(solution)
        said = [name for name in written if name.endswith((".yaml", ".sh", "config.json", "args.json"))]
        if problems or all(_without_head(written[name]) == _without_head(before[name]) for name in said):
            yield path, other, problems


OF_RUN = ("model", "dataset", "training", "parallelism", "adapter")
TRIED = (*STACKS, *FURTHER, *OTHERWISE)
BY_NAME = ("trl", "trainer of llamafactory", "trainer of axolotl")
RESULTS = ("time", "memory.total", "memory.host", "memory.nvme")


@pytest.mark.slow
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize("stack", TRIED)
def test_every_change_of_time_or_memory_is_said_or_refused(stack: str) -> None:
    """One that reaches no file would be planned, and another run trained.

    Programs that come with the software load the model that their file names, as it is: no key of it has a shape.
    """
    paths = [path for path in numbers_and_words() if not (stack.startswith(BY_NAME) and path.startswith("model."))]
    step = many(4, 4, 1)  # every fourth one, each with a quarter of the stacks
    paths = paths[TRIED.index(stack) % step :: step]
    assert [wrong for path in paths for wrong in silent(path, stack)] == []


def numbers_and_words() -> list[str]:
    """The inputs of a run but for texts and lists, which no result depends on."""
    fields = library.load()[0].fields
    texts = {path for path, field in fields.items() if isinstance(field.type, (TextType, ListType))}
    return [path for path in fields if path.partition(".")[0] in OF_RUN and path not in texts | NOT_SAID]


def silent(path: str, stack: str) -> Iterator[tuple[str, str]]:
    """The other values of an input that change a result, and no file that is written."""
    base, before = plain(stack)
    for other, solution in changed(path, stack, base, many(1, 1, 3)):
        if all(_result(solution, name) == _result(base, name) for name in RESULTS):
            continue
        written, problems = render(solution)
        if any(path in one.message for one in problems):
            continue  # refused by name
        said = [name for name in written if not name.endswith((".svg", ".md", "solution.json"))]
        if problems or all(_without_head(written[name]) == _without_head(before.get(name, "")) for name in said):
            yield path, other


def _result(solution: Solution, name: str) -> object:
    return solution.values[name].value if name in solution.values else None


def _without_head(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if "Generated by" not in line)


@pytest.mark.slow
def test_an_input_is_said_or_refused() -> None:
    assert list(unsaid("training.attention", "fsdp")) == []
