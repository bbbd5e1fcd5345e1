"""`model from "config.json"`: a configuration file as an entry of the catalog.

Which key means what is said by tables in the plan language (`plans/configs/`), one entry for each
`model_type`, whose formulas read `config.key`. Here the keys are replaced by the file's values, and
what remains is an ordinary entry. Only plain JSON data is read, nothing in it is run.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import attrs
from attrs import evolve, frozen

from llmplan.diagnostics import Diagnostic, config
from llmplan.resources import folder
from llmplan.source import Source, Span
from llmplan.syntax import nodes
from llmplan.syntax.parse import parse

TABLES = "plans/configs"
_DEPTH = 4  # objects inside objects that are looked into
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


@frozen
class Configured:
    """What a file says of a kind.

    Attributes:
        entry: An entry that is called as the file.
        data: What the file holds, the same for every way to write it.
        sources: The file and the tables: places in the entry are places in these.
    """

    entry: nodes.Entry
    data: str
    sources: tuple[Source, ...]


def read(kind: str, name: str, source: Source, at: Span) -> Configured | Diagnostic:
    """The entry of a kind that a configuration file describes.

    Args:
        name: What the entry is called.
        source: The file.
        at: Where the plan names it.

    Returns:
        The entry, or E0209 if the file is no JSON, of a type that no table knows, or lacks keys.
    """
    try:
        data = json.loads(source.text, parse_constant=_no_constant)
        if not isinstance(data, dict):
            return config.no_json(at, source.name, "it is not a JSON object")
        values = dict(_object(source, _skip(source.text, 0), "", _DEPTH))
        plain = json.dumps(data, sort_keys=True)
    except (ValueError, OverflowError) as error:
        return config.no_json(at, source.name, getattr(error, "msg", "") or "a number in it is too large")
    except RecursionError:
        return config.no_json(at, source.name, "it is nested too deeply")
    found = _entry(kind, name, source.name, values, at)
    if isinstance(found, Diagnostic):
        return found
    entry, tables = found
    return Configured(entry, plain, (source, *tables))


def _entry(
    kind: str, name: str, file: str, values: Mapping[str, nodes.Expr], at: Span
) -> tuple[nodes.Entry, tuple[Source, ...]] | Diagnostic:
    tables, entries = _tables(kind)
    if not entries:
        return config.no_kind(at, kind)
    found = values.get("model_type")
    type = found.plain if isinstance(found, nodes.Text) else None
    if type not in entries:
        inner = {
            key.removeprefix("text_config."): v for key, v in values.items() if key.startswith("text_config.")
        }
        if inner:
            # A model that also sees or hears keeps its language model there.
            return _entry(kind, name, file, inner, at)
        place = found.span if found is not None else at
        return config.unknown_type(at, place, file, type, entries, _given(entries, values))
    fields = []
    missing: dict[str, None] = {}
    for field in _fields(entries, type):
        try:
            fields.append(evolve(field, value=_resolve(field.value, values)))
        except _Missing as absent:
            missing[str(absent)] = None
    if missing:
        return config.lacks_keys(at, file, type, list(missing))
    entry = nodes.Entry(
        span=at,
        doc=f"Read from {file}, a {type}.",
        kind=nodes.Word(span=at, text=kind),
        name=nodes.Text(span=at, parts=(name,)),
        like=None,
        fields=tuple(fields),
        decorators=entries[type].decorators,
    )
    return entry, tables


# Tables


def _tables(kind: str) -> tuple[tuple[Source, ...], dict[str, nodes.Entry]]:
    """The tables' texts, and their entries of a kind by each `model_type`."""
    sources = []
    entries: dict[str, nodes.Entry] = {}
    for file in sorted(folder("plans").joinpath("configs").iterdir(), key=lambda file: file.name):
        source = Source(f"{TABLES}/{file.name}", file.read_text(encoding="utf-8"), library=True)
        sources.append(source)
        for entry in parse(source)[0].statements:
            if isinstance(entry, nodes.Entry) and entry.kind.text == kind:
                further = [
                    name.plain for d in entry.decorators if d.name.text == "names" for name in d.arguments
                ]
                for name in (entry.name.plain, *further):
                    entries[name or ""] = evolve(
                        entry, decorators=tuple(d for d in entry.decorators if d.name.text != "names")
                    )
    return tuple(sources), entries


def _fields(entries: Mapping[str, nodes.Entry], type: str) -> list[nodes.Field]:
    """The fields of an entry and of those that it is like, each once."""
    found: dict[str, nodes.Field] = {}
    while True:
        entry = entries[type]
        for field in entry.fields:
            found.setdefault(field.name.text, field)
        if entry.like is None:
            return list(found.values())
        type = entry.like.plain or ""


