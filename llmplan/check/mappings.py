"""Mappings of a scope: values that are built when they are asked for, and a plan's definitions over the library's.

Input: a mapping from names. Output: another that reads it. Neither changes the mapping that it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, TypeVar

T = TypeVar("T")


class Lazy(Mapping[str, T]):
    """A mapping whose values are built when first asked for."""

    def __init__(self, keys: Mapping[str, Any], make: Callable[[Any], T]) -> None:
        self._raw, self._make = keys, make
        self._made: dict[str, T] = {}

    def __getitem__(self, key: str) -> T:
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._make(self._raw[key])
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def __contains__(self, key: object) -> bool:
        return key in self._raw


class Overlay(MutableMapping[str, T]):
    """A plan's own definitions on top of the library's."""

    def __init__(self, below: Mapping[str, T]) -> None:
        self.below = below
        self.own: dict[str, T] = {}

    def __getitem__(self, key: str) -> T:
        return self.own[key] if key in self.own else self.below[key]

    def __setitem__(self, key: str, value: T) -> None:
        self.own[key] = value

    def __delitem__(self, key: str) -> None:
        del self.own[key]

    def __iter__(self) -> Iterator[str]:
        yield from self.below
        for key in self.own:
            if key not in self.below:
                yield key

    def __len__(self) -> int:
        return len(self.below) + sum(key not in self.below for key in self.own)

    def __contains__(self, key: object) -> bool:
        return key in self.own or key in self.below
