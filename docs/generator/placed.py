"""Where each value of a plan goes: by file of a target its keys, and the names that the template reads for each.

Input is the folder of a target; output rows of a table. Nothing is rendered: a key is found by its form at the
beginning of a template's line, and its names in the line, in the variables that it uses, and where it holds no value in
the conditions under which it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from llmplan.emit.targets import Target, source

_KEY = re.compile(
    r"""\s*(?:(--[a-z][\w-]*)|\#SBATCH\ (--[\w-]+)|export\ (\w+)=|"([A-Za-z_][\w.]*)":|([A-Za-z_][\w.]*):\ )""",
    re.VERBOSE,
)
_ASSIGNED = re.compile(r"\s*([A-Za-z_]\w*) ?= ?(?=\S)")
_TABLE = re.compile(r"\[([\w.]+)\]$")
_READ = re.compile(r"""\b(value|number|whole|text|get|has|option|authored|word|words)\(\s*["']([A-Za-z_][\w.]*)["']""")
_SET = re.compile(r"\{%-?\s*set\s+(\w+)\s*=(.*?)-?%\}", re.DOTALL)
_TAG = re.compile(r"\{%-?\s*(if|elif|else|endif|for|endfor|macro|endmacro)\b(.*?)-?%\}", re.DOTALL)
_WORD = re.compile(r"(?<![\w.\"'])([a-z_]\w*)(?![\w(\"'])")


def placed(target: Target) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """By file its keys, each with the names that it is made of."""
    found = {}
    for file, template in target.files:
        rows: dict[str, tuple[str, ...]] = {}
        for key, names in _rows(
            target.name, source(f"{target.name}/{template}", None), file.endswith((".toml", ".py"))
        ):
            rows[key] = tuple(dict.fromkeys((*rows.get(key, ()), *names)))
        if kept := [(key, names) for key, names in rows.items() if names]:
            found[file] = kept
    return found


def _rows(target: str, text: str, assigned: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """In a file of assignments a key stands before `=`, and behind the name of its table."""
    text = re.sub(r"\{#.*?#\}", "", text, flags=re.DOTALL)
    variables: dict[str, tuple[str, ...]] = {}
    for name, expression in _SET.findall(text):
        variables[name] = (*variables.get(name, ()), *_names(target, expression, variables))
    conditions: list[tuple[str, ...]] = []
    table = ""
    for line in text.splitlines():
        for tag, condition in _TAG.findall(line):
            if tag in ("elif", "else", "endif", "endfor", "endmacro") and conditions:
                before = conditions.pop()
                if tag in ("elif", "else"):
                    conditions.append((*before, *_names(target, condition, variables)))
            elif tag in ("if", "for", "macro"):
                conditions.append(_names(target, condition, variables))
        if assigned and (begun := _TABLE.match(line)):
            table = f"{begun[1]}."
        key = (_ASSIGNED if assigned else _KEY).match(line)
        if key is not None and not line.startswith("{%"):
            own = _names(target, line[key.end() :], variables)
            name = table + next(group for group in key.groups() if group)
            yield name, own or tuple(n for names in conditions for n in names)


def _names(target: str, expression: str, variables: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The names that an expression reads, by itself and by variables that it uses."""
    read = [
        f"{target}.{name}" if call in ("option", "word", "words") else name for call, name in _READ.findall(expression)
    ]
    used = [name for word in _WORD.findall(expression) for name in variables.get(word, ())]
    return tuple(dict.fromkeys((*read, *used)))
