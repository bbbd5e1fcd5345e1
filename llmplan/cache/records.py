"""Converts records to plain data that `marshal` can store, and back.

A record becomes a list: the number of its class among those that were named, then its fields. A tuple or a dict that
contains records becomes one too, with a negative number; other values are stored as they are, at no cost. Only named
classes can be restored, so that reading never runs foreign code.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

_TUPLE, _DICT = -1, -2
_PLAIN = frozenset({str, int, float, bool, type(None)})


class Packing:
    """Packs and unpacks records of some attrs classes.

    Args:
        classes: Classes whose fields are all arguments of the constructor. Their order is part of the packed data.
    """

    def __init__(self, classes: Iterable[type]) -> None:
        self._classes = tuple(classes)
        self._numbers = {cls: number for number, cls in enumerate(self._classes)}
        self._fields = {cls: tuple(field.name for field in attrs.fields(cls)) for cls in self._classes}

    def pack(self, value: Any) -> Any:
        """The value as plain data."""
        number = self._numbers.get(type(value))
        if number is not None:
            parts = [getattr(value, name) for name in self._fields[type(value)]]
            return [number, *[part if type(part) in _PLAIN else self.pack(part) for part in parts]]
        if isinstance(value, tuple):
            items = [self.pack(item) for item in value]
            return [_TUPLE, *items] if any(isinstance(item, list) for item in items) else value
        if isinstance(value, dict):
            items = [self.pack(item) for item in value.values()]
            return [_DICT, tuple(value), *items] if any(isinstance(item, list) for item in items) else value
        return value

    def unpack(self, value: Any) -> Any:
        """The inverse of `pack`."""
        if not isinstance(value, list):
            return value
        number, *items = [self.unpack(item) if isinstance(item, list) else item for item in value]
        if number >= 0:
            return self._classes[number](*items)
        return tuple(items) if number == _TUPLE else dict(zip(items[0], items[1:]))
