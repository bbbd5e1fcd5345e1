"""TOML, by the library; the place of a key is found again in the text."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

from llmplan.read.document import Document, Item, Unreadable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found,unused-ignore]

_TABLE = re.compile(r"\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?")
_KEY = re.compile(r"\s*([\w.\"'-]+)\s*=")
_LINE = re.compile(r"line (\d+)")


def documents(file: str, text: str) -> list[Document]:
    """The one document of a text.

    Raises:
        Unreadable: It is not TOML.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = _LINE.search(str(error))
        raise Unreadable(str(error), int(at[1]) if at else 1) from None
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None
    return [Document.of("toml", file, _items(file, data, "", _lines(text)))]


def _lines(text: str) -> dict[str, int]:
    """By dotted key the line on which it stands."""
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if head := _TABLE.fullmatch(line):
            table = f"{head[1]}."
        elif key := _KEY.match(line):
            found.setdefault(re.sub("[\"']", "", table + key[1]), number)
    return found


def _items(file: str, data: dict[str, Any], prefix: str, lines: dict[str, int]) -> Iterator[Item]:
    for key, value in data.items():
        name = f"{prefix}{key}"
        line = lines.get(name, 1)
        if isinstance(value, dict):
            yield from _items(file, value, f"{name}.", lines)
        elif isinstance(value, list):
            yield Item(name, None, file, line, items=tuple(_text(one) for one in value))
        else:
            yield Item(name, _text(value), file, line, quoted=isinstance(value, str))


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
