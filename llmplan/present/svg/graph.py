"""A graph in columns: boxes with a name and its value, and lines from what is read to what reads it."""

from __future__ import annotations

from llmplan.present.charts.records import Graph
from llmplan.present.svg import elements as draw

_TOP, _HIGH, _NEXT = 46, 34, 46
"""Where the first box stands, how high a box is, and from one to the next."""

_GAP = 36
"""Between columns."""


def graph(chart: Graph) -> str:
    """The SVG of a graph, each column in the middle of the tallest one."""
    columns = max(node.level for node in chart.nodes) + 1
    wide = (draw.WIDTH - 2 * draw.MARGIN - _GAP * (columns - 1)) / columns
    sizes = [sum(node.level == column for node in chart.nodes) for column in range(columns)]
    tallest = max(sizes)
    placed, used = [], [0] * columns
    for node in chart.nodes:
        row = used[node.level] + (tallest - sizes[node.level]) / 2
        used[node.level] += 1
        placed.append((draw.MARGIN + node.level * (wide + _GAP), _TOP + row * _NEXT))
    elements = []
    for read, place in chart.links:
        (x1, y1), (x2, y2) = placed[read], placed[place]
        elements.append(draw.line(x1 + wide, y1 + _HIGH / 2, x2, y2 + _HIGH / 2))
    for node, (x, y) in zip(chart.nodes, placed):
        elements += [
            draw.box(x, y, wide, _HIGH, draw.BLUE if node.given else draw.GREY),
            draw.text(x + 8, y + 14, node.name, wide - 16, bold=True),
            draw.text(x + 8, y + 28, node.text, wide - 16, color=draw.GREY),
        ]
    return draw.document(chart, _TOP + _NEXT * tallest, [draw.group(elements)])