def _given(entries: Mapping[str, nodes.Entry], values: Mapping[str, nodes.Expr]) -> dict[str, str | None]:
    """By field that every type has and some read from one key: its value by such a key, None if all are missing."""
    found: dict[str, str | None] = {}
    fields = [{field.name.text: field.value for field in _fields(entries, type)} for type in entries]
    for name in fields[0]:
        keys = [own[name] for own in fields if name in own and _key(own[name])]
        if keys and all(name in own for own in fields):
            there = (_value(_key(key) or "", values) for key in keys)
            found[name] = next((value.span.text for value in there if value is not None), None)
    return found


# The file


def _no_constant(word: str) -> None:
    raise json.JSONDecodeError(f"it contains {word}, which is not a number", word, 0)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _object(source: Source, at: int, prefix: str, depth: int) -> Iterator[tuple[str, nodes.Expr]]:
    """By dotted key what an object holds, as literals with their places; null is left out.

    Args:
        at: Where the object begins. It is known to be sound.

    Raises:
        OverflowError: for a number that is not finite.
    """
    text = source.text
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, end) + 1)  # behind the colon
        value, end = _DECODER.raw_decode(text, at)
        if isinstance(value, dict):
            if depth:
                yield from _object(source, at, f"{prefix}{key}.", depth - 1)
        else:
            yield from _literals(prefix + key, value, Span(source, at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _literals(key: str, value: Any, span: Span) -> Iterator[tuple[str, nodes.Expr]]:
    """A value; of a list its length, and how often it holds each word. Long texts and odd signs mean nothing here."""
    if isinstance(value, bool):
        yield key, nodes.Bool(span=span, value=value)
    elif isinstance(value, (int, float)):
        yield key, _number(value, span)
    elif isinstance(value, str):
        if _is_word(value):
            yield key, nodes.Text(span=span, parts=(value,))
    elif isinstance(value, list):
        yield key, _number(len(value), span)
        for word, count in Counter(
            item for item in value if isinstance(item, str) and _is_word(item)
        ).items():
            yield f"{key}.{word}", _number(count, span)


def _is_word(text: str) -> bool:
    return len(text) <= 100 and text.isprintable()


def _number(value: float, span: Span) -> nodes.Expr:
    if not math.isfinite(value):
        raise OverflowError
    number = nodes.Number(span=span, value=Fraction(abs(value)), unit=None, text=str(abs(value)))
    return number if value >= 0 else nodes.Negative(span=span, operand=number)


# Formulas


class _Missing(Exception):
    """A key that the file lacks."""


def _key(node: object) -> str | None:
    """The key that `config.key` means, None for another expression."""
    if isinstance(node, nodes.Name) and node.parts[0] == "config" and len(node.parts) > 1:
        return ".".join(node.parts[1:])
    return None


def _value(key: str, values: Mapping[str, nodes.Expr]) -> nodes.Expr | None:
    owner = values.get(key.rpartition(".")[0])
    if key not in values and owner is not None:
        # A list that does not hold the word.
        return nodes.Number(span=owner.span, value=Fraction(0), unit=None, text="0")
    return values.get(key)


def _resolve(node: Any, values: Mapping[str, nodes.Expr]) -> Any:
    """A formula with the file's values in place of keys, and without the branches that they rule out.

    Raises:
        _Missing: for a key that is needed and not there.
    """
    key = _key(node)
    if key is not None:
        found = _value(key, values)
        if found is None:
            raise _Missing(key)
        return found
    if isinstance(node, nodes.Call) and node.function.text == "given" and (key := _key(node.arguments[0])):
        return nodes.Bool(span=node.span, value=_value(key, values) is not None)
    if isinstance(node, nodes.Call) and node.function.text == "first":
        return _first(node, values)
    if isinstance(node, nodes.If):
        condition = _resolve(node.condition, values)
        if isinstance(condition, nodes.Bool):
            return _resolve(node.then if condition.value else node.otherwise, values)
    if isinstance(node, nodes.Not):
        operand = _resolve(node.operand, values)
        if isinstance(operand, nodes.Bool):
            return nodes.Bool(span=node.span, value=not operand.value)
    if isinstance(node, tuple):
        return tuple(_resolve(item, values) for item in node)
    if isinstance(node, nodes.Node):
        parts = {field.name: getattr(node, field.name) for field in attrs.fields(type(node)) if field.eq}
        return evolve(node, **{name: _resolve(part, values) for name, part in parts.items()})
    return node


def _first(node: nodes.Call, values: Mapping[str, nodes.Expr]) -> Any:
    for argument in node.arguments[:-1]:
        try:
            return _resolve(argument, values)
        except _Missing:
            continue
    return _resolve(node.arguments[-1], values)
