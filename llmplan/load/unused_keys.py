"""Keys of a configuration file that name structure and that no formula of its table reads.

Takes the file's values and what the tables say: the keys that they read, words of keys that name structure, keys that
are known to change nothing. A model is never counted by a default where the file says something else under another key.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase

from attrs import frozen

from llmplan.source import Span
from llmplan.syntax import nodes

_SLIP = 0.87  # so much alike are a key and its misspelling, and hardly ever two keys of the library
_WORD = 60  # characters of a key that is looked at


@frozen
class Known:
    """The tables' knowledge of keys.

    Attributes:
        declared: The keys that the table of any type reads.
        structure: Patterns of keys that name structure.
        ignored: Patterns of keys that change nothing that is counted.
    """

    declared: frozenset[str]
    structure: tuple[str, ...]
    ignored: tuple[str, ...]


def unread(values: Mapping[str, nodes.Expr], read: Collection[str], known: Known) -> Iterator[str]:
    """The keys that say something of the structure that is not read, in the order of the file."""
    read = {*read, *(_owner(key) for key in read)}
    objects = {_owner(key) for key in known.declared} - {""}
    for key, value in values.items():
        owner = _owner(key)
        if key in read or not _says(value) or (owner and (owner in values or owner not in objects)):
            continue
        word = key.rpartition(".")[2]
        if _fits(key, known.ignored) or _fits(word, known.ignored):
            continue
        slip = len(word) <= _WORD and get_close_matches(word, read, 1, _SLIP)
        if key in known.declared or _fits(word, known.structure) or slip:
            yield key


def place(key: str, value: Span) -> Span:
    """Where a key stands, from where its value does."""
    written = f'"{key.rpartition(".")[2]}"'
    at = value.source.text.rfind(written, 0, value.start)
    return Span(value.source, at, at + len(written)) if at >= 0 else value


def meant(missing: str, values: Mapping[str, nodes.Expr], read: Collection[str]) -> str | None:
    """The key of a file that is probably a missing one, misspelt."""
    others = [key for key in values if key not in read and len(key) <= _WORD]
    return next(iter(get_close_matches(missing, others, 1, _SLIP - 0.1)), None)


def _owner(key: str) -> str:
    """The object or list that holds a dotted key, empty for another."""
    return key.rpartition(".")[0]


def _says(value: nodes.Expr) -> bool:
    """Whether a value asks for something: a number above 0, a list that is not empty, `true`."""
    if isinstance(value, nodes.Bool):
        return value.value
    return isinstance(value, nodes.Number) and value.value != 0


def _fits(key: str, patterns: Collection[str]) -> bool:
    return any(fnmatchcase(key, pattern) for pattern in patterns)
