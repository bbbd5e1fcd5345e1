"""The matrix products of a plan's own layers, as one rank computes them, to be measured beside the square one.

Input: the values of a solved plan. Output: by name the rows, the inner width and the columns of each product.
"""

from __future__ import annotations

from collections.abc import Mapping

from llmplan.answer.schema.values import Value

Shape = tuple[int, int, int]
"""Rows, inner width, columns."""

_MODEL = ("hidden", "ffn", "heads", "kv_heads", "head_dim", "vocab")
_NEEDED = ("local_tokens", *(f"model.{name}" for name in _MODEL))
_LEAST = 1


def of_plan(values: Mapping[str, Value]) -> dict[str, Shape]:
    """The products of a dense layer and of the head; none where the plan does not say its model's shape."""
    numbers = {name: _number(values, name) for name in _NEEDED}
    if not all(numbers.values()):
        return {}
    rows, hidden, ffn, heads, kv_heads, head, vocabulary = (int(numbers[name] or 0) for name in _NEEDED)
    split = int(_number(values, "parallelism.tensor") or 1)
    gated = values.get("model.gated_mlp")
    halves = 2 if gated is not None and gated.value is True else 1
    found = {
        "queries, keys and values": (rows, hidden, (heads + 2 * kv_heads) * head // split),
        "attention's output": (rows, heads * head // split, hidden),
        "into the feed-forward block": (rows, hidden, halves * ffn // split),
        "out of it": (rows, ffn // split, hidden),
        "head": (rows, hidden, vocabulary // split),
    }
    return {name: shape for name, shape in found.items() if min(shape) >= _LEAST}


def format_of(values: Mapping[str, Value]) -> str:
    """The number format of the plan's products, where it is one that is measured."""
    precision = values.get("training.precision")
    return str(precision.value) if precision is not None else "bf16"


def flops(shape: Shape) -> float:
    """Of one product."""
    rows, inner, columns = shape
    return 2.0 * rows * inner * columns


def _number(values: Mapping[str, Value], name: str) -> float | None:
    value = values.get(name)
    if value is None or isinstance(value.value, (str, bool)) or not value.value:
        return None
    return float(value.value)
