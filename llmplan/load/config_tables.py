"""The tables of the library by which configuration files are read, `plans/configs/`.

Input: the texts of the tables, and a kind. Output: for each `model_type` an entry of that kind, whose formulas read the
keys that the kind `config` declares, and what its decorators say of keys and types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import attrs
from attrs import evolve, frozen

from llmplan.load.unused_keys import Known
from llmplan.resources import entries as listed
from llmplan.resources import folder, text_of
from llmplan.source import Source
from llmplan.syntax import nodes
from llmplan.syntax.decorators import said
from llmplan.syntax.parse import parse
from llmplan.syntax.statements import Statements


@frozen
class Tables:
    """The tables for one kind: entries by each `model_type`, keys of the file by their names in formulas.

    Attributes:
        words: By name in formulas, of one that is a member of an enum, what a text of the file means; `*` is any other.
        refused: By `model_type` without an entry why there is none.
        structure: Patterns of keys that name structure.
        ignored: Patterns of keys that change nothing that is counted, whatever the type.
        around: By the `model_type` of a file with a language model inside the entry of what stands around it.
        inside: By the same the type of the language model, where the file does not name it.
        beside: By an object of the file that no table reads the field that is true where the file has it.
    """

    sources: tuple[Source, ...]
    entries: dict[str, nodes.Entry]
    keys: dict[str, str]
    words: dict[str, dict[str, str]]
    refused: dict[str, str]
    structure: tuple[str, ...]
    ignored: tuple[str, ...]
    beside: dict[str, str]
    around: dict[str, nodes.Entry]
    inside: dict[str, str]

    @classmethod
    def of(cls, kind: str) -> Tables:
        """The tables of the library."""
        names = [
            (f"plans/configs/{file.name}", file)
            for file in listed(folder("plans").joinpath("configs"), "plans/configs")
        ]
        return _tables(kind, tuple((name, text_of(file, name)) for name, file in names))

    @classmethod
    def made(cls, kind: str, texts: Iterable[tuple[str, str]]) -> Tables:
        """The entries of files with these names and texts."""
        sources = []
        entries: dict[str, nodes.Entry] = {}
        keys: dict[str, str] = {}
        refused: dict[str, str] = {}
        members: dict[str, dict[str, str]] = {}
        beside: dict[str, str] = {}
        around: dict[str, nodes.Entry] = {}
        inside: dict[str, str] = {}
        patterns: dict[str, tuple[str, ...]] = {"structure": (), "ignored": ()}
        for name, text in texts:
            sources.append(Source(name, text, library=True))
            of = Statements.of(parse(sources[-1])[0].statements)
            for s in of.kinds:
                keys |= {f"{s.name.text}.{f.name.text}": _arguments(f, "key", f.name.text)[-1] for f in s.fields}
                meant = {enum: _members(s, enum) for enum, *_ in said(s.decorators, "words")}
                members |= {f"{s.name.text}.{f.name.text}": meant.get(f.types[0].text, {}) for f in s.fields}
                patterns = {word: (*known, *_arguments(s, word)) for word, known in patterns.items()}
                beside |= {
                    part: field.removeprefix(f"{kind}.")
                    for part, *fields in said(s.decorators, "beside")
                    for field in fields
                    if field.startswith(f"{kind}.")
                }
                refused |= {type: why for why, *types in said(s.decorators, "refused") for type in types}
            for entry in of.entries:
                if entry.kind.text == kind:
                    own = evolve(entry, decorators=tuple(d for d in entry.decorators if d.name.text != "names"))
                    names = _arguments(entry, "names", entry.name.plain or "")
                    if decoder := _arguments(entry, "around"):
                        around |= dict.fromkeys(names, own)
                        inside |= dict.fromkeys(names, decoder[0])
                    else:
                        entries |= dict.fromkeys(names, own)
        structure, ignored = patterns["structure"], patterns["ignored"]
        return cls(tuple(sources), entries, keys, members, refused, structure, ignored, beside, around, inside)

    def fields(self, type: str, outer: str | None = None) -> dict[str, nodes.Field]:
        """The fields of an entry and of those that it is like, each once; and what stands around it."""
        found: dict[str, nodes.Field] = {}
        for entry in (*self._likes(outer), *self._likes(type)):
            found = {field.name.text: field for field in entry.fields} | found
        return found

    def read(self, type: str, outer: str | None = None) -> list[str]:
        """The keys that the table of a type reads, whatever the file's values."""
        return [*dict.fromkeys(key for field in self.fields(type, outer).values() for key in self.keys_of(field))]

    def keys_of(self, field: nodes.Field) -> list[str]:
        """The keys that the formula of a field reads."""
        return list(self._keys(field.value))

    def known(self, type: str) -> Known:
        """The known keys of a type."""
        own = [key for entry in self._likes(type) for key in _arguments(entry, "ignored")]
        return Known(frozenset(self.keys.values()), self.structure, (*self.ignored, *own))

    def modelled(self, type: str, outer: str | None = None) -> list[list[str]]:
        """Keys that a type describes at one value only: the key, that value, and what a file with another one has."""
        entries = (*self._likes(outer), *self._likes(type))
        return [one for entry in entries for one in said(entry.decorators, "modelled")]

    def _likes(self, type: str | None) -> Iterator[nodes.Entry]:
        """An entry, and those that it is like; none of no type."""
        known = self.around if type in self.around else self.entries
        entry: nodes.Entry | None = known[type] if type is not None else None
        while entry is not None:
            yield entry
            entry = known[entry.like.plain or ""] if entry.like is not None else None

    def _keys(self, node: object) -> Iterator[str]:
        """The keys that a formula reads."""
        if (key := self.key(node)) is not None:
            yield key
        elif isinstance(node, tuple):
            for item in node:
                yield from self._keys(item)
        elif isinstance(node, nodes.Node):
            for field in attrs.fields(type(node)):
                yield from self._keys(getattr(node, field.name) if field.eq else None)

    def key(self, node: object) -> str | None:
        """The key of the file that an expression means, None for another expression."""
        return self.keys.get(node.text) if isinstance(node, nodes.Name) else None


@lru_cache(maxsize=4)
def _tables(kind: str, texts: tuple[tuple[str, str], ...]) -> Tables:
    return Tables.made(kind, texts)


def _arguments(node: nodes.FieldDecl | nodes.Entry | nodes.Kind, decorator: str, *first: str) -> list[str]:
    """Names, and those that a decorator adds to them."""
    return [*first, *(text for texts in said(node.decorators, decorator) for text in texts)]


def _members(kind: nodes.Kind, enum: str) -> dict[str, str]:
    """By each text that a key of an enum may hold the member that it means."""
    return {
        word: member
        for name, member, *words in said(kind.decorators, "words")
        if name == enum
        for word in (member, *words)
    }
