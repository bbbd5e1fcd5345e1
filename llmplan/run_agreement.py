"""Whether a log is of the run that a plan, configurations or the command line describe.

Input: what the log says of inputs and of the model, and the solution of the plan. Output: the differences, the first of
which an error names; nothing where the log is silent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from llmplan import importing
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import Value
from llmplan.logs.readings import MFU, RATE, STEP, Reading
from llmplan.units import amount

Difference = tuple[str, str, str, int]
"""An input, as planned, as the log has it, and the line of the log."""

HARDWARE = ("hardware.gpu", "hardware.gpus")
"""What configurations rarely say, and no search may decide of a run that has been."""

_BATCH = "training.global_batch"
_COUNTED_AS = {
    "layers": "model.layers",
    "hidden": "model.hidden",
    "heads": "model.heads",
    "parameters": "model.params_total",
}
"""What a log counts of its model, as the library calls it."""

_CEILING = "gpu.matmul_ceiling"
_FAR = 1.3
"""How many times as fast as planned a run must be before it is told to be another one."""

_SAME = 1e-6
_COUNTED = 0.02
"""By what share counts of parameters differ that pad their vocabulary, or leave out a matrix, differently."""


def of_model(counts: Mapping[str, tuple[float, int]], values: Mapping[str, Value]) -> Iterator[Difference]:
    """Where the model of a log, by its shape or its parameters, is not the planned one."""
    for name, (number, line) in counts.items():
        path = _COUNTED_AS[name]
        value = values.get(path)
        held = None if value is None else value.value
        if value is None or isinstance(held, (str, bool)) or not held:
            continue
        near = _COUNTED if name == "parameters" else _SAME
        if abs(number - held) > near * held:
            yield path, value.amount.short(), amount.count(number), line


def of_command(
    said: Mapping[str, tuple[str, int]], settings: Iterable[tuple[str, str]], values: Mapping[str, Value]
) -> Iterator[Difference]:
    """Where the log contradicts an input that the command line gives."""
    for path, text in settings:
        if path in said and not alike(path, said[path][0], text, _length(values)):
            yield path, text, *said[path]


def of_configurations(
    said: Mapping[str, tuple[str, int]], places: Mapping[str, str], values: Mapping[str, Value]
) -> Iterator[Difference]:
    """Where the log contradicts what the configurations of its run say."""
    for path, (text, line) in said.items():
        value = values.get(path)
        own = None if value is None else next((one.text for one in value.others if one.layer in ("plan", "used")), None)
        if path not in places or own is None or own.startswith("?"):
            continue
        if not alike(path, text, own, _length(values)):
            yield path, own, text, line


def of_plan(
    said: Mapping[str, tuple[str, int]], values: Mapping[str, Value], open_: Iterable[str]
) -> Iterator[Difference]:
    """Where the log contradicts a plan; what that leaves open it cannot contradict."""
    left = set(open_)
    for path, (text, line) in said.items():
        if path not in left and path in values and _differs(path, text, values):
            yield path, values[path].amount.exact(), text, line


def beyond_peak(readings: Iterable[Reading], solution: Solution | None) -> float | None:
    """The share of their peak at which the planned GPUs would have computed at the speed of a log, where that is more
    than a large matrix product alone reaches, and far from what is planned."""
    values = {} if solution is None else solution.values
    mfu, ceiling = values.get(MFU), values.get(_CEILING)
    most = ceiling.amount.number if ceiling is not None and ceiling.amount.finite else 1.0
    for one in readings:
        value = values.get(one.name)
        if one.doubtful or one.name not in (STEP, RATE) or value is None or mfu is None:
            continue
        if value.amount.finite and mfu.amount.finite and value.amount.number and one.value:
            times = one.value / value.amount.number
            faster = 1 / times if one.name == STEP else times
            share = mfu.amount.number * faster
            return share if share > most and faster > _FAR else None
    return None


def undecided(solution: Solution) -> Sequence[str]:
    """The hardware that a search has chosen, as nobody says what the run had."""
    found = {one.path for one in solution.unknowns}
    return [path for path in HARDWARE if path in found]


def alike(path: str, text: str, other: str, length: float | None) -> bool:
    """Whether two texts mean the same input; True where one is a formula that is not computed here."""
    one, two = importing.given(path, text), importing.given(path, other)
    if isinstance(one.data, bool) or isinstance(two.data, bool):
        return one.data is two.data
    if isinstance(one.data, Fraction) and isinstance(two.data, Fraction):
        first, second = float(one.data), float(two.data)
        if path == _BATCH:
            if length is None:
                return True
            first, second = (
                number * (length if (value.unit or "").startswith("sequence") else 1.0)
                for number, value in ((first, one), (second, two))
            )
            return abs(first - second) <= max(length, _SAME * first)  # a batch in tokens is one in whole sequences
        return abs(first - second) <= _SAME * max(1.0, abs(first))
    if isinstance(one.data, Fraction) or isinstance(two.data, Fraction):
        return True
    return str(one.data) == str(two.data)


def _length(values: Mapping[str, Value]) -> float | None:
    value = values.get("dataset.sequence_length")
    return float(value.value) if value is not None and isinstance(value.value, (int, float)) else None


def _differs(path: str, text: str, values: Mapping[str, Value]) -> bool:
    """Whether an input that a log says is another one than the plan's."""
    value = values[path]
    said = importing.given(path, text)
    held = value.value
    if isinstance(said.data, bool) or isinstance(held, bool):
        return said.data is not held
    if isinstance(said.data, Fraction):
        if not isinstance(held, (int, float)):
            return False
        number = float(said.data)
        if value.unit == "token" and (said.unit or "").startswith("sequence"):
            length = _length(values)
            if length is None:
                return False
            number *= length
            return abs(number - held) > max(length, _SAME * held)  # a batch in tokens is one in whole sequences
        return abs(number - held) > _SAME * max(1.0, abs(held))
    return held is not None and str(said.data) != str(held)
