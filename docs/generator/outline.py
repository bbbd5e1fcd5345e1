"""The library as an outline: each file a page, its comments the sections, its declarations the items.

Input are the trees of the library's files, output pages with their items in the order of the file and
an anchor for every item, so that pages can refer to each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

import attrs
from attrs import define, field, frozen

from llmplan.resources import TARGET
from llmplan.source import Source
from llmplan.syntax import nodes
from llmplan.syntax.parse import parse

Key = tuple[str, str]
"""The sort of an item (`kind`, `name`, `fn`, `rule`, `type`) and its name."""


@frozen
class Item:
    """A section, or a declaration.

    Attributes:
        level: The level of its heading; 0 without a heading.
        title: The title of its heading, in Markdown.
        key: The key of references to it; None for a section.
        statements: Its declarations: several for a quantity with guarded formulas, empty for a section.
        owner: The kind that a field belongs to.
    """

    level: int
    title: str
    key: Key | None
    statements: tuple[nodes.Statement, ...] = ()
    text: str = ""
    owner: str = ""


@define
class Page:
    """One file of the library.

    Attributes:
        name: The name of the page without its suffix.
        title, intro: From the comment at the head of the file.
        anchors: The anchor of each item with a key.
    """

    name: str
    source: Source
    title: str
    intro: str
    items: list[Item]
    anchors: dict[Key, str] = field(factory=dict)


def pages(texts: Mapping[str, str]) -> list[Page]:
    """A page for each library file, by path and text."""
    found = []
    for path, text in texts.items():
        source = Source(path, text, library=True)
        tree, problems = parse(source)
        assert not problems, problems
        sections = _sections(tree, source)
        title, intro = _parted(sections.pop(min(sections))) if sections else (PurePosixPath(path).stem, "")
        page = Page(_named(PurePosixPath(path)), source, title, intro, _items(tree, sections))
        page.anchors = _anchors(page)
        found.append(page)
    return found


def _named(path: PurePosixPath) -> str:
    """Of a page: as its file, and for what a target says as its folder."""
    return f"target-{path.parent.name}" if path.name == TARGET else path.stem


def _sections(tree: nodes.File, source: Source) -> dict[int, str]:
    """Comments that stand alone between statements, each with its lines joined, by the place of their end."""
    blocks: list[tuple[int, int, list[str]]] = []
    for comment in tree.comments:
        if not comment.own_line or comment.text.startswith("##"):
            continue
        line = comment.span.line
        if any(s.span.start <= comment.span.start < s.span.end for s in tree.statements):
            continue
        words = comment.text.lstrip("#").strip()
        if blocks and blocks[-1][1] == line - 1:
            blocks[-1] = (comment.span.end, line, [*blocks[-1][2], words])
        else:
            blocks.append((comment.span.end, line, [words]))
    return {end: "\n".join(words) for end, _, words in blocks}


def _parted(text: str) -> tuple[str, str]:
    """A title, which is the first sentence without its stop or what stands before its colon, and the rest."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    first, _, rest = paragraphs[0].partition(". ")
    before, colon, _ = first.partition(": ")
    if colon:
        first, rest = before, paragraphs[0]
    return first.removesuffix("."), "\n\n".join(part for part in (rest, *paragraphs[1:]) if part)


def _items(tree: nodes.File, sections: dict[int, str]) -> list[Item]:
    items: list[Item] = []
    waiting = sorted(sections.items())
    guarded: dict[str, int] = {}
    for statement in tree.statements:
        while waiting and waiting[0][0] <= statement.span.start:
            title, rest = _parted(waiting.pop(0)[1])
            items.append(Item(2, title, None, text=rest))
        if isinstance(statement, nodes.Quantity) and statement.name.text in guarded:
            at = guarded[statement.name.text]
            items[at] = attrs.evolve(items[at], statements=(*items[at].statements, statement))
            continue
        if isinstance(statement, nodes.Quantity):
            guarded[statement.name.text] = len(items)
        items += _declared(statement)
    return items


def _declared(statement: nodes.Statement) -> list[Item]:
    one = (statement,)
    if isinstance(statement, nodes.Quantity):
        return [Item(3, f"`{statement.name.text}`", ("name", statement.name.text), one)]
    if isinstance(statement, nodes.Fn):
        return [Item(3, f"`{statement.name.text}`", ("fn", statement.name.text), one)]
    if isinstance(statement, nodes.Enum):
        return [Item(3, f"`{statement.name.text}`", ("type", statement.name.text), one)]
    if isinstance(statement, (nodes.Require, nodes.Prefer)):
        name = statement.name.text if statement.name is not None else statement.condition.span.text
        return [Item(3, f"`{name}`", ("rule", name), one)]
    if isinstance(statement, nodes.Kind):
        kind = statement.name.text
        fields = [
            Item(4, f"`{kind}.{f.name.text}`", ("name", f"{kind}.{f.name.text}"), (f,), owner=kind)
            for f in statement.fields
        ]
        return [Item(3, f"`{kind}`", ("kind", kind), one), *fields]
    return [Item(0, "", None, one)]


def _anchors(page: Page) -> dict[Key, str]:
    """The anchor of each item, as code hosts make it from a heading."""
    used: dict[str, int] = {}
    found: dict[Key, str] = {}
    for title, key in ((page.title, None), *((item.title, item.key) for item in page.items if item.level)):
        plain = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        count = used.get(plain, 0)
        used[plain] = count + 1
        if key is not None:
            found[key] = f"{plain}-{count}" if count else plain
    return found
