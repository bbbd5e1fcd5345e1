"""The operations on numpy arrays.

Truth values are bool arrays where an operation can only give 0 and 1: they are an eighth of the size, and every
operation accepts them as the numbers 0 and 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llmplan.operations import OPERATIONS

Array = NDArray[Any]

ARRAYS: dict[str, Callable[..., Array]] = {
    name: getattr(np, operation.array) if isinstance(operation.array, str) else partial(operation.array, np)
    for name, operation in OPERATIONS.items()
}
"""The function that computes each operation on arrays."""


def operate(op: str, args: Sequence[Array], table: Any = ()) -> Array:
    """The values of an operation, given those of its arguments."""
    function = ARRAYS[op]
    if not OPERATIONS[op].truths:
        args = [arg.astype(np.float64) if arg.dtype == np.bool_ else arg for arg in args]
    return function(table, *args) if table else function(*args)
