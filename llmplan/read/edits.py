"""A change of a plan in the words of the files that it was read from: which keys to set to what.

No formula is inverted: a key's text is replaced, or a key added, everything is read again, and what then says just the
wanted change is told. So a change that also moves another input is told with the key that moves that one back, or not
at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property

from attrs import evolve, frozen

from llmplan.read import key_texts
from llmplan.read.document import Document, Item, normal
from llmplan.read.formats import Format, FormatKey, Reader, fits_any
from llmplan.read.library import Input
from llmplan.read.reading import Reading, read
from llmplan.read.values import Data, Value
from llmplan.units import amount

_MOST_READINGS = 60
_OWN = "read."

Moved = Mapping[str, tuple[Data | None, Data | None]]
"""Inputs before and after, None where nothing says them."""


@frozen
class Edit:
    """One key of a file at another value; `before` is None where the file lacks the key: it is an option, with its
    dashes, of the command that stands in that line, or at line 0 a key of the file."""

    key: str
    before: str | None
    after: str
    file: str
    line: int


@frozen
class Files:
    """What was read, to be read again with other values.

    Attributes:
        texts: Of the files, by their names.
    """

    documents: tuple[Document, ...]
    readers: tuple[Reader, ...]
    given: Mapping[str, Value]
    inputs: Mapping[str, Input]
    reading: Reading
    texts: Mapping[str, str]

    @property
    def said(self) -> frozenset[str]:
        """The inputs that the formats of the files have a key for, whether or not the files have it."""
        kinds = self.reading.kinds
        used = (reader for reader in self.readers if any(one.kind in kinds for one in reader.formats))
        return frozenset(line.path for reader in used for line in reader.lines)

    def behind(self, key: str) -> tuple[tuple[str, ...], ...]:
        """The words behind which a command has an option, each as a shell has them; empty for a program's own, which
        may stand anywhere behind it."""
        name = normal(key.removeprefix("--"))
        having = [
            format
            for reader in self.readers
            for format in reader.formats
            if format.kind in self.reading.kinds and name in format.declared
        ]
        return () if any(not format.launchers for format in having) else having[0].launchers if having else ()

    def edits(self, wanted: Mapping[str, Data]) -> tuple[Edit, ...]:
        """The keys that change inputs to their values and no other input; empty where none do, or a file says no such
        key."""
        if any(path in self.given for path in wanted):
            return ()
        left = [_MOST_READINGS]
        for several, said in self.offers:
            if said == wanted:
                return several
        for path in wanted:
            for one in self._candidates(path, wanted[path]):
                if made := self._alone((one,), wanted, left):
                    return made
        return self._joined(wanted, left) if len(wanted) > 1 else ()

    def _joined(self, wanted: Mapping[str, Data], left: list[int]) -> tuple[Edit, ...]:
        """The keys that change each input for itself, with one that moves back what they move together."""
        firsts = [self.edits({path: value})[:1] for path, value in wanted.items()]
        several = tuple(dict.fromkeys(edit for one in firsts for edit in one))
        return self._alone(several, wanted, left) if all(firsts) else ()

    def _alone(self, several: tuple[Edit, ...], wanted: Mapping[str, Data], left: list[int]) -> tuple[Edit, ...]:
        """Keys that change inputs to what is wanted, with one that moves back what else they move; empty where none
        does."""
        moved = self._moved(several, wanted, left)
        if moved == {}:
            return several
        for other in self._back(moved, *several) if moved else ():
            if self._moved([*several, other], wanted, left) == {}:
                return (*several, other)
        return ()

    @cached_property
    def offers(self) -> tuple[tuple[tuple[Edit, ...], Mapping[str, Data]], ...]:
        """Keys that mean something as they are, each set with the inputs that it changes: what comes with the software,
        as `ds_z3_config.json`, and a file without the key may get; keys that the software takes together alone."""
        found = []
        for format in (one for reader in self.readers for one in reader.formats if one.kind in self.reading.kinds):
            sets = [(*self._shipped(format, key, text),) for key in format.keys.values() for text in key.shipped]
            for several in format.together:
                sets.append(
                    tuple(edit for name, text in several for edit in self._put(format, format.keys[name], text))
                )
            for made in sets:
                moved = (self._moved(made, {}, [1]) or {}) if made else {}
                said = {path: after for path, (_, after) in moved.items() if after is not None}
                if said and len(said) == len(moved) and not any(path in self.given for path in said):
                    found.append((made, said))
        return tuple(found)

    def offered(self, wanted: Mapping[str, Data], now: Mapping[str, Data]) -> tuple[Edit, ...]:
        """The set of keys that changes inputs to their values and no other input.

        Args:
            now: The values of inputs in the answer, also of those that no file says.
        """
        known = {**now, **wanted}
        for several, said in self.offers:
            if {*wanted} <= {*said} and all(path in known and _same(known[path], said[path]) for path in said):
                return several
        return ()

    def covered(self, wanted: Mapping[str, Data], now: Mapping[str, Data]) -> tuple[Edit, ...]:
        """A set of keys that changes some of the inputs as `offered` does, with those that change the others."""
        known, left = {**now, **wanted}, [_MOST_READINGS]
        for several, said in sorted(self.offers, key=lambda one: -len({*one[1]} & {*wanted})):
            rest = {path: value for path, value in wanted.items() if path not in said}
            if len(rest) == len(wanted) or not all(path in known and _same(known[path], said[path]) for path in said):
                continue
            others = self.edits(rest)
            together = tuple(dict.fromkeys((*several, *others)))
            if others and (made := self._alone(together, {**said, **wanted}, left)):
                return made
        return ()

    def _moved(self, edits: Sequence[Edit], wanted: Mapping[str, Data], left: list[int]) -> Moved | None:
        """The other inputs that edits change; None where they don't make the inputs what is wanted."""
        left[0] -= 1
        if left[0] < 0:
            return None
        documents = [_edited(document, edits) for document in self.documents]
        again = read(documents, self.readers, self.given, self.inputs)
        before, after = self.reading.found, again.found
        worse = any(
            len(now) > len(was)
            for now, was in ((again.contradictions, self.reading.contradictions), (again.doubts, self.reading.doubts))
        )
        if worse or not all(path in after and _same(after[path].value.data, value) for path, value in wanted.items()):
            return None
        moved: dict[str, tuple[Data | None, Data | None]] = {}
        opened = {_head(path) for path in wanted} - {_head(path) for path in before}
        for other in sorted({*before, *after} - {*wanted}):
            was, is_ = (one[other].value.data if other in one else None for one in (before, after))
            if other.startswith(_OWN) or (was is not None and is_ is not None and _same(was, is_)):
                continue
            if was is None and after[other].release and _head(other) in opened:
                continue  # the software's own default of what comes with the change, as a rank with adapters
            moved[other] = (was, is_)
        return moved

    def _back(self, moved: Moved, *firsts: Edit) -> Iterator[Edit]:
        """Changes of other keys, and keys more, that may undo what the first ones move."""
        taken = {(one.key, one.file, one.line) for one in firsts}
        for path, (before, after) in moved.items():
            if isinstance(before, Fraction) and isinstance(after, Fraction) and before and after:
                for item in self._items(path):
                    number = amount.of_text(item.text or "")
                    if number is None or (item.key, item.file, item.line) in taken:
                        continue
                    for factor in (before / after, after / before):
                        if (number * factor).denominator == 1:
                            yield _edit(item, amount.in_plan(number * factor))
            if before is not None:
                yield from self._added(path, before)

    def _candidates(self, path: str, wanted: Data) -> Iterator[Edit]:
        now = self.reading.found.get(path)
        for item in self._items(path):
            for text in key_texts.texts(item, now.value.data if now else None, wanted, self._keys_of(item)):
                yield _edit(item, text)
        yield from self._added(path, wanted)

    def _items(self, path: str) -> list[Item]:
        found = self.reading.found.get(path)
        items = found.value.items if found is not None else ()
        return [item for item in dict.fromkeys(items) if item.file and not item.key.startswith("$")]

    def _keys_of(self, item: Item) -> list[tuple[Format, FormatKey]]:
        return [
            (format, key)
            for reader in self.readers
            for format in reader.formats
            if format.kind in self.reading.kinds
            for key in format.keys.values()
            if normal(item.key) in map(normal, key.names)
        ]

    def _added(self, path: str, wanted: Data) -> Iterator[Edit]:
        """Keys that a formula of the input reads and no file has, each with what may be its text; also keys of files,
        where the formula says nothing with them as they are."""
        put = self._new if path in self.reading.found else self._put
        for reader in self.readers:
            formats = {format.kind: format for format in reader.formats if format.kind in self.reading.kinds}
            for line in reader.lines:
                if line.path != path:
                    continue
                for kind, name in key_texts.keys_read(line, reader):
                    if kind not in formats or name not in formats[kind].keys:
                        continue
                    key = formats[kind].keys[name]
                    for text in key_texts.of_type(formats[kind], key, wanted, new=True):
                        yield from put(formats[kind], key, text)

    def _having(self, key: FormatKey) -> list[Item]:
        """A key as documents have it."""
        return [one.items[normal(name)] for one in self.documents for name in key.names if normal(name) in one.items]

    def _shipped(self, format: Format, key: FormatKey, text: str) -> Iterator[Edit]:
        """A key at what comes with the software, where a file has nothing of its own."""
        if all(item.text in key.shipped for item in self._having(key)):
            yield from self._put(format, key, text)

    def _put(self, format: Format, key: FormatKey, text: str) -> Iterator[Edit]:
        """A key at a text, in the document that has it or as one gets it; nothing where it has that text already."""
        items = self._having(key)
        if not items:
            yield from self._new(format, key, text)
        elif items[0].text != text:
            yield _edit(items[0], text)

    def _new(self, format: Format, key: FormatKey, text: str) -> Iterator[Edit]:
        """A key as a document gets it; nothing where one has it already."""
        owner = next((one for one in self.documents if format.fits(one) and one.file), None)
        if owner is None or any(normal(one) in owner.items for one in key.names):
            return
        if key.needs and not any(fits_any(name, key.needs) for one in self.documents for name in one.items):
            return
        spelled = next((one for one in key.names if _fits(owner, one)), None)
        if spelled is not None:
            yield _new(owner, spelled, text)


