"""The catalog of accelerators: peaks recomputed from units and clocks, names, links, prices."""

from __future__ import annotations

import math

import pytest

from llmplan import api
from llmplan.check import library
from llmplan.check.ir import Expr
from llmplan.check.scope import Scope
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing

SCOPE: Scope = library.load()[0]
NAMES = sorted(SCOPE.entries["gpu"])
PEAKS = ("fp32", "tf32", "fp16", "bf16", "fp8", "fp4", "int8")

# Sheets whose fp32 figure is not units x clock.
OTHER_FP32 = {
    "H20": "the sheet says 44 TFLOP/s, units and clock 39.5",
    "GB200": "the sheet says 80 TFLOP/s, units and clock 78.1",
}
# The matrix units run at a lower clock than the one that is known.
OTHER_CLOCK = {"H20", "H100-NVL-94GB", "H200-NVL-141GB", "B200", "B300", "GB300"}

# How the measured runs call their accelerators.
IN_RUNS = {
    "A100-SXM4-80GB": "A100-SXM4-80GB",
    "H100-SXM-80GB": "H100-SXM5-80GB",
    "A100-SXM4-40GB": "A100-SXM4-40GB",
    "GB200": "GB200",
    "GB300": "GB300",
    "H20-96GB": "H20",
    "B200": "B200",
    "V100-SXM2-32GB": "V100-SXM2-32GB",
    "B300": "B300",
    "V100-SXM2-16GB": "V100-SXM2-16GB",
    "H100-SXM-96GB-HBM2e-500W": "H100-SXM5-96GB",
    "MI325X": "MI325X",
    "MI300X": "MI300X",
    "TPU v6e": "TPU-v6e",
    "L40S": "L40S",
    "RTX A6000": "RTX-A6000",
    "RTX 4090": "RTX-4090",
    "RTX 3090": "RTX-3090",
    "RTX 2080 Ti": "RTX-2080-Ti",
    "MI355X": "MI355X",
    "TPU v5p": "TPU-v5p",
    "H200-SXM-141GB": "H200-SXM-141GB",
    "MI350X": "MI350X",
}


def given(name: str, field: str) -> Expr | None:
    """What an entry, or one that it is like, says of a field."""
    while name:
        record = SCOPE.entries["gpu"][name]
        settings = dict(record.settings)
        if field in settings:
            return settings[field].value
        name = record.like
    return None


Card = tuple[str, Lowering]


def lowered(name: str) -> Card:
    checked = api.analyse("-", text=f'hardware.gpu = "{name}"\nshow gpu.memory\n')
    assert checked.built is not None
    return name, checked.built.lowering


@pytest.fixture(scope="module", params=NAMES)
def card(request: pytest.FixtureRequest) -> Card:
    return lowered(request.param)


def value(card: Card, field: str) -> float | None:
    return at(card, f"gpu.{field}")


def at(card: Card, path: str) -> float | None:
    lowering = card[1]
    node = lowering.unknowns.settled(lowering.name(path))
    found = None if isinstance(node, Missing) else lowering.graph.constant(node)
    return None if found is None or math.isnan(found) else found


def test_peaks_come_from_units_and_clock(card: Card) -> None:
    sms, cores, clock, tensor = (value(card, f) for f in ("sms", "cores_per_sm", "clock", "tensor_clock"))
    if sms is None or cores is None or clock is None or tensor is None:
        return
    fp32 = value(card, "peak_fp32")
    assert fp32 is not None
    if card[0] not in OTHER_FP32:
        assert fp32 == pytest.approx(2 * sms * cores * clock, rel=0.01)
    half = value(card, "peak_fp16")
    if half is not None:
        # A whole power of two of operations a clock.
        operations = half / (sms * tensor)
        power = 2 ** math.ceil(math.log2(operations * 0.98))
        if card[0] in OTHER_CLOCK:
            assert operations < power
        else:
            assert operations == pytest.approx(power, rel=0.02)


def test_peaks_are_dense(card: Card) -> None:
    half, eight, four = (value(card, f"peak_{f}") for f in ("bf16", "fp8", "fp4"))
    if half is not None and eight is not None:
        assert eight <= 4 * half
        assert card[0].startswith("Trainium") or eight <= 2.05 * half
    if eight is not None and four is not None:
        assert four <= 4.01 * eight
    ceiling = value(card, "matmul_ceiling")
    assert ceiling is not None and 0.4 < ceiling <= 1


def test_every_entry_is_complete_and_has_sources(card: Card) -> None:
    name = card[0]
    for field in ("memory", "memory_nominal", "bandwidth"):
        assert value(card, field), field
    assert any(value(card, f"peak_{peak}") for peak in PEAKS)
    memory, nominal = value(card, "memory"), value(card, "memory_nominal")
    assert memory is not None and nominal is not None and 0.9 < memory / nominal < 1.08
    record = SCOPE.entries["gpu"][name]
    assert record.cites
    assert (given(name, "price") is None) == (given(name, "price_source") is None)


@pytest.mark.parametrize("called", IN_RUNS)
def test_names_of_the_measured_runs(called: str) -> None:
    assert SCOPE.find_entry("gpu", called)[0] == IN_RUNS[called]


def test_one_entry_is_what_the_framework_sees_as_one() -> None:
    halves = {"K80": (12, 4.37), "MI250X": (64, 23.95)}
    for name, (gigabytes, teraflops) in halves.items():
        card = lowered(name)
        assert value(card, "memory_nominal") == gigabytes * 1e9
        assert value(card, "peak_fp32") == pytest.approx(teraflops * 1e12)


@pytest.mark.parametrize("name", ["GH200"])
def test_a_name_of_several_is_refused_with_the_list(name: str) -> None:
    found, near = SCOPE.find_entry("gpu", name)
    assert found is None
    assert len(near) > 1 and all(name.lower() in entry.lower() for entry in near)


def test_a_rack_is_one_link_domain() -> None:
    card = lowered("GB200")
    assert at(card, "hardware.link_domain") == 72
    assert at(card, "hardware.gpus_per_node") == 4
