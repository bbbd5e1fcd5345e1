"""The standard library and the catalog: parsed and checked once, then read from the cache piece by piece.

The cache holds the checked library as packed tuples, keyed by the content of every file; only the records that a plan
needs are unpacked. Without a cache everything works the same, only slower.
"""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from attrs import evolve

from llmplan.cache import ready, store
from llmplan.cache.key import key
from llmplan.check.declare import Declarations
from llmplan.check.define import Definitions
from llmplan.check.mappings import Lazy, Overlay
from llmplan.check.program import pack, unpack
from llmplan.check.scope import Scope
from llmplan.diagnostics import Diagnostic
from llmplan.diagnostics.names import unknown_target
from llmplan.installation import Broken
from llmplan.load.files import shown
from llmplan.resources import CONFIGS, LIBRARY, MANIFEST, TARGET, entries, folder, read, text_of
from llmplan.source import Source
from llmplan.syntax import nodes
from llmplan.syntax.parse import parse
from llmplan.syntax.statements import Statements
from llmplan.units.measure import EnumType
from llmplan.units.table import UnitTable, UnitWord

if TYPE_CHECKING:
    from llmplan.resources import Traversable

CACHE_NAME = "library"
_TABLES = "tables"
_RECORDS = ("fields", "quantities", "functions", "rules")  # tables of a scope whose records are unpacked one by one
_PLAIN = (
    "dimensions",
    "kinds",
    "aliases",
    "selectors",
    "banded",
    "apart",
    "priors",
    "scatter",
    "alike",
    "timers",
    "suspects",
    "assumable",
    "calendar",
    "software",
    "told_as",
    "comparable",
    "as_published",
    "as_is",
    "cliffs",
    "parts",
    "compared",
    "usual",
    "columns",
    "patterns",
    "emitted",
    "spoken",
    "meant",
    "unmodelled",
)  # the tables that are stored as they are

_latest: dict[str, Scope] = {}
"""The library loaded last, by its hash: a process builds each record once, for all plans that it checks."""


def library_files(root: Path | None = None, templates: Path | None = None) -> dict[str, str]:
    """The text of every file of the library (or of a copy), targets included, by the name shown to people.

    Args:
        root: The folder with `plans` and `templates` of the copy.
        templates: A folder of templates laid over the library's: its version of a target wins, and each further folder
            in it is a further target.

    Raises:
        OSError, UnicodeError: A file in `templates` cannot be read.
    """
    base = folder("plans") if root is None else root / "plans"
    found: dict[str, str] = {}
    for part in LIBRARY:
        for entry in entries(base.joinpath(part), f"plans/{part}"):
            if entry.name.endswith(".plan"):
                name = f"plans/{part}/{entry.name}"
                found[name] = text_of(entry, name)
        if root is None and not any(name.startswith(f"plans/{part}/") for name in found):
            raise Broken(f"`plans/{part}` holds no file")
    return found | _targets(folder("templates") if root is None else root / "templates", templates)


def _targets(own: Traversable, templates: Path | None) -> dict[str, str]:
    """The `target.plan` of every target's folder, in the order of their names."""
    found: dict[str, tuple[str, str]] = {}
    for entry in entries(own, "templates") if own.is_dir() else ():
        file = entry.joinpath(TARGET)
        if file.is_file():
            name = f"templates/{entry.name}/{TARGET}"
            found[entry.name] = name, text_of(file, name)
    for folder_ in sorted(templates.iterdir()) if templates is not None and templates.is_dir() else ():
        file = folder_ / TARGET
        if file.is_file() and (folder_.name in found or (folder_ / MANIFEST).is_file()):
            found[folder_.name] = shown(file), read(file)
    return dict(found[name] for name in sorted(found))


def library_hash(texts: Mapping[str, str]) -> str:
    """A hash of the library's texts."""
    return _hash(tuple(texts.items()))


@lru_cache(maxsize=2)
def _hash(texts: tuple[tuple[str, str], ...]) -> str:
    digest = hashlib.sha256()
    for name, text in texts:
        digest.update(f"{name}\0{len(text)}\0{text}".encode())
    return digest.hexdigest()


def load(texts: Mapping[str, str] | None = None, tables: bool = True) -> tuple[Scope, str, list[Diagnostic]]:
    """A scope that holds the library (llmplan's own if None), its hash, and the diagnostics.

    Args:
        tables: False to skip the tables for reading configurations, which only a plan with configurations needs.
    """
    texts = library_files() if texts is None else texts
    content = library_hash(texts)
    if content not in _latest:
        kept = key(content)
        frozen = store.load(CACHE_NAME, kept)
        if not isinstance(frozen, dict):
            frozen = ready.load(CACHE_NAME, content)
            if not isinstance(frozen, dict):
                scope, problems = _built(texts)
                if problems:
                    return scope, content, problems + (tables_of(scope, texts) if tables else [])
                frozen = _freeze(scope)
            store.keep(CACHE_NAME, kept, frozen)
        _latest.clear()
        _latest[content] = _restore(frozen)
    scope = _over(_latest[content], texts)
    return scope, content, tables_of(scope, texts) if tables else []


def prepared() -> tuple[str, dict[str, Any], str]:
    """What comes with an installation, for `llmplan.cache.ready`: name, result and the hash that it depends on.

    Raises:
        ValueError: The library has mistakes.
    """
    texts = library_files()
    scope, problems = _built(texts)
    if problems:
        raise ValueError(problems[0].message)
    return CACHE_NAME, _freeze(scope), library_hash(texts)


