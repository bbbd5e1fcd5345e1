"""Training stacks of the catalog: their defaults reach the inputs, what a plan says itself holds, and each has a
source.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import pytest

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.backtest.base import Base, Values
from llmplan.check import ir, library
from llmplan.check.scope import Scope

LLAMA_8B = {"model": "llama-3-8b", "dataset.sequence_length": "8192 tokens", "training.micro_batch": "1 sequence"}
PARAMS = 8_030_261_248


@pytest.fixture(scope="module")
def base() -> Base:
    return Base.of()


def on(base: Base, stack: str, gpus: int = 8, stage: int = 3, **more: str) -> Values:
    start = LLAMA_8B | {"stack": stack, "hardware.gpus": str(gpus), "parallelism.zero_stage": str(stage)}
    return base.values(start | {"training.recompute": "full"} | {k.replace("__", "."): v for k, v in more.items()})


def states(found: Values) -> float:
    """Bytes of a parameter in weights, gradients and optimizer, before any sharding."""
    return sum(found.number(f"memory.{part}_of", "first") for part in ("weights", "gradients", "optimizer")) / PARAMS


@pytest.mark.parametrize(
    ("stack", "stage", "size"),
    [
        ("transformers-4", 0, 16),  # all in fp32
        ("transformers-5", 0, 8),  # all in bf16, without a master copy
        ("megatron-lm", 0, 18),  # gradients in fp32
        ("megatron-bridge-performance", 0, 16),  # gradients in bf16
        ("deepspeed", 0, 16),
    ],
)
def test_bytes_of_a_parameter(base: Base, stack: str, stage: int, size: float) -> None:
    assert states(on(base, stack, 1, stage)) == pytest.approx(size, rel=1e-3)


@pytest.mark.parametrize(
    ("stack", "logits"),
    [("trl-1.6", 12), ("trl-1.7", 0), ("megatron-lm", 6), ("nemo", 10), ("megatron-bridge", 2), ("nanotron", 10),
     ("torchtitan-0.2", 12), ("torchtitan-0.2-compiled", 6), ("torchtitan", 6), ("torchtitan-0.3", 1.5),
     ("llm-foundry", 4)],
)  # fmt: skip
def test_bytes_of_a_logit(base: Base, stack: str, logits: float) -> None:
    assert on(base, stack, 8, 0).number("memory.loss_logits") == logits


def test_what_a_plan_says_holds(base: Base) -> None:
    named = on(base, "accelerate-fsdp1")
    said = on(base, "accelerate-fsdp1", training__reduce_dtype="fp32", parallelism__prefetch="true")
    other = on(base, "accelerate-fsdp2", training__reduce_dtype="fp32")
    for name in ("training.reduce_dtype", "parallelism.prefetch"):
        assert said.number(name) == other.number(name) != named.number(name)


@pytest.mark.slow
def test_fsdp_reduces_in_the_format_of_the_stack(base: Base) -> None:
    short = {"dataset__sequence_length": "128 tokens", "hardware__gpu": "A100-SXM4-80GB"}
    half, whole = (on(base, "accelerate-fsdp2", training__reduce_dtype=dtype, **short) for dtype in ("bf16", "fp32"))
    assert whole.number("memory.total") > half.number("memory.total")
    assert whole.number("step.reduce_time") == 2 * half.number("step.reduce_time")


def test_weights_that_are_not_fetched_ahead_are_waited_for(base: Base) -> None:
    card = {"hardware__gpu": "A100-SXM4-80GB", "training__global_batch": "64 sequences"}
    first, second = (on(base, f"accelerate-fsdp{version}", **card) for version in (1, 2))
    assert first.number("step.late_gathers") > 0 == second.number("step.late_gathers")
    assert first.number("step.data_comm") > second.number("step.data_comm")
    gathered = [found.number("memory.total") for found in (first, second)]
    assert gathered[0] <= gathered[1]


def test_the_update_of_all_tensors_at_once_makes_a_copy(base: Base) -> None:
    short = {"dataset__sequence_length": "128 tokens"}
    fused, foreach = (on(base, "transformers-5", 1, 0, training__update=how, **short) for how in ("fused", "foreach"))
    assert foreach.number("memory.total") - fused.number("memory.total") == pytest.approx(2 * PARAMS, rel=0.2)


def test_deepspeed_overlaps_at_stage_three_alone(base: Base) -> None:
    assert [on(base, "deepspeed", 8, stage).number("parallelism.data_overlap") for stage in range(4)] == [0, 0, 0, 1]


def test_nanotron_runs_all_forward_passes_first(base: Base) -> None:
    deep = {"parallelism__pipeline": "4", "training__global_batch": "64 sequences"}
    ours, usual = (
        on(base, "nanotron", 4, 0, **deep, **more) for more in ({}, {"parallelism__schedule": "one_f_one_b"})
    )
    assert ours.number("memory.total") > usual.number("memory.total")


def test_attention_in_8_bits_keeps_half(base: Base) -> None:
    half, whole = (on(base, "megatron-lm", training__attention_8bit=word) for word in ("true", "false"))
    assert 2 * half.number("memory.attention_activations") == whole.number("memory.attention_activations")


def test_fused_modules_keep_inputs_in_8_bits(base: Base) -> None:
    fp8 = {"training__precision": "fp8", "training__recompute": "none", "hardware__gpu": "H100-SXM-80GB"}
    eager, fused = (on(base, "accelerate-fsdp2", training__kernels=how, **fp8) for how in ("compiled", "fused"))
    inputs = 2 * 4096 + 14_336  # of the first products of both blocks, and of the last one
    assert eager.number("memory.dense_kept") - fused.number("memory.dense_kept") == inputs


def test_every_stack_has_a_framework_and_a_source() -> None:
    scope, _, problems = library.load()
    assert not problems
    entries = list(scope.entries["stack"].values())
    assert len(entries) > 20
    assert all(entry.cites and (entry.like or "framework" in dict(entry.settings)) for entry in entries)


def test_trainers_that_pad_to_the_longest_of_a_batch(base: Base) -> None:
    assert on(base, "trl", 1, 0).number("memory.outgrown") > 0 == on(base, "unsloth", 1, 0).number("memory.outgrown")


def parts_of(record: object) -> Iterator[object]:
    """A record of the library and all that it is made of."""
    yield record
    if attrs.has(type(record)):
        for field in attrs.fields(type(record)):
            yield from parts_of(getattr(record, field.name))
    elif isinstance(record, tuple):
        for item in record:
            yield from parts_of(item)


def compares_a_framework(part: object) -> bool:
    """Whether something is compared with a framework, or chosen by it with `match`."""
    sides: tuple[object, ...] = ()
    if isinstance(part, ir.Op):
        sides = part.args
    elif isinstance(part, ir.Match):
        sides = (part.subject, *(pattern for pattern, _ in part.arms))
    return any(
        (isinstance(side, ir.Member) and side.enum == "Framework")
        or (isinstance(side, ir.Ref) and side.name in ("parallelism.framework", "stack.framework"))
        for side in sides
    )


def comparing(scope: Scope) -> set[str]:
    """What plans/std and plans/catalog declare with a formula that compares a framework."""
    tables = (scope.quantities, scope.functions, scope.fields, scope.rules, *scope.entries.values())
    return {
        name
        for table in tables
        for name, record in table.items()
        for declared in (getattr(record, "alternatives", (record,)))
        if any(map(compares_a_framework, parts_of(declared))) and not declared.place[0].startswith("templates/")
    }


SAME = {"parallelism.stack_fits"}
"""Asks whether the frameworks of stack and run are the same, whichever they are."""

PLANTED = {
    "memory.driver_buffers": (
        "quantity memory.driver_buffers: byte = stack.driver_buffers",
        "quantity memory.driver_buffers: byte = if parallelism.framework == megatron then 110 MB else 34 MB",
    ),
    "memory.measured": ("= stack.weighed and", "= parallelism.framework in [deepspeed, fsdp] and"),
    "memory.fragmentation": (
        "Real = stack.fragmentation\n",
        "Real = match parallelism.framework { ddp => 0.05, _ => 0 }\n",
    ),
    "training.kernels": ("Kernels = stack.kernels\n", "Kernels = if framework_advice == fsdp then eager else fused\n"),
    "nvme_framework": ("and stack.offloads_to_nvme and", "and parallelism.framework == deepspeed and"),
}
"""By what is declared: its formula, and one that compares a framework."""


def test_no_formula_compares_a_framework() -> None:
    assert comparing(library.load()[0]) == SAME


@pytest.mark.slow
def test_a_formula_that_compares_a_framework_is_told() -> None:
    texts = dict(library.library_files())
    for right, wrong in PLANTED.values():
        (file,) = (file for file, text in texts.items() if file.startswith("plans/std/") and text.count(right) == 1)
        texts[file] = texts[file].replace(right, wrong)
    scope, problems = library.build(texts)
    assert not problems
    assert comparing(scope) == {*PLANTED, *SAME}


def test_every_framework_has_a_stack_of_its_name() -> None:
    scope, _, _ = library.load()
    for framework in scope.enums["Framework"].members:
        assert scope.find_entry("stack", framework)[0] == scope.usual["stack"][framework]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "said"),
    [
        (
            "    loss_gradient        = true\n",
            'the stack "megatron-core" stands for `megatron` and does not set `loss_gradient`',
        ),
        ('@usual("megatron")\n', "no stack stands for `megatron`, from which `parameter_dtype`, `gradient_dtype`"),
    ],
)
def test_a_fact_that_is_forgotten_is_told(right: str, said: str) -> None:
    texts = dict(library.library_files())
    file = "plans/catalog/stacks.plan"
    assert texts[file].count(right) == 1
    texts[file] = texts[file].replace(right, "")
    _, problems = library.build(texts)
    assert [problem.code for problem in problems] == ["E0212"]
    assert problems[0].message.startswith(said)


@pytest.mark.parametrize("framework", ["deepspeed", "fsdp", "megatron", "torchtitan", "ddp"])
def test_a_framework_alone_is_its_usual_stack(base: Base, framework: str) -> None:
    start = LLAMA_8B | {"parallelism.zero_stage": "0", "hardware.gpus": "8", "training.recompute": "full"}
    alone, named = (base.values(start | more) for more in ({"parallelism.framework": framework}, {"stack": framework}))
    for name in ("memory.total", "memory.low", "memory.fragmentation", "training.kernels", "training.loss"):
        assert alone.number(name) == named.number(name)


def test_a_stack_says_only_what_it_does_otherwise(base: Base) -> None:
    """TRL's loss holds on FSDP too, which gathers and splits as FSDP does."""
    sharded = {"parallelism__framework": "fsdp", "hardware__gpu": "H100-SXM5-80GB"}
    trl, plain = on(base, "trl-1.7", 8, 3, **sharded), on(base, "pytorch-fsdp", 8, 3, **sharded)
    assert trl.number("memory.gathers") == plain.number("memory.gathers") == 1
    assert trl.number("memory.weights_of", "first") == plain.number("memory.weights_of", "first")
    assert trl.number("memory.loss_logits") == 0 < plain.number("memory.loss_logits")


