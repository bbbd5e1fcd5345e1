"""What a module of Python that a target writes hands to the software, without that software."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any


def arguments(text: str) -> dict[str, Any]:
    """By path the arguments of the call that a function of a module begins with, or that its variable is given."""
    (function,) = (one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef))
    calls = [one.value for one in function.body if isinstance(one, (ast.Return, ast.Assign))]
    first = next(call for call in calls if isinstance(call, ast.Call))
    return dict(_within(first))


def _within(call: ast.Call, at: str = "") -> Iterator[tuple[str, Any]]:
    for keyword in call.keywords:
        value, path = keyword.value, f"{at}{keyword.arg}"
        inner = value.elts if isinstance(value, ast.List) else [value]
        nested = [one for one in inner if isinstance(one, ast.Call)]
        if nested:
            yield path, [ast.unparse(one.func).removesuffix(".Config") for one in nested]
        for one in nested:
            yield from _within(one, f"{path}.")
        if not nested and not isinstance(value, ast.Name):
            yield path, ast.literal_eval(value)
