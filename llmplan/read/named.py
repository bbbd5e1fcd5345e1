"""Files that what was read names, and that were not given: what they say is not known."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from attrs import evolve

from llmplan.read.document import Document, Item
from llmplan.read.reading import DECIDED_ELSEWHERE, NOT_GIVEN, Fate

_CONFIGURATION = re.compile(r"[^{}$]*\.(ya?ml|json|toml)")


def arguments(documents: Iterable[Document], given: Collection[str]) -> Iterator[Item]:
    """The configurations among the words behind a program's name, as of `llamafactory-cli train sft.yaml`.

    Args:
        given: The names of files that were read, without folders.
    """
    for document in documents:
        line = next((item.line for name, item in document.items.items() if name.startswith("$")), 0)
        for word in document.program[1:]:
            item = Item(document.program[0], word, document.file, line)
            if line and item.known and _CONFIGURATION.fullmatch(word) and word.rpartition("/")[2] not in given:
                yield item


def with_written(fates: Iterable[Fate], written: Collection[str]) -> Iterator[Fate]:
    """Fates where files that scripts write are given too."""
    for fate in fates:
        here = fate.why == NOT_GIVEN and (fate.item.text or "").rpartition("/")[2] in written
        yield evolve(fate, fate="free", why=DECIDED_ELSEWHERE) if here else fate
