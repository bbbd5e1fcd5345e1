"""Many texts parsed at once, as a library's are: half of them by a fork, which sends back Lark's trees as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from lark import Token, Tree

from llmplan.diagnostics import Diagnostic
from llmplan.fork import Fork
from llmplan.source import Source
from llmplan.syntax.build import Branch
from llmplan.syntax.grammar import grammar
from llmplan.syntax.nodes import File
from llmplan.syntax.parse import built, parse, read

WORTH = 100_000
"""Characters from which on a fork is worth its while."""

_OWN = 0.45
"""What share of the texts the caller takes: it makes the nodes of all."""


def parse_many(sources: Sequence[Source]) -> list[tuple[File, list[Diagnostic]]]:
    """What `parse` gives for each of the texts."""
    ends = list(accumulate(len(source.text) for source in sources))
    if not ends or ends[-1] < WORTH:
        return [parse(source) for source in sources]
    own = sum(end <= ends[-1] * _OWN for end in ends)
    rest = sources[own:]
    grammar()  # once, for both
    with Fork(lambda: [_packed(read(source)) for source in rest]) as aside:
        parsed = [parse(source) for source in sources[:own]]
        packed = aside.result() or [None] * len(rest)
    for source, data in zip(rest, packed, strict=True):
        parsed.append(parse(source) if data is None else built(source, _tree(data)))
    return parsed


def _packed(part: Branch | Token | None) -> Any:
    """A tree as tuples of texts and numbers."""
    if part is None:
        return None
    if isinstance(part, Token):
        return part.type, str(part), part.start_pos, part.end_pos
    places = part.meta.__dict__
    return part.data, [_packed(child) for child in part.children], places.get("start_pos"), places.get("end_pos")


def _tree(data: Any) -> Any:
    """The tree that was packed."""
    if data is None:
        return None
    kind, inside, start, end = data
    if isinstance(inside, str):
        token = Token(kind, inside, start)
        token.end_pos = end
        return token
    tree = Tree(kind, [_tree(child) for child in inside])
    if start is not None:
        tree.meta.start_pos, tree.meta.end_pos = start, end
    return tree
