"""What stands in for triton, which frameworks import and only GPUs need."""

import sys
import types
import typing


class Anything:
    """A decorator, a type, a constant."""

    def __call__(self, *given, **named):
        return given[0] if len(given) == 1 and callable(given[0]) and not named else self

    def __getattr__(self, name):
        return self

    def __getitem__(self, key):
        return self


class Empty(types.ModuleType):
    __path__: typing.ClassVar[list[str]] = []
    __version__ = "3.0.0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


def empty(*names):
    """Modules of which any name can be imported."""
    for name in names:
        sys.modules[name] = Empty(name)
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, sys.modules[name])
