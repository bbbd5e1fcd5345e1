"""The options of a command: `--a 1 --b=2 --c`, `-N 4`, and Hydra's `a.b=1`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from attrs import frozen

from llmplan.read.document import Document, Item

_OPTION = re.compile(r"--?[A-Za-z]")
_ASSIGNED = re.compile(r"(\+{0,2}|~)([A-Za-z_][\w./@-]*)=(.*)", re.DOTALL)
_DOTTED = re.compile(r"[+~]*[A-Za-z_]\w*\.[\w./@-]*=")
_PLAIN = re.compile(r"[+~]*[A-Za-z_]\w*=")
_NO_ASSIGNMENT = re.compile(r"https?://")


@frozen
class Word:
    """A word of a command with the place where it stands."""

    text: str
    line: int


def document(
    syntax: str, file: str, words: Sequence[Word], program: tuple[str, ...] = (), switches: Collection[str] = ()
) -> Document:
    """The options among words; those of `switches` take no value."""
    return Document.of(syntax, file, _items(file, words, switches), program)


def is_option(word: str) -> bool:
    return _OPTION.match(word) is not None


def _items(file: str, words: Sequence[Word], switches: Collection[str]) -> Iterator[Item]:
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if is_option(word.text):
            name, equals, value = word.text.lstrip("-").partition("=")
            if equals:
                yield Item(name, value, file, word.line)
                continue
            values: list[str] = []
            while at < len(words) and not is_option(words[at].text) and name.replace("-", "_") not in switches:
                if values and _DOTTED.match(words[at].text):
                    break
                if values and _PLAIN.match(words[at].text) and not _PLAIN.match(values[0]):
                    break  # `--config FILE batch_size=2`
                values.append(words[at].text)
                at += 1
            if not values:
                yield Item(name, "true", file, word.line)
            elif len(values) == 1:
                yield Item(name, values[0], file, word.line)
            else:
                yield Item(name, values[0], file, word.line, items=tuple(values))
        elif (given := _ASSIGNED.fullmatch(word.text)) and not _NO_ASSIGNMENT.match(word.text):
            value = given[3]
            listed = value.strip("[]").split(",") if value.startswith("[") and value.endswith("]") else None
            yield Item(given[2], None if value in ("null", "None") else value, file, word.line,
                       items=tuple(one.strip(" '\"") for one in listed) if listed is not None else None)  # fmt: skip
