"""The page of releases: the declarations that hold for a release of other software, by software and release.

Input are the texts of the library and of the formats that are read. A declaration is listed once for each `@release`
above it, so that the rows under a release are those to look at when that software moves.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from llmplan.source import Source
from llmplan.syntax import nodes
from llmplan.syntax.decorators import said
from llmplan.syntax.parse import parse

_NOTICE = (
    "<!-- Written by `python docs/generate.py` from plans and templates: change `@release` there, not this page. -->"
)
_INTRO = (
    'What was read in a release of other software and is true for it, as `@release(software, "version")` above each '
    "declaration says: look at these when that software moves. [Index](README.md)"
)


def releases(texts: Mapping[str, str]) -> str:
    """The page, from the texts of plan files by path."""
    by_release: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path, text in texts.items():
        tree, problems = parse(Source(path, text, library=True))
        assert not problems, problems
        for name, statement in _declared(tree.statements):
            for software, version in said(getattr(statement, "decorators", ()), "release"):
                by_release[software, version].append(f"| `{name}` | {_place(path, statement)} |")
    lines = ["# Releases", "", _NOTICE, "", _INTRO]
    last = ""
    for software, version in sorted(by_release, key=lambda release: (release[0], _numbers(release[1]), release[1])):
        if software != last:
            lines += ["", f"## {software}"]
            last = software
        lines += [
            "",
            f"### {software} {version}",
            "",
            "| declaration | place |",
            "|---|---|",
            *by_release[software, version],
        ]
    return "\n".join(lines) + "\n"


def _declared(statements: tuple[nodes.Statement, ...]) -> Iterator[tuple[str, nodes.Statement]]:
    """Every declaration with its name, fields of kinds among them."""
    for statement in statements:
        yield _name(statement), statement
        if isinstance(statement, nodes.Kind):
            yield from ((f"{statement.name.text}.{field.name.text}", field) for field in statement.fields)


def _name(statement: nodes.Statement) -> str:
    if isinstance(statement, (nodes.Entry, nodes.Amend)):
        return f"{statement.kind.text} {statement.name.span.text}"
    name = getattr(statement, "name", None)
    return name.text if isinstance(name, (nodes.Word, nodes.Name)) else statement.span.text.partition("\n")[0]


def _place(path: str, statement: nodes.Statement) -> str:
    line = statement.span.line
    return f"[{path}:{line}](../../{path}#L{line})"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))
