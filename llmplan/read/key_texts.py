"""Which keys a formula reads, and which texts of a key may mean a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import attrs

from llmplan.read.document import Item
from llmplan.read.formats import Format, FormatKey, Line, Reader
from llmplan.read.values import Data, Member
from llmplan.syntax import nodes
from llmplan.units import amount


def texts(item: Item, now: Data | None, wanted: Data, keys: Sequence[tuple[Format, FormatKey]]) -> Iterator[str]:
    """What a key's text may become."""
    number = amount.of_text(item.text or "")
    if isinstance(wanted, Fraction) and number is not None and isinstance(now, Fraction) and now:
        numbers = (wanted, number * wanted / now)
        yield from dict.fromkeys(amount.in_plan(one) for one in numbers if one != number)
    for format, key in keys:
        for text in of_type(format, key, wanted):
            cased = text.capitalize() if (item.text or "")[:1].isupper() and key.type == "Bool" else text
            if cased != item.text:
                yield cased


def of_type(format: Format, key: FormatKey, wanted: Data, new: bool = False) -> Iterator[str]:
    """Texts of a key that may mean a value.

    Args:
        new: Whether no file has the key: which of its texts mean a word is not known then.
    """
    if key.type == "Bool":
        yield from ("true", "false")
    elif key.type in format.words:
        members: dict[str, list[str]] = {}
        for text, member in format.words[key.type].items():
            members.setdefault(member, []).append(text)
        # A member's own word comes first, and is a text of files only where there is no other.
        own = members.pop(str(wanted), [])
        yield from own[1:] or own
        for texts in members.values():
            yield from texts[1:2] or texts[:1]
    elif isinstance(wanted, Fraction) and key.type != "Text":
        yield amount.in_plan(wanted)
    elif new and key.shipped:
        yield from key.shipped
    elif key.type == "Text" and isinstance(wanted, str) and not (new and isinstance(wanted, Member)):
        yield wanted


def keys_read(line: Line, reader: Reader) -> list[tuple[str, str]]:
    """The keys that a formula reads, those of the reader's own names among them."""
    found: dict[tuple[str, str], None] = {}
    todo: list[object] = [line.value]
    seen: set[str] = set()
    while todo:
        node = todo.pop(0)
        if isinstance(node, nodes.Name):
            parts = node.parts
            if len(parts) == 1 and parts[0] in reader.lets and parts[0] not in seen:
                seen.add(parts[0])
                todo.insert(0, reader.lets[parts[0]])
            elif len(parts) == 2:
                found[parts[0], parts[1]] = None
        elif isinstance(node, tuple):
            todo[:0] = node
        elif isinstance(node, nodes.Node):
            todo[:0] = [getattr(node, field.name) for field in attrs.fields(type(node)) if field.eq]
    return list(found)
