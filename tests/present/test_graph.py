"""The graph of a derivation: what is read stands left of what reads it, whatever the names hold."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from llmplan import api
from llmplan.present import mermaid
from llmplan.present.charts.graph import graph
from llmplan.present.charts.records import Graph, Node
from llmplan.present.svg.graph import graph as drawn
from llmplan.present.words import words_of

PLAN = """let speed = 3
let hours = 4
quantity way: Real = speed * hours
quantity there_and_back: Real = way + way * speed
require near: there_and_back <= 100
show there_and_back
"""
HOSTILE = '"]; click n0 "javascript:alert(1)" <b>`'


def asked(name: str, uses: bool = False) -> Graph:
    _, steps = api.explain("test.plan", name, text=PLAN, depth=3, uses=uses)
    return graph(steps, words_of(), uses)


def test_what_is_read_stands_left_of_what_reads_it() -> None:
    found = asked("there_and_back")
    assert [(node.name, node.text, node.level) for node in found.nodes] == [
        ("there_and_back", "48", 2), ("way", "12", 1), ("speed", "3", 0), ("hours", "4", 0)
    ]  # fmt: skip
    assert set(found.links) == {(1, 0), (2, 0), (2, 1), (3, 1)}
    assert found.title == "What there_and_back = 48 depends on"


def test_what_depends_on_a_value_holds_requirements() -> None:
    found = asked("hours", uses=True)
    assert [(node.name, node.text, node.level) for node in found.nodes] == [
        ("hours", "4", 0), ("way", "12", 1), ("there_and_back", "48", 2), ("near", "holds", 3)
    ]  # fmt: skip
    assert found.links == ((0, 1), (1, 2), (2, 3))


def test_of_what_nothing_is_known_nothing_depends() -> None:
    solution, steps = api.explain("test.plan", "nowhere", text=PLAN, uses=True)
    assert (solution.status, steps) == ("error", [])


def test_no_name_breaks_out_of_its_label() -> None:
    hostile = Graph(HOSTILE, HOSTILE, "", (Node(HOSTILE, HOSTILE, 0, True), Node("b", "", 1, False)), ((0, 1),))
    lines = mermaid.text(hostile).splitlines()
    assert len(lines) == 4 and all(re.fullmatch(r'    n\d(\(?\["[^"`]*"\]\)?| --> n\d)', line) for line in lines[1:])
    shown = list(ElementTree.fromstring(drawn(hostile)).itertext())
    assert "".join(shown).count("javascript") >= 2
    assert not ElementTree.fromstring(drawn(hostile)).findall(".//{*}b")
