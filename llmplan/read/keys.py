"""The keys of documents, as the formats that they were recognised as declare them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from attrs import evolve, field, mutable

from llmplan.read.document import UNKNOWN, Document, Item, normal
from llmplan.read.formats import Format, FormatKey
from llmplan.read.values import Data, Member, Unknown, Unsaid, Value, same
from llmplan.units import amount

_TRUE = frozenset({"true", "yes", "on", "1", "1.0"})
_FALSE = frozenset({"false", "no", "off", "0", "0.0"})
_COMMANDS = frozenset({"flags", "python", "environment", "sbatch"})
_POINTER = re.compile(r"\$\{(?:oc\.select:)?([\w.]+)(?:,([^{}]*))?\}")
_POINTERS = 10


@mutable
class Keys:
    """The documents of a reading, by the kinds that they were recognised as; and what was read of them.

    Attributes:
        parents: Files that another one names under `defaults`, whose keys replace theirs.
        parentless: Kinds of which a file names a parent that is not given.
        read: The keys that a formula has asked for.
        twice: Keys that two files give different values.
        wordless: Keys whose value their type does not have.
    """

    documents: Mapping[str, tuple[Format, tuple[Document, ...]]]
    parents: frozenset[str] = frozenset()
    parentless: frozenset[str] = frozenset()
    read: dict[Item, str] = field(factory=dict)
    twice: list[tuple[str, Value, Value]] = field(factory=list)
    wordless: dict[Item, str] = field(factory=dict)

    def value(self, kind: str, name: str) -> Value:
        """What a key says: on a command line, else in the files, of which one may be the parent of another.

        Raises:
            Unsaid: Nothing.
        """
        format, documents = self.documents[kind]
        key = format.keys[name]
        unknown = kind in self.parentless
        found: Value | None = None
        last_first = tuple(reversed(documents))
        for document in sorted(last_first, key=lambda one: one.syntax not in _COMMANDS):
            value = self._said(document, documents, key, format)
            if isinstance(value, Value):
                value = evolve(value, kinds=frozenset({kind}))
                if found is None:
                    found = value
                elif self._contradicts(found, value, document, format):
                    self.twice.append((key.name, found, value))
            elif value and found is None and document.syntax in _COMMANDS:
                raise Unknown(key.name)  # it is over the files, whatever they say
            else:
                unknown = unknown or value
        if found is not None:
            return found
        raise Unknown(key.name) if unknown else Unsaid(key.name)

    def _contradicts(self, one: Value, other: Value, document: Document, format: Format) -> bool:
        """Whether two files of a format say different things, of which none is over the other."""
        apart = format.merged or document.file in self.parents or {document.syntax, one.document} & _COMMANDS
        return not apart and not same(one.data, other.data)

    def _said(
        self, document: Document, documents: tuple[Document, ...], key: FormatKey, format: Format
    ) -> Value | bool:
        """What a key says in one document; else whether it is there with a value that only a run would tell."""
        unknown = False
        for wanted in key.names:
            item = document.items.get(normal(wanted))
            if item is None:
                continue
            self.read.setdefault(item, key.name)
            pointed = _pointed(item, documents)
            found = self._typed(pointed, key, format)
            if found is not None:
                return Value(found, _unit(key.type), (item,), document=document.syntax)
            if item in self.wordless and pointed is not item:
                self.wordless.pop(item, None)
            unknown = unknown or (not pointed.known and (pointed.text is not None or pointed.items is not None))
        return unknown

    def present(self, kind: str) -> Value:
        """Whether there is a document of a kind."""
        _, documents = self.documents[kind]
        places = tuple(Item(f"${kind}", None, document.file, 1) for document in documents[:1])
        return Value(bool(documents), None, places, frozenset({kind}) if documents else frozenset())

    def _typed(self, item: Item, key: FormatKey, format: Format) -> Data | None:
        if not item.known:
            return None
        if key.listed:
            texts = item.items if item.items is not None else tuple((item.text or "").replace(",", " ").split())
            return tuple(format.words.get(key.type, {}).get(text, text) for text in texts)
        text = item.text if item.text is not None else " ".join(item.items or ())
        text = text.strip()
        if text in key.unset or (item.items is not None and not item.items):
            return None
        known = format.words.get(key.type)
        if known is not None:
            member = known.get(text, known.get(text.lower()))
            if member is None:
                self.wordless[item] = key.name
                return None
            return Member(member)
        if key.type == "Text":
            return text
        if key.type == "Bool":
            low = text.lower()
            if low in _TRUE or low in _FALSE:
                return low in _TRUE
            self.wordless[item] = key.name
            return None
        found = amount.of_text(text)
        if found is None or (key.type != "Real" and found.denominator != 1):
            self.wordless[item] = key.name
            return None
        return None if text_of(found) in key.unset else found


def _pointed(item: Item, documents: tuple[Document, ...]) -> Item:
    """A value with what it points at by `${a.b}`; unknown where nothing has that key."""
    for _ in range(_POINTERS):
        if item.text is None or "${" not in item.text:
            return item

        def aimed(found: re.Match[str], owner: str = item.key.rpartition(".")[0]) -> str:
            name = f"{owner}{found[1]}" if found[1].startswith(".") else found[1]
            for document in reversed(documents):
                other = document.items.get(normal(name.lstrip(".")))
                if other is not None:
                    return other.text if other.text is not None else ""
            return found[2] if found[2] is not None else UNKNOWN

        text = _POINTER.sub(aimed, item.text)
        item = evolve(item, text=(text or None) if text != item.text else UNKNOWN)
    return evolve(item, text=UNKNOWN)


def text_of(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else str(float(value))


def _unit(type: str) -> str | None:
    return None if type[:1].isupper() or type in ("optimizer", "gpu", "model", "stack") else type
