"""The page of releases lists what holds for a release, and no source names a release that is not data."""

from __future__ import annotations

import re

import pytest
from generator.releases import releases

from llmplan.check import library
from llmplan.read import formats
from llmplan.source import Source
from llmplan.syntax import nodes
from llmplan.syntax.decorators import said
from llmplan.syntax.parse import parse

FILES = {
    path: text
    for path, text in library.library_files().items()
    if path.startswith(("plans/std/", "plans/configs/", "templates/")) or path == "plans/catalog/stacks.plan"
}
SOFTWARE = {
    "DeepSpeed": "deepspeed",
    "pytorch": "torch",
    "pytorch-lightning": "lightning",
    "Megatron-LM": "megatron_lm",
    "Megatron-Bridge": "megatron_bridge",
}
SOFTWARE |= {name: name for name in ("torch", "torchtitan", "accelerate", "transformers", "trl")}
CITED = re.compile(rf"(?<![\w-])({'|'.join(SOFTWARE)}) (?:core_v)?(\d+(?:\.\d+)+)")


@pytest.mark.parametrize("path", FILES)
def test_a_source_that_names_a_release_has_it_as_data(path: str) -> None:
    tree, _ = parse(Source(path, FILES[path]))
    fields = [field for one in tree.statements if isinstance(one, nodes.Kind) for field in one.fields]
    for statement in (*tree.statements, *fields):
        decorators = getattr(statement, "decorators", ())
        held = said(decorators, "release")
        for text in (text for texts in said(decorators, "cite") for text in texts):
            for name, version in CITED.findall(text):
                fitting = [
                    own for software, own in held if software == SOFTWARE[name] and f"{version}.".startswith(f"{own}.")
                ]
                assert fitting, f"{path}:{statement.span.line} cites {name} {version}"


def test_a_release_lists_its_declarations_with_their_places() -> None:
    text = """@release(b_soft, "1.10")
quantity x: Real = 1
kind k {
    @release(a_soft, "2")
    f: Int = 1
}
@release(b_soft, "1.9") @release(b_soft, "1.10")
entry stack "s" { kernels = eager }
"""
    rows = [line for line in releases({"plans/std/p.plan": text}).splitlines() if line.startswith(("##", "| `"))]
    assert rows == [
        "## a_soft",
        "### a_soft 2",
        "| `k.f` | [plans/std/p.plan:4](../../plans/std/p.plan#L4) |",
        "## b_soft",
        "### b_soft 1.9",
        '| `stack "s"` | [plans/std/p.plan:7](../../plans/std/p.plan#L7) |',
        "### b_soft 1.10",
        "| `x` | [plans/std/p.plan:1](../../plans/std/p.plan#L1) |",
        '| `stack "s"` | [plans/std/p.plan:7](../../plans/std/p.plan#L7) |',
    ]


def test_formats_that_are_read_are_among_them() -> None:
    page = releases({name: text for _, name, text in formats.texts()})
    assert '| `plan "deepspeed"` |' in page.partition("## deepspeed")[2].partition("\n## ")[0]
