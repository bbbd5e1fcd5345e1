"""Records as plain data that `marshal` can hold, and back.

A record becomes a list: the number of its class among those that were named, then its fields. Tuples
and dicts stay what they are, and no record holds a list of its own. Only classes that were named can
come back: what is read runs no code of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

_PLAIN = frozenset((str, float, int, bool, type(None)))


class Packing:
    """Packs and unpacks records of some attrs classes.

    Args:
        classes: All fields are arguments of the constructor. Their order is part of what is packed.
    """

    def __init__(self, classes: Iterable[type]) -> None:
        self._classes = tuple(classes)
        self._fields = {cls: (at, _fields(cls)) for at, cls in enumerate(self._classes)}

    def pack(self, value: Any) -> Any:
        """The value as plain data."""
        cls = type(value)
        if cls in _PLAIN:
            return value
        if cls is tuple:
            return tuple([self.pack(item) for item in value])
        if cls is dict:
            return {key: self.pack(item) for key, item in value.items()}
        number, names = self._fields[cls]
        return [number, *[self.pack(getattr(value, name)) for name in names]]

    def unpack(self, value: Any) -> Any:
        """The inverse of `pack`."""
        if type(value) is list:
            number, *fields = value
            return self._classes[number](*[item if type(item) in _PLAIN else self.unpack(item) for item in fields])
        if type(value) is tuple:
            return tuple([item if type(item) in _PLAIN else self.unpack(item) for item in value])
        if type(value) is dict:
            return {key: self.unpack(item) for key, item in value.items()}
        return value


def _fields(cls: type) -> tuple[str, ...]:
    return tuple(field.name for field in attrs.fields(cls))
