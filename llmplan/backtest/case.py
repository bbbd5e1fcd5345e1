"""A measured run as one line of JSON: a plan, as its inputs or as its text, and the figures that were measured.

Input: the text of a file. Output: a `Case` for each line that is not blank. A line that cannot be read as a case
becomes one that is skipped, with the reason, so that the others are still predicted. The library knows the inputs;
this module knows only the keys of a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

from llmplan.diagnostics.spelling import closest
from llmplan.request import written

KEYS = ("id", "group", "plan", "stack", "measured", "apart", "skipped", "source", "notes")
"""The keys of a case. `source` and `notes` are for people, and not read."""

FIGURES = {
    "step_time_s": ("step_time", 1.0),
    "tokens_per_s_per_gpu": ("tokens_per_second_per_gpu", 1.0),
    "tflops_per_gpu": ("tflops_per_gpu", 1e12),
    "memory_gb": ("", 1e9),
    "gpu_hours": ("wall_gpu_hours", 3600.0),
    "wall_hours": ("wall_time", 3600.0),
    "ttft_s": ("serving.ttft", 1.0),
    "tpot_s": ("serving.tpot", 1.0),
    "output_tokens_per_s_per_gpu": ("serving.output_rate_per_gpu", 1.0),
}
"""Measured figures: the library's quantity, for memory by its kind, and how many base units the figure's unit is."""

MEASURED = (*FIGURES, "memory_kind", "memory_stage", "out_of_memory")
"""The keys of `measured`: figures, which reading of memory `memory_gb` is, and whether the run ran out of it."""

UNGROUPED = "ungrouped"

_SMALLEST, _LARGEST = 1e-100, 1e100
"""Within these a figure can be divided by and summed up."""


class Damaged(Exception):
    """A line is not a case; the argument says why."""


@frozen
class Case:
    """One measured run.

    Attributes:
        text: The text of its plan; empty where `inputs` are all that is known.
        inputs: Values by path, as `--set` takes them.
        stack: The training stack, which the plan may not contradict; empty where the plan alone says it.
        measured: Figures by their keys; memory in GB of 10⁹ bytes.
        memory_kind: Which reading of memory was taken; `needed` if none is named.
        memory_stage: The pipeline stage that was read (`first`, `last`), empty for the fullest.
        apart: Why the case is predicted but counts in no figure; empty if it counts.
        skipped: Why it cannot be predicted; empty if it is tried.
    """

    id: str
    group: str = UNGROUPED
    text: str = ""
    inputs: Mapping[str, str] = field(factory=dict)
    stack: str = ""
    measured: Mapping[str, float] = field(factory=dict)
    memory_kind: str = "needed"
    memory_stage: str = ""
    out_of_memory: bool = False
    apart: str = ""
    skipped: str = ""


def cases(content: bytes) -> list[Case]:
    """The cases of a file, in their order.

    Raises:
        Damaged: if no line of it is a JSON object, with what is wrong with the first.
    """
    read: list[Case] = []
    first: Damaged | None = None
    objects = 0
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            record = _json(line)
        except Damaged as wrong:
            first = first or Damaged(f"line {number} is {wrong}")
            read.append(Case(f"line {number}", skipped=str(wrong)))
            continue
        objects += 1
        read.append(case(record, f"line {number}"))
    if first is not None and not objects:
        raise first
    return read


def _json(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line.decode())
    except UnicodeDecodeError:
        raise Damaged("not UTF-8") from None
    except json.JSONDecodeError as wrong:
        raise Damaged(f"not JSON: {wrong.msg}") from None
    except (ValueError, RecursionError):
        raise Damaged("not JSON: nested too deep, or a number is too long") from None
    if not isinstance(record, dict):
        raise Damaged("not a JSON object")
    return record


def case(record: Mapping[str, Any], name: str) -> Case:
    """A JSON object as a case, skipped with the reason if it is damaged.

    Args:
        name: Stands for an `id` that is missing.
    """
    own, group = record.get("id"), record.get("group")
    own, group = own if isinstance(own, str) else name, group if isinstance(group, str) else UNGROUPED
    try:
        return _case(record, own, group)
    except Damaged as wrong:
        return Case(own, group, skipped=f"the case is damaged: {wrong}")


def _case(record: Mapping[str, Any], own: str, group: str) -> Case:
    _known(record, KEYS, "")
    texts = {key: _text(record.get(key), key) for key in ("id", "group", "stack", "apart", "skipped")}
    if texts["skipped"]:
        return Case(own, group, skipped=texts["skipped"])
    plan = record.get("plan")
    if not isinstance(plan, (str, dict)):
        raise Damaged(f"plan is {_shown(plan)}, expected a plan's text or an object of inputs")
    inputs = {path: _value(value, path) for path, value in plan.items()} if isinstance(plan, dict) else {}
    measured = record.get("measured")
    if not isinstance(measured, dict):
        raise Damaged(f"measured is {_shown(measured)}, expected an object")
    _known(measured, MEASURED, "measured.")
    out_of_memory = measured.get("out_of_memory")
    if out_of_memory not in (None, True, False):
        raise Damaged(f"measured.out_of_memory is {_shown(out_of_memory)}, expected true or false")
    return Case(
        own,
        group,
        plan if isinstance(plan, str) else "",
        inputs,
        texts["stack"],
        {key: _figure(measured[key], key) for key in FIGURES if measured.get(key) is not None},
        _text(measured.get("memory_kind"), "measured.memory_kind") or "needed",
        _text(measured.get("memory_stage"), "measured.memory_stage"),
        bool(out_of_memory),
        texts["apart"],
    )


def _known(block: Mapping[str, Any], keys: tuple[str, ...], path: str) -> None:
    for key in block:
        if key not in keys:
            raise Damaged(f"{path}{key[:40]} is not a key; {choice(key[:40], keys)}")


def choice(word: str, known: Iterable[str]) -> str:
    """What could have been meant by a word that is not known."""
    return "; ".join((f"expected {', '.join(known)}", *(f"did you mean {near}?" for near in closest(word, known))))


def _text(value: Any, path: str) -> str:
    if value is not None and not isinstance(value, str):
        raise Damaged(f"{path} is {_shown(value)}, expected text")
    return value or ""


def _figure(value: Any, key: str) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not _SMALLEST <= value <= _LARGEST:  # false of NaN
        raise Damaged(f"measured.{key} is {_shown(value)}, expected a positive number")
    return float(value)


def _value(value: Any, path: str) -> str:
    text = written(value)
    if text is None:
        raise Damaged(f"{path} is {_shown(value)}, expected a value as `--set` takes it")
    return text


def _shown(value: Any) -> str:
    """Any value in a few words."""
    if value is None:
        return "missing"
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and abs(value) > _LARGEST:
        return "a very large number"
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
