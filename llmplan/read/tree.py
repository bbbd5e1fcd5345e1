"""JSON, HJSON's comments, YAML: one reader, as YAML's flow style is JSON.

Only the tree of nodes is composed: no tag is constructed, so that nothing in the file can run. An alias is followed
as often as it stands, within the bound on the number of keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from llmplan.read.document import NULL, Document, Item, Unreadable

_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEPTH = 40
_QUOTED_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|(//[^\n]*)|(/\*.*?\*/)', re.DOTALL)


def documents(file: str, text: str) -> list[Document]:
    """The mappings of a text, one for each document of a YAML stream.

    Raises:
        Unreadable: It is neither JSON nor YAML, or holds no mapping.
    """
    is_json = text.lstrip().startswith(("{", "[")) or text.lstrip().startswith(("//", "/*"))
    source = _uncommented(text) if is_json else text.replace("\t", "    ")
    try:
        nodes = [node for node in yaml.compose_all(source, Loader=_LOADER) if node is not None]
        found = []
        for node in nodes:
            if isinstance(node, yaml.MappingNode):
                found.append(Document.of("json" if is_json else "yaml", file, _items(file, node, "", _DEPTH)))
            elif isinstance(node, yaml.SequenceNode):
                for inner in node.value:
                    if isinstance(inner, yaml.MappingNode):
                        found.append(Document.of("yaml", file, _items(file, inner, "", _DEPTH)))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        why = getattr(error, "problem", None) or "it is neither JSON nor YAML"
        raise Unreadable(str(why), mark.line + 1 if mark else 1) from None
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None
    if not found:
        raise Unreadable("it holds no keys")
    return found


def _uncommented(text: str) -> str:
    """JSON without the comments of HJSON; everything else keeps its place."""

    def blank(found: re.Match[str]) -> str:
        comment = found[1] or found[2]
        return found[0] if comment is None else re.sub(r"[^\n]", " ", comment)

    return _QUOTED_OR_COMMENT.sub(blank, text).replace("\t", " ")


def _items(file: str, node: yaml.MappingNode, prefix: str, depth: int) -> Iterator[Item]:
    if not depth:
        raise Unreadable("it is nested too deeply", node.start_mark.line + 1)
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            continue
        if key.value == "<<" and not key.style:
            merged = value.value if isinstance(value, yaml.SequenceNode) else [value]
            for one in merged:
                if isinstance(one, yaml.MappingNode):
                    yield from _items(file, one, prefix, depth - 1)
            continue
        yield from _value(file, value, f"{prefix}{key.value}", line, depth)


def _value(file: str, node: yaml.Node, key: str, line: int, depth: int) -> Iterator[Item]:
    if isinstance(node, yaml.MappingNode):
        if not node.value:
            yield Item(key, None, file, line)
        yield from _items(file, node, f"{key}.", depth - 1)
    elif isinstance(node, yaml.SequenceNode):
        plain = [one for one in node.value if isinstance(one, yaml.ScalarNode)]
        if len(plain) == len(node.value):
            yield Item(key, None, file, line, items=tuple(one.value for one in plain))
        else:
            for number, one in enumerate(node.value):
                yield from _value(file, one, f"{key}.{number}", one.start_mark.line + 1, depth - 1)
    else:
        assert isinstance(node, yaml.ScalarNode)
        quoted = bool(node.style)
        null = not quoted and node.value in NULL
        yield Item(key, None if null and node.value != "none" else node.value, file, line, quoted=quoted)
