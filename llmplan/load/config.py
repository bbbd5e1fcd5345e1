"""`model from "config.json"`: a configuration file as an entry of the catalog.

Input: the text of a file, and the tables that give the meaning of its keys (`config_tables`). The file's values are put
in place of the keys in the formulas of its `model_type`; the result is an ordinary entry. Nothing in the file is run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs
from attrs import evolve, frozen

from llmplan.diagnostics import Diagnostic, config
from llmplan.load.config_tables import Tables
from llmplan.load.literals import EACH, NotAnObject, literals
from llmplan.load.unused_keys import meant, place, unread
from llmplan.source import Source, Span
from llmplan.syntax import nodes
from llmplan.syntax.expressions import written_out

Values = Mapping[str, nodes.Expr]


@frozen
class Configured:
    """What a file says of a kind: an entry that is called as the file, with places in `sources`.

    `data` is what the file holds, the same for every way to write it.
    """

    entry: nodes.Entry
    data: str
    sources: tuple[Source, ...]
    warnings: tuple[Diagnostic, ...] = ()


def read(kind: str, name: str, source: Source, at: Span) -> Configured | Diagnostic:
    """The entry that a configuration file describes, called `name`; `at` is where the plan names the file.

    E0209 if the file is not JSON, of an unsupported type, or lacks keys.
    """
    tables = Tables.of(kind)
    if not tables.entries:
        return config.no_kind(at, kind)
    values: Values
    try:
        values, data, repeated = literals(source)
    except NotAnObject as why:
        return _no_json(at, source, why)
    type = _type(values)
    beside = [field for part, field in tables.beside.items() if any(key.startswith(f"{part}.") for key in values)]
    if type in tables.refused:
        return config.refused_type(at, source.name, type, tables.refused[type])
    sees = any(key.startswith("vision_config.") for key in values)
    outer = type if type in tables.around and sees else None
    if outer is not None:
        values, type = _split(values, tables.inside[outer])
    elif type not in tables.entries:
        # A model that also sees or hears keeps its language model there.
        inner = {key.removeprefix("text_config."): v for key, v in values.items() if key.startswith("text_config.")}
        values = inner or values
        type = _type(values)
    if type in tables.refused:
        return config.refused_type(at, source.name, type, tables.refused[type])
    if type is None or type not in tables.entries:
        usual = _usual(tables, values)
        given = values["model_type"].span if "model_type" in values else None
        if given is not None and not any(usual.values()) and not _is_alone(given):
            given = None  # the line would be shown, and who knows of what file
        left = _left_out(tables, values, usual) if any(usual.values()) else ()
        return config.unknown_type(at, given, source.name, type, tables.entries, usual, left)
    for key, described, otherwise in tables.modelled(type, outer):
        value = _value(key, values)
        if value is not None and value.span.text != described:
            key = key.removeprefix("outer.")
            return config.refused_value(at, source.name, key, value.span, outer or type, otherwise)
    fields = []
    missing: dict[str, None] = {}
    for field in tables.fields(type, outer).values():
        try:
            fields.append(evolve(field, value=_filled(field.value, tables, values)))
        except _Missing as absent:
            missing[str(absent)] = None
    fields += [
        nodes.Field(span=at, name=nodes.Name(span=at, parts=(field,)), value=nodes.Bool(span=at, value=True))
        for field in beside
    ]
    differing = [key.removesuffix(f".{EACH}") for key in missing if key.endswith(f".{EACH}")]
    if there := [values[key] for key in differing if key in values]:
        return config.differs(at, there[0].span, source.name, differing[0], type)
    read = tables.read(type, outer)
    if missing:
        found = {key: other for key in missing if (other := meant(key, values, read)) is not None}
        places = {key: place(other, values[other].span) for key, other in found.items()}
        return config.lacks_keys(at, source.name, type, list(missing), places)
    entry = nodes.Entry(
        span=at, doc=f"Read from {source.name}, a {type}.", kind=nodes.Word(span=at, text=kind),
        name=nodes.Text(span=at, parts=(name,)), like=None, fields=tuple(fields),
        decorators=tables.entries[type].decorators,
    )  # fmt: skip
    warnings = [
        config.not_read(
            place(key, values[key].span), key, source.name, type, [k for k in read if k not in values], read
        )
        for key in unread(values, read, tables.known(type))
        if outer is None or not _is_said_outside(key, values)
    ]
    warnings += [config.repeated(place(key, before), key, source.name) for key, before in repeated.items()]
    return Configured(entry, data, (source, *tables.sources), tuple(warnings))


def _split(values: Values, usual: str) -> tuple[Values, str | None]:
    """The keys of a language model inside a file, beside those of the file by `outer.key`, and its type.

    Args:
        usual: Its type where the file has its keys among its own.
    """
    outer = {f"outer.{key}": value for key, value in values.items() if not key.startswith("text_config.")}
    inner = {key.removeprefix("text_config."): v for key, v in values.items() if key.startswith("text_config.")}
    if inner:
        return {**inner, **outer}, _type(inner) or usual
    return {**values, **outer}, usual


def _is_said_outside(key: str, values: Values) -> bool:
    """Whether the file says the same of a key of its language model around it."""
    outside = values.get(f"outer.{key}")
    return outside is not None and outside.span.text == values[key].span.text


def _no_json(at: Span, source: Source, why: NotAnObject) -> Diagnostic:
    """The diagnostic of a text that does not parse; its line is shown if it surely belongs to a configuration."""
    if why.slip is None:
        return config.no_json(at, source.name, str(why))
    first = min(why.slip.at, max(0, len(source.text) - 1))
    place = Span(source, first, min(first + 1, len(source.text)))
    shown = source.text.lstrip().startswith("{") and '"model_type"' in source.text
    return config.no_json(at, source.name, why.slip.cause, place, why.slip.hint, shown)


def _is_alone(place: Span) -> bool:
    """Whether nothing but the type stands on the line that gives it."""
    line = place.source.line(place.line)
    return re.fullmatch(rf'\s*"model_type"\s*:\s*{re.escape(place.text)}\s*,?\s*', line) is not None


def _type(values: Values) -> str | None:
    """The `model_type` that a file gives."""
    found = values.get("model_type")
    return found.plain if isinstance(found, nodes.Text) else None


_TRUE = "true"


def _usual(tables: Tables, values: Values) -> dict[str, str | None]:
    """The fields that a file of an unknown type probably gives, each as most of the types that read its keys have it.

    Beside a field's value by a key of the file stands what those types say is true of all their models, as of a gated
    MLP. None is the value of a field that every type has where the file has no key for it.
    """
    alike = [tables.fields(type) for type in _alike(tables, values)]
    plain = [{name: _plain(field, tables, values) for name, field in fields.items()} for fields in alike]
    every = [tables.fields(type) for type in tables.entries]
    usual: dict[str, str | None] = {}
    for name in dict.fromkeys(name for fields in plain for name in fields):
        said, count = Counter(fields.get(name) for fields in plain).most_common(1)[0]
        if said is not None and 2 * count > len(plain):
            usual[name] = said
        elif all(name in fields for fields in every) and any(tables.key(fields[name].value) for fields in every):
            usual[name] = None
    known = any(value not in (None, _TRUE) for value in usual.values())
    return usual if known else {name: None for name, value in usual.items() if value is None}


def _left_out(tables: Tables, values: Values, usual: Mapping[str, str | None]) -> list[str]:
    """The keys of a file of an unknown type that describe its structure, and of which no field of `usual` is made."""
    alike = _alike(tables, values)
    told = [field for type in alike for name, field in tables.fields(type).items() if usual.get(name)]
    read = [key for field in told for key in tables.keys_of(field)]
    return list(unread(values, read, tables.known(alike[0])))


def _alike(tables: Tables, values: Values) -> list[str]:
    """The types that read the most of a file's keys."""
    keys = values.keys() - {"model_type"}
    count = {type: len(keys.intersection(tables.read(type))) for type in tables.entries}
    most = max(count.values(), default=0)
    return [type for type in tables.entries if count[type] == most]


