"""The allocations that the library knows: the quantities with `@allocation`, as plans/std/allocations.plan has them."""

from __future__ import annotations

from functools import lru_cache

from attrs import frozen

from llmplan.resources import folder, text_of
from llmplan.source import Source
from llmplan.syntax import nodes
from llmplan.syntax.decorators import said
from llmplan.syntax.expressions import walk
from llmplan.syntax.parse import parse
from llmplan.syntax.statements import Statements

FILE = "plans/std/allocations.plan"


@frozen
class Allocation:
    """One request to the allocator.

    Attributes:
        name: Of its quantity.
        term: The part of memory that it belongs to.
        moment: When it happens, in a word.
        frames: Words of a traceback that prove it.
        doc: What it is.
        formula: Its size, as the library has it.
        reads: The names in its formula.
    """

    name: str
    term: str
    moment: str
    frames: tuple[str, ...]
    doc: str
    formula: str
    reads: frozenset[str]


def allocations() -> tuple[Allocation, ...]:
    """In the order of the file: where several fit, the first is the likeliest."""
    return _allocations(text_of(folder("plans").joinpath("std").joinpath("allocations.plan"), FILE))


@lru_cache(maxsize=1)
def _allocations(text: str) -> tuple[Allocation, ...]:
    tree, _ = parse(Source(FILE, text, library=True))
    return tuple(
        Allocation(
            quantity.name.text,
            term,
            moment,
            tuple(frames),
            " ".join(quantity.doc.split()),
            " ".join(quantity.value.span.text.split()),
            frozenset(node.text for node in walk(quantity.value) if isinstance(node, nodes.Name)),
        )
        for quantity in Statements.of(tree.statements).quantities
        for term, moment, *frames in said(quantity.decorators, "allocation")
    )
