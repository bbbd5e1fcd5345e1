"""The page of the templates: what a target's manifest holds, which targets there are, and what a template may call.

Everything comes from `emit`: its docstrings, the functions and filters that templates see, and the manifests.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Mapping
from typing import Any

from llmplan.emit import targets, view
from llmplan.emit.filters import FILTERS
from llmplan.emit.render import FURTHER

FILE = "templates/README.md"
INDEX = f"templates/{targets.INDEX}"
_NOTICE = "<!-- Written by `python docs/generate.py` from llmplan/emit: change the docstrings there, not this page. -->"


def templates() -> dict[str, str]:
    """The page and the list of the folders, by their paths from the root of the project."""
    summary, _, rest = (inspect.getdoc(targets) or "").partition("\n\n")
    manifest, _, meaning = rest.partition("\n\n")
    known = targets.load()[0].values()
    options = [(target, name, option) for target in known for name, option in target.options.items()]
    calls: dict[str, Any] = {name: getattr(view.View, name) for name in view.NAMES if name != "solution"}
    parts = [
        f"# Templates\n\n{_NOTICE}",
        f"{summary} A new folder is a new target; nothing else has to be changed.",
        f"## The manifest\n\n```json\n{inspect.cleandoc(manifest)}\n```",
        meaning,
        _table("target | files | what it is", [
            f"`{target.name}` | {', '.join(f'`{file}`' for file, _ in target.files)} | {target.about}" for target in known
        ]),
        "Options are set in the plan, `emit deepspeed { overlap_comm = false }`:",
        _table("option | type | default | meaning", [
            f"`{target.name}.{name}` | {', '.join(option.members) or option.type} | `{json.dumps(option.default)}` | {option.about}"
            for target, name, option in options
        ]),
        "## What a template may call",
        "A template is written in jinja2. A name that has no value stops it, so that no file has a hole in it.",
        _calls(calls | FURTHER),
        "`solution` is the whole solution (`llmplan/solution.py`).",
        "## Filters",
        "What comes from a plan goes through one of these, so that nothing in it breaks out of its place.",
        _calls(FILTERS),
    ]  # fmt: skip
    return {FILE: "\n\n".join(parts) + "\n", INDEX: "".join(f"{name}\n" for name in targets.shipped())}


def _table(head: str, rows: Iterable[str]) -> str:
    line = "|".join("---" for _ in head.split(" | "))
    return "\n".join([f"| {head} |", f"|{line}|", *(f"| {row} |" for row in rows)])


def _calls(functions: Mapping[str, Any]) -> str:
    """Each function with its arguments and the first line of its docstring."""
    rows = []
    for name, function in functions.items():
        arguments = [str(one).partition(":")[0] for one in inspect.signature(function).parameters.values()]
        called = ", ".join(argument for argument in arguments if argument != "self")
        rows.append(f"`{name}({called})` | {(inspect.getdoc(function) or '').splitlines()[0]}")
    return _table("call | meaning", rows)
