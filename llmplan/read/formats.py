"""The formats that can be read, as the library describes them: `templates/*/read.plan`.

A `kind` with `@syntax` says which keys there are and how a document is recognised, `entry plan` which inputs of a
plan they mean, as formulas over keys. Nothing of a format is said in Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, cast

from attrs import frozen

from llmplan.cache import ready, store
from llmplan.cache.key import key
from llmplan.cache.records import Placed
from llmplan.read.document import Document, normal
from llmplan.resources import FORMAT, entries, folder, text_of
from llmplan.source import Source, Span
from llmplan.syntax import expressions, nodes
from llmplan.syntax.decorators import said
from llmplan.syntax.parse import parse
from llmplan.syntax.statements import Statements

_PLAN = "plan"
_KEPT = "readers"
_Packed = tuple[tuple[tuple[str, str | None], ...], Any]
"""The texts that readers have places in, and the readers as plain data."""


@frozen
class FormatKey:
    """A key of a format: its names in a file, its type, the values that say nothing, texts that a file without it may
    get, and the patterns of keys beside which alone it may get the key."""

    name: str
    names: tuple[str, ...]
    type: str
    unset: frozenset[str]
    listed: bool
    shipped: tuple[str, ...]
    needs: tuple[str, ...]


@frozen
class Format:
    """One kind of document.

    Attributes:
        recognised: Alternatives, each the patterns of keys that must be there, with `!` those that must not.
        launchers: The words that start a program with this format's options before the program's own.
        forwarded: Programs that start their launcher themselves and pass it what stands behind `--`, each with the
            option that names the launcher, and the launchers, the usual one first.
        together: Keys that the software takes together alone, each set with its texts.
        unmodelled: Patterns of keys that change time or memory in a way that no plan says, with what that is.
        refused: Patterns of keys that make a plan impossible, with why.
        files: Patterns of keys that name another file, which says more.
        words: By type the texts that mean a member.
        over: The kinds whose values give way to this one's.
        otherwise: Whether it reads the options of a program that no other format knows.
        inside: Keys of other files that hold such a document.
        merged: Whether the last of several files wins, instead of contradicting the others.
        prefix: Of variables that are inputs of a plan, by their paths in capitals; empty where there are none.
    """

    kind: str
    syntaxes: frozenset[str]
    recognised: tuple[tuple[str, ...], ...]
    launchers: tuple[tuple[str, ...], ...]
    forwarded: tuple[tuple[str, ...], ...]
    together: tuple[tuple[tuple[str, str], ...], ...]
    ignored: tuple[str, ...]
    unmodelled: tuple[tuple[str, str], ...]
    refused: tuple[tuple[str, str], ...]
    files: tuple[str, ...]
    words: dict[str, dict[str, str]]
    over: frozenset[str]
    keys: dict[str, FormatKey]
    otherwise: bool
    merged: bool
    inside: tuple[str, ...]
    prefix: str

    def fits(self, document: Document) -> bool:
        """Whether a document is of this format."""
        if document.syntax not in self.syntaxes:
            return False
        names = document.items
        return any(
            all(_there(pattern.lstrip("!"), names) is not pattern.startswith("!") for pattern in patterns)
            for patterns in self.recognised
        )

    @property
    def declared(self) -> frozenset[str]:
        """The names of its keys, as documents have them."""
        return frozenset(normal(name) for key in self.keys.values() for name in key.names)

    @property
    def switches(self) -> frozenset[str]:
        """The options that take no value."""
        return frozenset(normal(name) for key in self.keys.values() if key.type == "Bool" for name in key.names)


@frozen
class Line:
    """What an input of a plan is, by the keys of a format.

    Attributes:
        where: The kinds of which there must be documents.
    """

    path: str
    value: nodes.Expr
    release: str
    folder: str
    where: tuple[str, ...]


@frozen
class Reader:
    """One `read.plan`: formats, and what their keys mean.

    Attributes:
        lets: Formulas that have a name of their own.
        carried: Patterns of inputs that no answer depends on.
        rules: Requirements, whose keys the software refuses together, and preferences, of what is known to fail.
        asked: Inputs that a plan leaves open where no file says them.
        names: What people call what it reads.
    """

    folder: str
    formats: tuple[Format, ...]
    lines: tuple[Line, ...]
    lets: dict[str, nodes.Expr]
    rules: tuple[nodes.Require | nodes.Prefer, ...]
    carried: tuple[str, ...]
    asked: tuple[str, ...]
    names: tuple[str, ...]


_RECORDS = (Reader, Format, FormatKey, Line, Span, nodes.Require, nodes.Prefer, *expressions.NODES)
"""The classes of which a reader consists."""


def texts() -> tuple[tuple[str, str, str], ...]:
    """Every `read.plan` of the library: its folder, its name as people see it, and its text."""
    templates = folder("templates")
    found = []
    for place in entries(templates, "templates"):
        file = place.joinpath(FORMAT)
        if file.is_file():
            name = f"templates/{place.name}/{FORMAT}"
            found.append((place.name, name, text_of(file, name)))
    return tuple(found)


def readers() -> tuple[Reader, ...]:
    """Those of the library, by the names of their folders; what was parsed once is read from the cache."""
    return _readers(texts())


def prepared() -> tuple[str, _Packed, tuple[tuple[str, str, str], ...]]:
    """What comes with an installation, for `llmplan.cache.ready`: name, result and the texts that it depends on."""
    found = texts()
    return _KEPT, _pack(_parsed(found)), found


def names() -> list[str]:
    """What people call the files that can be read."""
    return sorted({name for reader in readers() if reader.formats for name in reader.names}, key=str.lower)


@lru_cache(maxsize=2)
def _readers(texts: tuple[tuple[str, str, str], ...]) -> tuple[Reader, ...]:
    kept = key(texts)
    packed = store.load(_KEPT, kept)
    if packed is None:
        packed = ready.load(_KEPT, texts)
        if packed is None:
            packed = _pack(_parsed(texts))
        store.keep(_KEPT, kept, packed)
    return _unpack(cast("_Packed", packed))


def _parsed(texts: tuple[tuple[str, str, str], ...]) -> tuple[Reader, ...]:
    return tuple(reader(*text) for text in texts)


def _pack(found: tuple[Reader, ...]) -> _Packed:
    packing = Placed(_RECORDS)
    packed = packing.pack(found)
    return packing.met, packed


def _unpack(kept: _Packed) -> tuple[Reader, ...]:
    sources, packed = kept
    found: tuple[Reader, ...] = Placed(_RECORDS, sources).unpack(packed)
    return found


def reader(folder: str, name: str, text: str) -> Reader:
    """What a sound `read.plan` says."""
    tree, problems = parse(Source(name, text, library=True))
    assert not problems, problems
    of = Statements.of(tree.statements)
    formats = []
    carried: list[str] = []
    asked: list[str] = []
    for kind in of.kinds:
        carried += [pattern for patterns in said(kind.decorators, "carried") for pattern in patterns]
        asked += [path for paths in said(kind.decorators, "asked") for path in paths]
        if said(kind.decorators, "syntax"):
            formats.append(_format(kind))
    lines = []
    for entry in of.entries:
        if entry.kind.text == _PLAN:
            release = " ".join(word for words in said(entry.decorators, "release") for word in words)
            where = tuple(kind for kinds in said(entry.decorators, "where") for kind in kinds)
            lines += [
                Line(field.name.text, field.value, release or (entry.name.plain or ""), folder, where)
                for field in entry.fields
            ]
    lets = {let.name.text: let.value for let in of.lets}
    rules = tuple(rule for rule in of.rules if rule.because is not None)
    names = tuple(entry.name.plain or "" for entry in of.entries if entry.kind.text == _PLAN)
    return Reader(folder, tuple(formats), tuple(lines), lets, rules, tuple(carried), tuple(asked), names)


def _format(kind: nodes.Kind) -> Format:
    words: dict[str, dict[str, str]] = {}
    for type, member, *texts in said(kind.decorators, "words"):
        words.setdefault(type, {}).update(dict.fromkeys((member, *texts), member))
    keys = {}
    for field in kind.fields:
        given = [name for names in said(field.decorators, "key") for name in names]
        unset = frozenset(value for values in said(field.decorators, "unset") for value in values)
        of_key = field.types[0]
        keys[field.name.text] = FormatKey(
            f"{kind.name.text}.{field.name.text}",
            tuple(given) or (field.name.text,),
            of_key.text,
            unset,
            of_key.is_list,
            tuple(text for texts in said(field.decorators, "shipped") for text in texts),
            tuple(pattern for patterns in said(field.decorators, "needs") for pattern in patterns),
        )
    return Format(
        kind=kind.name.text,
        syntaxes=frozenset(word for words in said(kind.decorators, "syntax") for word in words),
        recognised=tuple(tuple(patterns) for patterns in said(kind.decorators, "recognised")),
        launchers=tuple(tuple(name.split()) for names in said(kind.decorators, "launcher") for name in names),
        forwarded=tuple(tuple(words) for words in said(kind.decorators, "forwarded")),
        together=tuple(tuple(zip(words[::2], words[1::2], strict=True)) for words in said(kind.decorators, "together")),
        ignored=tuple(pattern for patterns in said(kind.decorators, "ignored") for pattern in patterns),
        unmodelled=tuple(_reasoned(kind, "unmodelled")),
        refused=tuple(_reasoned(kind, "refused")),
        files=tuple(pattern for patterns in said(kind.decorators, "file") for pattern in patterns),
        words=words,
        over=frozenset(other for others in said(kind.decorators, "over") for other in others),
        keys=keys,
        otherwise=bool(said(kind.decorators, "otherwise")),
        merged=bool(said(kind.decorators, "merged")),
        inside=tuple(name for names in said(kind.decorators, "inside") for name in names),
        prefix="".join(name for names in said(kind.decorators, "inputs") for name in names),
    )


def _reasoned(kind: nodes.Kind, decorator: str) -> Iterator[tuple[str, str]]:
    for why, *patterns in said(kind.decorators, decorator):
        for pattern in patterns:
            yield pattern, why


def fits_any(key: str, patterns: Iterable[str]) -> bool:
    """Whether a dotted key, or its last word, fits a pattern; `-` and `_` are one."""
    name = normal(key)
    last = name.rpartition(".")[2]
    return any(fnmatchcase(name, normal(one)) or fnmatchcase(last, normal(one)) for one in patterns)


def _there(pattern: str, names: Iterable[str]) -> bool:
    wanted = normal(pattern)
    if not any(mark in wanted for mark in "*?["):
        return wanted in names or any(name.startswith(f"{wanted}.") for name in names)
    return any(fnmatchcase(name, wanted) for name in names)
