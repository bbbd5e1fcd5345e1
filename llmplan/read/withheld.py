"""Targets that a plan of what was read does not emit, as no file says all that their files hold."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import attrs

from llmplan.read.formats import Line, Reader
from llmplan.read.reading import Found
from llmplan.syntax import nodes

EMIT = "read.emit."
_GIVEN, _PRESENT, _ABSENT = "given", "present", "absent"


def withheld(
    readers: Sequence[Reader], kinds: Collection[str], found: Mapping[str, Found]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The targets, each with the inputs that its line asks for and nothing says.

    Args:
        kinds: Of the documents that there are.
        found: The inputs that they say.
    """
    for reader in readers:
        if not any(format.kind in kinds for format in reader.formats):
            continue
        for line in reader.lines:
            if not line.path.startswith(EMIT) or line.path in found:
                continue
            asked = list(_asked(line))
            missing = tuple(name for function, name in asked if function == _GIVEN and name not in found)
            elsewhere = any(function == _ABSENT and name in kinds for function, name in asked)
            if missing and not elsewhere:
                yield line.path.removeprefix(EMIT), missing


def _asked(line: Line) -> Iterator[tuple[str, str]]:
    """What a formula asks, `given`, `present` or `absent`, and of which input or kind of document."""
    todo: list[tuple[object, bool]] = [(line.value, False)]
    while todo:
        node, negated = todo.pop(0)
        if isinstance(node, nodes.Call) and node.function.text in (_GIVEN, _PRESENT):
            function = _ABSENT if negated else node.function.text
            yield from ((function, ".".join(one.parts)) for one in node.arguments if isinstance(one, nodes.Name))
        elif isinstance(node, nodes.Not):
            todo.insert(0, (node.operand, not negated))
        elif isinstance(node, tuple):
            todo[:0] = [(one, negated) for one in node]
        elif isinstance(node, nodes.Node):
            todo[:0] = [(getattr(node, field.name), negated) for field in attrs.fields(type(node)) if field.eq]