def _fits(owner: Document, key: str) -> bool:
    """Whether a document may get a key: a command line with a key inside another only where it has such options, and
    Python only one of a call that it has."""
    if "." not in key or owner.syntax not in ("flags", "python"):
        return True
    head = f"{key.partition('.')[0]}." if owner.syntax == "python" else ""
    return any("." in item.key and item.key.startswith(head) for item in owner.items.values())


def _new(owner: Document, key: str, text: str) -> Edit:
    """A key that a document lacks, as its others are spelled."""
    if owner.syntax != "flags":
        return Edit(key, None, text, owner.file, 0)
    options = [item for item in owner.items.values() if not item.key.startswith("$")]
    last = max(owner.items.values(), key=lambda item: item.line)
    dashed = any("-" in item.key for item in options)
    return Edit(f"--{key.replace('_', '-') if dashed else key}", None, text, last.file, last.line)


def _edit(item: Item, text: str) -> Edit:
    return Edit(item.key, item.shown, text, item.file, item.line)


def _edited(document: Document, edits: Sequence[Edit]) -> Document:
    items = dict(document.items)
    for edit in edits:
        if edit.file != document.file and not any(item.file == edit.file for item in document.items.values()):
            continue
        if edit.before is None:
            key = edit.key.removeprefix("--")
            items[normal(key)] = Item(key, edit.after, document.file, edit.line)
        for name, item in document.items.items():
            if (item.key, item.line) == (edit.key, edit.line):
                items[name] = evolve(item, text=edit.after, items=None)
    return evolve(document, items=items)


def _head(path: str) -> str:
    return path.partition(".")[0]


def _same(one: Data, other: Data) -> bool:
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return abs(one - other) <= abs(other) * Fraction(1, 10**9)
    return one == other if isinstance(one, bool) == isinstance(other, bool) else False