def _plain(field: nodes.Field, tables: Tables, values: Values) -> str | None:
    """A field's value as a plan would give it: a number or word of the file, or `true`; None of any other."""
    try:
        value = _filled(field.value, tables, values)
    except _Missing:
        return None
    if isinstance(value, nodes.Bool):
        return _TRUE if value.value else None
    given = {id(one.span.source) for one in values.values()}
    of_file = isinstance(value, (nodes.Number, nodes.Text)) and id(value.span.source) in given
    return value.span.text if of_file else None


class _Missing(Exception):
    """A key that the file lacks."""


def _value(key: str, values: Values) -> nodes.Expr | None:
    start, some, end = key.partition(".*.")
    if some:
        # What every object under a key that has it gives.
        given = [value for k, value in values.items() if k.startswith(f"{start}.") and k.endswith(f".{end}")]
        if len({value.span.text for value in given}) > 1:
            raise _Missing(key)
        return given[0] if given else None
    before, _, word = key.rpartition(".")
    owner = values.get(before)
    if word == EACH and key not in values and owner is not None:
        return None if owner.span.text.startswith("[") else owner
    if key not in values and owner is not None:
        # A list that does not hold the word.
        return nodes.Number(span=owner.span, value=Fraction(0), unit=None, text="0")
    return values.get(key)


