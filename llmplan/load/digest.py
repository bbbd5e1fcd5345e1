"""A hash of what a plan says: comments, spelling of numbers, layout and the order of its settings do not change it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import attrs

from llmplan.load.modules import Module
from llmplan.syntax import nodes


def digest(modules: Sequence[Module]) -> str:
    """The hash of a plan with the files that it uses and the configurations that it reads.

    Of a configuration what it holds counts, not what the library makes of it: the library has a hash of its own.
    """
    found = hashlib.sha256()
    for module in modules:
        made = {id(configured.entry) for configured in module.configured}
        settings: list[bytes] = []
        for statement in module.tree.statements:
            if id(statement) in made:
                continue
            if isinstance(statement, (nodes.Block, nodes.Assign)):
                settings.append(_alone(statement))
            else:
                _feed(found, statement)
        # What is set once may be set anywhere.
        found.update(b"".join(sorted(settings)))
        for configured in module.configured:
            found.update(f"{configured.entry.name.plain}\0{configured.data}\x1e".encode("utf-8", "surrogatepass"))
        found.update(b"\x1e")
    return found.hexdigest()


def _alone(value: object) -> bytes:
    found = hashlib.sha256()
    _feed(found, value)
    return found.digest()


def _feed(into: Any, value: object) -> None:
    if attrs.has(type(value)):
        into.update(f"({type(value).__name__}".encode())
        for field in attrs.fields(value.__class__):  # type: ignore[arg-type]
            part = getattr(value, field.name)
            if isinstance(value, nodes.Block) and field.name == "fields":
                into.update(b"".join(sorted(map(_alone, part))))
            elif field.eq and not ("later" in field.metadata and not part):
                _feed(into, part)
        into.update(b")")
    elif isinstance(value, tuple):
        into.update(b"[")
        for item in value:
            _feed(into, item)
        into.update(b"]")
    else:
        into.update(f"{value!r};".encode("utf-8", "surrogatepass"))
