"""Charts drawn: to scale, legible, the same bytes, and with nothing of a plan that breaks out of its text."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from attrs import evolve

from llmplan.present.charts.records import (
    Axis,
    Band,
    Bar,
    Fall,
    Limit,
    LineChart,
    Mark,
    Point,
    Segment,
    StackedBars,
    Waterfall,
)
from llmplan.present.svg import elements
from llmplan.present.svg.bars import stacked, waterfall
from llmplan.present.svg.escape import xml
from llmplan.present.svg.lines import lines
from tests.present.drawn import contrast, faults, texts

HOSTILE = '</text><script>alert(1)</script>"&\u202e' + "long " * 40


def line_chart(text: str = "") -> LineChart:
    """A line that falls from 40 to 10, its limit at 30, the answer in the middle."""
    points = tuple(Point(x, 50.0 - x) for x in (10.0, 20.0, 30.0, 40.0))
    measured = Band("measured", "measured", tuple((point.x, point.y - 5, point.y + 5) for point in points))
    stated = Band("stated", "stated", tuple((point.x, point.y - 8, point.y + 8) for point in points))
    return LineChart(
        title=text or "days by GPUs",
        alt=text or "all points",
        foot=text or "each point solved again",
        x=Axis((0.0, 10.0, 20.0, 30.0, 40.0), text or "GPUs"),
        y=Axis((0.0, 25.0, 50.0), text or "days"),
        points=points,
        bands=(stated, measured),
        limit=Limit(30.0, text or "deadline: at most 30 days"),
        marks=(
            Mark("answer", points[1], text or "answer: 20 GPUs", text or "30 days"),
            Mark("safe", points[2], text or "safe: 30 GPUs", text or "20 days"),
        ),
    )


def bars(text: str = "") -> StackedBars:
    """One bar of 30 and one of 60 beside a limit of 40."""
    return StackedBars(
        title=text or "memory",
        alt=text or "all bars",
        foot=text or "eight of ten lie between",
        x=Axis((0.0, 50.0, 100.0), text or "GB", 1e9),
        parts=(text or "weights", text or "activations"),
        bars=(
            Bar(text or "the answer", (Segment(0, 10e9), Segment(1, 20e9)), 30e9, (25e9, 35e9), text or "30 GB", ""),
            Bar(text or "larger", (Segment(1, 60e9),), 60e9, None, text or "60 GB", text or "fits"),
        ),
        limit=Limit(40e9, text or "40 GB of the GPU"),
    )


def falls(text: str = "") -> Waterfall:
    """Up by 6, up by 4, back by 2."""
    steps = (("products", 6.0), ("waiting", 4.0), ("overlap", -2.0))
    return Waterfall(
        title=text or "one step",
        alt=text or "all steps",
        foot=text or "only what is not hidden",
        x=Axis((0.0, 5.0, 10.0), text or "s"),
        falls=tuple(Fall(text or label, value, text or f"{value:g} s") for label, value in steps),
        whole=Fall(text or "step time", 8.0, text or "8 s"),
    )


def nodes(svg: str, tag: str) -> list[dict[str, str]]:
    return [node.attrib for node in ElementTree.fromstring(svg).iter(f"{{http://www.w3.org/2000/svg}}{tag}")]


def test_a_line_goes_where_its_points_are() -> None:
    svg = lines(line_chart())
    path = next(node["points"] for node in nodes(svg, "polyline") if node.get("stroke-width") == "2")
    assert path == "261.5,172.0 453.0,212.0 644.5,252.0 836.0,292.0"
    (limit,) = (node for node in nodes(svg, "line") if node["stroke"] == elements.RED)
    assert limit["y1"] == limit["y2"] == "212.0"
    dots = [(node["cx"], node["cy"]) for node in nodes(svg, "circle") if node["r"] == "6"]
    assert dots == [("453.0", "212.0")]
    assert len(nodes(svg, "polygon")) == 2 and not faults(svg)


def test_a_band_that_is_not_known_is_not_in_the_legend() -> None:
    svg = lines(evolve(line_chart(), bands=()))
    assert not nodes(svg, "polygon") and "measured" not in svg and "stated" not in svg


def test_bars_are_drawn_to_scale() -> None:
    svg = stacked(bars())
    pieces = [(float(node["x"]), float(node["width"])) for node in nodes(svg, "rect") if node["height"] == "24.0"]
    pixel = (640 - 216) / 100
    assert [x for x, _ in pieces] == pytest.approx([216, 216 + 10 * pixel, 216], abs=0.06)
    assert [width for _, width in pieces] == pytest.approx([10 * pixel, 20 * pixel, 60 * pixel], abs=0.06)
    assert not faults(svg)


def test_a_waterfall_leads_to_the_whole() -> None:
    svg = waterfall(falls())
    steps = [(float(node["x"]), float(node["width"])) for node in nodes(svg, "rect") if node["height"] == "22.0"]
    pixel = (706 - 320) / 10
    assert [x for x, _ in steps] == pytest.approx([320, 320 + 6 * pixel, 320 + 8 * pixel, 320], abs=0.06)
    assert [width for _, width in steps] == pytest.approx([6 * pixel, 4 * pixel, 2 * pixel, 8 * pixel], abs=0.06)
    hollow = [node for node in nodes(svg, "rect") if node.get("stroke-dasharray")]
    assert len(hollow) == 1 and not faults(svg)


@pytest.mark.parametrize("svg", [lines(line_chart(HOSTILE)), stacked(bars(HOSTILE)), waterfall(falls(HOSTILE))])
def test_hostile_texts_stay_texts(svg: str) -> None:
    assert not faults(svg)
    assert "<script" not in svg and "\u202e" not in svg
    assert any(box.text.startswith("</text><script>") for box in texts(svg))


def test_fills_are_told_apart_from_white_and_from_text_on_them() -> None:
    for colour in (*elements.FILLS, elements.GREY, elements.RED):
        assert contrast(colour) >= 4.5, colour


def test_texts_are_cut_and_escaped() -> None:
    assert xml('<a href="x">&\'') == "&lt;a href=&quot;x&quot;&gt;&amp;&#x27;"
    assert xml("a\u202eb\x00\ufffe") == "a\\u202eb\\u0000\ufffd"
    long = elements.fit("llama-" * 50, 200, 12)
    assert long.endswith("…") and elements.width(long, 12) <= 200
    assert elements.fit("short", 200, 12) == "short"
    assert elements.wrap("one two three four", 60, 12) == ["one two", elements.fit("three four", 60, 12)]
    assert elements.px(-0.0) == "0.0" and elements.px(1234.56) == "1234.6"