def build(texts: Mapping[str, str]) -> tuple[Scope, list[Diagnostic]]:
    """Parses and checks the library's files together, without the cache."""
    scope, problems = _built(texts)
    return scope, problems + _wrong_in(scope, texts)


def tables_of(scope: Scope, texts: Mapping[str, str] | None = None) -> list[Diagnostic]:
    """Mistakes in the tables for reading configurations, checked on top of a library; a clean result is cached."""
    texts = library_files() if texts is None else texts
    kept = key(library_hash(texts))
    if store.load(_TABLES, kept) is True:
        return []
    wrong = _wrong_in(scope, texts)
    if not wrong:
        store.keep(_TABLES, kept, True)
    return wrong


def unknown_targets(scope: Scope, folders: Collection[str]) -> list[Diagnostic]:
    """E0201 for an `emits` in the library that names no folder of templates and would always be false.

    Args:
        folders: Those of the product and of the user; each with a `target.plan` in the library is known too.
    """
    own = {PurePath(name).parent.name for name in scope.sources if PurePath(name).name == TARGET}
    known = sorted(own.union(folders))
    return [
        unknown_target(scope.span(place), target, known)
        for target, places in scope.emitted.items()
        if target not in known
        for place in dict.fromkeys(places)
    ]


def _built(texts: Mapping[str, str]) -> tuple[Scope, list[Diagnostic]]:
    scope = Scope(sources={name: Source(name, text, library=True) for name, text in texts.items()})
    problems: list[Diagnostic] = []
    _declare(scope, [name for name in texts if not _is_table(name)], problems)
    return scope, problems


def _wrong_in(scope: Scope, texts: Mapping[str, str]) -> list[Diagnostic]:
    """The tables see the rest of the library, but not the other way round: their kind is for them alone, and their
    entries describe configurations and are not part of the catalog. Of a kind that they describe they see no other.
    """
    problems: list[Diagnostic] = []
    tables = [name for name in texts if _is_table(name)]
    described = {
        entry.kind.text for name in tables for entry in Statements.of(parse(scope.sources[name])[0].statements).entries
    }
    apart = evolve(
        scope,
        kinds=dict(scope.kinds),
        fields=Overlay(scope.fields),
        entries={kind: Overlay(table) for kind, table in scope.entries.items() if kind not in described},
        aliases={kind: dict(table) for kind, table in scope.aliases.items() if kind not in described},
    )
    _declare(apart, tables, problems)
    return problems


def _is_table(name: str) -> bool:
    return name.startswith(f"plans/{CONFIGS}/")


def _declare(scope: Scope, files: Sequence[str], problems: list[Diagnostic]) -> None:
    statements: list[nodes.Statement] = []
    for name in files:
        tree, mistakes = parse(scope.sources[name])
        problems += mistakes
        statements += tree.statements
    declared = Declarations(scope, problems.append)
    declared.declare(statements)
    Definitions(scope, problems.append, "library").define(statements, declared.alternatives)


def _freeze(scope: Scope) -> dict[str, Any]:
    def blobs(table: Mapping[str, Any]) -> dict[str, bytes]:
        return {name: marshal.dumps(pack(table[name])) for name in table}

    return {
        "words": {w: (u.name, str(u.factor), pack(u.measure)) for w, u in scope.units.words.items()},
        "counts": sorted(scope.units.counts),
        "bases": scope.units.bases,
        "enums": {name: enum.members for name, enum in scope.enums.items()},
        "entries": {kind: blobs(table) for kind, table in scope.entries.items()},
        "goals": pack(scope.goals),
        **{table: blobs(getattr(scope, table)) for table in _RECORDS},
        **{table: getattr(scope, table) for table in _PLAIN},
    }


def _restore(frozen: Mapping[str, Any]) -> Scope:
    """The library as a scope whose records are unpacked when they are first read."""

    def lazy(blobs: Mapping[str, bytes]) -> Overlay[Any]:
        return Overlay(Lazy(blobs, lambda blob: unpack(marshal.loads(blob))))

    tables: dict[str, Any] = {table: lazy(frozen[table]) for table in _RECORDS}
    tables |= {table: frozen[table] for table in _PLAIN}
    return Scope(
        units=UnitTable(Overlay(Lazy(frozen["words"], _unit)), set(frozen["counts"]), frozen["bases"]),
        enums={name: EnumType(name, members) for name, members in frozen["enums"].items()},
        entries={kind: lazy(table) for kind, table in frozen["entries"].items()},
        goals=unpack(frozen["goals"]),
        **tables,
    )


def _unit(frozen: Any) -> UnitWord:
    name, factor, measure = frozen
    return UnitWord(name, Fraction(factor), unpack(measure))


def _over(library: Scope, texts: Mapping[str, str]) -> Scope:
    """A scope on top of the library's, which stays unchanged."""
    units = library.units
    tables: dict[str, Any] = {table: Overlay(getattr(library, table).below) for table in _RECORDS}
    tables |= {table: dict(getattr(library, table)) for table in (*_PLAIN, "enums")}
    tables["aliases"] = {kind: dict(index) for kind, index in library.aliases.items()}
    tables["usual"] = {kind: dict(index) for kind, index in library.usual.items()}
    return Scope(
        units=UnitTable(Overlay(units.words), set(units.counts), dict(units.bases)),
        entries={kind: Overlay(table.below) for kind, table in library.entries.items()},
        goals=library.goals,
        **tables,
        sources={name: Source(name, text, library=True) for name, text in texts.items()},
    )
