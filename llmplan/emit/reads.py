"""Which values the templates of a target read: what is open among them is solved too, and an option that none reads
is a mistake of the target. Templates are searched as text: `check` needs no jinja2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from llmplan.emit.targets import PARTS, is_there, load, source
from llmplan.resources import folder

_READ = re.compile(r"""\b(value|number|whole|text|option)\(\s*["']([A-Za-z_][\w.]*)["']\s*\)""")
_CALL = re.compile(r"""\b([A-Za-z_]\w*)\(\s*["']([A-Za-z_][\w.]*)["']""")
_MACRO = re.compile(r"""\{%-?\s*macro\s+(\w+)\(""")
_PART = re.compile(r"""\{%-?\s*(?:import|from|include)\s+["']([\w.-]+)/([\w.-]+)["']""")


def reads(targets: Sequence[str], templates: Path | None = None) -> tuple[str, ...]:
    """Names that the templates of these targets, and of what they bring along, cannot do without."""
    known, _ = load(templates)
    pending = [name for name in targets if name in known and known[name].when == "named"]
    seen: list[str] = []
    while pending:
        name = pending.pop(0)
        if name in seen:
            continue
        seen.append(name)
        pending += [brought.folder for brought in known[name].brings if brought.folder in known]
    found: list[str] = []
    read: list[tuple[str, str]] = []
    for name in seen:
        parts = [part for part in PARTS if is_there(f"{name}/{part}", templates)]
        read += [(name, template) for template in (*(template for _, template in known[name].files), *parts)]
    for name, template in read:  # which grows by what is included
        try:
            text = source(f"{name}/{template}", templates)
        except (OSError, UnicodeError):
            continue  # rendering reports it
        found += _names(name, text)
        read += [part for part in dict.fromkeys(_PART.findall(text)) if part not in read]
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=64)
def _names(target: str, text: str) -> tuple[str, ...]:
    return tuple(f"{target}.{name}" if call == "option" else name for call, name in _READ.findall(text))


def unread(target: str, options: Iterable[str], templates: Path) -> list[str]:
    """Those of a target's options that no template names, in a folder of templates or among the product's.

    A template reads an option as `option("x")`, through a macro of its own, or, as any template does, by
    `value("target.x")`.
    """
    named: set[str] = set()
    files = [file for place in (Path(str(folder("templates"))), templates) for file in place.glob("*/*.j2")]
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        macros = {"option", *_MACRO.findall(text)} if file.parent.name == target else ()
        named.update(name if "." in name else f"{target}.{name}" for call, name in _CALL.findall(text)
                     if "." in name or call in macros)  # fmt: skip
    return [option for option in options if f"{target}.{option}" not in named]
