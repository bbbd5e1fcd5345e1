"""Arithmetic of a shell, on whole numbers that a script writes."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable


class NoNumber(Exception):
    """What stands there is no arithmetic on known whole numbers."""


def calculated(text: str) -> int:
    """The value of an expression whose variables are replaced.

    Raises:
        NoNumber: It reads something unknown, or divides by zero.
    """
    try:
        return _value(ast.parse(text.strip().replace("\n", " "), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NoNumber from None


_OPERATORS: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def _value(node: ast.expr) -> int:
    match node:
        case ast.Constant(value=bool()):
            raise NoNumber
        case ast.Constant(value=int() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            one, other = _value(left), _value(right)
            if max(abs(one), abs(other)) > 10**18 or (not other and isinstance(op, (ast.Div, ast.FloorDiv, ast.Mod))):
                raise NoNumber
            return _OPERATORS[type(op)](one, other)
    raise NoNumber
