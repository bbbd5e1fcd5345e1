"""Step time of random layouts: what must hold of its parts, of faster machines, and of bands."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmplan.backtest.base import Base, Values
from tests.std.test_step import EXPERTS, GPT, PARTS
from tests.thorough import examples

BASE = Base.of()
GPUS = ("A100-SXM4-80GB", "H100-SXM5-80GB", "V100-SXM2-32GB", "MI300X", "B200")
FRAMEWORKS = ("deepspeed", "fsdp", "megatron", "torchtitan", "ddp")

TRAFFIC = {
    "tensor_comm": ("tensor",),
    "context_comm": ("context",),
    "expert_comm": ("expert",),
    "pipeline_comm": ("pipeline",),
    "pipeline_bubble": ("pipeline",),
    "data_comm": ("data", "context"),
}
"""Each term of communication, and the degrees of which it must be 0 where all are 1."""


@st.composite
def layouts(draw: st.DrawFn) -> tuple[dict[str, int], dict[str, str]]:
    """Degrees of a layout, and the inputs of a plan with it."""
    powers = [1, 2, 4, 8]
    degrees = {
        "tensor": draw(st.sampled_from(powers)), "pipeline": draw(st.sampled_from([1, 2, 4])),
        "context": draw(st.sampled_from([1, 2])), "data": draw(st.sampled_from([1, 2, 8, 16])),
    }  # fmt: skip
    experts = draw(st.booleans())
    degrees["expert"] = draw(st.sampled_from([n for n in powers if degrees["data"] % n == 0])) if experts else 1
    gpu = draw(st.sampled_from(GPUS))
    micro = draw(st.sampled_from([1, 2]))
    gpus = math.prod(degrees[name] for name in ("tensor", "pipeline", "context", "data"))
    inputs = GPT | (EXPERTS if experts else {}) | {
        f"parallelism.{name}": str(degree) for name, degree in degrees.items() if name != "data"
    } | {
        "hardware.gpu": gpu, "hardware.gpus": str(gpus), "parallelism.framework": draw(st.sampled_from(FRAMEWORKS)),
        "parallelism.zero_stage": str(draw(st.integers(0, 3))),
        "parallelism.virtual_pipeline": str(draw(st.sampled_from([1, 2, 3])) if degrees["pipeline"] > 1 else 1),
        "training.precision": "fp16" if gpu.startswith("V100") else "bf16", "training.micro_batch": str(micro),
        "training.recompute": draw(st.sampled_from(["none", "selective", "full"])),
        "training.global_batch": f"{micro * degrees['data'] * draw(st.sampled_from([4, 16]))} sequences",
    }  # fmt: skip
    return degrees, inputs


def parts(values: Values) -> dict[str, float]:
    return {name: values.number(f"step.{name}") for name in PARTS}


def check_parts(layout: tuple[dict[str, int], dict[str, str]]) -> None:
    degrees, inputs = layout
    values = BASE.values(inputs)
    found = parts(values)
    assert all(value >= 0 for value in found.values()), found
    assert sum(found.values()) == pytest.approx(values.number("step_time"))
    for term, needed in TRAFFIC.items():
        if all(degrees[name] == 1 for name in needed):
            assert found[term] == 0, term
    assert (found["pipeline_bubble"] > 0) == (degrees["pipeline"] > 1)
    assert (found["tensor_comm"] > 0) == (degrees["tensor"] > 1)


LEVERS = {
    "hardware.intranode_bandwidth": (1e9, "GB/s/GPU"),
    "hardware.internode_bandwidth": (0.125e9, "Gbit/s/GPU"),
    "gpu.bandwidth": (1e12, "TB/s"),
    "gpu.peak": (1e12, "TFLOP/s"),
}
"""Rates of a machine, with what a plan gives them in: base units of one, and the unit. The peak is that of the
precision.
"""


def check_never_slower(layout: tuple[dict[str, int], dict[str, str]], lever: str, factor: float) -> None:
    _, inputs = layout
    values = BASE.values(inputs)
    scale, unit = LEVERS[lever]
    lever += f"_{inputs['training.precision']}" if lever == "gpu.peak" else ""
    faster = BASE.values(inputs | {lever: f"{factor * values.number(lever) / scale!r} {unit}"})
    assert faster.number(lever) == pytest.approx(factor * values.number(lever))
    # Of the whole alone: where computation is shorter, less traffic is hidden behind it.
    assert faster.number("step_time") <= values.number("step_time") * (1 + 1e-9)


def check_fewer_bytes(layout: tuple[dict[str, int], dict[str, str]]) -> None:
    _, inputs = layout
    wide, narrow = (
        BASE.values(inputs | {"parallelism.communication_dtype": dtype}).number("step_time")
        for dtype in ("fp32", "bf16")
    )
    assert narrow <= wide * (1 + 1e-9)


@pytest.mark.slow
@settings(max_examples=examples(40))
@given(layouts())
def test_parts_add_up_and_have_no_traffic_at_degree_one(layout):
    check_parts(layout)


@pytest.mark.slow
@settings(max_examples=examples(40))
@given(layouts(), st.sampled_from(sorted(LEVERS)), st.sampled_from([1.1, 2.0, 10.0]))
def test_a_faster_machine_is_never_slower(layout, lever, factor):
    check_never_slower(layout, lever, factor)


@pytest.mark.slow
@settings(max_examples=examples(20))
@given(layouts())
def test_fewer_bytes_are_never_slower(layout):
    check_fewer_bytes(layout)


ONE = (
    {"tensor": 2, "pipeline": 2, "context": 1, "data": 2, "expert": 1},
    GPT | {
        "hardware.gpu": "H100-SXM5-80GB", "hardware.gpus": "8", "parallelism.tensor": "2", "parallelism.pipeline": "2",
        "training.global_batch": "64 sequences",
    },
)  # fmt: skip


def test_one_of_each():
    check_parts(ONE)
    check_fewer_bytes(ONE)
    check_never_slower(ONE, "hardware.intranode_bandwidth", 2.0)


TRIED = {"gpu.timed": "true"}
BANDS = ("step.low", "step.high", "memory.low", "memory.high", "run.low", "run.high")


def ends(inputs: dict[str, str], base: Base = BASE) -> dict[str, float]:
    values = base.values(ONE[1] | inputs)
    return {name: values.number(name) for name in BANDS}


def within(narrow: dict[str, float], wide: dict[str, float]) -> bool:
    return all(wide[name] <= narrow[name] if name.endswith("low") else narrow[name] <= wide[name] for name in BANDS)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_bands_hold_the_value_and_widen_with_what_is_unknown(framework):
    stack = {"parallelism.framework": framework}
    known, experts = ends(stack | TRIED), ends(stack | TRIED | EXPERTS)
    new, both = ends(stack | {"gpu.timed": "false"}), ends(stack | EXPERTS | {"gpu.timed": "false"})
    for found in (known, experts, new, both):
        assert all(found[name] < 1 if name.endswith("low") else found[name] > 1 for name in BANDS)
    assert within(known, experts) and within(known, new) and within(experts, both) and within(new, both)
    measured = ends({"parallelism.framework": "megatron"} | TRIED)
    assert within(measured, known)
    # Of a rate that was measured, the calendar is known better.
    assumed = ends(stack | TRIED, Base.of("assume run.measured = true\n"))
    assert known["run.low"] < assumed["run.low"] and assumed["run.high"] < known["run.high"]