MIXED = """
model "llama-7b"
dataset { tokens = 1B, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 8 }
training { micro_batch = 1, recompute = full }
"""


def failing(solution: Solution) -> set[str]:
    return {one.name for one in solution.requirements if one.holds is False}


@pytest.mark.quick(3)
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize(
    ("stack", "framework", "fails"),
    [
        ("ddp", "torchtitan", {"stack_fits_framework"}),  # and not: torchtitan has no ZeRO stage 3
        ("torchtitan-0.3", "ddp", {"stack_fits_framework", "stage_fits_framework"}),
        ("deepspeed", "megatron", {"stack_fits_framework", "stage_fits_framework"}),
        ("trl", "fsdp", set()),
        ("trl", "deepspeed", set()),
        ("trl", "ddp", {"stage_fits_framework"}),
        ("trl", "megatron", {"stack_fits_framework", "stage_fits_framework"}),
        ("fsdp", "fsdp", set()),
    ],
)
def test_a_stack_on_another_framework_is_told(stack: str, framework: str, fails: set[str]) -> None:
    named = f'stack "{stack}"\nparallelism {{ zero_stage = 3, framework = {framework} }}\n'
    assert failing(api.solve("-", text=MIXED + named)) == fails
    waived = api.solve("-", text=f"{MIXED}{named}waive stack_fits_framework\n")
    assert failing(waived) == fails - {"stack_fits_framework"}


