"""A hash of what a plan says: comments, spelling of numbers and layout do not change it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import attrs

from llmplan.load.modules import Module


def digest(modules: Sequence[Module]) -> str:
    """The hash of a plan with the files that it uses and the configurations that it reads.

    Of a configuration what it holds counts, not what the library makes of it: the library has a hash of its own.
    """
    found = hashlib.sha256()
    for module in modules:
        made = {id(configured.entry) for configured in module.configured}
        for statement in module.tree.statements:
            if id(statement) not in made:
                _feed(found, statement)
        for configured in module.configured:
            found.update(f"{configured.entry.name.plain}\0{configured.data}\x1e".encode("utf-8", "surrogatepass"))
        found.update(b"\x1e")
    return found.hexdigest()


def _feed(into: Any, value: object) -> None:
    if attrs.has(type(value)):
        into.update(f"({type(value).__name__}".encode())
        for field in attrs.fields(value.__class__):  # type: ignore[arg-type]
            part = getattr(value, field.name)
            if field.eq and not ("later" in field.metadata and not part):
                _feed(into, part)
        into.update(b")")
    elif isinstance(value, tuple):
        into.update(b"[")
        for item in value:
            _feed(into, item)
        into.update(b"]")
    else:
        into.update(f"{value!r};".encode("utf-8", "surrogatepass"))
