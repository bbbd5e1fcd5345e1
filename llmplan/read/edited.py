"""Where in a file's text a key has its value, or would have one: what a change of it replaces, or inserts."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence

_QUOTE = "[\"']?"


def located(text: str, key: str, value: str, line: int) -> tuple[int, int] | None:
    """The characters of a key's value in a line, half-open.

    Where the line has a shell's variable instead, those of its only assignment, if nothing else reads the variable.
    None where the value comes from elsewhere, or the line shows it twice.

    Args:
        text: The file's text.
        key: The key, dotted where it is nested: of that the last word stands in the line.
        value: As it stands in the file, without quotes.
        line: Counted from 1.
    """
    lines = text.split("\n")
    if not 0 < line <= len(lines):
        return None
    before = sum(len(one) + 1 for one in lines[: line - 1])
    name = _spelled(key.rpartition(".")[2])
    key_of = rf"(?<![\w-])(?:--)?{_QUOTE}{name}{_QUOTE}(?:\s*[:=]\s*|\s+){_QUOTE}"
    found = [match.span(1) for match in re.finditer(rf"{key_of}({re.escape(value)})(?![\w.])", lines[line - 1])]
    if len(found) == 1:
        return before + found[0][0], before + found[0][1]
    variables = re.findall(rf"{key_of}\$\{{?([A-Za-z_]\w*)", lines[line - 1])
    return _assigned(text, variables[0], value) if len(variables) == 1 and not found else None


def shown_key(line: str, key: str, value: str) -> tuple[int, int] | None:
    """The characters of a key and its value in a line, which may have several keys; of the key alone where its value
    stands elsewhere, None where the line does not show it."""
    at = 0
    *parents, last = key.removeprefix("$").split(".")
    for parent in parents:
        found = re.compile(_word(parent)).search(line, at)
        at = found.end() if found is not None else at
    for pattern in (rf"{_word(last)}{_QUOTE}(?:\s*[:=]\s*|\s+){_QUOTE}{re.escape(value)}(?![\w.])", _word(last)):
        found = re.compile(pattern).search(line, at)
        if found is not None:
            return found.span()
    return None


def _word(name: str) -> str:
    return rf"(?<![\w-])(?:--)?{_spelled(name)}(?![\w-])"


def _spelled(name: str) -> str:
    """A key as a line has it: `-` and `_` are one."""
    return "[-_]".join(re.escape(part) for part in re.split("[-_]", name))


def _assigned(text: str, variable: str, value: str) -> tuple[int, int] | None:
    """The value in the only assignment of a variable that one place reads, or in its default there: `${MBS:-4}`."""
    set_to = list(re.finditer(rf"(?<![\w$])(?:{variable}=|\$\{{{variable}:?[-=]){_QUOTE}([^\s\"';}}]*)", text))
    if len(set_to) != 1 or set_to[0][1] != value:
        return None
    # Once where it is set, and once where it is read, unless that is the same place.
    times = len(re.findall(rf"(?<!\w){variable}(?!\w)", text))
    return set_to[0].span(1) if times == 1 + set_to[0][0].startswith(variable) else None


def inserted(
    file: str, text: str, key: str, value: str, line: int, behind: Sequence[Sequence[str]] = ()
) -> tuple[int, str] | None:
    """A key that a file lacks: the character before which it is inserted, and the text of it.

    None where its place is not plain, as beside a pipe, or in a call.

    Args:
        file: The file's name, whose end says its syntax.
        key: An option with its dashes, where `line` is of a command; else a key, dotted where it is nested.
        value: As it would stand in the file, without quotes.
        line: Counted from 1; 0 where the file is no command.
        behind: For an option of a launcher, the words that start it, alternatives.
    """
    if line:
        words = key if value == "true" else f"{key} {shlex.quote(value)}"
        return _of_launcher(text, words, behind) if behind else _option(text, words, line)
    part, _, name = key.rpartition(".")
    plain = value in ("true", "false") or re.fullmatch(r"-?[0-9][0-9.eE+-]*", value) is not None
    if file.endswith(".json"):
        return _in_json(text, part, name, value if plain else json.dumps(value))
    if file.endswith((".yaml", ".yml")):
        return _in_yaml(text, part, name, value if plain or re.fullmatch(r"[\w./-]+", value) else json.dumps(value))
    if file.endswith(".toml"):
        return _in_toml(text, part, name, value if plain else json.dumps(value))
    return None


def _option(text: str, words: str, line: int) -> tuple[int, str] | None:
    lines = text.split("\n")
    if not 0 < line <= len(lines):
        return None
    # Within what is continued, before the sign of it; on a last line at its end.
    body = re.sub(r"\s*\\?\s*$", "", lines[line - 1])
    if re.search(r"[#|;&<>()`]", body):
        return None
    return sum(len(one) + 1 for one in lines[: line - 1]) + len(body), f" {words}"


def _of_launcher(text: str, words: str, behind: Sequence[Sequence[str]]) -> tuple[int, str] | None:
    """Behind the only launch of a text: further back it would be an option of the program."""
    forms = "|".join(r"[ \t]+".join(map(re.escape, form)) for form in behind)
    found = list(re.finditer(rf"(?<![\w./-])(?:{forms})(?=[ \t]|$)", text, re.MULTILINE))
    return (found[0].end(), f" {words}") if len(found) == 1 else None


def _in_json(text: str, part: str, name: str, value: str) -> tuple[int, str] | None:
    opening = re.match(r"\s*\{", text)
    if opening is None or (part and re.search(rf'"{re.escape(part.partition(".")[0])}"\s*:', text)):
        return None
    inner = f'"{name}": {value}'
    for outer in reversed(part.split(".") if part else []):
        inner = f'"{outer}": {{{inner}}}'
    rest = text[opening.end() :]
    space = re.match(r"\s*", rest)
    assert space is not None
    empty = rest[space.end() : space.end() + 1] == "}"
    return opening.end() + space.end(), inner if empty else f"{inner},{space[0] or ' '}"


def _in_yaml(text: str, part: str, name: str, value: str) -> tuple[int, str] | None:
    if text.lstrip().startswith(("{", "[")) or "\n---" in text or "\n..." in text:
        return None
    if not part:
        return len(text), f"{'' if not text or text.endswith(chr(10)) else chr(10)}{name}: {value}\n"
    parent = re.search(rf"^{re.escape(part)}:[ \t]*\r?\n([ \t]+)(?=[\w\"'])", text, re.MULTILINE)
    return None if parent is None else (parent.start(1), f"{parent[1]}{name}: {value}\n")


def _in_toml(text: str, part: str, name: str, value: str) -> tuple[int, str] | None:
    section = re.search(rf"^\[{re.escape(part)}\][ \t]*\r?\n", text, re.MULTILINE) if part else None
    if section is not None:
        return section.end(), f"{name} = {value}\n"
    if not part:
        return 0, f"{name} = {value}\n"
    return len(text), f"{'' if text.endswith(chr(10)) else chr(10)}\n[{part}]\n{name} = {value}\n"
