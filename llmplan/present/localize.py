"""Sections and charts in the units of a language: their texts, but no code and nothing that an author wrote as code.

Input: a record of sections or charts, and the words of a language. Output: the same record with each text as these
write its numbers; the very record in a language that writes them as amounts do.
"""

from __future__ import annotations

from typing import Any, TypeVar

import attrs

from llmplan.present.blocks import Code
from llmplan.present.words.en import Words

Record = TypeVar("Record")

_NAMES = ("name", "title_of", "align", "kind")
"""Fields that are no texts: names of blocks and files, and looks."""


def localized(record: Record, words: Words) -> Record:
    """A section or a chart in the units of a language."""
    if type(words).localized is Words.localized:
        return record
    found: Record = _localized(record, words)
    return found


def _localized(part: Any, words: Words) -> Any:
    if isinstance(part, str):
        return words.localized(part)
    if isinstance(part, tuple):
        return tuple(_localized(one, words) for one in part)
    if isinstance(part, Code) or not attrs.has(type(part)):
        return part
    changed = {
        field.name: _localized(getattr(part, field.name), words)
        for field in attrs.fields(type(part))
        if field.name not in _NAMES
    }
    return attrs.evolve(part, **changed)
