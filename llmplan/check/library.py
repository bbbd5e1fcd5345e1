"""The standard library and the catalog: parsed and checked once, then read from the cache by the piece.

The cache holds the checked library as packed tuples, keyed by the content of every file and of the
compiler; only what a plan reaches is unpacked. Without a cache everything works the same, slower.
"""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmplan.cache import store
from llmplan.check.declare import Declarations
from llmplan.check.program import pack, unpack
from llmplan.check.scope import Lazy, Overlay, Scope
from llmplan.diagnostics import Diagnostic
from llmplan.resources import folder
from llmplan.source import Source
from llmplan.syntax import nodes
from llmplan.syntax.parse import parse
from llmplan.units.measure import EnumType
from llmplan.units.table import UnitTable, UnitWord

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

CACHE_NAME = "library"


def library_files(plans: Traversable | None = None) -> dict[str, str]:
    """Text of every file of the library by the name under which people know it, in a fixed order.

    Args:
        plans: Its folder; that of llmplan if None.
    """
    base = folder("plans") if plans is None else plans
    found: dict[str, str] = {}
    for part in ("std", "catalog"):
        for entry in sorted(base.joinpath(part).iterdir(), key=lambda e: e.name):
            if entry.name.endswith(".plan"):
                found[f"plans/{part}/{entry.name}"] = entry.read_text(encoding="utf-8")
    return found


def library_hash(texts: Mapping[str, str]) -> str:
    """A hash of the library's texts."""
    digest = hashlib.sha256()
    for name, text in texts.items():
        digest.update(f"{name}\0{len(text)}\0{text}".encode())
    return digest.hexdigest()


def _compiler_hash() -> str:
    """A hash of the code that makes the cached form, so that a new compiler does not read an old one's."""
    digest = hashlib.sha256()
    package = Path(__file__).resolve().parent.parent
    for part in ("check", "syntax", "units"):
        directory = package / part
        for file in sorted(directory.glob("*.py")) if directory.is_dir() else ():
            digest.update(file.read_bytes())
    return digest.hexdigest()


def load(texts: Mapping[str, str] | None = None) -> tuple[Scope, str, list[Diagnostic]]:
    """A scope that holds the library, the library's hash, and what is wrong with it (nothing, when shipped).

    Args:
        texts: Of its files; those of llmplan's own library if None.
    """
    texts = library_files() if texts is None else texts
    content = library_hash(texts)
    key = hashlib.sha256((content + _compiler_hash()).encode()).hexdigest()
    cached = store.load(CACHE_NAME, key)
    if isinstance(cached, dict):
        return _restore(cached, texts), content, []
    scope, problems = build(texts)
    if not problems:
        stored = _freeze(scope)
        store.keep(CACHE_NAME, key, stored)
    return scope, content, problems


def build(texts: Mapping[str, str]) -> tuple[Scope, list[Diagnostic]]:
    """Parses and checks the library's files as one."""
    scope = Scope()
    problems: list[Diagnostic] = []
    statements: list[nodes.Statement] = []
    for name, text in texts.items():
        source = Source(name, text, library=True)
        scope.sources[name] = source
        tree, found = parse(source)
        problems += found
        statements += tree.statements
    Declarations(scope, problems.append, "library").declare(statements)
    return scope, problems


def _freeze(scope: Scope) -> dict[str, Any]:
    def blobs(table: Mapping[str, Any]) -> dict[str, bytes]:
        return {name: marshal.dumps(pack(table[name])) for name in table}

    return {
        "words": {w: (u.name, str(u.factor), pack(u.measure)) for w, u in scope.units.words.items()},
        "counts": sorted(scope.units.counts),
        "bases": scope.units.bases,
        "dimensions": scope.dimensions,
        "enums": {name: enum.members for name, enum in scope.enums.items()},
        "kinds": scope.kinds,
        "fields": blobs(scope.fields),
        "quantities": blobs(scope.quantities),
        "functions": blobs(scope.functions),
        "entries": {kind: blobs(table) for kind, table in scope.entries.items()},
        "aliases": scope.aliases,
        "rules": blobs(scope.rules),
        "goals": pack(scope.goals),
        "selectors": scope.selectors,
    }


def _thaw(blob: Any) -> Any:
    return unpack(marshal.loads(blob))


def _unit(frozen: Any) -> UnitWord:
    name, factor, measure = frozen
    return UnitWord(name, Fraction(factor), unpack(measure))


def _restore(cached: dict[str, Any], texts: Mapping[str, str]) -> Scope:
    def lazy(name: str) -> Overlay[Any]:
        return Overlay(Lazy(cached[name], _thaw))

    words: dict[str, UnitWord] = LazyDict(cached["words"], _unit)
    return Scope(
        units=UnitTable(words, set(cached["counts"]), dict(cached["bases"])),
        dimensions=dict(cached["dimensions"]),
        enums={name: EnumType(name, members) for name, members in cached["enums"].items()},
        kinds=dict(cached["kinds"]),
        fields=lazy("fields"),
        quantities=lazy("quantities"),
        functions=lazy("functions"),
        entries={kind: Overlay(Lazy(table, _thaw)) for kind, table in cached["entries"].items()},
        aliases={kind: dict(index) for kind, index in cached["aliases"].items()},
        rules=lazy("rules"),
        goals=unpack(cached["goals"]),
        selectors=dict(cached["selectors"]),
        sources={name: Source(name, partial(_text, texts, name), library=True) for name in texts},
    )


def _text(texts: Mapping[str, str], name: str) -> str:
    return texts[name]


class LazyDict(dict[str, Any]):
    """A dict whose values are made from a frozen form when first read."""

    def __init__(self, frozen: Mapping[str, Any], make: Any) -> None:
        super().__init__(frozen)
        self._make = make

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        if isinstance(value, tuple):
            value = self._make(value)
            self[key] = value
        return value

    def get(self, key: str, default: Any = None) -> Any:
        try:
            return self[key]
        except KeyError:
            return default
