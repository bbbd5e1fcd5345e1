"""A graph as a Mermaid flowchart, which code hosts draw in Markdown.

Input: the record of a graph. Output: its text. A label is quoted, and what would end it or begin a tag is an entity.
"""

from __future__ import annotations

from llmplan.escape import visible_line
from llmplan.present.charts.records import Graph

_ENTITIES = {ord(char): f"#{ord(char)};" for char in '"<>&#`'}


def text(graph: Graph) -> str:
    """The flowchart, from what is read to what reads it."""
    lines = ["flowchart LR"]
    for place, node in enumerate(graph.nodes):
        label = f"{_label(node.name)}<br/>{_label(node.text)}" if node.text else _label(node.name)
        lines.append(f'    n{place}(["{label}"])' if node.given else f'    n{place}["{label}"]')
    lines += [f"    n{read} --> n{place}" for read, place in graph.links]
    return "\n".join(lines) + "\n"


def _label(words: str) -> str:
    return visible_line(words).translate(_ENTITIES)
