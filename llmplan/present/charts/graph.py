"""The graph of a derivation: each name in a column of its own level, what is read left of what reads it."""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import TopologicalSorter

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
    """For each node the most links on a way to it: definitions are not circular."""
    reads: dict[int, list[int]] = {place: [] for place in range(count)}
    for read, place in links:
        reads[place].append(read)
    levels = [0] * count
    for place in TopologicalSorter(reads).static_order():
        levels[place] = max((levels[read] + 1 for read in reads[place]), default=0)
    return levels
