"""Where a mistake in a computed size is shown: at the numbers of the configuration file, not at the library's formula.

Takes a diagnostic and what was read of configuration files. One at a formula of their tables that read numbers of the
file moves to these; every other stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs
from attrs import evolve

from llmplan.diagnostics import Diagnostic
from llmplan.diagnostics.record import Label
from llmplan.load.config import Configured
from llmplan.source import Span
from llmplan.syntax import nodes


def pointed(found: Diagnostic, files: Iterable[Configured]) -> Diagnostic:
    """A diagnostic at the numbers that a formula of the tables was computed from."""
    at = found.span
    if at is None or not at.source.library:
        return found
    for file in files:
        values = {field.name.text: field.value for field in file.entry.fields}
        for value in values.values():
            if value is not None and _same(value.span, at):
                places = [*dict.fromkeys(_numbers(value, values, file.sources[0].name, set()))]
                if not places:
                    return found
                note = f"computed as `{at.text}` ({at.source.name}:{at.line})"
                others = (*(Label(place, "and this") for place in places[:-1]), *found.others)
                return evolve(found, span=places[-1], others=others, notes=(*found.notes, note))
    return found


def _same(one: Span, other: Span) -> bool:
    return (one.source.name, one.start, one.end) == (other.source.name, other.start, other.end)


def _numbers(node: object, values: dict[str, nodes.Expr], file: str, seen: set[str]) -> Iterator[Span]:
    """The places in the file of what a formula reads, through other fields too."""
    if isinstance(node, tuple):
        for item in node:
            yield from _numbers(item, values, file, seen)
    elif isinstance(node, nodes.Node):
        if node.span.source.name == file:
            yield node.span
        elif isinstance(node, nodes.Name) and node.text in values:
            if node.text not in seen:
                seen.add(node.text)
                yield from _numbers(values[node.text], values, file, seen)
        else:
            for part in attrs.fields(type(node)):
                yield from _numbers(getattr(node, part.name) if part.eq else None, values, file, seen)
