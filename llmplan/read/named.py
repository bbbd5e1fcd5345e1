"""Files that what was read names, and that were not given: what they say is not known.

A key that may hold a document of some format (`@inside`) may name the file of one; a program's words may name its
configuration, and a script may start another one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from llmplan.read.document import Document, Item, normal
from llmplan.read.formats import Format

_CONFIGURATION = re.compile(r"[^{}$]*\.(ya?ml|json|toml)")


def not_given(documents: Iterable[Document], formats: Sequence[Format], given: Collection[str]) -> Iterator[Item]:
    """The keys that name configurations, each file once.

    Args:
        given: The names of files that were read, without folders.
    """
    holders = [normal(key) for format in formats for key in format.inside]
    told = set(given)
    for document in documents:
        for item in (*_held(document, holders), *_arguments(document)):
            text = item.text or ""
            name = text.rpartition("/")[2]
            if item.known and _CONFIGURATION.fullmatch(text) and name not in told:
                told.add(name)
                yield item


def _held(document: Document, holders: Sequence[str]) -> Iterator[Item]:
    yield from (document.items[key] for key in holders if key in document.items)


def _arguments(document: Document) -> Iterator[Item]:
    """The words behind a program's name, as of `llamafactory-cli train sft.yaml`."""
    line = next((item.line for name, item in document.items.items() if name.startswith("$")), 0)
    yield from (Item(document.program[0], word, document.file, line) for word in document.program[1:] if line)
