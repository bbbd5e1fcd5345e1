"""What a file says, whatever its syntax: keys with their values and places.

A value is kept as it is written, since what `1e5`, `no` or `8` mean depends on the key: its type says that later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attrs import field, frozen

from llmplan.units import amount

UNKNOWN = "\ue000"
"""Stands in a text for a part that is known only where the file is run: `$1`, `$(hostname)`."""

MOST_ITEMS = 20_000
MOST_CHARACTERS = 4_000_000
"""Of one file; a larger one is no configuration."""

_PLACEHOLDER = re.compile(
    r"<[^<>]*>|\?\?\?|X{2,}|x{3,}|\.\.\.|YOUR[_ -].*|.*/YOUR[_ -].*|CHANGE[_ ]?ME|TODO|\{\{.*\}\}|\$\{?\w+\}?|\$\(.*\)"
)
NULL = frozenset({"null", "Null", "NULL", "~", "None", "none", ""})
"""Texts without quotes that are no value; where a word `none` is one, its type says so before this is asked."""


class Unreadable(Exception):
    """A text that is not of its syntax; why in a few words, and the line."""

    def __init__(self, why: str, line: int = 1) -> None:
        super().__init__(why)
        self.line = line


@frozen
class Item:
    """One key of a file.

    Attributes:
        key: Dotted, as it is written; of a flag without its dashes.
        text: Its value as written, None for null and for a list.
        items: The texts of a list of plain values, else None.
        quoted: Whether quotes say that the value is a text.
    """

    key: str
    text: str | None
    file: str
    line: int
    items: tuple[str, ...] | None = None
    quoted: bool = False

    @property
    def known(self) -> bool:
        """Whether the value is a value: neither a placeholder nor something that only a run would tell."""
        if self.items is not None:
            return not any(UNKNOWN in item for item in self.items)
        return self.text is not None and UNKNOWN not in self.text and not _PLACEHOLDER.fullmatch(self.text.strip())

    @property
    def shown(self) -> str:
        """The value as a list of keys shows it."""
        if self.items is not None:
            return f"[{', '.join(self.items)}]".replace(UNKNOWN, "…")
        return "null" if self.text is None else self.text.replace(UNKNOWN, "…")

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


@frozen
class Document:
    """One configuration: a file, one of several in a file, or the options of one command.

    Attributes:
        syntax: `json`, `yaml`, `toml`, `flags`, `hydra`, `python`, `environment`, `installed` or `sbatch`.
        items: By normalised key; of a key that is given twice the last.
        program: Of a command's options the words that name the program.
        repeated: What the last value of a key replaced, where it is another value.
    """

    syntax: str
    file: str
    items: dict[str, Item]
    program: tuple[str, ...] = ()
    repeated: tuple[Item, ...] = field(default=())

    @classmethod
    def of(cls, syntax: str, file: str, items: Iterable[Item], program: tuple[str, ...] = ()) -> Document:
        found: dict[str, Item] = {}
        repeated = []
        for item in _bounded(items):
            name = normal(item.key)
            if name in found and found[name].shown != item.shown:
                repeated.append(found[name])
            found[name] = item
        return cls(syntax, file, found, program, tuple(repeated))


def normal(key: str) -> str:
    """A key for comparison: `-` and `_` are one."""
    return key.replace("-", "_")


def _bounded(items: Iterable[Item]) -> Iterator[Item]:
    for count, item in enumerate(items):
        if count >= MOST_ITEMS:
            raise Unreadable(f"it has more than {amount.count(MOST_ITEMS)} keys", item.line)
        yield item
