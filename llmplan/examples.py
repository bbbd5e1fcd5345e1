"""The plans that ship as examples: each answers one question, which stands in its first lines.

Output are their names, questions and texts; nothing is parsed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from attrs import frozen

from llmplan.resources import entries, folder, text_of

if TYPE_CHECKING:
    from llmplan.resources import Traversable

_FOLDERS = ("", "questions", "published")
_SENTENCE = re.compile(r".+?[.?!](?=\s|$)|.+")


@frozen
class Example:
    """A plan to start from, with the sentence that it begins with."""

    name: str
    question: str
    text: str


def examples() -> list[Example]:
    """All examples: whole plans first, then those of a folder together."""
    found = []
    for name in _FOLDERS:
        place = folder("plans") / name if name else folder("plans")
        if place.is_dir():
            found += [
                _example(file, f"plans/{name}") for file in entries(place, "plans") if file.name.endswith(".plan")
            ]
    return found


def _example(file: Traversable, where: str) -> Example:
    text = text_of(file, f"{where.rstrip('/')}/{file.name}")
    title = []
    for line in text.splitlines():
        if not line.startswith("##"):
            break
        title.append(line.removeprefix("##").strip())
    sentence = _SENTENCE.match(" ".join(title))
    return Example(file.name.removesuffix(".plan"), sentence.group() if sentence else "", text)
