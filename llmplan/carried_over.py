"""What becomes of the keys of files in those that are written for the same run: some are in none of them, some have
another value there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from llmplan.diagnostics import Diagnostic, imports
from llmplan.read import sources
from llmplan.read.document import Item, normal
from llmplan.read.edits import Files
from llmplan.read.formats import Format, FormatKey, fits_any
from llmplan.read.reading import DECIDED_ELSEWHERE, Fate
from llmplan.units import amount

_SAYS_NOTHING = "says nothing"

_NOTHING_LOST = frozenset({DECIDED_ELSEWHERE, _SAYS_NOTHING, "switched off"})
"""Why a key is not needed in files that are written anew."""

_NEEDED = ("free", "unmodelled", "unknown", "carried")
"""Fates of keys that no answer depends on, or counts."""

_COMMENT = re.compile(r"^\s*(#|//|;)")
_TRUE = frozenset({"true", "yes", "on", ""})
_FALSE = frozenset({"false", "no", "off"})


def told(read: Files, written: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """W0646 and W0636 of keys that have another value in what was written, or are not in it; or that nothing was.

    Args:
        written: The texts of the files that start the run, by their names.
    """
    if not written:
        return (imports.nothing_written(),)
    formats = [format for reader in read.readers for format in reader.formats]
    comparison = _Comparison(
        read, _values(written, formats), [one for one in formats if one.kind in read.reading.kinds]
    )
    lines = [normal(line) for text in written.values() for line in text.splitlines() if not _COMMENT.match(line)]
    fates = [one for one in read.reading.fates if comparison.judges(one)]
    changed = [change for one in fates if (change := comparison.change(one)) is not None]
    lost = [one.item.key for one in fates if comparison.lacks(one) and not _stands(one.item, lines)]
    found = []
    if changed:
        found.append(imports.written_otherwise(list(dict.fromkeys(changed))))
    if lost:
        found.append(imports.not_written(list(dict.fromkeys(lost))))
    return tuple(found)


class _Comparison:
    """The keys of files beside those of the files that were written.

    Attributes:
        values: What was written, by the keys' normal names.
        said: What the files say, by the same.
        keys: The keys of the files' formats, by each of their names.
    """

    def __init__(self, read: Files, values: Mapping[str, Sequence[Item]], formats: Sequence[Format]) -> None:
        self.values = values
        self._given = read.given
        self._naming = [pattern for format in formats for pattern in format.files]
        self.said: dict[str, list[Item]] = {}
        for one in read.reading.fates:
            self.said.setdefault(normal(one.item.key), []).append(one.item)
        self.keys: dict[str, list[FormatKey]] = {}
        for key in (key for format in formats for key in format.keys.values()):
            for name in key.names:
                self.keys.setdefault(normal(name), []).append(key)

    def judges(self, one: Fate) -> bool:
        """Whether a key says something that files should say alike: not the name of another file, which is written
        under another name, nor what the command line decides."""
        item = one.item
        return item.known and not (item.key.isupper() or one.field in self._given or fits_any(item.key, self._naming))

    def change(self, one: Fate) -> tuple[str, str, str] | None:
        """A key with its value, and the one that was written, if that is another one."""
        item, name = one.item, normal(one.item.key)
        there = self.values.get(name)
        if not there or one.why == _SAYS_NOTHING or any(self._open(name, each) for each in (item, *there)):
            return None
        alike = any(_same(was, now) for was in self.said[name] for now in there)
        return None if alike else (item.key, item.shown, there[-1].shown)

    def lacks(self, one: Fate) -> bool:
        """Whether no written file has a key, by any of its names."""
        if one.fate not in _NEEDED or one.why in _NOTHING_LOST:
            return False
        name = normal(one.item.key)
        others = [other for key in self.keys.get(name, ()) for other in key.names] if one.fate == "carried" else []
        return not any(normal(each) in self.values for each in (name, *others))

    def _open(self, name: str, item: Item) -> bool:
        """Whether a value stands for one that another file says, or the software chooses."""
        return item.text == "auto" or any(item.text in key.unset for key in self.keys.get(name, ()))


def _values(written: Mapping[str, str], formats: Sequence[Format]) -> dict[str, list[Item]]:
    """The keys of the written files, by their normal names."""
    found: dict[str, list[Item]] = {}
    for item in _items(sources.gather(list(written.items()), formats)):
        found.setdefault(normal(item.key), []).append(item)
    return found


def _items(found: sources.Gathered) -> Iterator[Item]:
    for document in (*found.documents, *(document for one in found.launches for document in one.documents)):
        yield from document.items.values()


def _same(one: Item, other: Item) -> bool:
    """Whether two keys say the same; one that only a run would tell may."""
    if not (one.known and other.known):
        return True
    if one.items is not None or other.items is not None:
        return {*map(_plain, one.items or (one.shown,))} == {*map(_plain, other.items or (other.shown,))}
    return _plain(one.shown) == _plain(other.shown)


def _plain(text: str) -> bool | Fraction | str:
    """A value whatever its spelling: `1e-2` and `0.01`, `True` and `true`, `a/b` and `./a/b`."""
    word = text.strip().lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    number = amount.of_text(word)
    return word.removeprefix("./") if number is None else number


def _stands(item: Item, lines: Sequence[str]) -> bool:
    """Whether a line has a key with its value, as files have it that are not read: a program, say."""
    name, value = normal(item.key.rpartition(".")[2]), normal(item.shown)
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return any(word.search(line) and (value in line or value == "true") for line in lines)
