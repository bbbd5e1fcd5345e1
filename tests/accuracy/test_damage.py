"""Records with fields of any type: each is predicted or listed with what is wrong, and figures stay JSON."""

from __future__ import annotations

import copy
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from benchmarks.read.damage import damage
from benchmarks.read.plain import plain
from llmplan.backtest.base import Base
from llmplan.backtest.case import case as case_of
from llmplan.backtest.predict import predict
from llmplan.backtest.summary import as_json
from tests.thorough import examples

CASES = Path(__file__).parent / "data" / "records.jsonl"
RECORDS = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
ODD: tuple[Any, ...] = (
    None, 0, -1, 1, 7, 10**15, 10**400, 1.5, math.nan, math.inf, -math.inf, 1e308, 1e-320, True, False, "", "x", "\x1b",
    '"', "{1/0}", [], [1], ["x"], [[]], {}, {"x": 1}, {"x": {"y": []}},
)  # fmt: skip


@pytest.fixture(scope="module")
def base() -> Base:
    return Base.of()


def test_every_published_record_is_sound() -> None:
    assert [damage(case) for case in RECORDS if damage(case)] == []


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("gpu", 1.5, "gpu is 1.5, expected text"),
        ("gpu", True, "gpu is true, expected text"),
        ("gpus", math.inf, "gpus is infinite, expected a whole number from 0 to 1e15"),
        ("gpus", 10**400, "gpus is a very large number, expected a whole number from 0 to 1e15"),
        ("measured.memory_gb", math.nan, "measured.memory_gb is NaN, expected a number"),
        ("measured.memory_gb", "12 GB", "measured.memory_gb is '12 GB', expected a number"),
        ("settings", [1], "settings is a list, expected an object"),
        ("model.moe", 8, "model.moe is 8, expected an object"),
        ("parallel.tp", 1.5, "parallel.tp is 1.5, expected a whole number from 0 to 1e15"),
    ],
)
def test_what_is_wrong_is_said(base: Base, path: str, value: object, said: str) -> None:
    case = plain(base, changed(RECORDS[0], path, value))
    assert case["skipped"] == f"the record is damaged: {said}" and "measured" not in case


def changed(case: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """A copy with another value at a path."""
    case = copy.deepcopy(case)
    *blocks, last = path.split(".")
    block = case
    for name in blocks:
        block = block[name]
    block[last] = value
    return case


def paths(block: dict[str, Any], above: str = "") -> list[str]:
    found = []
    for name, value in block.items():
        if "." not in name:  # keys of `stated_by` are paths themselves
            found += [above + name, *(paths(value, f"{above}{name}.") if isinstance(value, dict) else [])]
    return found


def test_any_value_in_any_field(base: Base) -> None:
    """`id`, `group`, `framework` and the three blocks are looked at by the command itself."""
    random_ = random.Random(7)
    outcomes = []
    for _ in range(examples(300, 0.15)):
        case = random_.choice(RECORDS)
        for _ in range(random_.choice((1, 1, 1, 2, 4))):
            whole = {"id", "group", "framework", "model", "parallel", "measured"}
            path = random_.choice([path for path in paths(case) if path not in whole])
            case = changed(case, path, random_.choice(ODD))
        outcomes.append(predict(base, case_of(plain(base, case), case["id"])))
    json.dumps(as_json(outcomes), allow_nan=False)
