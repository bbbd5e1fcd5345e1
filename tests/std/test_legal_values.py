"""Inputs have legal values: no size, time, rate, price or share is negative."""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.check import library
from llmplan.check.scope import Scope
from llmplan.units.measure import Measure

SCOPE: Scope = library.load()[0]
MEASURED = [
    (path, unit)
    for path, field in SCOPE.fields.items()
    for type, unit in zip(field.types, field.units)
    if isinstance(type, Measure)
]


@pytest.mark.parametrize(("path", "unit"), MEASURED)
def test_nothing_is_negative(path: str, unit: str) -> None:
    written = "-1" if unit in ("Int", "Real") else f"-1 {unit}"
    read = path if len(SCOPE.fields[path].types) == 1 else f"{path}.{unit}"
    solution = api.solve("-", text=f"{path} = {written}\nshow {read}\n")
    assert [d.code for d in solution.diagnostics if d.severity == "error"] == ["E0305"]


@pytest.mark.parametrize(
    "text",
    [
        "model.params = 1\nshow model.params_total",
        'hardware.gpu = "T4"\nhardware.memory_reserve = 0\nshow hardware.memory_reserve',
        "hardware.price = 0\nshow hardware.price",
        "gpu.internode_bandwidth = 0\nshow gpu.internode_bandwidth",
        "adapter.params = 0\nshow adapter.params",
        "training.dropout = 0\nshow training.dropout",
        "gpu.peak_bf16 = 100 PFLOP/s/GPU\nshow gpu.peak_bf16",
    ],
)
def test_ends_are_legal(text: str) -> None:
    assert api.solve("-", text=text).status == "solved"
