"""How texts and numbers are written into each format, so that nothing in a plan can break out of its place."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

from llmplan.escape import visible, visible_line
from llmplan.present.blocks import cut
from llmplan.present.escape import code, markdown
from llmplan.present.svg.escape import xml

_YAML_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*\Z")
_YAML_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"}


def shell(value: object) -> str:
    """One word of a POSIX shell."""
    return shlex.quote(str(value))


def path(value: object) -> str:
    """A path that no program takes for an option: `-x` is `./-x`."""
    text = str(value)
    return f"./{text}" if text.startswith("-") else text


def plain(value: object) -> str:
    """A value as a program reads it: `true`, `8` for 8.0, `0.0003`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def to_json(value: Any) -> str:
    """JSON in the order given, without the keys whose value is None."""
    return visible(json.dumps(_without_none(value), indent=2, ensure_ascii=False, allow_nan=False))


def yaml(value: object) -> str:
    """A YAML scalar that reads back as the same value, `no` and `1e5` included."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        mantissa, exponent, power = repr(value).partition("e")
        # Without a point, readers of YAML 1.1 take 1e-05 for text.
        return f"{mantissa}.0e{power}" if exponent and "." not in mantissa else repr(value)
    text = str(value)
    if _YAML_PLAIN.match(text) and text.lower() not in _YAML_WORDS:
        return text
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    quoted = {'"': '\\"', "\\": "\\\\"}
    return '"' + "".join(quoted.get(c, c) if c.isprintable() else f"\\U{ord(c):08x}" for c in text) + '"'


FILTERS = {
    "visible": visible_line,
    "plain": plain,
    "shell": shell,
    "path": path,
    "json": to_json,
    "yaml": yaml,
    "md": markdown,
    "code": code,
    "xml": xml,
    "cut": cut,
}


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [_without_none(item) for item in value]
    return value
