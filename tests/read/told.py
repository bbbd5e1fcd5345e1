"""What a test asks of reading: texts in, inputs of a plan out."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from llmplan import importing
from llmplan.check import library
from llmplan.read import formats, sources
from llmplan.read.reading import Reading, read

READERS = formats.readers()
FORMATS = [format for reader in READERS for format in reader.formats]
INPUTS = importing.library_of(library.load(tables=False)[0], Path()).inputs


def reading(**texts: str) -> Reading:
    """What files say; a name has `_` for its point."""
    return of({name.replace("_", ".", 1): text for name, text in texts.items()})


def of(texts: dict[str, str]) -> Reading:
    found = sources.gather(list(texts.items()), FORMATS)
    assert not found.failed, found.failed
    launches = sources.runs(found, FORMATS)
    assert len(launches) <= 1, [one.shown for one in launches]
    chosen = launches[0].documents if launches else ()
    return read((*found.documents, *chosen), READERS, {}, INPUTS)


def said(found: Reading, *paths: str) -> Any:
    """The values of inputs that files say, None for a default; of one path its value."""
    values = tuple(_plain(found, path) for path in paths)
    return values[0] if len(values) == 1 else values


def usual(found: Reading, path: str) -> Any:
    """A default of the software."""
    one = found.found.get(path)
    return None if one is None or not one.release else _number(one.value.data)


def fates(found: Reading) -> dict[str, str]:
    return {fate.item.key: fate.fate for fate in found.fates}


def _plain(found: Reading, path: str) -> Any:
    one = found.found.get(path)
    return None if one is None or one.release else _number(one.value.data)


def _number(data: Any) -> Any:
    if isinstance(data, Fraction):
        return data.numerator if data.denominator == 1 else float(data)
    return data