def _member(found: nodes.Expr, words: Mapping[str, str]) -> nodes.Expr:
    """A value; of a text that means a member of an enum, by `words`, that member."""
    if not isinstance(found, nodes.Text) or not words:
        return found
    return nodes.Name(span=found.span, parts=(words.get(found.plain or "", words["*"]),))


def _is_member(node: nodes.Compare, tables: Tables, values: Values) -> bool | None:
    """Whether a key of an enum means the member that it is compared with; None of another comparison.

    Such an enum may be one of the tables alone, which no plan knows.
    """
    key = tables.key(node.first)
    if key is None or not isinstance(node.first, nodes.Name) or not (words := tables.words[node.first.text]):
        return None
    (operation, other), *further = node.rest
    if operation != "==" or further or not isinstance(other, nodes.Name):
        return None
    found = _value(key, values)
    if found is None:
        raise _Missing(key)
    member = _member(found, words)
    return isinstance(member, nodes.Name) and member.text == other.text


def _filled(node: Any, tables: Tables, values: Values) -> Any:
    """A formula with the file's values in place of keys, and without the branches that they rule out."""
    key = tables.key(node)
    if key is not None:
        found = _value(key, values)
        if found is None:
            raise _Missing(key)
        return _member(found, tables.words[node.text])
    if isinstance(node, nodes.Call) and node.function.text == "first":
        return _filled(written_out(node), tables, values)
    if isinstance(node, nodes.Call) and node.function.text == "given" and (key := tables.key(node.arguments[0])):
        return nodes.Bool(span=node.span, value=_value(key, values) is not None)
    if isinstance(node, nodes.Compare) and (same := _is_member(node, tables, values)) is not None:
        return nodes.Bool(span=node.span, value=same)
    if isinstance(node, nodes.If):
        condition = _filled(node.condition, tables, values)
        if isinstance(condition, nodes.Bool):
            return _filled(node.then if condition.value else node.otherwise, tables, values)
    if isinstance(node, nodes.Not):
        operand = _filled(node.operand, tables, values)
        if isinstance(operand, nodes.Bool):
            return nodes.Bool(span=node.span, value=not operand.value)
    if isinstance(node, tuple):
        return tuple(_filled(item, tables, values) for item in node)
    if isinstance(node, nodes.Node):
        parts = {field.name: getattr(node, field.name) for field in attrs.fields(type(node)) if field.eq}
        return evolve(node, **{name: _filled(part, tables, values) for name, part in parts.items()})
    return node
