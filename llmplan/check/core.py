"""The checked form of an expression: plain tuples, in base units, with every name resolved.

Plain tuples because the checked library is cached as marshalled data and only the formulas that a
plan reaches are ever read back. The first item says what it is:

    ("num", x)                      a number in base units; truth values are 1.0 and 0.0
    ("member", enum, index)         a member of an enum
    ("entry", kind, name)           an entry of a catalog, by its canonical name
    ("text", parts)                 a text: parts are str or (core, unit, packed type, declared unit)
    ("ref", name, start, end)       an input, let or quantity, and where it is written
    ("index", name, args, start, end)   an indexed quantity
    ("local", name)                 a parameter, a local let or the variable of a fold
    ("of", local, kind, field)      a field of the entry that a local stands for
    ("list", items)                 entries or texts, only as the value of an input
    ("op", operation, *args)        a key of `llmplan.system.graph.SCALAR`
    ("chain", first, ((operation, core), ...))      operations from left to right, however many
    ("if", condition, then, otherwise)
    ("cases", subject, ((pattern or None, value), ...))
    ("call", function, args)        a `fn` of the library or the plan
    ("let", ((name, core), ...), value)     the body of a `fn`
    ("fold", function, ((name, enum or path of a list), ...), body)     sum, max, min, argmax or argmin
    ("interpolate", x, xs, ys)
    ("given", name) ("assumed", name) ("emits", target)

Offsets in refs belong to the source of the declaration that holds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Core = tuple[Any, ...]

TRUE: Core = ("num", 1.0)
FALSE: Core = ("num", 0.0)
UNDEFINED: Core = ("num", float("nan"))

_NO_ARGUMENTS = {"num", "member", "entry", "ref", "local", "of", "given", "assumed", "emits"}


def children(core: Core) -> Iterator[Core]:
    """The direct parts of an expression that are expressions."""
    tag = core[0]
    if tag in _NO_ARGUMENTS:
        return
    if tag == "text":
        for part in core[1]:
            if not isinstance(part, str):
                yield part[0]
    elif tag == "index":
        yield from core[2]
    elif tag == "list":
        yield from core[1]
    elif tag in ("op", "if"):
        for part in core[2:] if tag == "op" else core[1:]:
            yield part
    elif tag == "chain":
        yield core[1]
        for _, part in core[2]:
            yield part
    elif tag == "cases":
        yield core[1]
        for pattern, value in core[2]:
            if pattern is not None:
                yield pattern
            yield value
    elif tag == "call":
        yield from core[2]
    elif tag == "let":
        for _, value in core[1]:
            yield value
        yield core[2]
    elif tag == "fold":
        yield core[3]
    elif tag == "interpolate":
        yield core[1]


def walk(core: Core) -> Iterator[Core]:
    """An expression and all that it is made of."""
    stack = [core]
    while stack:
        found = stack.pop()
        yield found
        stack.extend(reversed(list(children(found))))


def is_static(core: Core) -> bool:
    """True if the plan's text alone decides it: made of `given`, `assumed` and `emits` only."""
    tags = {found[0] for found in walk(core)}
    return bool(tags & {"given", "assumed", "emits"}) and tags <= {
        "given", "assumed", "emits", "op", "chain", "if", "num",
    }  # fmt: skip
