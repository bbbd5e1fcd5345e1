"""The graph of a derivation: each name in a column of its own level, what is read left of what reads it."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.derivation import Step
from llmplan.present import derivation
from llmplan.present.blocks import plain
from llmplan.present.charts.records import Graph, Node
from llmplan.present.words.en import Words


def graph(steps: Sequence[Step], words: Words, uses: bool) -> Graph:
    """The names of steps, of which the first was asked for, with a link from each to those that read it.

    Args:
        uses: True where what reads the first is shown, False where what it reads.
    """
    places = {step.name: place for place, step in enumerate(steps)}
    links = tuple((places[read], place) for place, step in enumerate(steps) for read in step.reads if read in places)
    levels = _levels(len(steps), links)
    rests = {place for _, place in links}
    nodes = tuple(
        Node(step.name, plain(derivation.value(step, words)), levels[place], place not in rests)
        for place, step in enumerate(steps)
    )
    first = nodes[0]
    title = (words.graph_of_uses if uses else words.graph_of)(first.name, first.text)
    return Graph(title, words.graph_alt(title, [node.name for node in nodes[1:]]), "", nodes, links)


def _levels(count: int, links: Sequence[tuple[int, int]]) -> list[int]:
    """For each node the most links on a way to it; what a formula reads never leads back to it."""
    reads: dict[int, list[int]] = {}
    for read, place in links:
        reads.setdefault(place, []).append(read)
    found: dict[int, int] = {}

    def level(place: int) -> int:
        if place not in found:
            found[place] = 0  # what a fold or an unknown's relation closes is not followed twice
            found[place] = max((level(read) + 1 for read in reads.get(place, ()) if read != place), default=0)
        return found[place]

    return [level(place) for place in range(count)]
