"""The reference: current, complete, and with formulas that a typesetter can read."""

from __future__ import annotations

import re
from pathlib import Path

import generate as generator
import pytest
from generator.reference import reference

from llmplan.check import library
from llmplan.source import Source
from llmplan.syntax.parse import parse

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return reference()


@pytest.fixture(scope="module")
def scope():
    return library.load()[0]


def test_what_is_in_the_tree_is_current():
    assert generator.stale(ROOT) == [], "run `python docs/generate.py`"


@pytest.mark.slow
def test_the_same_library_gives_the_same_pages(pages):
    assert reference() == pages


def test_check_says_what_is_out_of_date_and_writes_nothing(tmp_path, monkeypatch, capsys):
    copy = tmp_path / "docs" / "reference"
    copy.mkdir(parents=True)
    monkeypatch.setattr(generator, "generated", lambda root: {"docs/reference/a.md": "a\n"})
    (copy / "left.md").write_text("from an earlier time\n")
    assert generator.main(["--check"], tmp_path) == 1
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "docs/reference/a.md",
        "docs/reference/left.md",
    ]
    assert not (copy / "a.md").exists()
    assert generator.main([], tmp_path) == 0
    assert (copy / "a.md").read_text() == "a\n" and not (copy / "left.md").exists()
    assert generator.main(["--check"], tmp_path) == 0


def headings(text: str) -> list[str]:
    return re.findall(r"^#+ (.*)$", text, re.MULTILINE)


def test_everything_that_the_library_declares_has_a_heading(pages, scope):
    found = {title.strip("`") for text in pages.values() for title in headings(text)}
    wanted = {*scope.kinds, *scope.fields, *scope.quantities, *scope.functions, *scope.enums, *scope.rules}
    assert wanted - found == set()


def test_the_index_names_everything(pages, scope):
    index = pages["docs/reference/README.md"]
    for name in (*scope.fields, *scope.quantities, *scope.functions, *scope.rules):
        assert f"| [`{name}`](" in index


def test_every_unit_word_is_there_with_its_factor(pages, scope):
    words = set(re.findall(r"`([^`]+)`", pages["docs/reference/units.md"]))
    assert set(scope.units.words) - words == set()
    assert "| `GiB` |  | 1,073,741,824 byte |" in pages["docs/reference/units.md"]


def test_a_field_with_all_that_is_known(pages):
    text = pages["docs/reference/kinds.md"]
    tensor = text[text.index("#### `parallelism.tensor`") : text.index("#### `parallelism.pipeline`")]
    assert "- type: `Int`" in tensor
    assert "- legal values: `1..65_536`" in tensor
    assert "- default: `1`" in tensor
    assert "- a bare `?` ranges over `powers(2, 1..hardware.gpus_per_node)`" in tensor
    assert re.search(r"\[plans/std/kinds\.plan:\d+\]\(\.\./\.\./plans/std/kinds\.plan#L\d+\)", tensor)


def test_a_quantity_with_all_that_is_known(pages):
    text = pages["docs/reference/time.md"]
    goodput = text[text.index("### `goodput`") : text.index("### `wall_time`")]
    assert "```plan\nquantity goodput: Real in 0..1\n" in goodput
    assert "\\frac{\\mathrm{job\\_mtbf}}" in goodput
    assert "Source: Daly 2006, [doi:" in goodput
    assert "[`checkpoint_time`](#checkpoint_time)" in goodput
    assert "[`training.checkpoint_interval`](kinds.md#trainingcheckpoint_interval)" in goodput


def test_places_are_where_the_declarations_stand(pages):
    for text in pages.values():
        for code, path, line in re.findall(
            r"```plan\n(.*)\n(?:[^`]|`(?!``))*?```[^#]*?\[(plans/std/[a-z_]+\.plan):(\d+)\]", text
        ):
            source = (ROOT / path).read_text(encoding="utf-8").splitlines()
            assert source[int(line) - 1] == code


def test_declarations_on_the_pages_parse(pages):
    for path, text in pages.items():
        for block in re.findall(r"^```plan\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            assert parse(Source(path, block))[1] == []


def test_links_lead_somewhere(pages):
    anchors: dict[str, set[str]] = {}
    for path, text in pages.items():
        used: dict[str, int] = {}
        found = anchors.setdefault(Path(path).name, set())
        for title in headings(re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)):
            plain = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            found.add(f"{plain}-{used[plain]}" if plain in used else plain)
            used[plain] = used.get(plain, 0) + 1
    for path, text in pages.items():
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            file, _, anchor = target.partition("#")
            if file.startswith("https:"):
                continue
            if file.startswith("../"):
                assert (ROOT / "docs/reference" / file).resolve().exists(), target
            else:
                assert anchor in anchors[file or Path(path).name] if anchor else file in anchors, (path, target)


@pytest.mark.parametrize("name", ["docs/README.md", "editors/README.md"])
def test_links_of_other_pages_lead_somewhere(name):
    page = ROOT / name
    for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text(encoding="utf-8")):
        assert target.startswith("https:") or (page.parent / target).exists(), target
