"""Charts drawn: to scale, legible, the same bytes, and with nothing of a plan that breaks out of its text."""

from __future__ import annotations

import itertools
import math
from xml.etree import ElementTree

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from llmplan.present.charts.records import (
    Axis,
    Band,
    Bar,
    Event,
    Fall,
    Grid,
    Limit,
    LineChart,
    Mark,
    Named,
    Point,
    Scatter,
    Segment,
    Series,
    StackedBars,
    Swung,
    Tornado,
    Waterfall,
)
from llmplan.present.svg import elements
from llmplan.present.svg.bars import grid, stacked, tornado, waterfall
from llmplan.present.svg.escape import xml
from llmplan.present.svg.lines import lines
from llmplan.present.svg.scatter import scatter
from llmplan.units.format import compact
from tests.present.drawn import contrast, faults, texts

HOSTILE = '</text><script>alert(1)</script>"&\u202e' + "long " * 40


def line_chart(text: str = "", counted: bool = False) -> LineChart:
    """A line that falls from 40 to 10, its limit at 30, the answer in the middle; below it what is planned."""
    points = tuple(Point(x, 50.0 - x) for x in (10.0, 20.0, 30.0, 40.0))
    below = tuple(Point(point.x, 0.8 * point.y) for point in points)
    measured = Band("measured", text or "measured", tuple((point.x, point.y - 5, point.y + 5) for point in points))
    stated = Band("stated", text or "stated", tuple((point.x, point.y - 8, point.y + 8) for point in points))
    return LineChart(
        title=text or "days by GPUs",
        alt=text or "all points",
        foot=text or "each point solved again",
        x=Axis((0.0, 10.0, 20.0, 30.0, 40.0), text or "GPUs"),
        y=Axis((0.0, 25.0, 50.0), text or "days"),
        counted=counted,
        series=(
            Series("judged", text or "on the calendar", points, (stated, measured)),
            Series("planned", text or "as planned", below, ()),
        ),
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
    paths = [node["points"].split() for node in nodes(svg, "polyline") if node.get("stroke-width") == "2"]
    planned, judged = ([tuple(map(float, point.split(","))) for point in path] for path in paths)
    left, right = 46, elements.WIDTH - 16
    assert [x for x, _ in judged] == pytest.approx([left + (right - left) * x / 40 for x in (10, 20, 30, 40)], abs=0.06)
    steps = [second[1] - first[1] for first, second in itertools.pairwise(judged)]
    assert steps == pytest.approx([210 * 10 / 50] * 3, abs=0.11) and len(planned) == 4
    limit = next(node for node in nodes(svg, "line") if node["stroke"] == elements.RED)
    assert limit["y1"] == limit["y2"] and float(limit["y1"]) == pytest.approx(judged[1][1], abs=0.06)
    dots = [(float(node["cx"]), float(node["cy"])) for node in nodes(svg, "circle") if node["r"] == "6"]
    assert dots[-1] == judged[1] and len(dots) == 2  # the other is in the key
    assert len(nodes(svg, "polygon")) == 2 and not faults(svg)


def test_between_two_values_of_a_count_there_is_nothing() -> None:
    svg = lines(line_chart(counted=True))
    assert not nodes(svg, "polyline") and not nodes(svg, "polygon") and not faults(svg)
    dots = [node for node in nodes(svg, "circle") if node["r"] == "3"]
    assert len(dots) == 2 * 4 + 2  # the points of both series, and their keys


def test_a_band_that_is_not_known_is_not_in_the_legend() -> None:
    chart = line_chart()
    svg = lines(evolve(chart, series=tuple(evolve(one, bands=()) for one in chart.series)))
    assert not nodes(svg, "polygon") and "measured" not in svg and "stated" not in svg


def test_bars_are_drawn_to_scale() -> None:
    svg = stacked(bars())
    found = [node for node in nodes(svg, "rect") if node["height"] == "16.0" and node.get("stroke")]
    pixel = (elements.WIDTH - 20 - 16) / 100
    assert [float(node["x"]) for node in found] == pytest.approx([16, 16 + 10 * pixel, 16], abs=0.06)
    widths = [float(node["width"]) for node in found]
    assert widths == pytest.approx([10 * pixel, 20 * pixel, 60 * pixel], abs=0.06)
    assert not faults(svg)


def test_all_that_is_wrong_with_a_bar_is_said() -> None:
    chart = bars()
    wrong = "✗ stage_fits_framework, megatron_zero, deadline"
    svg = stacked(evolve(chart, bars=(chart.bars[0], evolve(chart.bars[1], label="zero_stage 2", faults=wrong))))
    assert wrong in [box.text for box in texts(svg)] and not faults(svg)


def test_a_waterfall_leads_to_the_whole() -> None:
    svg = waterfall(falls())
    steps = [(float(node["x"]), float(node["width"])) for node in nodes(svg, "rect") if node["height"] == "10.0"]
    pixel = (elements.WIDTH - 20 - 16) / 10
    assert [x for x, _ in steps] == pytest.approx([16, 16 + 6 * pixel, 16 + 8 * pixel, 16], abs=0.06)
    assert [width for _, width in steps] == pytest.approx([6 * pixel, 4 * pixel, 2 * pixel, 8 * pixel], abs=0.06)
    hollow = [node for node in nodes(svg, "rect") if node.get("stroke-dasharray")]
    assert len(hollow) == 1 and not faults(svg)


def test_what_it_must_keep_to_is_drawn_through_a_waterfall() -> None:
    svg = waterfall(evolve(falls(), ends=(6.0, 9.0), limit=Limit(7.0, "≤ 7 days")))
    *limits, _ = (node for node in nodes(svg, "line") if node["stroke"] == elements.RED)  # the last is its key
    pixel = (elements.WIDTH - 20 - 16) / 10
    assert [float(limit["x1"]) for limit in limits] == pytest.approx([16 + 7 * pixel] * 4, abs=0.06)
    said = [box for box in texts(svg) if box.text not in ("memory", "≤ 7 days")]
    crossed = [box for box in said for limit in limits if box.left < float(limit["x1"]) < box.right
               and box.top < float(limit["y2"]) and float(limit["y1"]) < box.bottom]  # fmt: skip
    assert not crossed and not faults(svg)


def test_what_happens_meanwhile_has_a_mark_each_time() -> None:
    svg = waterfall(evolve(falls(), ends=(6.0, 9.0), events=(Event("failures", "4", (2.0, 4.0, 6.0, 8.0)),)))
    pixel = (elements.WIDTH - 20 - 16) / 10
    marks = [node for node in nodes(svg, "line") if node["stroke"] == elements.INK and node["stroke-width"] == "1"]
    assert [float(node["x1"]) for node in marks] == pytest.approx([16 + at * pixel for at in (2, 4, 6, 8)], abs=0.06)
    assert all(float(node["y2"]) - float(node["y1"]) == pytest.approx(10) for node in marks) and not faults(svg)


def spread(text: str = "") -> Tornado:
    """One bar of 10 around 20, one of 4."""
    rows = (Swung(text or "price", 15.0, 25.0, text or "15 – 25"), Swung(text or "rate", 18.0, 22.0, text or "18 – 22"))
    limit = Limit(30.0, text or "≤ 30")
    return Tornado(
        text or "t", text or "a", text or "f", Axis((0.0, 15.0, 30.0), text or "USD"), Limit(20.0, "20"), rows, limit
    )


def cloud(text: str = "") -> Scatter:
    """Three plans, the first the answer, one that fails."""
    kinds = ("answer", "other", "failing")
    points = tuple(Named(kind, Point(10.0 * n, 40.0 - 10 * n), text or kind) for n, kind in enumerate(kinds, 1))
    axes = Axis((0.0, 20.0, 40.0), text or "days"), Axis((0.0, 20.0, 40.0), text or "USD")
    return Scatter(text or "t", text or "a", text or "f", *axes, points)


def nodes_of(text: str = "") -> Grid:
    """Two nodes of four GPUs."""
    rows = tuple(tuple((stage, text or str(rank)) for rank in range(4)) for stage in range(2))
    return Grid(text or "t", text or "a", text or "f", rows, (text or "node 0", text or "node 8"), ("a", "b"))


def test_bars_of_a_tornado_lie_between_their_ends() -> None:
    svg = tornado(spread())
    found = [(float(node["x"]), float(node["width"])) for node in nodes(svg, "rect") if node["height"] == "10.0"]
    pixel = (elements.WIDTH - 20 - 16) / 30
    assert found == [
        pytest.approx((16 + 15 * pixel, 10 * pixel), abs=0.06),
        pytest.approx((16 + 18 * pixel, 4 * pixel), abs=0.06),
    ]
    assert not faults(svg)


def test_names_of_plans_stand_beside_their_points() -> None:
    svg = scatter(cloud())
    assert [box.text for box in texts(svg) if box.text in ("answer", "other", "✗ failing")] == [
        "answer",
        "other",
        "✗ failing",
    ]
    at_the_end = evolve(
        cloud(), points=(Named("other", Point(34.0, 20.0), "96 GPUs"), Named("other", Point(40.0, 20.0), "64"))
    )
    assert {"96 GPUs", "64"} <= {box.text for box in texts(scatter(at_the_end))}
    crowd = evolve(cloud(), points=tuple(Named("other", Point(20.0, 20.0 + n / 9), f"plan {n}") for n in range(30)))
    assert not faults(scatter(crowd)) and not faults(svg)


def test_a_grid_has_a_cell_for_each_gpu() -> None:
    svg = grid(nodes_of())
    cells = [node for node in nodes(svg, "rect") if node["height"] == "24.0" and node.get("stroke")]
    assert len(cells) == 8 and not faults(svg)


DRAWN = [
    lines(line_chart(HOSTILE)),
    lines(line_chart(HOSTILE, counted=True)),
    stacked(bars(HOSTILE)),
    waterfall(falls(HOSTILE)),
    tornado(spread(HOSTILE)),
    scatter(cloud(HOSTILE)),
    grid(nodes_of(HOSTILE)),
]


@pytest.mark.parametrize("svg", DRAWN)
def test_hostile_texts_stay_texts(svg: str) -> None:
    assert not faults(svg)
    assert "<script" not in svg and "\u202e" not in svg
    assert any(box.text.startswith("</text><script>") for box in texts(svg))


def lab(colour: str, seen: tuple[tuple[float, ...], ...] | None = None) -> tuple[float, ...]:
    """A colour in CIELAB, as it is seen by somebody."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    if seen is not None:
        linear = [max(0.0, sum(a * b for a, b in zip(row, linear))) for row in seen]
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    x, y, z = (sum(a * b for a, b in zip(row, linear)) / white for row, white in zip(rows, (0.9505, 1.0, 1.089)))
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


# Machado, Oliveira, Fernandes 2009, doi:10.1109/TVCG.2009.113: deuteranopia, severity 1.0; and luminance alone.
DEUTERANOPIA = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
GREY = ((0.2126, 0.7152, 0.0722),) * 3


@pytest.mark.parametrize("seen", [None, DEUTERANOPIA, GREY])
def test_any_two_parts_are_told_apart_by_everybody(seen: tuple[tuple[float, ...], ...] | None) -> None:
    """Any two may be neighbours, as parts that are nothing are not drawn; a part that repeats a fill is hatched."""
    for one, other in itertools.combinations(elements.FILLS, 2):
        assert math.dist(lab(one, seen), lab(other, seen)) >= 10, (one, other)


def test_numbers_on_fills_are_legible() -> None:
    for colour in (elements.GREY, elements.RED):
        assert contrast(colour) >= 4.5, colour
    for number in range(len(elements.FILLS)):
        svg = elements.numeral(10, 10, number)
        fill = elements.FILLS[number]
        on_it = contrast(fill) if "#ffffff" in svg else contrast("#1f2328") / contrast(fill)
        assert on_it >= 4.5 or on_it >= 4.0 and "#ffffff" in svg, (fill, on_it)


@pytest.mark.parametrize("svg", DRAWN)
def test_no_text_is_small_on_a_phone(svg: str) -> None:
    """At 368 pixels, the room of a page 400 wide, none is under 9 pixels high."""
    width = float(ElementTree.fromstring(svg).attrib["viewBox"].split()[2])
    sizes = [float(node.get("font-size", elements.SIZE)) for node in nodes(svg, "text")]
    assert min(sizes) * 368 / width >= 9


def test_texts_are_cut_and_escaped() -> None:
    assert xml('<a href="x">&\'') == "&lt;a href=&quot;x&quot;&gt;&amp;&#x27;"
    assert xml("a\u202eb\x00\ufffe") == "a\\u202eb\\u0000\ufffd"
    long = elements.fit("llama-" * 50, 200, 12)
    assert long.endswith("…") and elements.width(long, 12) <= 200
    assert elements.fit("short", 200, 12) == "short"
    assert elements.wrap("one two three four", 60, 12) == ["one two", elements.fit("three four", 60, 12)]
    assert elements.px(-0.0) == "0.0" and elements.px(1234.56) == "1234.6"


@given(st.lists(st.floats(0.001, 1e26), min_size=2, max_size=5))
def test_numbers_beside_a_plot_stand_in_the_panel_as_a_whole(values: list[float]) -> None:
    axis = Axis.around([0.0, *values], 6, "FLOP", 1.0)
    left = elements.beside(axis, 46)
    told = elements.axis_up(axis, left, 460, 0, 200)
    assert "…" not in told and "e+" not in told
    assert left < 130 and all(elements.width(compact(tick), elements.SIZE) <= left - 8 for tick in axis.ticks)
