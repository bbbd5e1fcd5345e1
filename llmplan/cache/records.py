"""Converts records to plain data that `marshal` can store, and back.

A record becomes a list: the number of its class among those that were named, then its fields. A tuple or a dict that
contains records becomes one too, with a negative number, and a fraction; other values are stored as they are, at no
cost. Only named classes can be restored, so that reading never runs foreign code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from llmplan.resources import folder, text_of
from llmplan.source import Source

_TUPLE, _DICT, _FRACTION = -1, -2, -3
_SOURCE = "@"
"""In place of the number of a class."""
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
        self._made = tuple(_constructor(cls, self._fields[cls]) for cls in self._classes)

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
        return [_FRACTION, *value.as_integer_ratio()] if type(value) is Fraction else value

    def unpack(self, value: Any) -> Any:
        """The inverse of `pack`."""
        if not isinstance(value, list):
            return value
        number, *items = [self.unpack(item) if isinstance(item, list) else item for item in value]
        if number >= 0:
            return self._made[number](*items)
        if number == _FRACTION:
            return Fraction(*items)
        return tuple(items) if number == _TUPLE else dict(zip(items[0], items[1:]))


def _constructor(cls: type, names: tuple[str, ...]) -> Callable[..., Any]:
    """What makes a record from its fields in their order."""
    if not any(field.kw_only for field in attrs.fields(cls)):
        return cls
    return lambda *values: cls(**dict(zip(names, values)))


class Placed(Packing):
    """Packs places too: of a text of the library its name is kept, any other text once.

    Args:
        sources: The texts that `met` gave when the records were packed; none to pack.
    """

    def __init__(self, classes: Iterable[type], sources: Iterable[tuple[str, str | None]] = ()) -> None:
        super().__init__(classes)
        self._sources = [
            Source(name, partial(_library_text, name), library=True) if text is None else Source(name, text)
            for name, text in sources
        ]

    @property
    def met(self) -> tuple[tuple[str, str | None], ...]:
        """The texts that were met, as plain data."""
        return tuple((source.name, None if source.library else source.text) for source in self._sources)

    def pack(self, value: Any) -> Any:
        if not isinstance(value, Source):
            return super().pack(value)
        if value not in self._sources:
            self._sources.append(value)
        return [_SOURCE, self._sources.index(value)]

    def unpack(self, value: Any) -> Any:
        if isinstance(value, list) and value[0] == _SOURCE:
            return self._sources[value[1]]
        return super().unpack(value)


def _library_text(name: str) -> str:
    top, _, rest = name.partition("/")
    return text_of(folder(top).joinpath(rest), name)
