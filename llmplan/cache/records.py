"""Records as plain data that `marshal` can hold, and back.

A record becomes a tuple `("#", class name, field, …)`; tuples, dicts and what is plain already stay
what they are. Only classes that were named can come back: what is read runs no code of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import attrs


class Packing:
    """Packs and unpacks records of some attrs classes.

    Args:
        classes: Told apart by their names; all fields are arguments of the constructor.
        plain: Whether a field holds plain data only, which is then carried as it is.
    """

    def __init__(
        self, classes: Iterable[type], plain: Callable[[attrs.Attribute[Any]], bool] = lambda field: False
    ) -> None:
        self._classes = {
            cls.__name__: (cls, tuple((field.name, plain(field)) for field in attrs.fields(cls))) for cls in classes
        }

    def pack(self, value: Any) -> Any:
        """The value as plain data."""
        if isinstance(value, tuple):
            return tuple([self.pack(item) for item in value])
        if isinstance(value, dict):
            return {key: self.pack(item) for key, item in value.items()}
        name = type(value).__name__
        if name in self._classes:
            parts = ((getattr(value, field), plain) for field, plain in self._classes[name][1])
            return ("#", name, *(part if plain else self.pack(part) for part, plain in parts))
        return value

    def unpack(self, value: Any) -> Any:
        """The inverse of `pack`."""
        if isinstance(value, tuple):
            if value and value[0] == "#":
                cls, fields = self._classes[value[1]]
                parts = zip(value[2:], fields)
                return cls(*[part if plain else self.unpack(part) for part, (_, plain) in parts])
            return tuple([self.unpack(item) for item in value])
        if isinstance(value, dict):
            return {key: self.unpack(item) for key, item in value.items()}
        return value
