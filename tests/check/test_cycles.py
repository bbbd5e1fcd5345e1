"""Circles of definitions, and the time that chains take which are none."""

from __future__ import annotations

import time

import pytest

from llmplan import api
from llmplan.check.cycles import circular, shortest


@pytest.mark.parametrize(
    ("edges", "wanted"),
    [
        ({"a": ["b"], "b": []}, set()),
        ({"a": ["a"]}, {"a"}),
        ({"a": ["b"], "b": ["a"]}, {"a", "b"}),
        ({"t": ["a"], "a": ["b"], "b": ["c"], "c": ["a"]}, {"a", "b", "c"}),
        ({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}, set()),
        ({"a": ["b"], "b": ["a"], "c": ["a", "d"], "d": ["c"]}, {"a", "b", "c", "d"}),
        ({"a": ["gone"]}, set()),
    ],
)
def test_circular(edges, wanted):
    assert circular(edges) == wanted


def test_the_shortest_way_back():
    edges = {"a": ["b", "c"], "b": ["d"], "d": ["c"], "c": ["a"], "e": ["e"]}
    among = circular(edges)
    assert shortest(edges, "a", among) == ["a", "c"]
    assert shortest(edges, "b", among) == ["b", "d", "c", "a"]
    assert shortest(edges, "e", among) == ["e"]


def errors(plans, text: str) -> list[tuple[str, str]]:
    return [(one.code, one.message) for one in api.check(plans.path, text=text) if one.severity == "error"]


def test_a_circle_is_reported_once_where_it_is_stated_first(plans):
    text = "\n".join(f'entry gpu "{a}" like "{b}" {{ }}' for a, b in ["xy", "yz", "zy", "vv"])
    found = errors(plans, text)
    assert found == [("E0206", 'entry "y" inherits from itself'), ("E0206", 'entry "v" inherits from itself')]


CHAINS = {
    "entries": ('entry gpu "g0" like "A100-SXM4-80GB" { }', 'entry gpu "g{new}" like "g{old}" {{ }}'),
    "functions": ("fn f0(x: Real) -> Real = x", "fn f{new}(x: Real) -> Real = f{old}(x) + 1"),
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", CHAINS)
def test_a_chain_takes_time_in_proportion_to_its_length(plans, kind):
    """5,000 entries took two minutes."""
    first, more = CHAINS[kind]
    chain = [more.format(new=n, old=n - 1) for n in range(1, 3000)]
    before = time.process_time()
    assert errors(plans, "\n".join([first, *chain])) == []
    assert time.process_time() - before < 30.0  # it took some 40 s


def test_an_entry_inherits_from_one_far_away(plans):
    """After twenty steps a field was lost without a word."""
    chain = [f'entry gpu "g{n}" like "g{n - 1}" {{ }}' for n in range(1, 40)]
    text = "\n".join(['entry gpu "g0" like "A100-SXM4-80GB" { }', *chain, 'hardware { gpu = "g39", gpus = 1 }'])
    near, far = (
        api.solve(plans.path, text=text.replace('gpu = "g39"', f'gpu = "{name}"') + "\nshow gpu.memory\n")
        for name in ("A100-SXM4-80GB", "g39")
    )
    assert near.values["gpu.memory"].value == far.values["gpu.memory"].value == 81_251 * 2**20