@pytest.mark.quick(1)
@pytest.mark.parametrize("stage", ["", "parallelism.zero_stage = 3\n"])
@pytest.mark.advice
def test_a_stack_that_accelerate_starts_is_offered_a_framework_that_shards(stage: str) -> None:
    text = f'{MIXED}stack "trl"\n{stage}'
    solution = api.solve("-", text=text)
    assert solution.status == "infeasible" and "stage_fits_framework" in solution.conflict
    cure = solution.relaxations[0]
    assert cure.name == "parallelism.framework" and set(cure.texts) == {"fsdp", "deepspeed"}
    assert api.solve("-", text=f"{text}{cure.statement}\n").status == "solved"
    other = api.solve("-", text=text.replace('"trl"', '"unsloth"'))
    assert "parallelism.framework" not in {one.name for one in other.relaxations}


@pytest.mark.slow
def test_a_usual_stack_leaves_entries_that_begin_with_its_name_as_they_are() -> None:
    texts = dict(library.library_files())
    texts["plans/catalog/nanotron.plan"] = """
        amend enum Framework { nanotron }
        @usual("nanotron")
        entry stack "nanotron-main" like "megatron-core" { framework = nanotron }
        entry stack "nanotron-ours" like "nanotron" { fused_norms = true }
        amend stack "nanotron" { keep_gathered = true }
    """
    scope, problems = library.build(texts)
    table = scope.entries["stack"]
    assert problems == [] and scope.find_entry("stack", "nanotron")[0] == "nanotron-main"
    assert {table[name].like for name in ("nanotron-ours", "nanotron-benchmark")} == {"nanotron-2411b02"}
    assert "keep_gathered" in dict(table["nanotron-2411b02"].settings)
    assert "keep_gathered" not in dict(table["nanotron-main"].settings)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "codes", "at"),
    [
        ('@usual("megatorn")', ["E0310", "E0212"], '"megatorn"'),
        ('@usual("megatron", "megatron")', ["E0203"], '"megatron"'),
        ('@usual("megatron", "fsdp")', ["E0203"], '"fsdp"'),
    ],
)
def test_a_wrong_usual_name_is_told_at_the_argument(wrong: str, codes: list[str], at: str) -> None:
    texts = dict(library.library_files())
    file = "plans/catalog/stacks.plan"
    texts[file] = texts[file].replace('@usual("megatron")', wrong)
    _, problems = library.build(texts)
    assert sorted(problem.code for problem in problems) == sorted(codes)
    (told,) = (problem for problem in problems if problem.code == codes[0])
    assert told.span is not None and told.span.text == at
